/// The roots of a forest in order of (creation, id).
///
/// Sorted chunks: inserting and removing costs a search and a move of some hundred numbers, at the end nothing.
public struct ForestRoots: BidirectionalCollection, Sendable {
    /// A place among the roots, valid until the forest changes.
    public struct Index: Comparable, Sendable {
        var chunk: Int
        var offset: Int

        /// By place.
        public static func < (left: Index, right: Index) -> Bool {
            (left.chunk, left.offset) < (right.chunk, right.offset)
        }
    }

    private static let chunkLimit = 512
    private var chunks: [[UInt32]] = []
    /// How many roots there are. O(1).
    public private(set) var count = 0

    /// The first root's place.
    public var startIndex: Index { Index(chunk: 0, offset: 0) }
    /// Behind the last root.
    public var endIndex: Index { Index(chunk: chunks.count, offset: 0) }

    /// The place after another.
    public func index(after index: Index) -> Index {
        index.offset + 1 < chunks[index.chunk].count
            ? Index(chunk: index.chunk, offset: index.offset + 1) : Index(chunk: index.chunk + 1, offset: 0)
    }

    /// The place before another.
    public func index(before index: Index) -> Index {
        index.offset > 0
            ? Index(chunk: index.chunk, offset: index.offset - 1)
            : Index(chunk: index.chunk - 1, offset: chunks[index.chunk - 1].count - 1)
    }

    /// The root at a place.
    public subscript(index: Index) -> NodeIndex { NodeIndex(rawValue: chunks[index.chunk][index.offset]) }

    /// Whether it is empty. O(1).
    public var isEmpty: Bool { count == 0 }

    mutating func insert(_ slot: UInt32, _ nodes: Slab<NodeRecord>) {
        count += 1
        if let last = chunks.last?.last, nodes[last].pointee.precedes(nodes[slot].pointee) {
            if chunks[chunks.count - 1].count < Self.chunkLimit {
                chunks[chunks.count - 1].append(slot)
            } else {
                chunks.append([slot])
            }
            return
        }
        guard !chunks.isEmpty else { return chunks.append([slot]) }
        let chunk = Swift.max(0, chunk(after: slot, nodes) - 1)
        let offset = offset(after: slot, in: chunk, nodes)
        chunks[chunk].insert(slot, at: offset)
        guard chunks[chunk].count > Self.chunkLimit else { return }
        let tail = Array(chunks[chunk][(Self.chunkLimit / 2)...])
        chunks[chunk].removeLast(tail.count)
        chunks.insert(tail, at: chunk + 1)
    }

    /// The root's place in the order must be what it was at its insertion.
    mutating func remove(_ slot: UInt32, _ nodes: Slab<NodeRecord>) {
        let chunk = chunk(after: slot, nodes) - 1
        let offset = offset(after: slot, in: chunk, nodes) - 1
        assert(chunks[chunk][offset] == slot)
        chunks[chunk].remove(at: offset)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// The first chunk that begins after a node.
    private func chunk(after slot: UInt32, _ nodes: Slab<NodeRecord>) -> Int {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[slot].pointee.precedes(nodes[chunks[middle][0]].pointee) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// The first place in a chunk whose node comes after a node.
    private func offset(after slot: UInt32, in chunk: Int, _ nodes: Slab<NodeRecord>) -> Int {
        var (low, high) = (0, chunks[chunk].count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[slot].pointee.precedes(nodes[chunks[chunk][middle]].pointee) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }
}
