// SPDX-License-Identifier: MIT

/// Counts of events in steps of ten seconds over the last ten minutes, for rates and a sparkline of minutes. Takes 300
/// bytes after the first event, and none before. Recording takes some 3 ns.
package struct RateHistory: Hashable, Sendable {
    /// How many minutes are kept.
    package static let minuteCount = 10

    /// The length of a step, in nanoseconds.
    private static let step: UInt64 = 10_000_000_000
    private static let stepsPerMinute = 6
    /// How many steps are kept: one more than are in ten minutes, because the current step is not over.
    private static let stepCount = UInt64(minuteCount * stepsPerMinute + 1)

    /// The counts of the latest steps, a ring by step modulo ``stepCount``. Empty before the first event.
    private var counts: [UInt32] = []
    /// The latest step with an event.
    private var last: UInt64 = 0

    mutating func record(at time: UInt64) {
        let step = time / Self.step
        if counts.isEmpty {
            counts = Array(repeating: 0, count: Int(Self.stepCount))
            last = step
        }
        if step > last {
            for skipped in 1...min(step - last, Self.stepCount) { counts[slot(last + skipped)] = 0 }
            last = step
        }
        guard last - step < Self.stepCount else { return }
        counts[slot(step)] &+= 1
    }

    private func slot(_ step: UInt64) -> Int { Int(step % Self.stepCount) }

    private func count(_ step: UInt64) -> Double {
        step <= last && last - step < Self.stepCount ? Double(counts[slot(step)]) : 0
    }

    /// Returns the number of events in the minute before `now` (nanoseconds). The oldest step counts with the share of
    /// it that is in that minute.
    package func perMinute(at now: UInt64) -> Double { minute(0, at: now) }

    /// Returns the number of events in each of the last ten minutes before `now`, the oldest minute first.
    package func minutes(at now: UInt64) -> [Double] {
        (0..<Self.minuteCount).reversed().map { minute(UInt64($0), at: now) }
    }

    /// Returns the number of events in the minute that ended `back` minutes before `now`.
    private func minute(_ back: UInt64, at now: UInt64) -> Double {
        guard !counts.isEmpty else { return 0 }
        let share = Double(now % Self.step) / Double(Self.step)
        // An event may be later than `now`, which is the time of the last tick.
        var sum = back == 0 && last == now / Self.step + 1 ? count(last) : 0
        for offset in 0...UInt64(Self.stepsPerMinute) {
            let step = back * UInt64(Self.stepsPerMinute) + offset
            guard step <= now / Self.step else { break }
            let weight = offset == 0 ? (back == 0 ? 1 : share) : offset == UInt64(Self.stepsPerMinute) ? 1 - share : 1
            sum += weight * count(now / Self.step - step)
        }
        return sum
    }
}
