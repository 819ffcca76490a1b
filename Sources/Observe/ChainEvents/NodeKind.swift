// SPDX-License-Identifier: MIT

/// The operation that made a node. The raw values are part of the wire format: never renumbered, only extended.
public enum NodeKind: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    // Makers.
    /// `Promise { resolve, reject in … }` and `Promise(resolver:)`.
    case promise = 1
    /// `Promise.pending()`.
    case pending = 2
    /// `Promise.resolve(_:)`: fulfilled from the start.
    case resolved = 3
    /// `Promise.reject(_:)`: rejected from the start.
    case rejected = 4
    /// `Promise { … }`: work on an executor.
    case work = 5
    /// `Promise(async:)`, or the outermost `withChain` of a task.
    case task = 6
    /// `Promise.callback`: a foreign API calls its completion.
    case fromCallback = 7
    /// A span of swift-distributed-tracing, from its start to its end (`ChainTracer`).
    case span = 8
    /// `withChain` in the same task as the scope around it.
    case scope = 9
    // Links: one parent, one handler.
    /// `then`: its handler returns a promise.
    case then = 16
    /// `map`: its handler returns a value.
    case map = 17
    /// `done`: its handler returns nothing.
    case done = 18
    /// `catch`: its handler makes a value of an error.
    case `catch` = 19
    /// `recover`: its handler makes a promise of an error.
    case recover = 20
    /// `failed`: its handler gets an error, which is passed on.
    case failed = 21
    /// `anyway` and `finally`: its handler gets the outcome, which is passed on.
    case anyway = 22
    /// `ignore`: the outcome of its handler becomes a value.
    case ignore = 23
    /// `asResult`: the outcome of its parent becomes a value.
    case asResult = 24
    /// `tap`: its handler gets the value, which is passed on.
    case tap = 25
    /// `thenCallback`: its handler gets the resolver that settles it.
    case callback = 26
    // Combinators: joined to their members by `LinkKind.member`.
    /// `all`: fulfilled when every member is fulfilled.
    case all = 48
    /// `allSettled`: fulfilled when every member is settled.
    case allSettled = 49
    /// `any`: fulfilled with the first member that is fulfilled.
    case any = 50
    /// `race`: settled with the first member that settles; of a `Chain`, with the first member that is fulfilled.
    case race = 51
    /// `sequence` and `seq`: starts its members in order, for their values.
    case sequence = 52
    /// `forEach`: starts its members in order.
    case forEach = 53
    /// `repeat`: makes one member after another until a value is sufficient.
    case `repeat` = 54
    /// `retry`: makes one attempt after another until one is fulfilled.
    case retry = 55
    /// One attempt of a `retry`.
    case attempt = 56
    /// One round of a `repeat`.
    case round = 57
    // Time.
    /// `timeout`: its parent or a timer settles it.
    case timeout = 64
    /// `delay`: a timer settles it.
    case delay = 65
    // Cold chains.
    /// The first node of a launched chain.
    case chain = 80
    // What Swift tasks wait for, of programs that are read from outside. These nodes have no handler and no outcome.
    /// An actor.
    case actor = 96
    /// A lock, such as a `Mutex`.
    case lock = 97
    /// An executor. That of the main actor has the label `main`.
    case executor = 98
    /// A future of SwiftNIO that has no value yet.
    case future = 99
    /// A kind that this version does not know.
    case other = 255

    /// The role of a node, which decides its position in the tree and its timings.
    public enum Role: Sendable {
        /// Without a parent: a root, or under the node that created it.
        case maker
        /// Made by an operation on its parent, with its own handler.
        case link
        /// Settled by its members, its parent or a timer; it has no handler, so no wait time and no run time.
        case combinator
    }

    /// The role of nodes of this kind.
    public var role: Role {
        switch self {
        case .promise, .pending, .resolved, .rejected, .work, .task, .fromCallback, .span, .scope, .attempt, .round,
            .chain, .actor, .lock, .executor, .future, .other:
            .maker
        case .then, .map, .done, .catch, .recover, .failed, .anyway, .ignore, .asResult, .tap, .callback: .link
        case .all, .allSettled, .any, .race, .sequence, .forEach, .repeat, .retry, .timeout, .delay:
            .combinator
        }
    }

    /// Whether nodes of this kind run in a task, so that they occupy no particular thread.
    public var runsInTask: Bool { self == .task || self == .scope || self == .span }

    /// Whether nodes of this kind stand for something that tasks wait for, and are no work of their own.
    public var isResource: Bool { self == .actor || self == .lock || self == .executor }

    /// The operation's name, as in the source and on the screen. Costs some nanoseconds.
    public var word: String { Self.words[Int(rawValue)] }

    // By raw value, because converting a case to text takes a microsecond, and a screen shows many.
    private static let words: [String] = {
        var words = Array(repeating: "?", count: 256)
        for kind in allCases { words[Int(kind.rawValue)] = kind.wordInSource }
        return words
    }()

    private var wordInSource: String {
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

/// The relation of two nodes that are not parent and child. Part of the wire format.
public enum LinkKind: UInt8, BitwiseCopyable, Sendable {
    /// The node follows the other: it settles as the other does (A+ 2.3.2).
    case adoption = 1
    /// The other is a member of the node, a combinator.
    case member = 2
}
