// SPDX-License-Identifier: MIT

import ChainEvents

/// The counts of a recording over time, in intervals of equal length, for the time strip.
package struct ReplaySeries: Hashable, Sendable {
    /// The counts of one interval.
    package struct Entry: Hashable, Sendable {
        /// Nodes that were rejected in the interval.
        package var rejected: UInt32
        /// Nodes with a running handler at the end of the interval.
        package var running: UInt32
        /// Open warnings at the end of the interval.
        package var warnings: UInt32

        /// Makes an entry.
        package init(rejected: UInt32 = 0, running: UInt32 = 0, warnings: UInt32 = 0) {
            (self.rejected, self.running, self.warnings) = (rejected, running, warnings)
        }
    }

    /// When the first interval begins, in nanoseconds of the program's clock.
    package var start: UInt64
    /// The length of an interval in nanoseconds; at least 1.
    package var interval: UInt64
    /// The intervals, in order.
    package var entries: [Entry]

    /// Makes a series.
    package init(start: UInt64 = 0, interval: UInt64 = 1, entries: [Entry] = []) {
        (self.start, self.interval, self.entries) = (start, max(1, interval), entries)
    }

    /// Returns the end of an interval, in nanoseconds of the program's clock.
    package func end(of index: Int) -> UInt64 { start.addingClamped(UInt64(index + 1).multipliedClamped(by: interval)) }
}

extension UInt64 {
    /// Returns this number times `factor` divided by `divisor`; the product may exceed 64 bits. `divisor` is not 0, and
    /// this number or `factor` is at most `divisor`.
    func scaled(by factor: Int, over divisor: UInt64) -> UInt64 {
        divisor.dividingFullWidth(multipliedFullWidth(by: UInt64(factor))).quotient
    }
}

/// A named moment of a recording.
package struct ReplayMark: Hashable, Sendable {
    /// The moment, in nanoseconds of the program's clock.
    package var time: UInt64
    /// A text of the user; hostile if it comes from a file.
    package var name: String

    /// Makes a mark.
    package init(time: UInt64, name: String) { (self.time, self.name) = (time, name) }
}
