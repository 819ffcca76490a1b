import ChainModel

/// Nodes to test again, by the second of the program's clock at which they are due.
///
/// An entry goes stale when its node is evicted or gets an earlier second. A full queue drops its stale entries, and is
/// then at most half full.
struct ExpiryQueue {
    /// Nanoseconds in a unit of the queue.
    static let unit: UInt64 = 1_000_000_000
    static let leastLimit = 16_384

    /// The entries by second, stale entries included.
    private var waiting: [UInt64: [NodeIndex]] = [:]
    /// The number of entries, stale entries included.
    private(set) var count = 0
    /// The number of waiting nodes.
    private var nodeCount = 0
    private(set) var highWaterMark = 0
    /// The ``stamp(_:)`` of the second that each node waits for; 0 for none.
    private var seconds = PagedArray<UInt32>()

    /// Enqueues a node for the first whole second at or after a moment, unless it waits for the same or an earlier
    /// second.
    mutating func enqueue(_ node: NodeIndex, until moment: UInt64) {
        let second = moment / Self.unit + (moment % Self.unit == 0 ? 0 : 1)
        let stamp = Self.stamp(second)
        let known = seconds[node.rawValue]
        guard known == 0 || known > stamp else { return }
        if count >= limit { dropStale() }
        if known == 0 { nodeCount += 1 }
        seconds[node.rawValue] = stamp
        waiting[second, default: []].append(node)
        count += 1
        highWaterMark = max(highWaterMark, count)
    }

    /// The greatest number of entries: twice the number of waiting nodes, but at least ``leastLimit``.
    var limit: Int { max(Self.leastLimit, 2 * nodeCount) }

    private mutating func dropStale() {
        count = 0
        for (second, nodes) in waiting {
            let stamp = Self.stamp(second)
            var seen: Set<NodeIndex> = []
            let kept = nodes.filter { seconds[$0.rawValue] == stamp && seen.insert($0).inserted }
            waiting[second] = kept.isEmpty ? nil : kept
            count += kept.count
        }
    }

    /// Forgets an evicted node.
    mutating func forget(_ node: NodeIndex) {
        guard seconds[node.rawValue] != 0 else { return }
        seconds[node.rawValue] = 0
        nodeCount -= 1
    }

    /// Moves to `due` the nodes that wait for the second `last` or for an earlier second.
    mutating func take(upTo last: UInt64, into due: inout [NodeIndex]) {
        for second in waiting.keys.filter({ $0 <= last }) {
            let stamp = Self.stamp(second)
            let nodes = waiting.removeValue(forKey: second) ?? []
            count -= nodes.count
            for node in nodes where seconds[node.rawValue] == stamp {
                // Other entries are stale.
                seconds[node.rawValue] = 0
                nodeCount -= 1
                due.append(node)
            }
        }
    }

    /// Returns 1 + a second in 32 bits: unique for 136 years.
    private static func stamp(_ second: UInt64) -> UInt32 { UInt32(clamping: second &+ 1) }
}
