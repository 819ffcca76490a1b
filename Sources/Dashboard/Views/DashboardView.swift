/// One view of the dashboard: its rows, what keys and clicks do there, and how it is drawn.
///
/// A conformer is the value that the view keeps in ``State`` between two actions. The requirements are static and get
/// the state, because a view also reads and changes what all views share: programs, selection, filter, status line. The
/// value itself belongs to the view: the rest of the dashboard reaches it only through these requirements. In turn, a
/// view in `Views` uses only a short list of what is shared. `ViewWallTests` checks both rules.
///
/// A new view needs a conformer in a file of its own, a property of ``State`` for the value, a case in ``ViewID`` with
/// the type, and an ``Intent`` for the key.
protocol DashboardView {
    /// The name on the tab, the command line and in the configuration, in lower case.
    static var name: String { get }
    /// The intent of the view's digit key.
    static var intent: Intent { get }
    /// The text of the digit key in the help.
    static var keyText: String { get }
    /// Keys that only this view has, or that mean something else in it.
    static var bindings: [KeyMap.Binding] { get }
    /// Whether rows stand for nodes, so that the keys for nodes act on them.
    static var hasNodeRows: Bool { get }
    /// Whether rows that do not match the filter stay, dimmed, whatever ``Filter/dims`` is.
    static var keepsAllRows: Bool { get }

    /// Prepares the view for being shown; `state.view` is this view already.
    static func didAppear(_ state: inout State)
    /// Prepares the view for being replaced by another view.
    static func willDisappear(_ state: inout State)
    /// Finds the rows to show; the selection stays on its row where possible.
    static func updateRows(_ state: inout State)
    /// Makes the next ``updateRows(_:)`` find the rows anew, even if what they depend on looks unchanged.
    static func forgetRows(_ state: inout State)
    /// Returns whether the view needs the frames of all live tasks, which are then read as for `in:`.
    static func readsAllFrames(_ state: borrowing State) -> Bool
    /// Does the view's work of a tick while the view is shown; returns whether rows may have moved.
    static func tick(_ state: inout State) -> Bool
    /// Returns whether ``tick(_:)`` has nothing to do until the next action.
    static func isIdle(_ state: borrowing State) -> Bool
    /// Puts aside what is about the live programs, before their past is shown.
    static func willLookBack(_ state: inout State)
    /// Restores what ``willLookBack(_:)`` put aside.
    static func didReturnToNow(_ state: inout State)

    /// Returns whether the footer offers one of ``bindings``: whether the binding does something for the selected row.
    static func offers(_ intent: Intent, _ state: borrowing State) -> Bool
    /// Returns the footer's word for one of ``bindings``; nil for the binding's own word.
    static func footerWord(for intent: Intent, _ state: borrowing State) -> String?
    /// Handles a key as this view does; returns nil if the key means the same in every view.
    static func handle(_ intent: Intent, _ state: inout State) -> [Effect]?
    /// Prepares for a click on the rows, before the rows move with the changes of the programs.
    static func willClick(_ state: inout State)
    /// Acts on a click on a line of the rows.
    static func handleClick(_ click: RowClick, _ state: inout State) -> [Effect]
    /// Acts on a click on the column headers.
    static func handleHeaderClick(column: Int, _ state: inout State)
    /// Scrolls the rows without moving the selection.
    static func scroll(by lines: Int, _ state: inout State)
    /// Returns the number of rows, and the number of the first row that is shown. Lines of the view that show something
    /// else count as rows, too.
    static func scrollPosition(of state: borrowing State) -> (count: Int, top: Int)
    /// Returns how many lines below the column headers are needed to show everything.
    static func lineCount(of state: borrowing State) -> Int
    /// Selects the next row, if there is one.
    static func selectNextRow(_ state: inout State)

    /// Returns how many rows match the filter, and the word for a row; nil if matching nodes are to be counted instead.
    static func matchCount(of state: borrowing State) -> (count: Int, unit: String)?
    /// Draws the column headers and the rows.
    static func draw(_ state: borrowing State, into painter: inout Painter)
    /// Returns the view's own details of the selected row, wrapped to `width` columns; nil if the detail pane shows the
    /// selected node, group or program.
    static func detail(of state: borrowing State, width: Int) -> ViewDetail?
    /// Returns whether the detail pane shows the selected node or program.
    static func describesSelection(_ state: borrowing State) -> Bool
    /// Returns a number that changes when the passing of time alone changes the rows.
    static func redrawKey(of state: borrowing State) -> UInt64
}

/// A click on a line of a view's rows.
struct RowClick {
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
    static var hasNodeRows: Bool { true }
    static var keepsAllRows: Bool { false }
    static func lineCount(of state: borrowing State) -> Int { scrollPosition(of: state).count }
    static func didAppear(_ state: inout State) {}
    static func willDisappear(_ state: inout State) {}
    static func forgetRows(_ state: inout State) {}
    static func readsAllFrames(_ state: borrowing State) -> Bool { false }
    static func tick(_ state: inout State) -> Bool { false }
    static func isIdle(_ state: borrowing State) -> Bool { true }
    static func willLookBack(_ state: inout State) {}
    static func didReturnToNow(_ state: inout State) {}
    static func offers(_ intent: Intent, _ state: borrowing State) -> Bool { true }
    static func footerWord(for intent: Intent, _ state: borrowing State) -> String? { nil }
    static func willClick(_ state: inout State) {}
    static func matchCount(of state: borrowing State) -> (count: Int, unit: String)? { nil }
    static func handleHeaderClick(column: Int, _ state: inout State) {}
    static func detail(of state: borrowing State, width: Int) -> ViewDetail? { nil }
    static func describesSelection(_ state: borrowing State) -> Bool { true }
    static func redrawKey(of state: borrowing State) -> UInt64 { 0 }
}

extension State {
    /// Changes to another view.
    mutating func show(_ new: ViewID) {
        guard new != view else { return updateViewport() }
        status = nil
        view.type.willDisappear(&self)
        view = new
        linkSelection = nil
        view.type.didAppear(&self)
        detailScroll = 0
        updateInsightDemand()
        if new == .chains, let (programIndex, node) = selectedNode, following == .nothing {
            reveal(node, in: programIndex)
        } else {
            updateViewport()
        }
    }

    /// Whether a view has a tab. The overview of a single program, which is a list of one, has a tab only while it is
    /// shown.
    func hasTab(_ view: ViewID) -> Bool { view != .overview || showsPrograms || view == self.view }

    /// Returns the view with a tab that is `step` views further, or back if `step` is negative; wraps at the ends.
    func nextView(by step: Int) -> ViewID {
        let next = view.next(by: step)
        return hasTab(next) ? next : next.next(by: step)
    }

    /// Shows the tree, for a command with an effect that only the tree shows.
    mutating func showTree() { if view != .chains { show(.chains) } }

    /// Selects a row for another view than the tree, so that keys act on the row.
    mutating func select(_ rowID: RowID?) {
        following = .nothing
        if selection != rowID { detailScroll = 0 }
        selection = rowID
        tree.anchor = nil
    }
}
