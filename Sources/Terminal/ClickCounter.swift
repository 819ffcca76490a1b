import Frames

/// Tells double clicks from single ones: presses of one button at one cell, shortly after each other.
struct ClickCounter {
    /// Between two presses of a double click at most, in nanoseconds.
    static let interval: UInt64 = 400_000_000

    private var last: (mouse: Mouse, time: UInt64)?

    /// The same action, a press with its number; `time` in nanoseconds of a clock that never goes back.
    mutating func counted(_ mouse: Mouse, at time: UInt64) -> Mouse {
        guard mouse.action == .press else {
            // A drag ends a series; a release belongs to it.
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
