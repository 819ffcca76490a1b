/// What of a process is to be cancelled (TheRules, X5): the topmost pending nodes of it, each with its descendants.
public enum CancelScope: Hashable, Sendable {
    /// A node and all under it.
    case node(NodeID)
    /// The whole chain that a node belongs to.
    case chain(NodeID)
    /// Several nodes, each with all under it.
    case nodes([NodeID])
}

/// A request to an observed program.
public struct ViewerCommand: Hashable, Sendable {
    /// What is asked for.
    public enum Request: Hashable, Sendable {
        /// Cancel; `by` says who asks, as ``EventKind/cancelled`` will report it.
        case cancel(CancelScope, by: String)
        /// Send a fresh state of the whole forest.
        case resync
        /// Tell of a node what is only worth sending on request.
        case describe(NodeID)
    }

    /// The viewer's own number for it, repeated in the reply.
    public var id: UInt64
    /// Who is asked.
    public var process: ProcessKey
    /// What is asked for.
    public var request: Request

    /// Makes a request.
    public init(id: UInt64, process: ProcessKey, request: Request) {
        self.id = id
        self.process = process
        self.request = request
    }
}

/// What became of a ``ViewerCommand``. That a node *was* cancelled is told by its events alone.
public struct CommandReply: Hashable, Sendable {
    /// Accepted, or why not.
    public enum Outcome: Hashable, Sendable {
        /// Cancellation was asked of so many topmost pending nodes (0 for other requests).
        case accepted(count: Int)
        /// What the program has to say of the node that was asked for.
        case described(NodeDetail)
        /// Nothing was done; one sentence says why.
        case refused(String)
    }

    /// The number of the command that this answers.
    public var command: UInt64
    /// What became of it.
    public var outcome: Outcome

    /// Answers a command.
    public init(command: UInt64, outcome: Outcome) {
        self.command = command
        self.outcome = outcome
    }
}
