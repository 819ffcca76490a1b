// SPDX-License-Identifier: MIT

import Frames

/// A counter of clicks, for double clicks: the presses of one button at one cell, each within a short time of the
/// previous press.
struct ClickCounter {
    /// The maximum time between two presses of a double click, in nanoseconds.
    static let interval: UInt64 = 400_000_000

    private var last: (mouse: Mouse, time: UInt64)?

    /// Returns the action with its ``Mouse/clickCount``. `time` is in nanoseconds of a monotonic clock.
    mutating func counted(_ mouse: Mouse, at time: UInt64) -> Mouse {
        guard mouse.action == .press else {
            // A drag ends a series of presses; a release is a part of it.
            if mouse.action == .drag { last = nil }
            return mouse
        }
        var counted = mouse
        if let (before, then) = last, time &- then <= Self.interval, before.button == mouse.button,
            before.row == mouse.row, before.column == mouse.column
        {
            counted.clickCount = before.clickCount + 1
        }
        last = (counted, time)
        return counted
    }
}
