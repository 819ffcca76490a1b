/// How many events were made and what became of them, since recording began. Counts never go down.
///
/// At rest `made == delivered + lostInRings`; a client adds its own ``lostAtClient``.
public struct EventCounts: Hashable, Sendable {
    /// All that were made.
    public var madeCount: UInt64
    /// Those that the collector has taken out of the rings.
    public var deliveredCount: UInt64
    /// Dropped where they were made, because a ring was full or no ring could be had.
    public var lostInRings: UInt64
    /// Dropped on the way to this client, because it was slow.
    public var lostAtClient: UInt64

    /// Describes a count; nothing lost by default.
    public init(madeCount: UInt64 = 0, deliveredCount: UInt64 = 0, lostInRings: UInt64 = 0, lostAtClient: UInt64 = 0) {
        self.madeCount = madeCount
        self.deliveredCount = deliveredCount
        self.lostInRings = lostInRings
        self.lostAtClient = lostAtClient
    }

    /// All that were lost, wherever; the greatest number where they are more.
    public var lostCount: UInt64 { lostInRings.addingClamped(lostAtClient) }
}

/// A mark in the stream of batches that sets a forest right after a loss.
public enum Resync: Hashable, Sendable {
    /// What follows, up to ``end(epoch:)``, names every node that is alive.
    case begin(epoch: UInt64)
    /// Whoever was made up to `epoch` (ns of the process's clock), is pending and was not told of since the beginning,
    /// has ended: unknown.
    case end(epoch: UInt64)
}

/// What one process has to say about a short while: snapshots first, then events, and the tables that they refer to.
///
/// A receiver joins them in order: `sites`, `threads`, `executors`, then `nodes`, `events`, `resync`. Events of one
/// thread stand in the order in which they happened; those of different threads in any order.
public struct EventBatch: Sendable {
    /// Who says it.
    public var process: ProcessKey
    /// From 1, by one a batch.
    public var sequence: UInt64
    /// The process's clock when the batch was closed, in nanoseconds; never goes back.
    public var time: UInt64
    /// Additions to the table of call sites.
    public var sites: [SiteID: CodeLocation]
    /// Additions to the table of threads: a thread's name, or the label of the queue that it was serving.
    public var threads: [ThreadID: String]
    /// Additions to the table of executors.
    public var executors: [ExecutorID: String]
    /// Nodes told whole, to be joined before the events.
    public var nodes: [NodeSnapshot]
    /// What happened.
    public var events: [ChainEvent]
    /// Dynamic texts of this batch's events (``ChainEvent/text``), bounded and unescaped: hostile until shown.
    public var texts: [String]
    /// Totals since recording began.
    public var loss: EventCounts
    /// A mark that holds after all of this batch was joined.
    public var resync: Resync?

    /// Makes an empty batch.
    public init(process: ProcessKey, sequence: UInt64, time: UInt64) {
        self.process = process
        self.sequence = sequence
        self.time = time
        sites = [:]
        threads = [:]
        executors = [:]
        nodes = []
        events = []
        texts = []
        loss = EventCounts()
        resync = nil
    }

    /// The dynamic text of one of this batch's events, or nil.
    public func text(of event: ChainEvent) -> String? {
        let index = Int(event.text) - 1
        return texts.indices.contains(index) ? texts[index] : nil
    }
}

/// Who is observed.
public struct ProcessDescription: Hashable, Sendable {
    /// Its name among all runs of all programs.
    public var key: ProcessKey
    /// Its number in the system.
    public var pid: Int32
    /// The program's name as it is shown, or the one that it gave itself.
    public var name: String
    /// What to add to a time of the process's clock to get nanoseconds since 1970.
    public var wallOffset: UInt64
    /// When recording began, in nanoseconds since 1970; 0 where that is unknown.
    public var startTime: UInt64
    /// Whether the program refuses commands.
    public var isReadOnly: Bool

    /// Describes a process.
    public init(
        key: ProcessKey, pid: Int32, name: String, wallOffset: UInt64, startTime: UInt64 = 0, isReadOnly: Bool = false
    ) {
        self.key = key
        self.pid = pid
        self.name = name
        self.wallOffset = wallOffset
        self.startTime = startTime
        self.isReadOnly = isReadOnly
    }
}
