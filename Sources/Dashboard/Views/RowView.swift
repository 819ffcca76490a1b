import ChainModel
import Frames

// The views of rows besides the tree: moving, scrolling, the wheel, clicks and the scroll bar are the same for all.
extension State {
    /// Lines for rows, below the heads of the columns; of the timeline the last line tells of the selected node.
    var viewHeight: Int { max(0, Layout(self).tree.rows - (view == .timeline ? 1 : 0)) }

    /// The rows of the view that is shown; not to be used for the tree.
    var cursor: ListCursor {
        get {
            switch view {
            case .chains: ListCursor()
            case .threads: threads.cursor
            case .timeline: timeline.cursor
            case .sites: sites.cursor
            case .warnings: warnings.cursor
            case .events: events.cursor
            }
        }
        set {
            switch view {
            case .chains: break
            case .threads: threads.cursor = newValue
            case .timeline: timeline.cursor = newValue
            case .sites: sites.cursor = newValue
            case .warnings: warnings.cursor = newValue
            case .events: events.cursor = newValue
            }
        }
    }

    /// Changes to another view.
    mutating func show(_ new: ViewID) {
        guard new != view else { return updateViewport() }
        if view == .threads { leaveThreads() }
        view = new
        if view == .threads { enterThreads() }
        detailScroll = 0
        countSitesIfSeen()
        if new == .chains, let (programIndex, node) = selectedNode, following == .nobody {
            reveal(node, in: programIndex)
        } else {
            updateViewport()
        }
    }

    /// Goes to the tree, for what is done there is to be seen.
    mutating func showTree() { if view != .chains { show(.chains) } }

    /// Finds the rows of the view anew, whatever it is, but for the tree's.
    mutating func arrangeView() {
        switch view {
        case .chains: break
        case .threads: arrangeThreads()
        case .timeline: arrangeTimeline()
        case .sites: arrangeSites()
        case .warnings: arrangeWarnings()
        case .events: arrangeEvents()
        }
        countSitesIfSeen()
    }

    /// Makes a node what keys act on, from a row of another view than the tree.
    mutating func select(_ rowID: RowID?) {
        following = .nobody
        if selection != rowID { detailScroll = 0 }
        selection = rowID
        anchor = nil
    }

    /// Selects a row of the view.
    mutating func moveInView(to row: Int, orSay edge: String? = nil) {
        guard cursor.count > 0 else { return say(whyEmpty) }
        let old = cursor.selected
        cursor.select(row, height: viewHeight)
        if cursor.selected == old, let edge { say(edge) }
        didSelectInView()
        updateViewport()
    }

    private mutating func didSelectInView() {
        switch view {
        case .chains: break
        case .threads: didSelectInThreads()
        case .timeline: didSelectInTimeline()
        case .sites: didSelectInSites()
        case .warnings: didSelectInWarnings()
        case .events: didSelectInEvents()
        }
    }

    /// Does what a view does in its own way; nil where it is done as in the tree.
    mutating func performInView(_ intent: Intent) -> [Effect]? {
        let own: [Effect]? =
            switch view {
            case .chains: nil
            case .threads: performInThreads(intent)
            case .timeline: performInTimeline(intent)
            case .sites: performInSites(intent)
            case .warnings: performInWarnings(intent)
            case .events: performInEvents(intent)
            }
        if let own { return own }
        guard view != .chains else { return nil }
        let page = max(1, viewHeight - 1)
        switch intent {
        case .up: moveInView(to: cursor.selected - 1, orSay: "this is the first row")
        case .down: moveInView(to: cursor.selected + 1, orSay: "this is the last row")
        case .pageUp: moveInView(to: cursor.selected - page, orSay: "this is the first row")
        case .pageDown: moveInView(to: cursor.selected + page, orSay: "this is the last row")
        case .home: moveInView(to: 0)
        case .end: moveInView(to: cursor.count - 1)
        case .left, .right, .unfoldAll, .foldAll, .foldLess, .foldMore, .group, .sort, .invertSort, .follow:
            say("only the tree does that; 1 shows it")
        default: return nil
        }
        return []
    }

    /// A click on a line of the view's rows.
    mutating func clickInView(line: Int, column: Int, isDouble: Bool) {
        guard line < viewHeight, cursor.top + line < cursor.count else { return }
        cursor.selected = cursor.top + line
        didSelectInView()
        switch view {
        case .chains: break
        case .threads: if isDouble { goToRunning() }
        case .timeline: if isDouble, let (programIndex, node) = selectedNode { reveal(node, in: programIndex) }
        case .sites: if isDouble { visitSite() }
        case .warnings: clickInWarnings(column: column, isDouble: isDouble)
        case .events: if isDouble { goToNodeOfEvent() }
        }
        updateViewport()
    }

    /// A number that changes when the passing of time alone changes the picture of the view.
    var viewStep: UInt64 {
        switch view {
        case .chains: 0
        case .threads: threadsStep
        case .timeline: timelineStep
        case .sites: sitesStep
        case .warnings: warningsStep
        case .events: eventsStep
        }
    }
}

extension Painter {
    /// The rows of the view that is shown, with the heads of their columns.
    mutating func paintView(_ state: borrowing State) {
        switch state.view {
        case .chains: paintTree(state)
        case .threads: paintThreads(state)
        case .timeline: paintTimeline(state)
        case .sites: paintSites(state)
        case .warnings: paintWarnings(state)
        case .events: paintEvents(state)
        }
        if state.view != .chains { paintScrollBar(count: state.cursor.count, top: state.cursor.top) }
    }
}
