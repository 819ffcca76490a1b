// SPDX-License-Identifier: MIT

/// A set of warning kinds, with one bit for each kind, so that a test of a node's warnings is one operation.
public typealias WarningBits = UInt32

/// The kinds of warnings. The raw value is the name in options and the configuration.
public enum WarningKind: String, Hashable, Sendable, CaseIterable {
    /// A node that waits for no other node, timer or queue has been live for longer than the limit.
    case neverSettled = "never-settled"
    /// A node's resolver was released, or its job dropped, so that nothing is left that could settle the node.
    case abandoned
    /// A node was rejected, and released without a handler for the error.
    case unhandledRejection = "unhandled-rejection"
    /// A node was settled a second time, without effect.
    case settledAgain = "settled-again"
    /// A handler or a Swift task has blocked its thread for longer than the limit: it waits for a promise, a lock or the
    /// system.
    case blockedWorker = "blocked-worker"
    /// A handler, or a Swift task between two suspensions, runs for longer than the limit.
    case longHandler = "long-handler"
    /// A node was awaited on the executor that has to settle it.
    case awaitedOnOwnExecutor = "awaited-on-own-executor"
    /// Nodes and threads wait for each other.
    case deadlock = "deadlock"
    /// A race is decided and a member of it still runs.
    case raceLoserRunning = "race-loser-running"
    /// A node was asked to be cancelled, and has not settled for longer than the limit.
    case cancellationIgnored = "cancellation-ignored"
    /// More threads run handlers than there should be.
    case tooManyThreads = "too-many-threads"
    /// A node has been queued for longer than the limit.
    case longQueueWait = "long-queue-wait"
    /// A Swift task is suspended for longer than the limit.
    case suspendedTask = "suspended-task"
    /// The Swift tasks that have been queued for longer than the limit outnumber the threads that run tasks.
    case starvedPool = "starved-pool"
    /// A Swift task has held the main actor for longer than the limit, and others wait for it.
    case mainActorHeld = "main-actor-held"
    /// A chain is deeper than the limit.
    case deepChain = "deep-chain"
    /// Events were lost: what is shown may be incomplete.
    case lostEvents = "lost-events"

    /// All kinds in an array that is made once.
    static let all = allCases
}

/// The enabled warnings and their limits.
public struct WarningOptions: Hashable, Sendable {
    /// The kinds that are reported.
    public var enabled = Set(WarningKind.allCases)
    /// How long a node may be live after its creation or its parent's settlement, in nanoseconds.
    public var neverSettledLimit: UInt64 = 60_000_000_000
    /// How long a handler may run, in nanoseconds.
    public var longHandlerLimit: UInt64 = 1_000_000_000
    /// How long a handler may block its thread, in nanoseconds.
    public var blockedWorkerLimit: UInt64 = 1_000_000_000
    /// How long a node may be live after its cancellation was requested, in nanoseconds.
    public var cancellationLimit: UInt64 = 2_000_000_000
    /// How long a handler or a task may be queued, in nanoseconds.
    public var queueWaitLimit: UInt64 = 1_000_000_000
    /// How long a Swift task may be suspended, in nanoseconds.
    public var suspendedTaskLimit: UInt64 = 60_000_000_000
    /// How long a Swift task may hold the main actor while others wait for it, in nanoseconds.
    public var mainActorLimit: UInt64 = 1_000_000_000
    /// How deep a chain may be, in nodes.
    public var depthLimit = 1_000
    /// How many threads may run handlers at once.
    public var threadLimit = 64

    /// Sets the usual limits and enables everything.
    public init() {}
}
