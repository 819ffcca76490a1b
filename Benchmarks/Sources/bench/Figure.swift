#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One figure: what is measured, and the most that it may be.
struct Figure: Sendable {
    let name: String
    /// In the unit of `unit`; more is worse.
    let limit: Double
    var unit = "ns"
    /// How many measurements the median is taken of.
    var runs = 9
    /// Measures once and gives the value.
    let measure: @Sendable () -> Double

    /// The median of several measurements, on a line of its own.
    func line() -> String {
        if runs > 1 { _ = measure() }  // warms up
        let values = (0..<runs).map { _ in measure() }.sorted()
        let value = values[values.count / 2]
        return "\(name) \(rounded(value)) \(unit) limit \(rounded(limit)) \(value <= limit ? "ok" : "MISS")"
    }

    private func rounded(_ value: Double) -> String {
        value < 100 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    }
}

/// Processor time of this thread that one of `count` rounds of `body` takes, in nanoseconds: what others do on the
/// machine does not count.
func nanosecondsEach(_ count: Int, _ body: () -> Void) -> Double {
    let start = threadTime()
    for _ in 0..<count { body() }
    return Double(threadTime() - start) / Double(count)
}

private func threadTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Keeps the optimiser from finding out that a result is not used.
@inline(never)
func use<Value>(_ value: Value) {}
