/// Events a second, updated once a second: the mean of the last three whole seconds.
struct RateMeter {
    private var second: UInt64 = 0
    private var count = 0
    private var past = [0, 0, 0]
    private var pastCount = 0
    private(set) var shown = 0

    mutating func add(_ events: Int) { count += events }

    /// Takes the time, nanoseconds since 1970; true if what is shown changed.
    mutating func tick(_ wall: UInt64) -> Bool {
        let current = wall / 1_000_000_000
        guard current != second else { return false }
        let elapsed = second == 0 ? 1 : current > second ? min(current - second, 3) : 1
        second = current
        for step in 0..<elapsed {
            past.removeFirst()
            past.append(step == 0 ? count : 0)
        }
        // After a longer silence all events count in its first second.
        count = 0
        pastCount = min(pastCount + Int(elapsed), 3)
        let old = shown
        shown = past.suffix(pastCount).reduce(0, +) / pastCount
        return shown != old
    }
}
