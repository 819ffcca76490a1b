// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows

/// The models of the views and of the detail pane.
struct ViewModels {
    /// The view that is shown.
    var shown = ViewID.chains
    var detail = DetailPane()
    /// The tree, to which the other views and many keys lead.
    var tree = ChainsView()
    private var others: [ViewID: any DashboardView] = [:]

    init() { for view in ViewID.allCases where view != .chains { others[view] = view.type.init() } }

    subscript(view: ViewID) -> any DashboardView {
        get { view == .chains ? tree : others[view]! }
        _modify {
            guard view == .chains else {
                yield &others[view]!
                return
            }
            // Moved, because a second reference would copy the window at its next change.
            var model: any DashboardView = tree
            tree = ChainsView()
            yield &model
            tree = model as! ChainsView
        }
    }
}

// How the dashboard reaches the view that is shown.
extension State {
    /// The tree, whichever view is shown.
    var tree: ChainsView {
        _read { yield views.tree }
        _modify { yield &views.tree }
    }

    /// The detail pane, whether it is shown or not.
    var detail: DetailPane {
        _read { yield views.detail }
        _modify { yield &views.detail }
    }

    /// Calls the shown view with a context, and performs what it asks for.
    @discardableResult
    mutating func callView<Result>(
        _ body: (inout any DashboardView, inout ViewContext) -> Result
    ) -> (result: Result, effects: [Effect]) {
        call { body(&$0[$1.view], &$1) }
    }

    /// Calls the tree, whichever view is shown, performs what it asks for, and finds the rows anew.
    mutating func callTree(_ body: (inout ChainsView, inout ViewContext) -> Void) {
        _ = call { body(&$0.tree, &$1) }
        updateViewport()
    }

    /// The lines of the details; none while the pane is closed.
    var detailLines: [DetailLine] {
        Layout(self).detail.map { DetailText.lines(of: self, width: $0.columns - 4) } ?? []
    }

    /// Calls the detail pane with its lines, which are none while it is closed, and performs what it asks for.
    @discardableResult
    mutating func callDetail<Result>(
        _ body: (inout DetailPane, [DetailLine], inout ViewContext) -> Result
    ) -> (result: Result, effects: [Effect]) {
        let lines = detailLines
        revision += 1
        return call { body(&$0.detail, lines, &$1) }
    }

    /// Calls views, the detail pane or functions of the context, and performs what they ask for.
    mutating func call<Result>(
        _ body: (inout ViewModels, inout ViewContext) -> Result
    ) -> (result: Result, effects: [Effect]) {
        let (result, requests) = requests(body)
        return (result, requests.flatMap { perform($0) })
    }

    /// Calls views with a context; returns what they ask for.
    private mutating func requests<Result>(
        _ body: (inout ViewModels, inout ViewContext) -> Result
    ) -> (Result, [ViewRequest]) {
        var context = ViewContext(taking: &self)
        let result = body(&views, &context)
        context.giveBack(&self)
        return (result, context.requests)
    }

