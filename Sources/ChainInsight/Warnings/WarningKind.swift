/// The kinds of warnings. The raw value is the name in options and the configuration.
public enum WarningKind: String, Hashable, Sendable, CaseIterable {
    /// Live for longer than the limit.
    case neverSettled = "never-settled"
    /// Its resolver was dropped, so nothing can settle it.
    case abandoned
    /// Rejected without a handler for the error.
    case unhandledRejection = "unhandled-rejection"
    /// Its resolver was used a second time.
    case settledAgain = "settled-again"
    /// A thread of an executor waits for a promise.
    case blockedWorker = "blocked-worker"
    /// A handler runs for longer than the limit, or a task of Swift without a suspension.
    case longHandler = "long-handler"
    /// Awaited on the executor that has to settle it.
    case awaitedOnOwnExecutor = "awaited-on-own-executor"
    /// Nodes and threads that wait for each other.
    case deadlock = "deadlock"
    /// A race is decided and a member of it still runs.
    case raceLoserRunning = "race-loser-running"
    /// Asked to be cancelled and not settled since the limit.
    case cancellationIgnored = "cancellation-ignored"
    /// More threads run handlers than there should be.
    case tooManyThreads = "too-many-threads"
    /// Queued for longer than the limit.
    case longQueueWait = "long-queue-wait"
    /// A task of Swift is suspended for longer than the limit.
    case suspendedTask = "suspended-task"
    /// More tasks of Swift are queued for longer than the limit than threads run any.
    case starvedPool = "starved-pool"
    /// A chain is deeper than the limit.
    case deepChain = "deep-chain"
    /// Events were lost: what is shown may be incomplete.
    case lostEvents = "lost-events"

    /// All kinds, made once.
    static let all = allCases
}

/// The enabled warnings and their limits.
public struct WarningOptions: Hashable, Sendable {
    /// The kinds that are reported.
    public var enabled = Set(WarningKind.allCases)
    /// Age of a live node, in nanoseconds.
    public var neverSettledLimit: UInt64 = 60_000_000_000
    /// Running time of a handler, in nanoseconds.
    public var longHandlerLimit: UInt64 = 1_000_000_000
    /// How long a handler blocks its thread, in nanoseconds.
    public var blockedWorkerLimit: UInt64 = 1_000_000_000
    /// From the request, in nanoseconds.
    public var cancellationLimit: UInt64 = 2_000_000_000
    /// Time in a queue, in nanoseconds, of a handler or a task.
    public var queueWaitLimit: UInt64 = 1_000_000_000
    /// How long a task of Swift is suspended, in nanoseconds.
    public var suspendedTaskLimit: UInt64 = 60_000_000_000
    /// The depth of a chain, in nodes.
    public var depthLimit = 1_000
    /// How many threads run handlers.
    public var threadLimit = 64

    /// Sets the usual limits and enables everything.
    public init() {}
}
