// SPDX-License-Identifier: MIT

/// The number of events made, delivered and lost since recording began. Counts never decrease.
///
/// At rest `madeCount == deliveredCount + lostInRings`. Events that only one client lost are counted in
/// ``lostAtClient``.
public struct EventCounts: Hashable, Sendable {
    /// Events made.
    public var madeCount: UInt64
    /// Events that the collector has read from the rings.
    public var deliveredCount: UInt64
    /// Events dropped at the source, because a ring was full or none could be allocated.
    public var lostInRings: UInt64
    /// Events dropped on the way to this client, because it was slow.
    public var lostAtClient: UInt64

    /// Makes counts; all 0 by default.
    public init(madeCount: UInt64 = 0, deliveredCount: UInt64 = 0, lostInRings: UInt64 = 0, lostAtClient: UInt64 = 0) {
        self.madeCount = madeCount
        self.deliveredCount = deliveredCount
        self.lostInRings = lostInRings
        self.lostAtClient = lostAtClient
    }

    /// All lost events; clamped to the range.
    public var lostCount: UInt64 { lostInRings.addingClamped(lostAtClient) }
}

/// A mark in the stream of batches that begins or ends a resync, which corrects a forest after a loss.
public enum Resync: Hashable, Sendable {
    /// The batches after this mark, up to ``end(epoch:)``, report every node that the program still has: by a snapshot,
    /// or by an event about the node.
    case begin(epoch: UInt64)
    /// Nodes made up to `epoch` (ns of the process's clock) that were not reported since ``begin(epoch:)`` have ended.
    /// If such a node is pending, it is settled as ``Settlement/unknown``; if its handler runs, the handler has
    /// returned.
    case end(epoch: UInt64)
}

/// The snapshots and events of one process over a short time, and additions to the tables that they refer to.
///
/// A receiver applies them in this order: `sites`, `threads`, `executors`, then `nodes`, `events`, `frames`, `resync`.
/// Events of one thread are in the order in which they happened; events of different threads are in any order.
public struct EventBatch: Sendable {
    /// The observed process.
    public var process: ProcessKey
    /// The number of the batch, from 1.
    public var sequence: UInt64
    /// The time at which the batch was closed, in nanoseconds of the process's clock; never decreases.
    public var time: UInt64
    /// Additions to the table of call sites.
    public var sites: [SiteID: CodeLocation]
    /// Additions to the table of threads: a thread's name, or the label of the queue that it served. An empty name
    /// removes the earlier name of a number, because the number now belongs to a thread without a name.
    public var threads: [ThreadID: String]
    /// Additions to the table of executors.
    public var executors: [ExecutorID: String]
    /// Snapshots of nodes, to be joined before the events.
    public var nodes: [NodeSnapshot]
    /// The events.
    public var events: [ChainEvent]
    /// Dynamic texts of this batch's events (``ChainEvent/text``), bounded and unescaped: hostile until escaped.
    public var texts: [String]
    /// Where suspended Swift tasks continue, to be applied after the events; nil unless the source knows it without
    /// being asked.
    public var frames: FrameReading?
    /// Totals since recording began.
    public var loss: EventCounts
    /// The beginning or end of a resync, to be applied after everything else in this batch.
    public var resync: Resync?
    /// About how many nodes follow, in a batch that begins the program's whole state; nil in other batches, and where
    /// unknown.
    public var stateNodeCount: UInt64?
    /// How much of a process's memory has been looked at, in a batch of a state that is read from outside; else nil. Not
    /// part of the wire format.
    package var memoryProgress: MemoryProgress?
    /// How many nodes have a running handler after the batch; 0 where that is not counted. Not part of the wire format.
    package var runningCount = 0

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
        frames = nil
        loss = EventCounts()
        resync = nil
    }

    /// Whether the program's whole state follows, rather than a walk over its live nodes alone. A program of an earlier
    /// version sends no ``stateNodeCount``, but all names.
    package var beginsState: Bool {
        guard case .begin? = resync else { return false }
        return stateNodeCount != nil || !sites.isEmpty || sequence == 1
    }

    /// Returns the dynamic text of an event of this batch, or nil.
    public func text(of event: ChainEvent) -> String? {
        let index = Int(event.text) - 1
        return texts.indices.contains(index) ? texts[index] : nil
    }
}

