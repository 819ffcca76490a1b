/// A merge sort of chains in small steps: a run is sorted when it is full, and runs are merged as chains are removed.
///
/// Takes 24 bytes for each chain. Adding a chain that fills a run sorts the run's 2,048 chains, in 0.2 ms. Removing a
/// chain takes O(log r) for r runs.
struct SortedRuns {
    struct Item: BitwiseCopyable {
        var key: RootKey
        var weight: UInt16
        /// The weight while a filter hides nodes; 0 for a chain without a match.
        var matchWeight: UInt16 = 0
    }

    static let runLength = 2_048

    /// The full runs, each in descending order, so that the next item of a run is its last.
    private var runs: [[Item]] = []
    /// The run that is being filled.
    private var openRun: [Item] = []
    /// A binary heap of the runs by their next items; empty until ``close()``.
    private var heap: [Head] = []

    /// A run in the heap, with the key of the run's next item.
    private struct Head {
        var key: RootKey
        var run: Int
    }

    /// Whether all chains were removed; valid after ``close()`` only.
    var isEmpty: Bool { heap.isEmpty }

    mutating func append(_ item: Item) {
        if openRun.isEmpty { openRun.reserveCapacity(Self.runLength) }
        openRun.append(item)
        if openRun.count == Self.runLength { closeRun() }
    }

    private mutating func closeRun() {
        guard !openRun.isEmpty else { return }
        openRun.sort { $1.key < $0.key }
        runs.append(openRun)
        openRun = []
    }

    /// Ends adding chains, so that they can be removed.
    mutating func close() {
        closeRun()
        heap = runs.indices.map { Head(key: runs[$0].last!.key, run: $0) }.sorted { $0.key < $1.key }
    }

    /// Removes and returns the next chain in the order of keys; nil after the last.
    mutating func popFirst() -> Item? {
        guard let run = heap.first?.run, let item = runs[run].popLast() else { return nil }
        if let next = runs[run].last {
            heap[0].key = next.key
        } else {
            runs[run] = []
            let last = heap.removeLast()
            if heap.isEmpty { return item }
            heap[0] = last
        }
        siftDown()
        return item
    }

    /// Moves the heap's first element to its position: down to a leaf, then up. The way down costs one comparison for
    /// each level instead of two. The way up is short, because a run's next item seldom belongs near the top.
    private mutating func siftDown() {
        let count = heap.count
        heap.withUnsafeMutableBufferPointer { heap in
            let head = heap[0]
            var hole = 0
            while 2 * hole + 2 < count {
                let left = 2 * hole + 1
                let child = heap[left + 1].key < heap[left].key ? left + 1 : left
                heap[hole] = heap[child]
                hole = child
            }
            if 2 * hole + 1 < count {
                heap[hole] = heap[2 * hole + 1]
                hole = 2 * hole + 1
            }
            while hole > 0, head.key < heap[(hole - 1) / 2].key {
                heap[hole] = heap[(hole - 1) / 2]
                hole = (hole - 1) / 2
            }
            heap[hole] = head
        }
    }
}
