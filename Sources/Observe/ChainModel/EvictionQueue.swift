// SPDX-License-Identifier: MIT

/// Nodes that can be evicted, in the order in which they settled. An entry is a hint, checked when its turn comes.
struct EvictionQueue: Sendable {
    struct Entry: Sendable {
        var slot: UInt32
        /// The lower half of the node's id.
        var id: UInt32
        /// The forest's time when the entry was made. If the node's chain settled again after that, the entry is
        /// replaced when its turn comes, by an entry with the time of that settlement.
        var time: UInt64
    }

    private var entries = Queue<Entry>()
    private(set) var highWaterMark = 0

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    /// The entries, oldest first.
    var contents: ArraySlice<Entry> { entries.contents }

    /// Returns the first entries, at most `limit`.
    func next(_ limit: Int) -> ArraySlice<Entry> { contents.prefix(limit) }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        highWaterMark = max(highWaterMark, count)
    }

    mutating func removeAll(where isStale: (Entry) -> Bool) { entries.removeAll(where: isStale) }

    mutating func removeFirst() { entries.removeFirst() }
}

/// Roots of settled chains that failed or have a fault, in the order in which their turn for eviction came.
struct FailedChains: Sendable {
    private(set) var entries = EvictionQueue()
    private var nodeCounts = Queue<Int>()
    /// How many nodes the chains had when they were added.
    private(set) var nodeCount = 0

    var count: Int { entries.count }
    var highWaterMark: Int { entries.highWaterMark }
    var first: EvictionQueue.Entry? { entries.first }

    mutating func append(_ entry: EvictionQueue.Entry, nodeCount count: Int) {
        entries.append(entry)
        nodeCounts.append(count)
        nodeCount += count
    }

    mutating func removeFirst() {
        entries.removeFirst()
        nodeCount -= nodeCounts.popFirst() ?? 0
    }
}
