// SPDX-License-Identifier: MIT

/// The mean number of events per second over the last three whole seconds.
struct RateMeter {
    /// The second that is being counted, since 1970; 0 before the first tick.
    private var second: UInt64 = 0
    private var count = 0
    /// The counts of the last three whole seconds, the oldest first.
    private var past = [0, 0, 0]
    /// How many of ``past`` were counted; fewer than 3 at the beginning.
    private var pastCount = 0
    /// The events per second; changes at most once a second.
    private(set) var shown = 0

    mutating func add(_ events: Int) { count += events }

    /// Advances to a time, in nanoseconds since 1970; returns whether ``shown`` changed.
    mutating func tick(_ wall: UInt64) -> Bool {
        let current = wall / 1_000_000_000
        guard current != second else { return false }
        let elapsed = second == 0 ? 1 : current > second ? min(current - second, 3) : 1
        second = current
        for step in 0..<elapsed {
            past.removeFirst()
            past.append(step == 0 ? count : 0)
        }
        // After several seconds without a tick, all events are counted in the first of these seconds.
        count = 0
        pastCount = min(pastCount + Int(elapsed), 3)
        let old = shown
        shown = past.suffix(pastCount).reduce(0, +) / pastCount
        return shown != old
    }
}
