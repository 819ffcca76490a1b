// SPDX-License-Identifier: MIT

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
    /// Whether the next update selects the row that moved into the line of a dismissed one.
    var selectsRowInLine = false
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
    static let keyText = "warnings: what looks wrong, and what to do"
    static let acting: Set<Intent> = [.left, .right, .unfoldAll, .foldAll]

    /// What the view's own keys ask for.
    enum Own: String, CaseIterable { case dismiss, mute, failures }

    static let bindings = [
        KeyMap.Binding(
            .visit, [KeyPress(.enter)], "go to its node in the tree; on several: fold or unfold", footer: "go to"),
        KeyMap.Binding(
            own: Own.dismiss, [KeyMap.key("x")], "dismiss the warning, or all of the row", footer: "dismiss"),
        KeyMap.Binding(
            own: Own.mute, [KeyMap.key("X")], "mute this kind of warning, or show it again", footer: "mute kind"),
        KeyMap.Binding(.detail, [KeyMap.key("d")], "show or hide what it means and what to do", footer: "detail"),
        KeyMap.Binding(
            own: Own.failures, [KeyMap.key("E")],
            "failed chains by call site and error, also those no longer kept; again: warnings",
            footer: "failures"),
    ]

    mutating func forgetRows() { rowsKey = nil }

    mutating func updateRows(_ context: inout ViewContext) {
        let key = RowsKey(
            revisions: context.programs.map(\.insight.warnings.revision), programs: context.processKeys,
            filter: context.filterRevision, hidesUnmatched: context.filter.hidesUnmatched, unfolded: unfolded,
            showsEnded: showsEnded, showsFailures: showsFailures,
            failureRevisions: context.programs.map(\.insight.failures.revision),
            enabled: context.options.warnings.enabled, seen: seen)
        if key != rowsKey {
            rowsKey = key
            let before = selectedRow
            rows = showsFailures ? failureRows(context) : allRows(context)
            if let selected, let row = rowNumber(of: selected) ?? before.flatMap({ groupNumber(of: $0) }) {
                cursor.moveSelection(to: row)
            }
        }
        cursor.resize(rows.count, height: height(in: context))
        if selected != nil || selectsRowInLine { selected = selectedRow?.id }
        selectsRowInLine = false
        selectNode(&context)
    }

    /// Returns the number of a row; nil if there is no such row.
    func rowNumber(of wanted: WarningRow.ID) -> Int? {
        rows.firstIndex { $0.id == wanted }
    }

    /// Returns the number of the group's row, for the row of a warning in an unfolded group; else nil.
    func groupNumber(of row: WarningRow) -> Int? {
        guard case .warning(_, let group, _) = row else { return nil }
        return rowNumber(of: .group(group))
    }

    // MARK: Selecting

    mutating func didMoveCursor(_ context: inout ViewContext) {
        if selected != selectedRow?.id { context.scrollDetailToTop() }
        selected = selectedRow?.id
        selectNode(&context)
    }

    /// Returns the node of the selected warning; nil if the node was evicted, and for a row that does not stand for a
    /// single warning.
    func selectedNode(_ context: ViewContext) -> RowID? {
        guard let (warning, programIndex) = selectedRow?.warning,
            let node = context.programs[programIndex].forest.index(of: warning.node)
        else { return nil }
        return context.rowID(of: node, in: programIndex)
    }

    func describesSelection(in context: ViewContext) -> Bool { selectedNode(context) != nil }

    private func selectNode(_ context: inout ViewContext) {
        guard context.view == .warnings, let node = selectedNode(context), context.selection != node else { return }
        context.select(node)
    }

    func redrawKey(in context: ViewContext) -> UInt64 {
        rows.isEmpty || context.programs.allSatisfy(\.isClockStopped) ? 0 : context.wall / 1_000_000_000
    }

    /// Acts on a click on the selected row: on a double click, and on a single click on the fold marker.
    mutating func handleClickOnCursor(_ click: RowClick, _ context: inout ViewContext) {
        guard let row = selectedRow else { return }
        if click.isDouble || row.folds && click.column <= WarningColumns.marker + 1 { visit(&context) }
    }
}
