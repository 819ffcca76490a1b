// SPDX-License-Identifier: MIT

/// Counts of durations in logarithmic buckets, 128 for each power of two from 0.1 ms on: to 1 %, or 0.5 µs.
///
/// Uses no memory until the first duration. With durations, it takes 1 kB if all are below 0.1 ms, some 8 kB if all
/// are below a second, and 17 kB at most.
struct DurationBuckets: Sendable {
    private var counts: [UInt32] = []
    /// How many durations were recorded.
    private(set) var count: UInt64 = 0
    private var longest: UInt64 = 0

    /// The longest duration that is told apart, in nanoseconds: 78 hours.
    private static let limit: UInt64 = 1 << 48
    /// The buckets below 0.1 ms are 512 ns wide.
    private static let unit: UInt64 = 9

    private static func bucket(_ duration: UInt64) -> Int {
        let units = duration >> unit
        let shift = max(0, 56 - units.leadingZeroBitCount)
        return shift << 7 + Int(units >> UInt64(shift))
    }

    /// Returns the longest duration in a bucket.
    private static func end(_ bucket: Int) -> UInt64 {
        let shift = max(0, bucket >> 7 - 1)
        return UInt64(bucket - shift << 7 + 1) << (UInt64(shift) + unit) - 1
    }

    mutating func record(_ duration: UInt64) {
        let duration = min(duration, Self.limit)
        let bucket = Self.bucket(duration)
        if bucket >= counts.count {
            counts.append(contentsOf: repeatElement(0, count: bucket | 127 + 1 - counts.count))
        }
        // A bucket counts up to `UInt32.max`; further durations would hardly change the figures.
        guard counts[bucket] < .max else { return }
        counts[bucket] += 1
        count += 1
        longest = max(longest, duration)
    }

    /// Adds the durations of other buckets.
    mutating func add(_ other: DurationBuckets) {
        if other.counts.count > counts.count {
            counts.append(contentsOf: repeatElement(0, count: other.counts.count - counts.count))
        }
        for (bucket, added) in other.counts.enumerated() {
            let added = min(added, .max - counts[bucket])
            counts[bucket] += added
            count += UInt64(added)
        }
        longest = max(longest, other.longest)
    }

    /// The figures, computed in one pass over the buckets.
    var figures: DurationFigures {
        var figures = DurationFigures()
        guard count > 0 else { return figures }
        (figures.count, figures.max) = (count, longest)
        figures.bars = Array(repeating: 0, count: DurationFigures.barBounds.count + 1)
        let ranks = [50, 90, 99].map { (count * $0 + 99) / 100 }
        var found: [UInt64] = []
        var (bar, sum) = (0, UInt64(0))
        for (bucket, added) in counts.enumerated() where added > 0 {
            let value = min(Self.end(bucket), longest)
            sum += UInt64(added)
            while found.count < ranks.count, sum >= ranks[found.count] { found.append(value) }
            while bar < DurationFigures.barBounds.count, value >= DurationFigures.barBounds[bar] { bar += 1 }
            figures.bars[bar] += UInt64(added)
        }
        (figures.p50, figures.p90, figures.p99) = (found[0], found[1], found[2])
        return figures
    }
}
