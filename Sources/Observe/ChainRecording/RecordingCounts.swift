// SPDX-License-Identifier: MIT

import ChainEvents

/// Counts of nodes since the recording began, and counts at one moment.
package struct RecordingCounts: Hashable, Sendable {
    /// Nodes made, settled, and settled by a rejection, since the recording began.
    package var made: UInt64 = 0, settled: UInt64 = 0, rejected: UInt64 = 0
    /// Nodes with a running handler.
    package var running: UInt32 = 0
    /// Open warnings; ``RecordingFormat/uncounted`` where they are not counted.
    package var warnings = RecordingFormat.uncounted

    package init() {}

    package init(made: UInt64, settled: UInt64, rejected: UInt64, running: UInt32, warnings: UInt32) {
        (self.made, self.settled, self.rejected) = (made, settled, rejected)
        (self.running, self.warnings) = (running, warnings)
    }

    /// Counts the events of a batch. Its snapshots are not counted, because their nodes were made earlier.
    package mutating func add(_ events: [ChainEvent]) {
        for event in events {
            switch event.kind {
            case .created: made += 1
            case .fulfilled, .cancelled, .skipped, .abandoned: settled += 1
            case .rejected:
                settled += 1
                rejected += 1
            default: break
            }
        }
    }
}

/// The counts of one interval of an index.
package struct IntervalCounts: Hashable, Sendable {
    /// Nodes made, settled and rejected in the interval.
    package var made: UInt32 = 0, settled: UInt32 = 0, rejected: UInt32 = 0
    /// Nodes with a running handler and open warnings, as in ``RecordingCounts``, at the end of the interval.
    package var running: UInt32 = 0, warnings = RecordingFormat.uncounted

    package init() {}

    /// Adds the counts of the interval that follows.
    fileprivate mutating func join(_ next: IntervalCounts) {
        made &+= next.made
        settled &+= next.settled
        rejected &+= next.rejected
        (running, warnings) = (next.running, next.warnings)
    }
}

/// Counts over time: an entry for each interval, which is 100 ms at first. The interval is doubled whenever there are
/// too many entries.
package struct CountSeries: Hashable, Sendable {
    /// The time at which the first interval begins, in nanoseconds of the program's clock.
    package private(set) var start: UInt64 = 0
    /// The length of an interval in nanoseconds.
    package private(set) var interval = RecordingFormat.countInterval
    package private(set) var entries: [IntervalCounts] = []
    /// The maximum number of entries: 8 MB, or over 11 hours of intervals of 100 ms.
    private static let limit = 400_000
    private let limit: Int
    /// The counts that were noted last.
    private var last = RecordingCounts()

    package init(limit: Int = CountSeries.limit) { self.limit = max(2, limit) }

    /// Makes a series that begins after the given counts: its intervals count only later events.
    init(after counts: RecordingCounts) {
        self.init()
        last = counts
    }

    /// Decodes a series.
    init(start: UInt64, interval: UInt64, entries: [IntervalCounts]) {
        self.init()
        (self.start, self.interval, self.entries) = (start, max(1, interval), entries)
    }

    /// Notes the counts at a time, which must not go back.
    package mutating func note(_ counts: RecordingCounts, at time: UInt64) {
        if entries.isEmpty { start = time }
        while (time - min(time, start)) / interval >= UInt64(limit) { halve() }
        let index = Int((time - min(time, start)) / interval)
        while entries.count <= index {
            // Nothing happened in the intervals between.
            var entry = IntervalCounts()
            (entry.running, entry.warnings) = (last.running, last.warnings)
            entries.append(entry)
        }
        var now = IntervalCounts()
        now.made = UInt32(clamping: counts.made &- last.made)
        now.settled = UInt32(clamping: counts.settled &- last.settled)
        now.rejected = UInt32(clamping: counts.rejected &- last.rejected)
        (now.running, now.warnings) = (counts.running, counts.warnings)
        entries[index].join(now)
        last = counts
    }

    /// Joins the intervals in pairs, and doubles their length.
    private mutating func halve() {
        var joined: [IntervalCounts] = []
        for index in stride(from: 0, to: entries.count, by: 2) {
            var entry = entries[index]
            if index + 1 < entries.count { entry.join(entries[index + 1]) }
            joined.append(entry)
        }
        entries = joined
        interval *= 2
    }

    /// Drops the intervals that end at or before a time.
    mutating func removeEntries(before time: UInt64) {
        guard time > start else { return }
        let count = min(entries.count, Int((time - start) / interval))
        entries.removeFirst(count)
        start += UInt64(count) * interval
    }
}
