/// What the user wants, whichever key, click or command asked for it.
public enum Intent: Hashable, Sendable, CaseIterable {
    /// Moving.
    case up, down, pageUp, pageDown, halfUp, halfDown, home, end
    /// Within the screen, the chain and among chains.
    case windowTop, windowMiddle, windowBottom, centre, chainStart, chainEnd, previousChain, nextChain
    /// The tree.
    case left, right, unfoldAll, foldAll, foldLess, foldMore, follow, sort, invertSort, group
    /// Which view.
    case chains, threads, timeline, sites, warnings, events, profile, nextView, previousView
    /// The timeline: zooming, panning, scope, folding, the longest bar.
    case zoomIn, zoomOut, earlier, later, scope, fold, longest
    /// In Events: which kinds of events are shown.
    case level
    /// In views of call sites and warnings: go to the nodes of a row, dismiss a row, hide all of its kind.
    case visit, dismiss, hide
    /// Looking closer.
    case detail, detailUp, detailDown, why, back, previousNode
    /// Finding.
    case filter, nextMatch, previousMatch, dim
    /// Filters with a key of their own.
    case onlyLive, onlyFailed, onlySlow, onlyStuck
    /// Doing.
    case tag, untag, pin, cancelNode, cancelChain, freeze, copy, copyTree, edit, output, commandLine, faster, slower
    /// The screen.
    case redraw, suspend, help, quit
    /// Moving in a recording.
    case play, playFaster, playSlower, nextEvent, previousEvent, secondOn, secondBack, nextNotable, previousNotable,
        mark, marks
    /// Back from the past of live programs; recording them.
    case now, record
    /// Keys of other programs, with another meaning here.
    case setup, priority
    /// In the dialog, and while a filter or a command is typed.
    case yes, no, accept, abort, complete, editLine
}

extension Intent {
    /// Whether it acts on the selected node, which then must not change with the rows; refused where rows are no nodes.
    var isForSelection: Bool {
        switch self {
        case .tag, .pin, .cancelNode, .cancelChain, .copy, .copyTree, .edit, .left, .right, .why: true
        default: false
        }
    }
}
