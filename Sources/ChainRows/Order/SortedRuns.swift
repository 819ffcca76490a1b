/// Chains in sorted runs, merged as they are taken out: sorting that never takes long at once.
///
/// 24 bytes a chain. Adding sorts a run of 2,048 chains when it is full, 0.2 ms; taking one out is O(log runs).
struct SortedRuns {
    struct Item: BitwiseCopyable {
        var key: RootKey
        var weight: UInt16
        /// 0 for a chain without a match.
        var matchWeight: UInt16 = 0
    }

    static let runLength = 2_048

    /// The full runs, sorted, the next item of each last.
    private var runs: [[Item]] = []
    private var openRun: [Item] = []
    /// A binary heap of the runs by their next items; empty until the first item is taken.
    private var heap: [Head] = []

    private struct Head {
        var key: RootKey
        var run: Int
    }

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

    /// Ends adding; chains are taken out afterwards.
    mutating func close() {
        closeRun()
        heap = runs.indices.map { Head(key: runs[$0].last!.key, run: $0) }.sorted { $0.key < $1.key }
    }

    /// Takes out the next chain; nil after the last.
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

    /// Moves the first head to its position: down to a leaf and up again, because the next item of a run seldom comes
    /// soon, and so a level costs one comparison.
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
