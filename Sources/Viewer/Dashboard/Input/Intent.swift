// SPDX-License-Identifier: MIT

/// What the user wants, independent of the key, click or command that asked for it.
package enum Intent: Hashable, Sendable {
    /// Move by rows and pages, and to the ends.
    case up, down, pageUp, pageDown, halfUp, halfDown, home, end
    /// Move within the screen, within the chain and from chain to chain.
    case windowTop, windowMiddle, windowBottom, centre, chainStart, chainEnd, previousChain, nextChain
    /// Fold, follow, sort and group the tree; other views use some of these intents. The timeline goes to the left and
    /// to the right in time.
    case left, right, unfoldAll, foldAll, foldLess, foldMore, follow, sort, invertSort, group
    /// Show a view.
    case show(ViewID), nextView, previousView
    /// What a view's own key asks for, by its name in the view.
    case own(String)
    /// Open what a row stands for: its details, its node or nodes.
    case visit
    /// Read the stack of the thread that runs a task.
    case threadStack
    /// Show and scroll details, go to what a node waits for, and go back.
    case detail, detailUp, detailDown, why, back, previousNode
    /// Filter, and go from match to match.
    case filter, nextMatch, previousMatch, dim
    /// Set a built-in filter.
    case onlyLive, onlyFailed, onlySlow, onlyStuck
    /// Act on nodes, freeze the picture, show output, type a command.
    case tag, untag, pin, cancelNode, cancelChain, freeze, copy, copyTree, edit, output, commandLine
    /// Act on the screen and the session.
    case redraw, suspend, help, quit
    /// Play and move in a recording.
    case play, playFaster, playSlower, nextEvent, previousEvent, secondOn, secondBack, nextNotable, previousNotable,
        mark, marks
    /// Return from the past of live programs; record a live program.
    case now, record
    /// Explain what replaces the functions that other programs have on these keys.
    case setup, priority
    /// Answer the question before a cancellation; edit and accept the line that is being typed;
    /// remove a mark.
    case yes, no, remove, accept, abort, complete, editLine
}

extension Intent {
    /// Whether the intent acts on what the screen shows. While the screen is too small, the keys of such an intent do
    /// nothing.
    var needsPicture: Bool {
        switch self {
        case .quit, .suspend, .redraw: false
        default: true
        }
    }

    /// Whether the intent acts on the selected row, which must therefore not change when rows move. A view with rows
    /// that are not nodes refuses such an intent, unless it handles the intent itself.
    var isForSelection: Bool {
        switch self {
        case .tag, .pin, .cancelNode, .cancelChain, .copy, .copyTree, .edit, .left, .right, .why, .threadStack: true
        default: false
        }
    }
}
