import ChainInsight
import ChainModel
import Frames

/// The view of warnings: one row for each kind at a call site, the worst first; ended warnings are folded. Has a page of
/// failures, one row for each cause.
struct WarningsView {
    var cursor = ListCursor()
    var rows: [WarningRow] = []
    /// The selected row; nil until the user moves the cursor, which stays on the first row until then.
    var selected: WarningRow.ID?
    /// Groups that show a row for each of their warnings.
    var unfolded: Set<WarningGroup.ID> = []
    var showsEnded = false
    var showsFailures = false
    /// By program and kind, the last ``Warning/serial`` when the user left the view; nil before the user first leaves
    /// it.
    var seen: [ProcessKey: [WarningKind: UInt64]]?
    /// The ``seen`` of the live programs while their past is shown, because in the past the serials start again.
    var seenOfLive: [ProcessKey: [WarningKind: UInt64]]?
    fileprivate var rowsKey: RowsKey?

    /// What the rows depend on; they are made anew when it changes.
    fileprivate struct RowsKey: Equatable {
        var revisions: [UInt64]
        var programs: [ProcessKey?]
        var filter: UInt64
        var hidesUnmatched: Bool
        var unfolded: Set<WarningGroup.ID>
        var showsEnded: Bool
        var showsFailures: Bool
        var failureRevisions: [UInt64]
        var enabled: Set<WarningKind>
        var seen: [ProcessKey: [WarningKind: UInt64]]?
    }

    var selectedRow: WarningRow? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
}

extension WarningsView: ListView {
    static let name = "warnings"
    static let intent = Intent.warnings
    static let keyText = "warnings: what looks wrong, and what to do"
    static let bindings = [
        KeyMap.Binding(
            .visit, [KeyPress(.enter)], "go to its node in the tree; on several: fold or unfold", footer: "go to"),
        KeyMap.Binding(
            .dismiss, [KeyMap.key("x")], "dismiss the warning, or all of the row", footer: "dismiss"),
        KeyMap.Binding(
            .hide, [KeyMap.key("X")], "mute this kind of warning, or show it again", footer: "mute kind"),
        KeyMap.Binding(.detail, [KeyMap.key("d")], "show or hide what it means and what to do", footer: "detail"),
        KeyMap.Binding(
            .failures, [KeyMap.key("E")],
            "failed chains by call site and error, also those no longer kept; again: warnings",
            footer: "failures"),
    ]
    static func cursor(of state: borrowing State) -> ListCursor { state.warnings.cursor }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) { state.warnings.cursor = cursor }

    static func forgetRows(_ state: inout State) { state.warnings.rowsKey = nil }

    static func updateRows(_ state: inout State) {
        let view = state.warnings
        let key = RowsKey(
            revisions: state.programs.map(\.insight.warnings.revision), programs: state.processKeys,
            filter: state.filterRevision, hidesUnmatched: state.filter.hidesUnmatched, unfolded: view.unfolded,
            showsEnded: view.showsEnded, showsFailures: view.showsFailures,
            failureRevisions: state.programs.map(\.insight.failures.revision), enabled: state.options.warnings.enabled,
            seen: view.seen)
        if key != state.warnings.rowsKey {
            state.warnings.rowsKey = key
            let before = state.warnings.selectedRow
            state.warnings.rows = view.showsFailures ? failureRows(state) : allRows(state)
            if let selected = state.warnings.selected,
                let row = rowNumber(of: selected, state) ?? before.flatMap({ groupNumber(of: $0, state) })
            {
                state.warnings.cursor.moveSelection(to: row)
            }
        }
        state.warnings.cursor.resize(state.warnings.rows.count, height: height(in: state))
        if state.warnings.selected != nil { state.warnings.selected = state.warnings.selectedRow?.id }
        selectNode(&state)
    }

    /// Returns the number of a row; nil if there is no such row.
    static func rowNumber(of wanted: WarningRow.ID, _ state: borrowing State) -> Int? {
        state.warnings.rows.firstIndex { $0.id == wanted }
    }

    /// Returns the number of the group's row, for the row of a warning in an unfolded group; else nil.
    static func groupNumber(of row: WarningRow, _ state: borrowing State) -> Int? {
        guard case .warning(_, let group, _) = row else { return nil }
        return rowNumber(of: .group(group), state)
    }

    // MARK: Selecting

    static func didMoveCursor(_ state: inout State) {
        let selected = state.warnings.selectedRow?.id
        if state.warnings.selected != selected { state.detailScroll = 0 }
        state.warnings.selected = selected
        selectNode(&state)
    }

    /// Returns the node of the selected warning; nil if the node was evicted, and for a row that does not stand for a
    /// single warning.
    static func selectedNode(_ state: borrowing State) -> RowID? {
        guard let (warning, programIndex) = state.warnings.selectedRow?.warning,
            let node = state.programs[programIndex].forest.index(of: warning.node)
        else { return nil }
        return state.rowID(of: node, in: programIndex)
    }

    static func describesSelection(_ state: borrowing State) -> Bool { selectedNode(state) != nil }

    private static func selectNode(_ state: inout State) {
        guard state.view == .warnings, let node = selectedNode(state), state.selection != node else { return }
        state.select(node)
    }

    static func redrawKey(of state: borrowing State) -> UInt64 {
        state.warnings.rows.isEmpty || state.programs.allSatisfy(\.isClockStopped) ? 0 : state.wall / 1_000_000_000
    }

    /// Acts on a click on the selected row: on a double click, and on a single click on the fold marker.
    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        guard let row = state.warnings.selectedRow else { return }
        if click.isDouble || row.folds && click.column <= WarningColumns.marker + 1 { visit(&state) }
    }
}
