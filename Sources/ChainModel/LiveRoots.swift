/// Finds the live chain that began first: a frontier in the order of the roots, which passes each root once, and a
/// binary heap of the chains before it that are live again or came late.
struct LiveRoots {
    struct Entry: Equatable, BitwiseCopyable {
        var created: UInt64
        var id: UInt64
        var slot: UInt32

        func precedes(_ other: Entry) -> Bool { created != other.created ? created < other.created : id < other.id }
    }

    /// No root before it is live, except those in the heap.
    var frontier = Entry(created: 0, id: 0, slot: noSlot)
    private var heap: [Entry] = []
    /// The number of entries from which on settled and repeated ones are dropped.
    private var limit = leastLimit
    private static let leastLimit = 64

    /// How many entries the heap has.
    var count: Int { heap.count }
    /// The first entry of the heap, which may have settled.
    var first: Entry? { heap.first }

    /// Adds a chain that is live from now on. O(1) for one that is not before the frontier, as most are.
    @inline(__always)
    mutating func insert(_ entry: Entry) {
        if entry.precedes(frontier) { insertEarly(entry) }
    }

    private mutating func insertEarly(_ entry: Entry) {
        heap.append(entry)
        rise(from: heap.count - 1)
    }

    mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        sink()
    }

    /// Drops settled and repeated entries where there are many. O(1) amortised an insertion, but for the sorting.
    mutating func compact(where isLive: (Entry) -> Bool) {
        guard heap.count > limit else { return }
        heap.removeAll { !isLive($0) }
        // A sorted array is a heap.
        heap.sort { $0.precedes($1) }
        var kept: [Entry] = []
        for entry in heap where kept.last != entry { kept.append(entry) }
        heap = kept
        limit = max(Self.leastLimit, 2 * heap.count)
    }

    private mutating func rise(from index: Int) {
        var child = index
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func sink() {
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
    /// Adds a chain that is live from now on.
    @inline(__always)
    func noteLive(_ root: UInt32) {
        let node = nodes[root]
        liveRoots.insert(LiveRoots.Entry(created: node.pointee.created, id: node.pointee.id, slot: root))
    }

    /// Finds the oldest live chain, at the end of a batch. Passes each root once; a chain that is live again costs
    /// O(log chains that are).
    func updateOldestLive() {
        liveRoots.compact(where: isLiveRoot)
        while let first = liveRoots.first, !isLiveRoot(first) { liveRoots.removeFirst() }
        if let first = liveRoots.first { return oldestLive = first.slot }
        if !isLiveRoot(liveRoots.frontier) { moveFrontier() }
        oldestLive = isLiveRoot(liveRoots.frontier) ? liveRoots.frontier.slot : noSlot
    }

    /// Moves the frontier to the next live root, or to the last root where none is live.
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

    private func isLiveRoot(_ entry: LiveRoots.Entry) -> Bool {
        guard isOccupied(entry.slot) else { return false }
        let node = nodes[entry.slot]
        guard node.pointee.id == entry.id, node.pointee.has(.isRoot), node.pointee.created == entry.created else {
            return false
        }
        return isLive(root: entry.slot)
    }

    private func isLive(root slot: UInt32) -> Bool {
        let chain = nodes[slot].pointee.chain
        return chain == noSlot ? nodes[slot].pointee.state.isLive : chains[chain].pointee.isLive
    }
}