/// How many bytes of a process's memory have been looked at, and how many are to be.
package struct MemoryProgress: Hashable, Sendable {
    package var done: UInt64
    package var total: UInt64

    package init(done: UInt64, total: UInt64) { (self.done, self.total) = (done, total) }
}

/// Whether a program records its last minutes into a file. Part of the wire format.
public enum FlightRecorderState: UInt8, Hashable, Sendable, CaseIterable {
    /// It does not record.
    case none = 0
    /// It records.
    case recording = 1
    /// It recorded until its file could not be written, such as on a full disk.
    case ended = 2
}

/// Facts of Swift tasks that depend on how the runtime lays tasks out in memory, or on the program's file. Part of the wire format.
public struct TaskFacts: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Wraps raw bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Which tasks are cancelled.
    public static let cancellation = TaskFacts(rawValue: 1)
    /// Where tasks are suspended.
    public static let stack = TaskFacts(rawValue: 2)
    /// The functions of `async let`.
    public static let function = TaskFacts(rawValue: 4)
    /// The parents of `async let`.
    public static let parent = TaskFacts(rawValue: 8)
    /// Whether tasks threw.
    public static let outcome = TaskFacts(rawValue: 16)
    /// The names of functions, which a stripped program does not have.
    public static let symbols = TaskFacts(rawValue: 32)

    private static let names: [(fact: TaskFacts, name: String, words: String)] = [
        (.cancellation, "cancellation", "which tasks are cancelled"),
        (.stack, "stacks", "where tasks are suspended"),
        (.function, "functions", "the functions of async let"),
        (.parent, "parents", "the parents of async let"),
        (.outcome, "errors", "whether tasks threw"),
        (.symbols, "function names", "the names of functions, because the program is stripped"),
    ]

    /// A word for each fact: "stacks".
    public var names: [String] { Self.names.filter { contains($0.fact) }.map(\.name) }
    /// Each fact in a few words: "where tasks are suspended".
    public var words: [String] { Self.names.filter { contains($0.fact) }.map(\.words) }
}

/// An observed process.
public struct ProcessDescription: Hashable, Sendable {
    /// The key of this run, unique among all runs of all programs.
    public var key: ProcessKey
    /// The process id.
    public var pid: Int32
    /// The program's name: its executable's, or the one that it set.
    public var name: String
    /// The offset to add (modulo 2^64) to a time of the process's clock to get nanoseconds since 1970.
    public var wallOffset: UInt64
    /// The time at which recording began, in nanoseconds since 1970; 0 if unknown.
    public var startTime: UInt64
    /// Whether the program refuses cancellations; it carries out other commands.
    public var isReadOnly: Bool
    /// The facts about Swift tasks that the program cannot show; empty if it shows no tasks.
    public var missingTaskFacts: TaskFacts = []
    /// Whether it records its last minutes.
    public var flightRecorder = FlightRecorderState.none
    /// Whether its tasks are read from its memory, because nothing in it reports them.
    public var isReadFromOutside = false

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

    /// Replaces the offset. A change of a second or less is ignored, because the description should not change with
    /// each correction of the system's clock.
    ///
    /// A ``startTime`` before September 2020 is shifted with the offset, because the program was started before the
    /// clock was set. A later ``startTime`` stays: the offset changed because the machine was suspended.
    package mutating func correct(wallOffset offset: UInt64) {
        let change = offset &- wallOffset
        guard Int64(bitPattern: change).magnitude > 1_000_000_000 else { return }
        wallOffset = offset
        if startTime != 0, startTime < 1_600_000_000_000_000_000 { startTime &+= change }
    }
}
