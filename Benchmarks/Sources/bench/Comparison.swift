import CHeap

/// The same work in this runtime and in others, measured in turns: ours, each peer's, ours again. The figure is the median
/// of the ratios of all turns, because other load on the machine affects all contenders alike.
struct Comparison: Sendable {
    /// Another library.
    struct Peer: Sendable {
        let name: String
        /// The limit of the ratio ours/peer; nil if it is printed only.
        var limit: Double?
        /// Measures once; returns the value in the comparison's unit.
        let measure: @Sendable () -> Double
    }

    /// The prefix of our lines.
    var family = "promise"
    let name: String
    var unit = "ns"
    /// The number of turns.
    var turns = 7
    /// The limit of our value in `unit`; nil if it is printed only.
    var limit: Double?
    let ours: @Sendable () -> Double
    let peers: [Peer]

    /// Returns one line for each contender, `NAME VALUE UNIT`, and one for each ratio,
    /// `NAME/PEER RATIO x limit LIMIT ok|MISS`.
    func lines() -> [String] {
        let contenders = ([ours] + peers.map(\.measure)).map { measure in
            {
                heap_trim()  // so that none profits from memory that another has freed
                return measure()
            }
        }
        if turns > 1 { for measure in contenders { _ = measure() } }  // warms up
        let values = (0..<turns).map { _ in contenders.map { $0() } }
        let own = median(values.map { $0[0] })
        var lines = ["\(family).\(name) \(rounded(own)) \(unit)\(verdict(rounded(own), limit))"]
        for (index, peer) in peers.enumerated() {
            lines.append("\(peer.name).\(name) \(rounded(median(values.map { $0[index + 1] }))) \(unit)")
        }
        for (index, peer) in peers.enumerated() {
            let ratio = median(values.map { $0[0] / $0[index + 1] })
            let shown = hundredths(ratio)
            lines.append("\(family).\(name)/\(peer.name) \(shown) x\(verdict(shown, peer.limit))")
        }
        return lines
    }
}

/// Compares the printed number, so that 96.0 is within a limit of 96.
func verdict(_ shown: String, _ limit: Double?) -> String {
    guard let limit else { return "" }
    guard let value = Double(shown) else { fatalError("\(shown) is no number") }
    return " limit \(limit) \(value <= limit ? "ok" : "MISS")"
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func rounded(_ value: Double) -> String {
    abs(value) < 100 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
}

private func hundredths(_ value: Double) -> String {
    value < 0.1 ? "\((value * 1000).rounded() / 1000)" : "\((value * 100).rounded() / 100)"
}
