/// The roots of chains that are or were live, the one that began first in front: a binary heap.
struct LiveRoots {
    struct Entry: BitwiseCopyable {
        var created: UInt64
        var id: UInt64
        var slot: UInt32

        func precedes(_ other: Entry) -> Bool { created != other.created ? created < other.created : id < other.id }
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    /// O(1) for a chain that began last, as most do.
    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].precedes(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        let last = entries.removeLast()
        guard !entries.isEmpty else { return }
        entries[0] = last
        sink(from: 0)
    }

    /// O(count).
    mutating func removeAll(where isRemoved: (Entry) -> Bool) {
        entries.removeAll(where: isRemoved)
        for index in (0..<entries.count / 2).reversed() { sink(from: index) }
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
