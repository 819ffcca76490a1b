/// What the user wants, whichever key, click or command line said so.
public enum Intent: Hashable, Sendable, CaseIterable {
    /// Moving.
    case up, down, pageUp, pageDown, home, end
    /// The tree.
    case left, right, unfoldAll, foldAll, follow
    /// Looking closer.
    case detail, detailUp, detailDown, why, back
    /// Finding.
    case filter, nextMatch, previousMatch, dim
    /// Doing.
    case tag, untag, cancelNode, cancelChain, freeze, copy, edit, output
    /// The screen.
    case redraw, suspend, help, quit
    /// In the dialog, and while a filter is typed.
    case yes, no, accept, abort
}
