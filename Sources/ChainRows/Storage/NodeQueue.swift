import ChainModel

/// A queue of nodes, roughly in the order of their deadlines, with a limit and a high-water mark.
///
/// A full queue drops the entries of evicted nodes, and all but the first entry of each node. At most half of the limit
/// is then in use, so that appending takes amortised O(1). Memory is freed as the queue shrinks.
struct NodeQueue {
    struct Entry {
        /// In nanoseconds of the program's clock.
        var deadline: UInt64
        var node: NodeIndex
        var id: NodeID
        /// Whether the deadline was postponed because the selection was inside the node or in its chain.
        var isPostponed = false
    }

    private var entries = Queue<Entry>()
    /// The minimum of ``limit``, so that the queue of a small forest does not drop entries all the time.
    private let leastLimit: Int
    /// The maximum number of entries: twice the number of nodes in the forest, but at least ``leastLimit``.
    private(set) var limit: Int
    private(set) var highWaterMark = 0
    private(set) var postponedCount = 0
    /// The maximum number of entries that a new entry is compared with.
    private static let comparisonLimit = 64

    init(leastLimit: Int) {
        self.leastLimit = leastLimit
        limit = leastLimit
    }

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    /// Returns the first `maxLength` entries, or all if there are fewer.
    func prefix(_ maxLength: Int) -> ArraySlice<Entry> { entries.contents.prefix(maxLength) }

    /// Returns whether the deadline of the first entry has come.
    func hasDue(now: UInt64) -> Bool { entries.first.map { $0.deadline <= now } ?? false }

    /// Inserts an entry by its deadline, at most ``comparisonLimit`` entries before the end.
    mutating func append(_ entry: Entry, in forest: borrowing ChainForest) {
        limit = max(leastLimit, 2 * forest.totals.nodeCount)
        if count >= limit { dropStale(in: forest) }
        if entry.isPostponed { postponedCount += 1 }
        // An entry does not always belong at the end, because deadlines of parallel threads arrive some microseconds
        // out of order.
        var index = entries.count
        let least = max(0, index - Self.comparisonLimit)
        while index > least, entries[index - 1].deadline > entry.deadline { index -= 1 }
        if index == entries.count { entries.append(entry) } else { entries.insert(entry, at: index) }
        highWaterMark = max(highWaterMark, count)
    }

    mutating func removeFirst() {
        if entries.first?.isPostponed == true { postponedCount -= 1 }
        entries.removeFirst()
    }

    mutating func removeAll() {
        entries = Queue()
        postponedCount = 0
    }

    /// Drops the entries of evicted nodes, and all but the first entry of each node.
    private mutating func dropStale(in forest: borrowing ChainForest) {
        var kept: [Entry] = []
        var seen: Set<NodeIndex> = []
        postponedCount = 0
        for entry in entries.contents where forest.contains(entry.id, at: entry.node) {
            guard seen.insert(entry.node).inserted else { continue }
            kept.append(entry)
            if entry.isPostponed { postponedCount += 1 }
        }
        entries = Queue(kept)
    }

    func statistics(_ name: String) -> QueueStatistics {
        QueueStatistics(name: name, count: count, highWaterMark: highWaterMark, limit: limit)
    }
}
