import ChainEvents
import ChainModel

/// One thing that looks wrong.
public struct Warning: Hashable, Sendable {
    /// What tells it from the others of its program.
    public struct ID: Hashable, Sendable {
        /// What is wrong.
        public var kind: WarningKind
        /// With which node; `.none` where it is the whole program.
        public var node: NodeID
    }

    /// What is wrong.
    public var kind: WarningKind
    /// With which node; `.none` where it is the whole program.
    public var node: NodeID
    /// Since when, in nanoseconds of the process's clock.
    public var since: UInt64
    /// How much: nodes of a ring, nodes deep, threads, events lost; else 0.
    public var amount: UInt64 = 0
    /// The other node that it is about: the one that is waited for, the race that was lost, the next of the ring.
    public var other = NodeID.none
    /// When it held no more; nil while it holds.
    public var ended: UInt64?

    /// As its row calls the node after that is gone: hostile text until it is escaped.
    public var label: String?
    /// By which operation the node was made.
    public var nodeKind = NodeKind.other
    /// Where the node was made.
    public var site: CodeLocation?

    init(_ kind: WarningKind, _ node: NodeID, since: UInt64, amount: UInt64 = 0, other: NodeID = .none) {
        self.kind = kind
        self.node = node
        self.since = since
        self.amount = amount
        self.other = other
    }

    /// What tells it from the others of its program.
    public var id: ID { ID(kind: kind, node: node) }

    /// Takes along what its row needs when its node is gone.
    mutating func remember(_ view: NodeView, label: String?, site: CodeLocation?) {
        self.label = label
        nodeKind = view.kind
        self.site = site
    }
}

extension WarningKind {
    /// Whether it is about a moment, and so holds until somebody has seen it; else it goes as soon as it holds no more.
    public var isFault: Bool {
        switch self {
        case .abandoned, .unhandledRejection, .settledAgain, .awaitedOnOwnExecutor, .lostEvents: true
        default: false
        }
    }

    /// All of them, the worst first.
    public static let byWeight: [WarningKind] = [
        .deadlock, .awaitedOnOwnExecutor, .blockedWorker, .unhandledRejection, .abandoned, .neverSettled,
        .cancellationIgnored, .longHandler, .longQueueWait, .tooManyThreads, .raceLoserRunning, .settledAgain,
        .deepChain, .lostEvents,
    ]
}
