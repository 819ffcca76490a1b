import CHeap

/// The same work done by this runtime and by others, measured in turns: ours, a peer's, the next one's, ours again. Each
/// turn gives ratios, and the median of those is what counts: what else the machine does meanwhile hits all alike.
struct Comparison: Sendable {
    /// One of the others.
    struct Peer: Sendable {
        let name: String
        /// The most that we may take, as a multiple of what it takes; nil: printed, not judged.
        var limit: Double?
        /// Measures once and gives the value, in the comparison's unit.
        let measure: @Sendable () -> Double
    }

    /// What ours belongs to: its lines begin with it.
    var family = "promise"
    let name: String
    var unit = "ns"
    /// How many turns are taken.
    var turns = 7
    /// The most that ours may be in itself, in `unit`; nil: printed, not judged.
    var limit: Double?
    let ours: @Sendable () -> Double
    let peers: [Peer]

    /// One line for each who took part, `NAME VALUE UNIT`, and one for each ratio,
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

/// Judges the number as it is printed: what reads 96.0 is within a limit of 96.
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
