// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// The models of the views, by view; the tree is not among them.
struct ViewModels {
    private var models: [ViewID: any DashboardView] = [:]

    init() {
        for view in ViewID.allCases { models[view] = (view.type as? any DashboardView.Type)?.init() }
    }

    /// The views that have a model.
    var ids: [ViewID] { ViewID.allCases.filter { models[$0] != nil } }

    /// The model of a view other than the tree.
    subscript(view: ViewID) -> any DashboardView {
        get { models[view]! }
        _modify { yield &models[view]! }
    }
}

// How the dashboard reaches the view that is shown: the tree by its functions on the state, another view by its model
// and a context.
extension State {
    /// Calls the shown view, which is not the tree, with the context, and performs what it asks for.
    @discardableResult
    mutating func callView<Result>(
        _ body: (inout any DashboardView, inout ViewContext) -> Result
    ) -> (result: Result, effects: [Effect]) {
        let (result, requests) = requestsOfView(body)
        return (result, requests.flatMap { perform($0) })
    }

    /// The context is gone when the requests are performed: with it, each change of a forest would copy the forest.
    private mutating func requestsOfView<Result>(
        _ body: (inout any DashboardView, inout ViewContext) -> Result
    ) -> (Result, [ViewRequest]) {
        var context = ViewContext(self)
        let result = body(&views[view], &context)
        return (result, context.requests)
    }

    private mutating func perform(_ request: ViewRequest) -> [Effect] {
        switch request {
        case .notify(let text, let tone): notify(text, tone)
        case .select(let rowID): select(rowID)
        case .selectNodeNearby: if let rowID = nodeRowNearSelection() { select(rowID) }
        case .restore(let position): treePosition = position
        case .reveal(let node, let programIndex): reveal(node, in: programIndex)
        case .goToChain(let forward): goToChain(forward: forward)
        case .showNodes(let query): showNodes(thatMatch: query)
        case .openProgram(let source): open(program: source)
        case .openSite(let site): return open(site)
        case .copy(let text): return [.copy(text)]
        case .scrollDetailToTop: detailScroll = 0
        case .forgetSoughtBaseline: soughtBaseline = nil
        case .beginStackGrowth:
            for programIndex in world.programs.indices { world.programs[programIndex].insight.stacks.beginGrowth() }
        case .dismiss(let warnings, let programIndex):
            for warning in warnings { world.programs[programIndex].insight.warnings.dismiss(warning) }
        case .dismissAll(let kind):
            for programIndex in world.programs.indices {
                world.programs[programIndex].insight.warnings.dismissAll(of: kind)
            }
        case .removeEndedWarnings:
            for programIndex in world.programs.indices { world.programs[programIndex].insight.warnings.removeEnded() }
        case .mute(let kind, let isMuted): mute(kind, isMuted)
        }
        return []
    }

    /// Stops or starts the warnings of a kind.
    private mutating func mute(_ kind: WarningKind, _ isMuted: Bool) {
        if isMuted { options.warnings.enabled.remove(kind) } else { options.warnings.enabled.insert(kind) }
        for programIndex in world.programs.indices where !world.programs[programIndex].isFrozen {
            _ = world.programs[programIndex].tickInsight(options.warnings, wall: wall)
        }
    }

    // MARK: The shown view

    /// Finds the rows of the shown view.
    mutating func updateRows() {
        guard view != .chains else { return ChainsView.updateRows(&self) }
        if readsFramesInView {
            for programIndex in world.programs.indices { world.programs[programIndex].countStacks() }
        }
        let (_, requests) = requestsOfView { $0.updateRows(&$1) }
        for request in requests { _ = perform(request) }
        // The view had no node to show, and asked for one.
        let isForNode = requests.contains { if case .selectNodeNearby = $0 { true } else { false } }
        if isForNode, selection != nil { callView { $0.updateRows(&$1) } }
    }

    /// Makes all views find their rows anew.
    mutating func forgetRows() { for id in views.ids { views[id].forgetRows() } }

