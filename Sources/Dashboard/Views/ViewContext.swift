// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight
import ChainModel

/// What a view sees of the rest of the dashboard, and what it asks of it. A view changes nothing but itself: its
/// requests are performed after it has returned.
struct ViewContext: SharedState {
    let world: World
    let view: ViewID
    let filter: Filter
    let options: State.Options
    let isFrozen: Bool
    /// The parts of the screen.
    let layout: Layout
    /// The time of day of the shown moment, in nanoseconds since 1970.
    let shownWall: UInt64
    /// Where the tree is.
    let treePosition: TreePosition
    /// The row that keys act on: as the view has requested it, if it has.
    private(set) var selection: RowID?
    /// What the view has asked for, in this order.
    private(set) var requests: [ViewRequest] = []

    init(_ state: borrowing State) {
        world = state.world
        view = state.view
        filter = state.filter
        options = state.options
        isFrozen = state.isFrozen
        layout = Layout(state)
        shownWall = state.frozenAt ?? state.wall
        treePosition = state.treePosition
        selection = state.selection
    }

    /// Asks for something.
    mutating func request(_ request: ViewRequest) { requests.append(request) }

    /// Shows a message on the status line.
    mutating func notify(_ text: String, _ tone: State.Status.Tone = .plain) { request(.notify(text, tone)) }

    /// Selects a row, so that keys and details are about it.
    mutating func select(_ rowID: RowID?) {
        selection = rowID
        request(.select(rowID))
    }

    /// Shows the tree, and goes to a node there.
    mutating func reveal(_ node: NodeIndex, in programIndex: Int) { request(.reveal(node, programIndex: programIndex)) }

    /// Shows the kept nodes that a query finds, in the tree.
    mutating func showNodes(thatMatch query: String) { request(.showNodes(query)) }

    /// Opens a call site in the editor; an unknown call site is refused.
    mutating func open(_ site: CodeLocation?) { request(.openSite(site)) }

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
    case notify(String, State.Status.Tone)
    case select(RowID?)
    /// Selects a node near the tree's selected row, if there is one; the view's rows are then found anew.
    case selectNodeNearby
    /// Moves the tree to where it was.
    case restore(TreePosition)
    case reveal(NodeIndex, programIndex: Int)
    /// Selects the next or previous chain in the order of the tree.
    case goToChain(forward: Bool)
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
}
