import ChainEvents

/// What a program and a viewer say to each other.
public enum Message: Sendable {
    /// Viewer to program, first: who it is and what it wants.
    case greeting(ClientHello)
    /// Program to viewer, first: who it is.
    case hello(Hello)
    /// Program to viewer.
    case batch(EventBatch)
    /// Viewer to program.
    case command(ViewerCommand)
    /// Viewer to program: a command of a kind that this version does not know; it has to be answered all the same.
    case unknownCommand(id: UInt64)
    /// Program to viewer.
    case reply(CommandReply)
    /// Either way, last: why nothing follows.
    case farewell(Goodbye)
}

/// How a viewer introduces itself.
public struct ClientHello: Hashable, Sendable {
    /// What it wants.
    public enum Purpose: UInt8, Sendable {
        /// The state, and batches as they come.
        case watch = 1
        /// The hello alone.
        case look = 2
        /// To have commands carried out; no batches.
        case command = 3
    }

    /// What it wants.
    public var purpose: Purpose
    /// Whether it promises to send no command but `resync` and `describe`; the program holds it to that.
    public var isReadOnly: Bool
    /// Its process, or 0.
    public var pid: Int32
    /// Who is looking, as the program may show it.
    public var name: String
    /// What proves that it may: empty but over TCP.
    public var token: String
    /// Whether a viewer that watches wants the state once and no batch after it: it takes no watcher's place.
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

/// How a program introduces itself.
public struct Hello: Hashable, Sendable {
    /// What a program can do or tells. Part of the wire format.
    public struct Capabilities: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt32

        /// Wraps raw bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// It tells values.
        public static let values = Capabilities(rawValue: 1)
        /// It tells the texts of errors.
        public static let errors = Capabilities(rawValue: 2)
        /// Not every chain is recorded.
        public static let isNarrowed = Capabilities(rawValue: 4)
    }

    /// Who it is.
    public var process: ProcessDescription
    /// What it can do or tells.
    public var capabilities: Capabilities
    /// Its clock now, in nanoseconds.
    public var time: UInt64
    /// How much there is to see.
    public var totals: ProcessTotals

    /// Describes a program.
    public init(process: ProcessDescription, capabilities: Capabilities, time: UInt64, totals: ProcessTotals) {
        self.process = process
        self.capabilities = capabilities
        self.time = time
        self.totals = totals
    }
}

/// Why a connection ends.
public struct Goodbye: Hashable, Sendable {
    /// The kinds of reasons. Part of the wire format.
    public enum Reason: UInt8, Sendable {
        /// The inspector was stopped, or the program ends in good order; or the viewer detaches.
        case stopped = 1
        /// This viewer may not attach.
        case refused = 2
        /// There is no room for one viewer more.
        case busy = 3
        /// What came cannot be understood.
        case misunderstood = 4
        /// A kind that this version does not know.
        case other = 255
    }

    /// The kind of reason.
    public var reason: Reason
    /// One sentence on it.
    public var text: String

    /// Gives a reason.
    public init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }
}
