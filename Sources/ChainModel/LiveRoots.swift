/// A binary heap of the roots of chains that are or were live, by creation time and id, the earliest first.
struct LiveRoots {
    struct Entry: BitwiseCopyable {
        var created: UInt64
        var id: UInt64
        var slot: UInt32

        func precedes(_ other: Entry) -> Bool { created != other.created ? created < other.created : id < other.id }
    }

    private var entries: [Entry] = []
    /// The index at which ``sweep(above:where:)`` continues, and how many entries were inserted since its last call.
    private var cursor = 0
    private var insertedCount = 0

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    /// Inserts an entry. O(1) for the newest chain, which is the usual case.
    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        insertedCount += 1
        rise(from: entries.count - 1)
    }

    mutating func removeFirst() { remove(at: 0) }

    /// The least number of entries that ``sweep(above:where:)`` examines: 0.1 ms with cold caches.
    static let sweepCount = 1_024

    /// Removes some of the entries that satisfy a condition, if there are more than `limit` entries.
    ///
    /// Continues where the last call stopped. Examines four times as many entries as were inserted since, but at least
    /// ``sweepCount``, so that one call does not examine a million.
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
