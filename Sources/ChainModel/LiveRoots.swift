/// The roots of chains that are or were live, the one that began first in front: a binary heap.
struct LiveRoots {
    struct Entry: BitwiseCopyable {
        var created: UInt64
        var id: UInt64
        var slot: UInt32

        func precedes(_ other: Entry) -> Bool { created != other.created ? created < other.created : id < other.id }
    }

    private var entries: [Entry] = []
    /// The entry that ``sweep(above:where:)`` looks at next, and how many were inserted since its last call.
    private var cursor = 0
    private var insertedCount = 0

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    /// O(1) for a chain that began last, as most do.
    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        insertedCount += 1
        rise(from: entries.count - 1)
    }

    mutating func removeFirst() { remove(at: 0) }

    /// The least number of entries that ``sweep(above:where:)`` looks at: 0.1 ms with cold caches.
    static let sweepCount = 1_024

    /// Removes some of the entries that satisfy a condition, where there are more than `limit`. Looks at four times as
    /// many as were inserted since the last call, from where that stopped, so that no call looks at all of a million.
    mutating func sweep(above limit: Int, where isRemoved: (Entry) -> Bool) {
        defer { insertedCount = 0 }
        guard entries.count > limit else { return }
        for _ in 0..<min(entries.count, max(Self.sweepCount, 4 * insertedCount)) {
            if cursor >= entries.count { cursor = 0 }
            if isRemoved(entries[cursor]) { remove(at: cursor) } else { cursor += 1 }
        }
    }

    private mutating func remove(at index: Int) {
        let last = entries.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        rise(from: index)
        sink(from: index)
    }

    private mutating func rise(from index: Int) {
        var child = index
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].precedes(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func sink(from index: Int) {
        var parent = index
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].precedes(entries[least]) {
                least = child
            }
            guard least != parent else { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
