// SPDX-License-Identifier: MIT

import CHeap
import Calibration

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How the time of one operation grows with its size: measured at each power of ten from 1,000 to 1,000,000.
struct Scaling: Sendable {
    let name: String
    /// Does the work for a size; returns the nanoseconds of the part that counts.
    let measure: @Sendable (_ size: Int) -> Double

    /// The largest exponent: 1 is O(n), and 1.15 leaves room for a logarithm and for the caches that a larger size
    /// misses. O(n²) is 2.
    static let limit = 1.15
    private static let sizes = [1_000, 10_000, 100_000, 1_000_000]
    /// The longest expected time of a size, in nanoseconds; a size that would take longer is left out.
    private static let longest = 20e9

    init(_ name: String, _ measure: @escaping @Sendable (_ size: Int) -> Double) {
        self.name = "scaling.\(name)"
        self.measure = measure
    }

    /// Measures and prints a line for each size, `NAME.of-SIZE VALUE ns` of one unit, and then the exponent,
    /// `NAME VALUE exponent limit LIMIT ok|MISS`.
    func report() {
        var points: [(size: Int, nanoseconds: Double)] = []
        for size in Self.sizes {
            if let expected = Self.expected(size, points), expected > Self.longest {
                print("\(name).of-\(size) left out: some \(Int(expected / 1e9)) s")
                continue
            }
            // The least of several, because other load on the machine only adds.
            let runs = max(1, min(20, 100_000 / size))
            if size == Self.sizes[0] { _ = measure(size) }  // warms up
            heap_trim()
            let nanoseconds = (0..<runs).map { _ in measure(size) }.min() ?? 0
            points.append((size, nanoseconds))
            say("\(name).of-\(size)", nanoseconds / Double(size), "ns")
        }
        say(name, Self.slope(points), "exponent", limit: Self.limit)
    }

    /// Returns the nanoseconds of `size` if the time grows as it did between the last two sizes; nil without these.
    private static func expected(_ size: Int, _ points: [(size: Int, nanoseconds: Double)]) -> Double? {
        guard points.count >= 2, let last = points.last else { return nil }
        return last.nanoseconds * pow(Double(size) / Double(last.size), slope(points.suffix(2)))
    }

    /// Returns the slope of the least-squares line of log(time) over log(size).
    private static func slope(_ points: some Collection<(size: Int, nanoseconds: Double)>) -> Double {
        let logarithms = points.map { (log($0.size), log($0.nanoseconds)) }
        let count = Double(logarithms.count)
        let (meanX, meanY) = (logarithms.reduce(0) { $0 + $1.0 } / count, logarithms.reduce(0) { $0 + $1.1 } / count)
        let products = logarithms.reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
        return products / logarithms.reduce(0) { $0 + ($1.0 - meanX) * ($1.0 - meanX) }
    }

    private static func log(_ value: some BinaryInteger) -> Double { log(Double(value)) }

    #if canImport(Darwin)
        private static func log(_ value: Double) -> Double { Darwin.log(value) }
    #else
        private static func log(_ value: Double) -> Double { Glibc.log(value) }
    #endif
}
