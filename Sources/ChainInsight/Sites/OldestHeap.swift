import ChainModel

/// Nodes in flight by their begin, to find the oldest node: a binary heap with lazy deletion. It takes 16 bytes for
/// each entry. A trim leaves at most 64 entries more than twice the number of nodes in flight. Adding in order of time
/// is O(1).
struct OldestHeap: Sendable {
    struct Entry {
        /// In nanoseconds of the process's clock.
        var begin: UInt64
        var slot: UInt32
        /// The low half of the node's id, because another node may get the slot.
        var id: UInt32
    }

    private(set) var entries: [Entry] = []

    mutating func insert(_ node: NodeView, begin: UInt64) {
        entries.append(
            Entry(begin: begin, slot: node.index.rawValue, id: UInt32(truncatingIfNeeded: node.id.rawValue)))
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

    /// Drops the entries of nodes that are no longer in flight. Does so once there are over 64 entries more than twice
    /// the number of nodes in flight. Amortised O(log n) for each entry.
    mutating func trim(toCount inFlight: Int, where isInFlight: (Entry) -> Bool) {
        guard entries.count > 2 * inFlight + 64 else { return }
        entries.removeAll { !isInFlight($0) }
        // A sorted array is a heap.
        entries.sort { $0.begin < $1.begin }
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
