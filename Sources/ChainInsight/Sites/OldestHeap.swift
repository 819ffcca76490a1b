import ChainModel

/// Nodes in flight by their begin, to find the oldest node: a binary heap with lazy deletion. It takes 16 bytes for
/// each entry. Entries of nodes that are no longer in flight are removed whenever the heap is full, so it holds at most
/// twice the greatest number of nodes in flight, or 64 entries. Adding in order of time is O(1).
struct OldestHeap: Sendable {
    struct Entry: Equatable {
        /// In nanoseconds of the process's clock.
        var begin: UInt64
        var slot: UInt32
        /// The low half of the node's id, because another node may get the slot.
        var id: UInt32

        func precedes(_ other: Entry) -> Bool { (begin, slot, id) < (other.begin, other.slot, other.id) }
    }

    private(set) var entries: [Entry] = []
    private(set) var highWaterMark = 0
    /// The number of entries at which outdated entries are removed. Does not decrease.
    private(set) var limit = 64

    /// Adds a node. `isInFlight` is asked of all entries if the heap is full: amortised O(log n) for each entry.
    mutating func insert(_ node: NodeView, begin: UInt64, where isInFlight: (Entry) -> Bool) {
        if entries.count >= limit { compact(where: isInFlight) }
        entries.append(
            Entry(begin: begin, slot: node.index.rawValue, id: UInt32(truncatingIfNeeded: node.id.rawValue)))
        highWaterMark = max(highWaterMark, entries.count)
        var index = entries.count - 1
        while index > 0, entries[(index - 1) / 2].begin > entries[index].begin {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Returns the oldest entry of a node in flight; drops the older entries, of nodes that are no longer in flight.
    mutating func oldest(where isInFlight: (Entry) -> Bool) -> Entry? {
        while let first = entries.first {
            if isInFlight(first) { return first }
            removeFirst()
        }
        return nil
    }

    /// Removes the entries of nodes that are no longer in flight, and repeated entries: a chain that was in flight
    /// several times has an entry for each time.
    private mutating func compact(where isInFlight: (Entry) -> Bool) {
        entries.removeAll { !isInFlight($0) }
        // Sorted, so that equal entries are adjacent. A sorted array is a heap.
        entries.sort { $0.precedes($1) }
        var kept: [Entry] = []
        for entry in entries where kept.last != entry { kept.append(entry) }
        entries = kept
        limit = max(limit, 2 * entries.count)
    }

    private mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child].begin < entries[least].begin { least = child }
            }
            guard least != index else { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}
