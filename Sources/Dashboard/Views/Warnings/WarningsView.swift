import ChainEvents
import ChainInsight
import ChainModel
import Frames

/// The view of warnings: what looks wrong, the worst kind first, each kind with its warnings below its heading.
struct WarningsView {
    var cursor = ListCursor()
    var rows: [WarningRow] = []
    /// The selected row once the user has moved; before that the first row is selected.
    var selected: WarningRow.ID?
    /// Kinds of which only the heading is shown.
    var folded: Set<WarningKind> = []
    /// Kinds of which more than the first few warnings are shown.
    var expanded: Set<WarningKind> = []
    fileprivate var source: Source?

    /// What the rows were made of.
    fileprivate struct Source: Equatable {
        var revisions: [UInt64]
        var programs: [ProcessKey?]
        var filter: UInt64
        var hidesRest: Bool
        var folded: Set<WarningKind>
        var expanded: Set<WarningKind>
        var enabled: Set<WarningKind>
    }

    /// Warnings of a kind that are shown until more are asked for.
    static let shortCount = 8

    var selectedRow: WarningRow? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
}

extension WarningsView: ListView {
    static let name = "warnings"
    static let intent = Intent.warnings
    static let keyText = "warnings: what looks wrong, and what to do"
    static let bindings = [
        KeyMap.Binding(
            .visit, [KeyPress(.enter)], "to its node in the tree; on a heading: fold or unfold", footer: "go to"),
        KeyMap.Binding(
            .dismiss, [KeyMap.key("x")], "take the warning away; on a heading: all of the kind", footer: "away"),
        KeyMap.Binding(
            .hide, [KeyMap.key("X")], "hide what comes of this kind, or show it again", footer: "hide kind"),
        KeyMap.Binding(.detail, [KeyMap.key("d")], "show or hide what it means and what to do", footer: "detail"),
    ]
    static func cursor(of state: borrowing State) -> ListCursor { state.warnings.cursor }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) { state.warnings.cursor = cursor }

    static func updateRows(_ state: inout State) {
        let view = state.warnings
        let source = Source(
            revisions: state.programs.map(\.insight.warnings.revision), programs: state.processKeys,
            filter: state.filterRevision, hidesRest: state.filter.hidesRest, folded: view.folded,
            expanded: view.expanded, enabled: state.options.warnings.enabled)
        if source != state.warnings.source {
            state.warnings.source = source
            state.warnings.rows = allRows(state)
            if let selected = state.warnings.selected, let row = rowNumber(of: selected, state) {
                state.warnings.cursor.moveSelection(to: row)
            }
        }
        state.warnings.cursor.resize(state.warnings.rows.count, height: height(in: state))
        if state.warnings.selected != nil { state.warnings.selected = selectedID(state) }
        selectNode(&state)
    }

    static func selectedID(_ state: borrowing State) -> WarningRow.ID? {
        guard let row = state.warnings.selectedRow else { return nil }
        return id(of: row, state)
    }

    static func rowNumber(of wanted: WarningRow.ID, _ state: borrowing State) -> Int? {
        let rows = state.warnings.rows
        return rows.indices.first { id(of: rows[$0], state) == wanted }
    }

    private static func id(of row: WarningRow, _ state: borrowing State) -> WarningRow.ID {
        switch row {
        case .head(let kind, _, _), .hidden(let kind): .kind(kind)
        case .more(let kind, _): .more(kind)
        case .warning(let warning, let programIndex): .warning(warning.id, state.programs[programIndex].source)
        }
    }

    // MARK: Selecting

    static func didMoveCursor(_ state: inout State) {
        let selected = selectedID(state)
        if state.warnings.selected != selected { state.detailScroll = 0 }
        state.warnings.selected = selected
        selectNode(&state)
    }

    /// The node of the selected warning, as long as it is kept.
    static func selectedNode(_ state: borrowing State) -> RowID? {
        guard case .warning(let warning, let programIndex)? = state.warnings.selectedRow,
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
        state.warnings.rows.isEmpty || state.programs.allSatisfy(\.isStill) ? 0 : state.wall / 1_000_000_000
    }

    /// Acts on a click; a single one acts on markers and on the line of further warnings.
    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        switch state.warnings.selectedRow {
        case .head where click.column <= WarningColumns.head + 1 || click.isDouble: visit(&state)
        case .more: visit(&state)
        case .warning, .hidden: if click.isDouble { visit(&state) }
        default: break
        }
    }
}
