// SPDX-License-Identifier: MIT

import ChainEvents

/// The counts and marks of a recording by the columns of the time strip, which is drawn above the footer.
struct TimeStrip {
    /// The counts of the part of a recording that is drawn in one column.
    struct Column: Hashable {
        /// Nodes that were rejected.
        var rejected = 0
        /// The maximum number of nodes with a running handler.
        var running = 0
        /// The maximum number of open warnings.
        var warnings = 0
        var isMarked = false
    }

    /// The values that ``columns`` were computed from, besides ``series`` and ``marks``.
    private struct Key: Equatable {
        var range: ClosedRange<UInt64>
        var width: Int
    }

    private(set) var series = ReplaySeries()
    /// In the order of time.
    private(set) var marks: [ReplayMark] = []
    /// The columns from left to right; empty if the strip has no room for a column.
    private(set) var columns: [Column] = []
    /// Nil if ``columns`` are outdated.
    private var key: Key?

    mutating func show(_ series: ReplaySeries) {
        self.series = series
        key = nil
    }

    mutating func show(_ marks: [ReplayMark]) {
        self.marks = marks.sorted { $0.time < $1.time }
        key = nil
    }

    /// Computes ``columns`` anew if the series, the marks, the range or the width has changed. O(entries of
    /// ``series`` + marks + columns).
    mutating func update(range: ClosedRange<UInt64>, width: Int) {
        let wanted = Key(range: range, width: width)
        guard wanted != key else { return }
        key = wanted
        columns = aggregated(over: range, width)
    }

    private func aggregated(over range: ClosedRange<UInt64>, _ width: Int) -> [Column] {
        guard width > 0 else { return [] }
        var columns = [Column](repeating: Column(), count: width)
        var filled = 0
        var level = Column()
        for (index, entry) in series.entries.enumerated() {
            // The counts of an interval belong to the column in which the interval begins.
            let start = min(
                max(series.end(of: index).subtractingClamped(series.interval), range.lowerBound), range.upperBound)
            let column = Self.column(of: start, in: range, width)
            // The counts of running handlers and of warnings hold until the next interval begins.
            while filled < column {
                filled += 1
                columns[filled] = level
            }
            level = Column(running: Int(entry.running), warnings: Int(entry.warnings))
            columns[column].rejected += Int(entry.rejected)
            columns[column].running = max(columns[column].running, level.running)
            columns[column].warnings = max(columns[column].warnings, level.warnings)
        }
        for column in min(filled + 1, width)..<width { columns[column] = level }
        for mark in marks where range.contains(mark.time) {
            columns[Self.column(of: mark.time, in: range, width)].isMarked = true
        }
        return columns
    }

    // MARK: Moments and columns

    /// Returns the column of a moment; the first or the last column for a moment outside the range.
    static func column(of moment: UInt64, in range: ClosedRange<UInt64>, _ width: Int) -> Int {
        let passed = min(max(moment, range.lowerBound), range.upperBound) - range.lowerBound
        let span = (range.upperBound - range.lowerBound).addingClamped(1)
        return min(Int(clamping: passed.scaled(by: max(1, width), over: span)), max(0, width - 1))
    }

    /// Returns the moment at the middle of a column; for the first and the last column, the ends of the range.
    static func moment(of column: Int, in range: ClosedRange<UInt64>, _ width: Int) -> UInt64 {
        guard column > 0 else { return range.lowerBound }
        guard column < width - 1 else { return range.upperBound }
        let span = (range.upperBound - range.lowerBound).addingClamped(1)
        let (start, end) = (
            span.scaled(by: column, over: UInt64(width)), span.scaled(by: column + 1, over: UInt64(width))
        )
        return min(range.lowerBound.addingClamped(start + (end - start) / 2), range.upperBound)
    }
}
