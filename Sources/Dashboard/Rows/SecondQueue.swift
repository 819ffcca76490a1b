import ChainModel

/// Nodes that wait for a second of the program's clock, each for one at a time.
struct SecondQueue {
    /// Nanoseconds in what it counts.
    static let unit: UInt64 = 1_000_000_000

    private var waiting: [UInt64: [NodeIndex]] = [:]
    /// By node, 1 + the second that it waits for, cut to 32 bits; 0 for who does not.
    private var seconds = Paged<UInt32>(filler: 0)

    /// Lets a node wait for the first whole second at or after a moment, unless it waits for an earlier one.
    mutating func put(_ node: NodeIndex, until moment: UInt64) {
        let second = moment / Self.unit + (moment % Self.unit == 0 ? 0 : 1)
        let stamp = Self.stamp(second)
        let known = seconds[node.rawValue]
        guard known == 0 || known > stamp else { return }
        seconds[node.rawValue] = stamp
        waiting[second, default: []].append(node)
    }

    /// A node that is gone.
    mutating func forget(_ node: NodeIndex) {
        if seconds[node.rawValue] != 0 { seconds[node.rawValue] = 0 }
    }

    /// Moves those that wait for a second or an earlier one.
    mutating func take(upTo last: UInt64, into due: inout [NodeIndex]) {
        for second in waiting.keys.filter({ $0 <= last }) {
            let stamp = Self.stamp(second)
            for node in waiting.removeValue(forKey: second) ?? [] where seconds[node.rawValue] == stamp {
                // Else it went, or waited for an earlier one since.
                seconds[node.rawValue] = 0
                due.append(node)
            }
        }
    }

    /// 136 years of seconds are told apart.
    private static func stamp(_ second: UInt64) -> UInt32 { UInt32(clamping: second &+ 1) }
}
