import ChainEvents
import ChainModel

/// Nodes that each wait for a moment, in the order of these moments. The queue has a limit and keeps its high-water mark.
///
/// An entry goes stale when its node is evicted. A full queue drops the stale entries and all but the first of each node;
/// what is left is at most half of the limit, so appending stays O(1) amortized and nothing that matters is lost. Memory
/// is freed as the queue becomes shorter.
struct NodeQueue {
    struct Entry {
        var deadline: UInt64
        var node: NodeIndex
        var id: NodeID
        /// The user was in it when its time came.
        var isPutOff = false
    }

    private var entries: [Entry] = []
    private var head = 0
    /// The least that ``limit`` can be, so that a small forest does not drop all the time.
    private let leastLimit: Int
    /// How many entries there are at most; twice the nodes of the forest, where those are many.
    private(set) var limit: Int
    private(set) var highWaterMark = 0
    /// How many entries only wait for the user to leave.
    private(set) var putOffCount = 0

    init(leastLimit: Int) {
        self.leastLimit = leastLimit
        limit = leastLimit
    }

    var count: Int { entries.count - head }
    var first: Entry? { head < entries.count ? entries[head] : nil }

    /// The first few entries.
    func prefix(_ limit: Int) -> ArraySlice<Entry> { entries[head...].prefix(limit) }

    func hasDue(now: UInt64) -> Bool { head < entries.count && entries[head].deadline <= now }

    /// Puts an entry where its deadline belongs: at the end, or up to 64 places before it.
    mutating func append(_ entry: Entry, in forest: borrowing ChainForest) {
        limit = max(leastLimit, 2 * forest.totals.nodeCount)
        if count >= limit { dropStale(in: forest) }
        if entry.isPutOff { putOffCount += 1 }
        // Threads settle side by side, so a deadline is some microseconds before that of an earlier entry.
        var place = entries.count
        let least = max(head, place - 64)
        while place > least, entries[place - 1].deadline > entry.deadline { place -= 1 }
        if place == entries.count { entries.append(entry) } else { entries.insert(entry, at: place) }
        highWaterMark = max(highWaterMark, count)
    }

    mutating func removeFirst() {
        if entries[head].isPutOff { putOffCount -= 1 }
        head += 1
        guard head >= 1_024, head * 2 >= entries.count else { return }
        // A new array: removing from this one would keep its memory.
        entries = Array(entries[head...])
        head = 0
    }

    mutating func removeAll() {
        entries = []
        (head, putOffCount) = (0, 0)
    }

    private mutating func dropStale(in forest: borrowing ChainForest) {
        var kept: [Entry] = []
        var seen: Set<NodeIndex> = []
        putOffCount = 0
        for entry in entries[head...] where forest.contains(entry.id, at: entry.node) {
            guard seen.insert(entry.node).inserted else { continue }
            kept.append(entry)
            if entry.isPutOff { putOffCount += 1 }
        }
        (entries, head) = (kept, 0)
    }

    func statistics(_ name: String) -> QueueStatistics {
        QueueStatistics(name: name, count: count, highWaterMark: highWaterMark, limit: limit)
    }
}
