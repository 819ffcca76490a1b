// SPDX-License-Identifier: MIT

/// The distribution of durations, computed from a histogram: in nanoseconds, to 1 %.
package struct DurationFigures: Hashable, Sendable {
    /// How many durations were measured.
    package var count: UInt64 = 0
    /// The median: half of the durations are at most this long.
    package var p50: UInt64 = 0
    /// Nine of ten durations are at most this long.
    package var p90: UInt64 = 0
    /// 99 of 100 durations are at most this long.
    package var p99: UInt64 = 0
    /// The longest duration, exactly; at most 78 hours.
    package var max: UInt64 = 0
    /// How many durations fell into each range of ``barBounds``: below the first bound, from one bound to the next, and
    /// from the last bound on. Empty if no duration was measured.
    package var bars: [UInt64] = []

    /// Makes figures without a measured duration.
    package init() {}

    /// The bounds of ``bars`` in nanoseconds: half decades from 0.1 ms to 100 s, the same for all call sites so that
    /// they can be compared.
    package static let barBounds: [UInt64] = [
        100_000, 316_228, 1_000_000, 3_162_278, 10_000_000, 31_622_777, 100_000_000, 316_227_766, 1_000_000_000,
        3_162_277_660, 10_000_000_000, 31_622_776_602, 100_000_000_000,
    ]
}
