// SPDX-License-Identifier: MIT

import CHeap
import Calibration

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

    /// Measures and prints one line for each contender, `NAME VALUE UNIT`, and one for each ratio,
    /// `NAME/PEER RATIO x limit LIMIT ok|MISS`.
    func report() {
        let contenders = ([ours] + peers.map(\.measure)).map { measure in
            {
                heap_trim()  // so that none profits from memory that another has freed
                return measure()
            }
        }
        if turns > 1 { for measure in contenders { _ = measure() } }  // warms up
        let values = (0..<turns).map { _ in contenders.map { $0() } }
        say("\(family).\(name)", median(values.map { $0[0] }), unit, limit: limit)
        for (index, peer) in peers.enumerated() {
            say("\(peer.name).\(name)", median(values.map { $0[index + 1] }), unit)
        }
        for (index, peer) in peers.enumerated() {
            say("\(family).\(name)/\(peer.name)", median(values.map { $0[0] / $0[index + 1] }), "x", limit: peer.limit)
        }
    }
}