    private mutating func perform(_ request: ViewRequest) -> [Effect] {
        switch request {
        case .notify(let text, let tone, let isSticky): notify(text, tone, isSticky: isSticky)
        case .select(let rowID): select(rowID)
        case .selectInTree(let rowID):
            if selection != rowID { detail.top = 0 }
            selection = rowID
        case .selectNodeNearby:
            let near = world.rows(from: tree.selectedRow, count: 2) + world.rows(from: 0, count: 2)
            if let node = near.first(where: { $0.tree != nil }) { select(node.rowID) }
        case .restore(let position):
            select(position.selection)
            (tree.following, tree.anchor) = (position.following, position.anchor)
        case .reveal(let node, let programIndex): reveal(node, in: programIndex)
        case .goTo(let rowID): go(to: rowID)
        case .send(let source, let command):
            lastCommandID = command.id
            return [.send(source, command)]
        case .markCancelRequested(let nodes, let programIndex, let command):
            world.programs[programIndex].markCancelRequested(nodes, for: command)
        case .dropTags: dropTags()
        case .goToChain(let forward): callTree { $0.goToChain(forward: forward, &$1) }
        case .fold(let row, let isFolded):
            world.fold(row, isFolded)
            if let tree = row.tree {
                foldedSites.note(tree.node, in: world.programs[row.programIndex].forest, isFolded)
            }
        case .foldAll(let isFolded): foldAll(isFolded)
        case .foldToLevel(let level):
            for programIndex in world.programs.indices { world.programs[programIndex].fold(toLevel: level) }
        case .setOrder(let order): setOrder(order)
        case .toggleDetail: toggleDetail()
        case .confirm(let question):
            mode = .confirm(question)
            revision += 1
        case .showNodes(let query): showNodes(thatMatch: query)
        case .openProgram(let source): open(program: source)
        case .openSite(let site): return open(site)
        case .copy(let text): return [.copy(text)]
        case .scrollDetailToTop: detail.top = 0
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

    /// Finds the rows of the shown view, and what depends on them. The selection stays on its row where possible.
    mutating func updateViewport() {
        revision += 1
        world.linkPrograms()
        let layout = Layout(self)
        updateTimeStrip(layout)
        let area = layout.content
        updateRows()
        // The details take the rows that the list leaves empty.
        if Layout(self).content != area { updateRows() }
        updateInsightDemand()
        drawnKey = redrawKey()
    }

    /// Sets what the statistics of each program count, by what is on the screen.
    mutating func updateInsightDemand() {
        let isSeen = !view.type.showsSites && Layout(self).detail != nil
        world.showFigures(in: view, seen: isSeen ? selectedNode : nil)
    }

    /// Finds the rows of the shown view.
    private mutating func updateRows() {
        if views[view].readsAllFrames {
            for programIndex in world.programs.indices { world.programs[programIndex].countStacks() }
        }
        let (_, requests) = requests { $0[$1.view].updateRows(&$1) }
        for request in requests { _ = perform(request) }
        // The view had no node to show, and asked for one.
        let isForNode = requests.contains { if case .selectNodeNearby = $0 { true } else { false } }
        if isForNode, selection != nil { callView { $0.updateRows(&$1) } }
    }

    /// Makes all views find their rows anew.
    mutating func forgetRows() { for id in ViewID.allCases { views[id].forgetRows() } }

    /// Returns nil if an intent means the same in every view.
    mutating func handleInShownView(_ intent: Intent) -> [Effect]? {
        let (isHandled, effects) = callView { $0.handle(intent, &$1) }
        guard isHandled else { return nil }
        updateViewport()
        return effects
    }

    // MARK: Changing the view

    /// Changes to another view.
    mutating func show(_ new: ViewID) {
        guard new != view else { return updateViewport() }
        status = nil
        leaveView()
        view = new
        detail.top = 0
        callView { $0.didAppear(&$1) }
        // The view shows its figures at once.
        updateInsightDemand()
        updateViewport()
    }

    /// Prepares the shown view for being replaced by another view.
    mutating func leaveView() {
        callView { $0.willDisappear(&$1) }
        detail.dropLink()
    }

    /// Whether a view has a tab.
    func hasTab(_ view: ViewID) -> Bool { !view.type.listsPrograms || showsPrograms || view == self.view }

    /// Returns the view with a tab that is `step` views further, or back if `step` is negative; wraps at the ends.
    func nextView(by step: Int) -> ViewID {
        let next = view.next(by: step)
        return hasTab(next) ? next : next.next(by: step)
    }

    /// Shows the tree, for a command with an effect that only the tree shows.
    mutating func showTree() { if view != .chains { show(.chains) } }

    /// Selects a row for another view than the tree, so that keys act on the row.
    mutating func select(_ rowID: RowID?) {
        (tree.following, tree.anchor) = (.nothing, nil)
        if selection != rowID { detail.top = 0 }
        selection = rowID
    }

    /// Shows the tree and goes to a node there; unfolds what hides the node, and drops a filter that hides it.
    mutating func reveal(_ node: NodeIndex, in programIndex: Int) {
        if view != .chains { leaveView() }
        view = .chains
        let rowID = self.rowID(of: node, in: programIndex)
        var row = world.unfoldedRow(of: node, in: programIndex)
        if row == nil, filter.hidesUnmatched {
            let text = filter.text
            dropFilter()
            notify("“\(text)” hid this: the filter is dropped")
            row = world.unfoldedRow(of: node, in: programIndex)
        }
        guard let row else {
            updateViewport()
            return notify("its chain is still being read: try again")
        }
        noteVisited(before: rowID)
        tree.rowCount = world.countRows()
        callTree { $0.move(to: rowID, row: row, &$1) }
    }

    // MARK: Links

    /// Goes to the node of a link: within a view that follows links, else in the tree.
    private mutating func go(to rowID: RowID) {
        guard let (programIndex, node) = find(rowID) else { return notify("that node is no longer kept", .warning) }
        guard view.type.followsLinks else { return reveal(node, in: programIndex) }
        noteVisited(before: rowID)
        select(rowID)
        updateViewport()
    }

    private static let backStackLimit = 64

    /// Pushes the selected row onto ``backStack`` before another row is selected.
    private mutating func noteVisited(before next: RowID) {
        guard let selection, selection != next, backStack.last != selection else { return }
        backStack.append(selection)
        if backStack.count > Self.backStackLimit { backStack.removeFirst() }
    }

    /// Goes back to the node that was selected before a link, `w` or a command led away from it.
    mutating func goToVisited() {
        while let rowID = backStack.popLast() {
            guard rowID != selection, find(rowID) != nil else { continue }
            let rest = backStack
            go(to: rowID)
            backStack = rest
            return
        }
        notify("there is no node to return to")
    }

    // MARK: The tree

    /// Sets the order of the tree in all programs.
    mutating func setOrder(_ order: TreeOrder) {
        tree.order = order
        world.setOrder(order)
    }

    /// Folds every chain to one row, or unfolds everything.
    private mutating func foldAll(_ isFolded: Bool) {
        for programIndex in world.programs.indices {
            world.programs[programIndex].foldAll(isFolded)
            if !isFolded { world.programs[programIndex].initialFolds = InitialFolds() }
        }
        if !isFolded { foldedSites = FoldedSites() }
    }
}

extension Painter {
    /// Draws the column headers and the rows of the shown view.
    mutating func paintRows(_ state: borrowing State) {
        state.views[state.view].draw(ViewContext(state), into: &self)
    }
}
