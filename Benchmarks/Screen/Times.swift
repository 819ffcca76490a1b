// SPDX-License-Identifier: MIT

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

    /// Returns the percentile: the time in milliseconds that a share of the times does not exceed.
    func share(_ share: Double) -> Double {
        let sorted = milliseconds.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.up)) - 1)]
    }
}

/// A sink for results, so that the optimiser does not remove the work.
@inline(never)
func use<Value>(_ value: Value) {}
