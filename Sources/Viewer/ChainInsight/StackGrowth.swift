// SPDX-License-Identifier: MIT

/// How the numbers of tasks in stacks grow, from counts that are taken about once a second.
///
/// At most ``stackLimit`` stacks are followed, the first that came; the tasks in all others are counted together, as one
/// stack without frames. Takes 2 MB at most, beside the texts of the stacks.
package struct StackGrowth: Sendable {
    /// The growth of one stack.
    package struct Change: Hashable, Sendable {
        /// By how many tasks the stack grew since the first counts; negative if it shrank.
        package var total: Int
        /// By how many tasks a minute the stack grew over the latest counts; nil as long as they cover less than ten
        /// seconds.
        package var perMinute: Double?
        /// Whether the count never fell in the last minute (or since the first counts, at least ten seconds ago), and
        /// grew by three tasks or more.
        package var isGrowing: Bool

        /// Joins the figures of one stack.
        package init(total: Int, perMinute: Double?, isGrowing: Bool) {
            (self.total, self.perMinute, self.isGrowing) = (total, perMinute, isGrowing)
        }
    }

    /// The greatest number of stacks that are followed.
    package static let stackLimit = 2_048

    /// When the first counts were taken, in nanoseconds of the process's clock; nil before that.
    package private(set) var since: UInt64?
    private var firstCounts: [String: Int] = [:]
    /// The times of the latest counts, the oldest first.
    private var times: [UInt64] = []
    /// By stack, a count for each of ``times``.
    private var counts: [String: [Int]] = [:]
    /// Whether there were ever more stacks than are followed. No stack gets a free place from then on, because it may
    /// have been among the others before.
    private var hasOthers = false

    /// How many counts of a stack are kept: two minutes.
    private static let sampleLimit = 121
    /// A longer time between two counts ends a series, because what happened meanwhile is unknown; in nanoseconds.
    private static let greatestGap: UInt64 = 5_000_000_000
    /// The shortest time that says something about growth, in nanoseconds.
    private static let leastSpan: UInt64 = 10_000_000_000
    /// How far back a stack must not have shrunk, in nanoseconds.
    private static let growingSpan: UInt64 = 60_000_000_000
    private static let growingLeast = 3

    /// Makes a growth without counts.
    package init() {}

    /// Returns the stacks that are followed, or would be, in their order; then one stack without frames for all others,
    /// if there are any.
    package func folded(_ stacks: [TaskStack]) -> [TaskStack] {
        var room = hasOthers ? 0 : Self.stackLimit - counts.count
        var kept: [TaskStack] = []
        var others: TaskStack?
        for stack in stacks {
            if counts[stack.frames] != nil {
                kept.append(stack)
            } else if room > 0 {
                room -= 1
                kept.append(stack)
            } else {
                others = others.map { $0.joined(with: stack) } ?? stack
            }
        }
        guard var others else { return kept }
        others.frames = ""
        return kept + [others]
    }

    /// Notes the counts of ``folded(_:)`` stacks. O(stacks).
    ///
    /// - Parameter now: in nanoseconds of the process's clock; a time that is not after the last one is ignored.
    package mutating func note(_ stacks: [TaskStack], at now: UInt64) {
        if let last = times.last {
            guard now > last else { return }
            if now - last > Self.greatestGap {
                times = []
                for frames in counts.keys { counts[frames] = [] }
            }
        }
        for stack in stacks where counts[stack.frames] == nil {
            // It had no task before, or it would have been followed.
            counts[stack.frames] = Array(repeating: 0, count: times.count)
            if stack.frames.isEmpty { hasOthers = true }
        }
        let present = Dictionary(uniqueKeysWithValues: stacks.map { ($0.frames, $0.count) })
        if since == nil { (since, firstCounts) = (now, present) }
        times.append(now)
        let surplus = max(0, times.count - Self.sampleLimit)
        times.removeFirst(surplus)
        var series: [String: [Int]] = [:]
        for (frames, old) in counts {
            let new = old.dropFirst(surplus) + [present[frames] ?? 0]
            // A stack that came later and has had no tasks for a while makes room.
            guard frames.isEmpty || firstCounts[frames] != nil || new.contains(where: { $0 > 0 }) else { continue }
            series[frames] = Array(new)
        }
        counts = series
    }

    /// Returns how a stack has grown until the last counts; nil if it is not followed.
    package func change(of frames: String) -> Change? {
        guard let counts = counts[frames], let last = counts.last, let now = times.last else { return nil }
        var change = Change(total: last - (firstCounts[frames] ?? 0), perMinute: nil, isGrowing: false)
        if now - times[0] >= Self.leastSpan {
            change.perMinute = Double(last - counts[0]) * 60 / (Double(now - times[0]) / 1e9)
        }
        let start = times.firstIndex { now - $0 <= Self.growingSpan } ?? 0
        let recent = counts[start...]
        change.isGrowing =
            now - times[start] >= Self.leastSpan && last - counts[start] >= Self.growingLeast
            && zip(recent, recent.dropFirst()).allSatisfy { $0 <= $1 }
        return change
    }
}

extension TaskStack {
    /// Returns the tasks of both stacks as one, with the frames of this one.
    fileprivate func joined(with other: TaskStack) -> TaskStack {
        var stack = self
        stack.count += other.count
        stack.cancelledCount += other.cancelledCount
        if let since = other.oldestSince, since < stack.oldestSince ?? .max {
            (stack.oldest, stack.oldestSince) = (other.oldest, since)
        }
        return stack
    }
}
