import Histogram

/// A histogram of durations to two digits: recording a duration takes 3 ns, computing ``DurationFigures`` some 30 µs.
///
/// Uses no memory until the first duration. With durations, it takes 1 kB if all are below 0.1 ms, some 10 kB if all
/// are below a second, and 34 kB at most.
struct DurationHistogram: Sendable {
    private var histogram: Histogram<UInt32>?
    /// How many durations were recorded. Not read from the histogram, because that would copy it.
    private(set) var count: UInt64 = 0

    /// The resolution, in nanoseconds.
    private static let finest: UInt64 = 1_000
    /// The longest duration that the forest stores, in nanoseconds: 78 hours.
    private static let longest: UInt64 = 1 << 48

    /// The cost of ``figures``: about the number of the histogram's buckets.
    var cost: Int { (histogram?.estimatedFootprintInBytes ?? 0) / MemoryLayout<UInt32>.stride }

    mutating func record(_ duration: UInt64) {
        if histogram == nil {
            histogram = Histogram(
                lowestDiscernibleValue: Self.finest, highestTrackableValue: 100 * Self.finest,
                numberOfSignificantValueDigits: .two)
            histogram?.autoResize = true
        }
        // A bucket counts up to `UInt32.max`; further durations would hardly change the figures.
        guard count < UInt64(UInt32.max) else { return }
        histogram!.record(min(duration, Self.longest))
        count += 1
    }

    /// Adds the durations of another histogram, unless that exceeds what a bucket counts.
    mutating func add(_ other: DurationHistogram) {
        guard let added = other.histogram, count + other.count <= UInt64(UInt32.max) else { return }
        if histogram == nil { histogram = added } else { histogram!.add(added) }
        count += other.count
    }

    /// The figures, computed in one pass over the buckets, because computing each percentile separately would take one
    /// pass for each.
    var figures: DurationFigures {
        var figures = DurationFigures()
        guard let histogram, count > 0 else { return figures }
        figures.count = count
        figures.max = histogram.maxRecorded
        figures.bars = Array(repeating: 0, count: DurationFigures.barBounds.count + 1)
        let ranks = [50, 90, 99].map { (count * $0 + 99) / 100 }
        var found: [UInt64] = []
        var bar = 0
        for step in histogram.recordedValues() {
            let value = min(step.value, figures.max)
            while found.count < ranks.count, step.totalCountToThisValue >= ranks[found.count] { found.append(value) }
            while bar < DurationFigures.barBounds.count, value >= DurationFigures.barBounds[bar] { bar += 1 }
            figures.bars[bar] += UInt64(step.count)
        }
        while found.count < ranks.count { found.append(figures.max) }
        (figures.p50, figures.p90, figures.p99) = (found[0], found[1], found[2])
        return figures
    }
}
