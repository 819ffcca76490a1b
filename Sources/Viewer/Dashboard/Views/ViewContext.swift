// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight
import ChainModel
import ChainRows

/// What a view sees of the rest of the dashboard, and what it asks of it. A view changes nothing but itself: its
/// requests are performed after it has returned.
struct ViewContext: SharedState {
    /// Changed by the functions below only: rows are walked when they are first asked for, and what was walked is kept.
    private(set) var world: World
    let view: ViewID
    let filter: Filter
    let options: State.Options
    /// How long the screen has been frozen, in nanoseconds; nil if it is not frozen.
    let frozenAge: UInt64?
    /// The parts of the screen.
    let layout: Layout
    /// The time of day of the shown moment, in nanoseconds since 1970.
    let shownWall: UInt64
    /// Where the tree is.
    let treePosition: TreePosition
    let tags: [RowID]
    /// The row that keys act on: as the view has requested it, if it has.
    private(set) var selection: RowID?
    private var lastCommandID: UInt64
    /// What the view has asked for, in this order.
    private(set) var requests: [ViewRequest] = []

    init(_ state: borrowing State) {
        world = state.world
        view = state.view
        filter = state.filter
        options = state.options
        frozenAge = state.frozenAt.map { state.wall &- min($0, state.wall) }
        layout = Layout(state)
        shownWall = state.frozenAt ?? state.wall
        treePosition = state.tree.position(state.selection)
        tags = state.tags
        selection = state.selection
        lastCommandID = state.lastCommandID
    }

    /// Makes a context that takes the state's world until ``giveBack(_:)``: with a second copy of the world, the first row
    /// that is walked would copy a forest's outline.
    init(taking state: inout State) {
        self.init(state)
        state.world = World()
    }

    /// Gives the world back; see ``init(taking:)``.
    mutating func giveBack(_ state: inout State) { swap(&world, &state.world) }

    var isFrozen: Bool { frozenAge != nil }

    // MARK: The rows of the tree

    /// Returns the row of a program, group or node, or of what hides it; nil if no such row is shown.
    mutating func row(of rowID: RowID) -> Int? { world.row(of: rowID) }

    mutating func row(at number: Int) -> ChainsView.WindowRow? { world.row(at: number) }

    /// Returns at most `count` rows from the row `first` on.
    mutating func rows(from first: Int, count: Int) -> [ChainsView.WindowRow] { world.rows(from: first, count: count) }

    /// Returns the rows of the chain that a row is in; for a program's or a group's row, that row alone.
    mutating func chainRows(around row: Int) -> Range<Int> { world.chainRows(around: row) }

    /// Returns the first row of the chain after the chain with the rows `chain`.
    mutating func nextChainRow(after chain: Range<Int>) -> Int { world.nextChainRow(after: chain) }

    /// Unfolds what hides a node, at once, because its row depends on that.
    mutating func unfold(to node: NodeIndex, in programIndex: Int) { world.unfold(to: node, in: programIndex) }

    /// Returns the numbers of the rows with a pinned node, or that hide a pinned node. O(pins).
    mutating func rowsWithPins() -> Set<Int> { world.rowsWithPins() }

    // MARK: Requests

    /// Asks for something.
    mutating func request(_ request: ViewRequest) { requests.append(request) }

    /// Shows a message on the status line, see ``State/notify(_:_:isSticky:)``.
    mutating func notify(_ text: String, _ tone: State.Status.Tone = .plain, isSticky: Bool = false) {
        request(.notify(text, tone, isSticky: isSticky))
    }

    /// Selects a row, so that keys and details are about it.
    mutating func select(_ rowID: RowID?) {
        selection = rowID
        request(.select(rowID))
    }

    /// Selects a row of the tree: unlike ``select(_:)``, the tree stays where it is, and follows what it follows.
    mutating func selectInTree(_ rowID: RowID?) {
        selection = rowID
        request(.selectInTree(rowID))
    }

    /// Shows the tree, and goes to a node there.
    mutating func reveal(_ node: NodeIndex, in programIndex: Int) { request(.reveal(node, programIndex: programIndex)) }

    /// Shows the kept nodes that a query finds, in the tree.
    mutating func showNodes(thatMatch query: String) { request(.showNodes(query)) }

    /// Opens a call site in the editor; an unknown call site is refused.
    mutating func open(_ site: CodeLocation?) { request(.openSite(site)) }

    /// Sends a command to a run of a program; returns its number, which the answer carries.
    mutating func send(_ command: ViewerCommand.Request, to source: SourceID, _ process: ProcessKey) -> UInt64 {
        lastCommandID += 1
        request(.send(source, ViewerCommand(id: lastCommandID, process: process, request: command)))
        return lastCommandID
    }

    /// Copies a text to the clipboard, and says what it is.
    mutating func copy(_ text: String, as what: String) {
        notify(copied(what))
        request(.copy(text))
    }

    /// Shows the details from their first line.
    mutating func scrollDetailToTop() { request(.scrollDetailToTop) }
}

/// What a view asks of the rest of the dashboard.
enum ViewRequest {
    case notify(String, State.Status.Tone, isSticky: Bool)
    case select(RowID?)
    case selectInTree(RowID?)
    /// Selects a node near the tree's selected row, if there is one; the view's rows are then found anew.
    case selectNodeNearby
    /// Moves the tree to where it was.
    case restore(TreePosition)
    case reveal(NodeIndex, programIndex: Int)
    /// Goes to the node of a link: within a view that follows links, else in the tree.
    case goTo(RowID)
    case send(SourceID, ViewerCommand)
    /// Marks the nodes that a command is to cancel.
    case markCancelRequested([NodeID], programIndex: Int, command: UInt64)
    /// Removes all tags.
    case dropTags
    /// Selects the next or previous chain in the order of the tree.
    case goToChain(forward: Bool)
    case fold(ChainsView.WindowRow, Bool)
    /// Folds every chain to one row, or unfolds everything.
    case foldAll(Bool)
    /// Shows this many levels of every chain.
    case foldToLevel(Int)
    case setOrder(TreeOrder)
    /// Shows or hides the details.
    case toggleDetail
    case showNodes(String)
    /// Shows a program's chains in the tree.
    case openProgram(SourceID)
    case openSite(CodeLocation?)
    case copy(String)
    case scrollDetailToTop
    /// No longer seeks the time of a baseline.
    case forgetSoughtBaseline
    /// Counts the growth of stacks anew.
    case beginStackGrowth
    case dismiss([Warning.ID], programIndex: Int)
    /// Dismisses all warnings of a kind.
    case dismissAll(WarningKind)
    /// Drops the warnings that no longer hold.
    case removeEndedWarnings
    case mute(WarningKind, Bool)
    /// Asks the user whether to cancel.
    case confirm(Confirmation)
}
