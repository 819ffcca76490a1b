import Foundation

/// Processor time of this thread, in nanoseconds: what others do on the machine does not count.
func cpu() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Processor time that `body` takes, in nanoseconds.
func timing(_ body: () -> Void) -> UInt64 {
    let start = cpu()
    body()
    return cpu() - start
}

/// Keeps the optimiser from finding out that a result is not used.
@inline(never)
func use<Value>(_ value: Value) {}

/// Prints one figure; with a limit, whether it is held.
func say(_ name: String, _ value: Double, _ unit: String, limit: Double? = nil, isAtLeast: Bool = false) {
    var words = [name, String(format: "%.3g", value), unit]
    if let limit {
        let isHeld = isAtLeast ? value >= limit : value <= limit
        words += [isAtLeast ? "at-least" : "limit", String(format: "%.3g", limit), isHeld ? "ok" : "MISS"]
    }
    print(words.joined(separator: " "))
    fflush(nil)
}

/// Times of many rounds, in nanoseconds.
struct Times {
    private(set) var all: [UInt64] = []

    mutating func add(_ time: UInt64) { all.append(time) }

    var milliseconds: [Double] { all.map { Double($0) / 1e6 } }
    var sum: Double { milliseconds.reduce(0, +) }
    var mean: Double { sum / Double(max(1, all.count)) }
    var most: Double { milliseconds.max() ?? 0 }
    var median: Double { share(0.5) }
    var p99: Double { share(0.99) }

    /// The time that so great a share of them does not pass.
    func share(_ share: Double) -> Double {
        let sorted = milliseconds.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.up)) - 1)]
    }
}
