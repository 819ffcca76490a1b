// SPDX-License-Identifier: MIT

/// The state of the search for the live chain that began first.
///
/// The frontier, an entry of a root, moves only forward through the sorted roots. A binary heap has the live chains
/// before the frontier: chains that became live again, and chains with a root that was inserted late. Entries of the
/// heap that have settled since then are removed later.
struct LiveRoots {
    struct Entry: Equatable, BitwiseCopyable {
        var created: UInt64
        var id: UInt64
        var slot: UInt32

        func precedes(_ other: Entry) -> Bool { created != other.created ? created < other.created : id < other.id }
    }

    /// No chain with a root before the frontier is live, except the chains in the heap.
    var frontier = Entry(created: 0, id: 0, slot: noSlot)
    private var heap: [Entry] = []
    /// The number of entries above which ``compact(where:)`` removes settled and repeated entries.
    private var compactionLimit = leastCompactionLimit
    private static let leastCompactionLimit = 64

    /// How many entries the heap has.
    var count: Int { heap.count }
    /// The first entry of the heap; its chain may have settled.
    var first: Entry? { heap.first }

    /// Adds a chain that has become live to the heap if its root is before the frontier. Most roots are after it: they
    /// cost O(1), and the frontier finds them later.
    @inline(__always)
    mutating func insert(_ entry: Entry) {
        if entry.precedes(frontier) { insertEarly(entry) }
    }

    private mutating func insertEarly(_ entry: Entry) {
        heap.append(entry)
        siftUp(from: heap.count - 1)
    }

    mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown()
    }

    /// Removes settled and repeated entries once the heap has doubled. Amortised O(log n) for each insertion, because a
    /// compaction sorts the heap.
    mutating func compact(where isLive: (Entry) -> Bool) {
        guard heap.count > compactionLimit else { return }
        heap.removeAll { !isLive($0) }
        // Sorted, so that equal entries are adjacent. A sorted array is a heap.
        heap.sort { $0.precedes($1) }
        var kept: [Entry] = []
        for entry in heap where kept.last != entry { kept.append(entry) }
        heap = kept
        compactionLimit = max(Self.leastCompactionLimit, 2 * heap.count)
    }

    private mutating func siftUp(from index: Int) {
        var child = index
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

extension ForestData {
    /// Records a live chain after it became live or got another root, or after its root got another creation time.
    @inline(__always)
    func noteLive(_ root: UInt32) {
        let node = nodes[root]
        liveRoots.insert(LiveRoots.Entry(created: node.pointee.created, id: node.pointee.id, slot: root))
    }

    /// Updates ``oldestLive``, at the end of a batch or an eviction. Costs a search if the frontier moves, and O(1) for
    /// each root that it passes. Each entry that is removed from a heap of n entries costs O(log n).
    func updateOldestLive() {
        liveRoots.compact(where: isLiveRoot)
        while let first = liveRoots.first, !isLiveRoot(first) { liveRoots.removeFirst() }
        if let first = liveRoots.first { return oldestLive = first.slot }
        if !isLiveRoot(liveRoots.frontier) { moveFrontier() }
        oldestLive = isLiveRoot(liveRoots.frontier) ? liveRoots.frontier.slot : noSlot
    }

    /// Moves the frontier to the first root of a live chain at or after the frontier, or to the last root if there is
    /// no such root.
    private func moveFrontier() {
        var index = roots.index(notBefore: liveRoots.frontier, nodes.elements)
        while index < roots.endIndex {
            let slot = roots[index].rawValue
            let node = nodes[slot]
            liveRoots.frontier = LiveRoots.Entry(created: node.pointee.created, id: node.pointee.id, slot: slot)
            if isLive(root: slot) { return }
            index = roots.index(after: index)
        }
    }

    /// Returns whether an entry's root is still in the forest with the same creation time, and its chain is live.
    private func isLiveRoot(_ entry: LiveRoots.Entry) -> Bool {
        guard isOccupied(entry.slot) else { return false }
        let node = nodes[entry.slot]
        guard node.pointee.id == entry.id, node.pointee.has(.isRoot), node.pointee.created == entry.created else {
            return false
        }
        return isLive(root: entry.slot)
    }
}
