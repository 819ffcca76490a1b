// SPDX-License-Identifier: MIT

import ChainEvents

/// Rate, errors and durations of the items that were made at one call site. The items are nodes, or whole chains.
package struct FlowFigures: Hashable, Sendable {
    /// How many items have begun and not settled.
    package var inFlight = 0
    /// When the oldest item in flight began, in nanoseconds of the process's clock; nil if no item is in flight.
    package var oldest: UInt64?
    /// The oldest item in flight (for a chain, its root); `.none` if no item is in flight.
    package var oldestNode = NodeID.none
    /// The item that was made last (for a chain, its root).
    package var newestNode = NodeID.none
    /// How many items settled and were not skipped.
    package var ended = 0
    /// How many items failed.
    package var failed = 0
    /// How many items were cancelled.
    package var cancelled = 0
    /// The durations from begin to settlement.
    package var time = DurationFigures()
    /// How many items settled in each of the last minutes.
    package var history = RateHistory()
    /// What the labels have in common; nil without labels, empty if the labels have nothing in common.
    package var label: String?

    /// The share of ``failed`` in ``ended``, from 0 to 1.
    package var failedShare: Double { ended == 0 ? 0 : Double(failed) / Double(ended) }

    /// Returns the age of the oldest item in flight at `now`, in nanoseconds; nil if no item is in flight.
    package func oldestAge(at now: UInt64) -> UInt64? { oldest.map { now > $0 ? now - $0 : 0 } }
}
