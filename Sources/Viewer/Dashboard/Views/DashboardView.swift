// SPDX-License-Identifier: MIT

/// One view of the dashboard: its rows, what keys and clicks do there, and how it is drawn.
///
/// A conformer is the model that the view keeps between two actions, and nothing else can reach its inside. It sees the
/// rest of the dashboard as a ``ViewContext``, and changes it by requests only.
///
/// A new view needs a conformer in a folder of its own, and a case in ``ViewID`` with the type.
protocol DashboardView {
    /// What the view's own keys ask for.
    associatedtype Own: RawRepresentable<String>, CaseIterable = NoIntent

    /// The name on the tab, the command line and in the configuration, in lower case.
    static var name: String { get }
    /// The text of the digit key in the help.
    static var keyText: String { get }
    /// Keys that only this view has, or that mean something else in it.
    static var bindings: [KeyMap.Binding] { get }
    /// The keys of all views that only some views act on, this view among them.
    static var acting: Set<Intent> { get }
    /// Whether rows stand for nodes, so that the keys for nodes act on them.
    static var hasNodeRows: Bool { get }
    /// Whether rows that do not match the filter stay, dimmed, whatever ``Filter/dims`` is.
    static var keepsAllRows: Bool { get }
    /// Whether rows stand for programs. With one program, such a view has a tab only while it is shown.
    static var listsPrograms: Bool { get }
    /// Whether another node may come to stand on the selected row by itself, so that keys act on the node that was
    /// drawn there.
    static var changesSelectedNode: Bool { get }
    /// Whether rows have the figures of call sites.
    static var showsSites: Bool { get }
    /// Whether rows have the figures of call paths.
    static var showsPaths: Bool { get }
    /// Whether a link of the details selects a node within the view, instead of showing it in the tree.
    static var followsLinks: Bool { get }
    /// Whether the filter is also about events, so that their terms are completed.
    static var filtersEvents: Bool { get }

    init()

    /// Prepares the view for being shown.
    mutating func didAppear(_ context: inout ViewContext)
    /// Prepares the view for being replaced by another view.
    mutating func willDisappear(_ context: inout ViewContext)
    /// Finds the rows to show; the selection stays on its row where possible.
    mutating func updateRows(_ context: inout ViewContext)
    /// Makes the next ``updateRows(_:)`` find the rows anew, even if what they depend on looks unchanged.
    mutating func forgetRows()
    /// Whether the view needs the frames of all live tasks, which are then read as for `in:`.
    var readsAllFrames: Bool { get }
    /// Does the view's work of a tick while the view is shown; returns whether rows may have moved.
    mutating func tick(_ context: ViewContext) -> Bool
    /// Returns whether ``tick(_:)`` has nothing to do until the next action.
    func isIdle(_ context: ViewContext) -> Bool
    /// Puts aside what is about the live programs, before their past is shown.
    mutating func willLookBack()
    /// Restores what ``willLookBack()`` put aside.
    mutating func didReturnToNow()

    /// Returns whether the footer offers one of ``bindings``: whether the binding does something for the selected row.
    func offers(_ intent: Intent, hasSelection: Bool) -> Bool
    /// Returns the footer's word for one of ``bindings``; nil for the binding's own word.
    func footerWord(for intent: Intent) -> String?
    /// Performs one of the view's own keys.
    mutating func perform(_ intent: Own, _ context: inout ViewContext)
    /// Handles a key as this view does; returns false if the key means the same in every view.
    mutating func handle(_ intent: Intent, _ context: inout ViewContext) -> Bool
    /// Prepares for a click on a line of the rows, before the rows move with the changes of the programs. Returns the
    /// row that is under the pointer, if the view finds it again after it has moved.
    mutating func willClick(line: Int, _ context: inout ViewContext) -> RowID?
    /// Acts on a click on a line of the rows.
    mutating func handleClick(_ click: RowClick, _ context: inout ViewContext)
    /// Acts on a click on the column headers.
    mutating func handleHeaderClick(column: Int, _ context: inout ViewContext)
    /// Scrolls the rows without moving the selection.
    mutating func scroll(by lines: Int, _ context: inout ViewContext)
    /// Returns the number of rows, and the number of the first row that is shown. Lines of the view that show something
    /// else count as rows, too.
    func scrollPosition(in context: ViewContext) -> (count: Int, top: Int)
    /// How many lines below the column headers are needed to show everything.
    var lineCount: Int { get }
    /// Selects the next row, if there is one.
    mutating func selectNextRow(_ context: inout ViewContext)

    /// How many rows match the filter, and the word for a row; nil if matching nodes are to be counted instead.
    var matchingRows: (count: Int, unit: String)? { get }
    /// Draws the column headers and the rows.
    func draw(_ context: ViewContext, into painter: inout Painter)
    /// Returns the view's own details of the selected row, wrapped to `width` columns; nil if the detail pane shows the
    /// selected node, group or program.
    func detail(in context: ViewContext, width: Int) -> ViewDetail?
    /// Returns whether the detail pane shows the selected node or program.
    func describesSelection(in context: ViewContext) -> Bool
    /// Returns a number that changes when the passing of time alone changes the rows.
    func redrawKey(in context: ViewContext) -> UInt64
    /// Whether ``redrawKey(in:)`` changes at least as often as the details of the selection need.
    var redrawKeyCoversDetail: Bool { get }
}

/// What the keys of a view without own keys ask for: nothing.
struct NoIntent: RawRepresentable, CaseIterable {
    static let allCases: [NoIntent] = []
    let rawValue: String
    init?(rawValue: String) { nil }
}

/// A click on a line of a view's rows.
struct RowClick {
    /// The row that ``DashboardView/willClick(line:_:)`` returned, because rows may have moved since.
    var rowID: RowID?
    /// The line, counted from the first row that is shown.
    var line: Int
    /// The column, counted from the left edge of the rows.
    var column: Int
    /// 1 for a single click, 2 for a double click.
    var count: Int

    var isDouble: Bool { count > 1 }
}

extension DashboardView {
    static var bindings: [KeyMap.Binding] { [] }
    static var acting: Set<Intent> { [] }
    static var hasNodeRows: Bool { true }
    static var keepsAllRows: Bool { false }
    static var listsPrograms: Bool { false }
    static var changesSelectedNode: Bool { false }
    static var showsSites: Bool { false }
    static var showsPaths: Bool { false }
    static var followsLinks: Bool { false }
    static var filtersEvents: Bool { false }

    mutating func didAppear(_ context: inout ViewContext) {}
    mutating func willDisappear(_ context: inout ViewContext) {}
    mutating func forgetRows() {}
    var readsAllFrames: Bool { false }
    mutating func tick(_ context: ViewContext) -> Bool { false }
    func isIdle(_ context: ViewContext) -> Bool { true }
    mutating func willLookBack() {}
    mutating func didReturnToNow() {}
    func offers(_ intent: Intent, hasSelection: Bool) -> Bool { true }
    func footerWord(for intent: Intent) -> String? { nil }
    mutating func willClick(line: Int, _ context: inout ViewContext) -> RowID? { nil }
    var matchingRows: (count: Int, unit: String)? { nil }
    mutating func handleHeaderClick(column: Int, _ context: inout ViewContext) {}
    func detail(in context: ViewContext, width: Int) -> ViewDetail? { nil }
    func describesSelection(in context: ViewContext) -> Bool { true }
    func redrawKey(in context: ViewContext) -> UInt64 { 0 }
    var redrawKeyCoversDetail: Bool { false }
}

extension DashboardView where Own == NoIntent {
    mutating func perform(_ intent: Own, _ context: inout ViewContext) {}
}
