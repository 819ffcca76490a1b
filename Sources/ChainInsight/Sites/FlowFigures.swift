import ChainEvents

/// Rate, errors and durations of what was made at one call site: nodes, or whole chains.
public struct FlowFigures: Hashable, Sendable {
    /// What has begun and has not settled.
    public var inFlight = 0
    /// When the oldest in flight began, in nanoseconds of the process's clock; nil without any.
    public var oldest: UInt64?
    /// The oldest in flight; none without any.
    public var oldestNode = NodeID.none
    /// What was made last.
    public var newestNode = NodeID.none
    /// What was settled and not skipped.
    public var ended = 0
    /// What failed.
    public var failed = 0
    /// What was cancelled.
    public var cancelled = 0
    /// From begin to settlement of what was settled.
    public var time = DurationFigures()
    /// When it was settled.
    public var history = RateHistory()
    /// What the labels have in common; nil without labels, empty where they differ.
    public var label: String?

    /// The share of ``failed`` in ``ended``, from 0 to 1.
    public var failedShare: Double { ended == 0 ? 0 : Double(failed) / Double(ended) }

    /// The age of the oldest in flight at `now`, in nanoseconds.
    public func oldestAge(at now: UInt64) -> UInt64? { oldest.map { now > $0 ? now - $0 : 0 } }
}
