// SPDX-License-Identifier: MIT

import Foundation

/// A measurement in rounds, with a peer's beside each: figure, peer, figure, peer. The median of their ratios holds on any
/// machine, however busy it is: what slows the one slows the other.
public struct Pace<Round> {
    private let peer: String
    private let pairs: [(round: Round, peer: Double)]

    /// Makes a measurement of rounds and values of a peer that were measured in turns.
    public init(to peer: String, _ pairs: [(round: Round, peer: Double)]) { (self.peer, self.pairs) = (peer, pairs) }

    /// Measures `count` rounds, each beside the peer; `measure` gets the number of the round.
    public init(_ count: Int, to peer: Peer, _ measure: (Int) throws -> Round) rethrows {
        self.init(to: peer.name, try (0..<count).map { (try measure($0), peer.measure()) })
    }

    /// Returns the median of a value of the rounds.
    public func median(_ value: (Round) -> Double) -> Double { Calibration.median(pairs.map { value($0.round) }) }

    /// Prints the median of a value; with a limit, then that of its ratio to the peer, too.
    public func say(_ name: String, _ unit: String, limit: Double? = nil, _ value: (Round) -> Double) {
        Calibration.say(name, median(value), unit)
        if let limit { compare(name, limit: limit, value) }
    }

    /// Prints the median of the ratios of a value to the peer's: `NAME/PEER RATIO x limit LIMIT ok|MISS`.
    public func compare(_ name: String, limit: Double?, _ value: (Round) -> Double) {
        Calibration.say(
            "\(name)/\(peer)", Calibration.median(pairs.map { value($0.round) / $0.peer }), "x", limit: limit)
    }
}

/// Prints one figure at once, `NAME VALUE UNIT`, and with a limit ` limit LIMIT ok|MISS`. What is printed is compared, so
/// that 96.0 is within a limit of 96.
public func say(_ name: String, _ value: Double, _ unit: String, limit: Double? = nil) {
    let shown = abs(value) < 100 ? String(format: "%.3g", value) : String(format: "%.0f", value)
    let verdict = limit.map { limit in
        " limit \(String(format: "%g", limit)) \((Double(shown) ?? .infinity) <= limit ? "ok" : "MISS")"
    }
    print("\(name) \(shown) \(unit)\(verdict ?? "")")
    fflush(nil)
}

/// Returns the value in the middle of an odd number of values, or the mean of the two in the middle.
public func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
