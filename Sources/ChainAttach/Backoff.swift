/// How long to wait between attempts: 100 ms, doubling to 5 s.
struct Backoff {
    static let first: UInt64 = 100_000_000
    static let last: UInt64 = 5_000_000_000

    private var upcoming = Backoff.first

    /// The wait after one more attempt that failed, in nanoseconds.
    mutating func next() -> UInt64 {
        defer { upcoming = min(upcoming * 2, Self.last) }
        return upcoming
    }

    /// Begins anew, after a connection that lasted.
    mutating func reset() { upcoming = Self.first }
}