    /// Does the shown view's work of a tick; returns whether rows may have moved.
    mutating func tickView() -> Bool { view == .chains ? false : callView { $0.tick($1) }.result }

    /// Returns nil if an intent means the same in every view.
    mutating func handleInShownView(_ intent: Intent) -> [Effect]? {
        guard view != .chains else { return ChainsView.handle(intent, &self) }
        let (isHandled, effects) = callView { $0.handle(intent, &$1) }
        guard isHandled else { return nil }
        updateViewport()
        return effects
    }

    /// Prepares for a click on the rows, before the rows move with the changes of the programs.
    mutating func willClick() { if view != .chains { callView { $0.willClick(&$1) } } }

    mutating func click(_ click: RowClick) -> [Effect] {
        guard view != .chains else { return ChainsView.handleClick(click, &self) }
        let effects = callView { $0.handleClick(click, &$1) }.effects
        updateViewport()
        return effects
    }

    mutating func clickHeader(column: Int) {
        guard view != .chains else { return ChainsView.handleHeaderClick(column: column, &self) }
        callView { $0.handleHeaderClick(column: column, &$1) }
        updateViewport()
    }

    /// Scrolls the rows without moving the selection.
    mutating func scrollRows(by lines: Int) {
        guard view != .chains else { return ChainsView.scroll(by: lines, &self) }
        callView { $0.scroll(by: lines, &$1) }
        revision += 1
    }

    mutating func selectNextRow() {
        guard view != .chains else { return ChainsView.selectNextRow(&self) }
        callView { $0.selectNextRow(&$1) }
    }

    /// The number of rows, and the number of the first row that is shown.
    var scrollPosition: (count: Int, top: Int) {
        view == .chains ? (tree.rowCount, tree.top) : views[view].scrollPosition(in: ViewContext(self))
    }

    /// How many lines below the column headers are needed to show everything.
    var lineCount: Int { view == .chains ? tree.rowCount : views[view].lineCount }

    /// How many rows match the filter, and the word for a row; nil if matching nodes are to be counted instead.
    var matchingRows: (count: Int, unit: String)? { view == .chains ? nil : views[view].matchingRows }

    /// Returns the view's own details of the selected row; nil if the detail pane shows the selected node, group or
    /// program.
    func viewDetail(width: Int) -> ViewDetail? {
        view == .chains ? nil : views[view].detail(in: ViewContext(self), width: width)
    }

    /// Whether the detail pane shows the selected node or program.
    var describesSelection: Bool { view == .chains || views[view].describesSelection(in: ViewContext(self)) }

    /// Returns whether the footer offers one of the view's own bindings.
    func offers(_ intent: Intent) -> Bool {
        view == .chains || views[view].offers(intent, hasSelection: selection != nil)
    }

    /// Returns the view's word in the footer for one of its bindings; nil for the binding's own word.
    func footerWord(for intent: Intent) -> String? { view == .chains ? nil : views[view].footerWord(for: intent) }

    // MARK: Changing the view

    /// Changes to another view.
    mutating func show(_ new: ViewID) {
        guard new != view else { return updateViewport() }
        status = nil
        leaveView()
        view = new
        if view != .chains { callView { $0.didAppear(&$1) } }
        detailScroll = 0
        updateInsightDemand()
        if new == .chains, let (programIndex, node) = selectedNode, following == .nothing {
            reveal(node, in: programIndex)
        } else {
            updateViewport()
        }
    }

    /// Prepares the shown view for being replaced by another view.
    mutating func leaveView() {
        if view != .chains { callView { $0.willDisappear(&$1) } }
        linkSelection = nil
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

extension Painter {
    /// Draws the column headers and the rows of the shown view.
    mutating func paintRows(_ state: borrowing State) {
        if state.view == .chains {
            ChainsView.draw(state, into: &self)
        } else {
            state.views[state.view].draw(ViewContext(state), into: &self)
        }
    }
}
