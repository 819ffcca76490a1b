// SPDX-License-Identifier: MIT

import ChainEvents

/// Rate, errors and durations of the items that were made at one call site. The items are nodes, or whole chains.
public struct FlowFigures: Hashable, Sendable {
    /// How many items have begun and not settled.
    public var inFlight = 0
    /// When the oldest item in flight began, in nanoseconds of the process's clock; nil if no item is in flight.
    public var oldest: UInt64?
    /// The oldest item in flight (for a chain, its root); `.none` if no item is in flight.
    public var oldestNode = NodeID.none
    /// The item that was made last (for a chain, its root).
    public var newestNode = NodeID.none
    /// How many items settled and were not skipped.
    public var ended = 0
    /// How many items failed.
    public var failed = 0
    /// How many items were cancelled.
    public var cancelled = 0
    /// The durations from begin to settlement.
    public var time = DurationFigures()
    /// How many items settled in each of the last minutes.
    public var history = RateHistory()
    /// What the labels have in common; nil without labels, empty if the labels have nothing in common.
    public var label: String?

    /// The share of ``failed`` in ``ended``, from 0 to 1.
    public var failedShare: Double { ended == 0 ? 0 : Double(failed) / Double(ended) }

    /// Returns the age of the oldest item in flight at `now`, in nanoseconds; nil if no item is in flight.
    public func oldestAge(at now: UInt64) -> UInt64? { oldest.map { now > $0 ? now - $0 : 0 } }
}
