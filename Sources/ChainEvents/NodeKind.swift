/// By which operation a node was made. The raw values are part of the wire format: never renumbered, only added to.
public enum NodeKind: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    // Makers.
    case promise = 1
    case pending = 2
    case resolved = 3
    case rejected = 4
    case work = 5
    case task = 6
    case fromCallback = 7
    // Links: one parent, one handler.
    case then = 16
    case map = 17
    case done = 18
    case `catch` = 19
    case recover = 20
    case failed = 21
    case anyway = 22
    case ignore = 23
    case asResult = 24
    case tap = 25
    case callback = 26
    // Combinators: members are links.
    case all = 48
    case allSettled = 49
    case any = 50
    case race = 51
    case sequence = 52
    case forEach = 53
    case `repeat` = 54
    case retry = 55
    case attempt = 56
    case round = 57
    // Time.
    case timeout = 64
    case delay = 65
    // Cold chains.
    case chain = 80
    /// A kind that this version does not know.
    case other = 255

    /// What kind of part a node plays, which decides where it stands in the tree and which timings it has.
    public enum Role: Sendable {
        /// Nobody's `then`: a root of its own, or under the node that started it.
        case maker
        /// Made by an operation on its parent, with one handler of its own.
        case link
        /// Settled by its members; has no handler, so no wait and no run.
        case combinator
    }

    /// The part that nodes of this kind play.
    public var role: Role {
        switch self {
        case .promise, .pending, .resolved, .rejected, .work, .task, .fromCallback, .attempt, .round, .chain, .other:
            .maker
        case .then, .map, .done, .catch, .recover, .failed, .anyway, .ignore, .asResult, .tap, .callback: .link
        case .all, .allSettled, .any, .race, .sequence, .forEach, .repeat, .retry, .timeout, .delay:
            .combinator
        }
    }

    /// The word for it on the screen, which is the word for it in the source.
    public var word: String {
        switch self {
        case .resolved: "resolve"
        case .rejected: "reject"
        case .callback: "thenCallback"
        case .fromCallback: "callback"
        case .other: "?"
        default: "\(self)"
        }
    }
}

/// How two nodes that are not parent and child belong together. Part of the wire format.
public enum LinkKind: UInt8, BitwiseCopyable, Sendable {
    /// The node follows the other: it settles as the other does (A+ 2.3.2).
    case adoption = 1
    /// The other is a member of the node, a combinator.
    case member = 2
}
