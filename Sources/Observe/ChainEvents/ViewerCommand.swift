// SPDX-License-Identifier: MIT

/// The part of a process to cancel (TheRules, X5): its topmost pending nodes, each with its descendants.
public enum CancelScope: Hashable, Sendable {
    /// A node and its descendants, with the separate chains in their groups.
    case node(NodeID)
    /// The whole chain that a node belongs to, with the separate chains in its groups.
    case chain(NodeID)
    /// Several nodes, each with its descendants.
    case nodes([NodeID])
}

/// A request to an observed program.
public struct ViewerCommand: Hashable, Sendable {
    /// The kind of a command.
    public enum Request: Hashable, Sendable {
        /// Cancel; `by` names the viewer, as ``EventKind/cancelled`` will report it.
        case cancel(CancelScope, by: String)
        /// Send a fresh state of the whole forest.
        case resync
        /// Send the ``NodeDetail`` of a node.
        case describe(NodeID)
        /// Send a ``NodeDetail`` with the stack of the thread that runs a Swift task. The thread is stopped for as long as
        /// its stack is copied. Only sources that read a program from outside answer; programs refuse.
        case threadStack(NodeID)
        /// Send where suspended Swift tasks continue, as a ``FrameReading``.
        case frames(FrameScope)
        /// Send the nodes of Swift tasks, by their numbers in Swift's runtime; at most ``FrameScope/nodeLimit``.
        case nodesOfTasks([UInt64])
        /// Send what the flight recorder has of the last `last` nanoseconds, as a recording.
        case dump(last: UInt64)
    }

    /// The viewer's number for the command, repeated in the reply.
    public var id: UInt64
    /// The process to which the command is sent.
    public var process: ProcessKey
    /// The request.
    public var request: Request

    /// Makes a command.
    public init(id: UInt64, process: ProcessKey, request: Request) {
        self.id = id
        self.process = process
        self.request = request
    }
}

/// The reply to a ``ViewerCommand``. That a node *was* cancelled is reported by its events alone.
public struct CommandReply: Hashable, Sendable {
    /// The outcome of a command.
    public enum Outcome: Hashable, Sendable {
        /// The command was carried out. `count` is the number of topmost pending nodes for which cancellation was
        /// requested, or the size of a dump in bytes; 0 for other requests.
        case accepted(count: Int)
        /// The detail of the requested node.
        case described(NodeDetail)
        /// The frames of the requested tasks.
        case frames(FrameReading)
        /// The nodes of the requested tasks, in their order; ``NodeID/none`` for unknown ones.
        case nodes([NodeID])
        /// Nothing was done; the text gives the reason in one sentence.
        case refused(String)
    }

    /// The number of the command that this reply answers.
    public var command: UInt64
    /// The outcome.
    public var outcome: Outcome

    /// Makes a reply.
    public init(command: UInt64, outcome: Outcome) {
        self.command = command
        self.outcome = outcome
    }
}
