// SPDX-License-Identifier: MIT

import ChainEvents

/// The messages between a program and a viewer.
public enum Message: Sendable {
    /// Viewer to program, first: its description and purpose.
    case greeting(ClientHello)
    /// Program to viewer, first: its description.
    case hello(Hello)
    /// Program to viewer: events, or a part of the state.
    case batch(EventBatch)
    /// Viewer to program: a request, which the program answers by one reply.
    case command(ViewerCommand)
    /// Viewer to program: a command that this version does not know, and that has to be answered all the same.
    case unknownCommand(id: UInt64)
    /// Program to viewer: the answer to a command.
    case reply(CommandReply)
    /// Either way, last: the reason why nothing follows.
    case farewell(Goodbye)
    /// Program to viewer, before the reply to a dump command: a part of the requested flight recording.
    case dumpPart(DumpPart)
}

/// A part of a flight recording that a viewer has asked for.
public struct DumpPart: Hashable, Sendable {
    /// The viewer's number for the command that asked for the recording.
    public var command: UInt64
    /// The offset of the bytes in the recording. The parts of a recording come in order and without gaps.
    public var offset: UInt64
    /// The bytes.
    public var bytes: [UInt8]

    /// Makes a part of a recording.
    public init(command: UInt64, offset: UInt64, bytes: [UInt8]) {
        self.command = command
        self.offset = offset
        self.bytes = bytes
    }
}

/// The introduction of a viewer.
public struct ClientHello: Hashable, Sendable {
    /// The purpose of a connection.
    public enum Purpose: UInt8, Sendable {
        /// To get the state and, unless ``ClientHello/leavesAfterState``, the batches after it; also to send commands.
        case watch = 1
        /// To get the hello and nothing else.
        case look = 2
        /// To send commands; no batches.
        case command = 3
    }

    /// The purpose of the connection.
    public var purpose: Purpose
    /// Whether the viewer promises not to cancel anything. The program refuses cancellations from such a viewer, but
    /// carries out its other commands.
    public var isReadOnly: Bool
    /// The viewer's process, or 0.
    public var pid: Int32
    /// The name of the viewer, which the program may show.
    public var name: String
    /// The proof that the viewer may attach; empty except over TCP.
    public var token: String
    /// Whether a viewer that watches gets the state once and no batch after it. Such a viewer counts towards the limit
    /// of one-shot viewers, as does a viewer that only sends commands.
    public var leavesAfterState: Bool

    /// Describes a viewer.
    public init(
        purpose: Purpose, isReadOnly: Bool = false, pid: Int32 = 0, name: String = "", token: String = "",
        leavesAfterState: Bool = false
    ) {
        self.purpose = purpose
        self.isReadOnly = isReadOnly
        self.leavesAfterState = leavesAfterState
        self.pid = pid
        self.name = name
        self.token = token
    }
}

/// The introduction of a program.
public struct Hello: Hashable, Sendable {
    /// The capabilities of a program. Part of the wire format.
    public struct Capabilities: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt32

        /// Wraps raw bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// It sends values.
        public static let values = Capabilities(rawValue: 1)
        /// It sends the texts of errors.
        public static let errors = Capabilities(rawValue: 2)
        /// Not every chain is recorded.
        public static let isNarrowed = Capabilities(rawValue: 4)
    }

    /// The program's description.
    public var process: ProcessDescription
    /// The program's capabilities.
    public var capabilities: Capabilities
    /// The time of the program's clock when the hello was sent, in nanoseconds.
    public var time: UInt64
    /// The numbers of chains, nodes and viewers that the program has.
    public var totals: ProcessTotals

    /// Describes a program.
    public init(process: ProcessDescription, capabilities: Capabilities, time: UInt64, totals: ProcessTotals) {
        self.process = process
        self.capabilities = capabilities
        self.time = time
        self.totals = totals
    }
}

/// The reason why a connection ends.
public struct Goodbye: Hashable, Sendable {
    /// The kinds of reasons. Part of the wire format.
    public enum Reason: UInt8, Sendable {
        /// The inspector was stopped, the program ends in good order, or the viewer detaches.
        case stopped = 1
        /// This viewer may not attach.
        case refused = 2
        /// There is no room: a limit of viewers is reached, or this connection was closed to admit another.
        case busy = 3
        /// The side that ends the connection could not understand the other: invalid bytes, an incompatible version, or
        /// a message out of turn.
        case misunderstood = 4
        /// A reason that this version does not know.
        case other = 255
    }

    /// The kind of reason.
    public var reason: Reason
    /// One sentence about the reason.
    public var text: String

    /// Combines kind and sentence.
    public init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }
}
