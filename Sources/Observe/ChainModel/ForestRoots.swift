// SPDX-License-Identifier: MIT

/// The roots of a forest in order of (creation, id).
///
/// The roots are kept as slots (see ``NodeIndex``) in sorted chunks of at most 512 slots. Inserting or removing a root
/// costs a search and moves slots of one chunk; appending a root moves no slots.
public struct ForestRoots: BidirectionalCollection, Sendable {
    /// The position of a root, valid until the forest changes.
    public struct Index: Comparable, Sendable {
        var chunk: Int
        var offset: Int

        /// Orders by position.
        public static func < (left: Index, right: Index) -> Bool {
            (left.chunk, left.offset) < (right.chunk, right.offset)
        }
    }

    /// The key by which roots are sorted.
    private struct Key: Comparable {
        var created: UInt64
        var id: UInt64

        init(created: UInt64, id: UInt64) { (self.created, self.id) = (created, id) }

        init(_ node: NodeRecord) { (created, id) = (node.created, node.id) }

        static func < (left: Key, right: Key) -> Bool {
            left.created != right.created ? left.created < right.created : left.id < right.id
        }
    }

    private static let chunkLimit = 512
    private var chunks: [[UInt32]] = []
    /// The key of each chunk's first root, so that finding a chunk reads no nodes.
    private var heads: [Key] = []
    /// How many roots there are. O(1).
    public private(set) var count = 0

    /// The position of the first root.
    public var startIndex: Index { Index(chunk: 0, offset: 0) }
    /// The position after the last root.
    public var endIndex: Index { Index(chunk: chunks.count, offset: 0) }

    /// Returns the position after another position.
    public func index(after index: Index) -> Index {
        index.offset + 1 < chunks[index.chunk].count
            ? Index(chunk: index.chunk, offset: index.offset + 1) : Index(chunk: index.chunk + 1, offset: 0)
    }

    /// Returns the position before another position.
    public func index(before index: Index) -> Index {
        index.offset > 0
            ? Index(chunk: index.chunk, offset: index.offset - 1)
            : Index(chunk: index.chunk - 1, offset: chunks[index.chunk - 1].count - 1)
    }

    /// The root at a position.
    public subscript(index: Index) -> NodeIndex { NodeIndex(rawValue: chunks[index.chunk][index.offset]) }

    /// Whether there are no roots. O(1).
    public var isEmpty: Bool { count == 0 }

    /// Returns the position of the root with a number, counted from 0; ``endIndex`` past the last root. O(chunks):
    /// count / 512 at best, count at worst, because chunks are never merged.
    public func index(at number: Int) -> Index {
        var rest = Swift.max(0, number)
        for (chunk, roots) in chunks.enumerated() {
            if rest < roots.count { return Index(chunk: chunk, offset: rest) }
            rest -= roots.count
        }
        return endIndex
    }

    /// Returns how many roots are before a position. O(chunks), as ``index(at:)``.
    public func number(of index: Index) -> Int {
        chunks[..<index.chunk].reduce(0) { $0 + $1.count } + index.offset
    }

    /// Returns the position of a root.
    func index(of slot: UInt32, _ nodes: Slab<NodeRecord>.Elements) -> Index {
        let chunk = chunk(after: Key(nodes[slot].pointee)) - 1
        return Index(chunk: chunk, offset: offset(of: slot, in: chunk) ?? 0)
    }

    /// Returns the position of the first root that is not before an entry.
    func index(notBefore entry: LiveRoots.Entry, _ nodes: Slab<NodeRecord>.Elements) -> Index {
        let key = Key(created: entry.created, id: entry.id)
        let chunk = Swift.max(0, chunk(after: key) - 1)
        guard chunk < chunks.count else { return endIndex }
        let offset = Self.first(chunks[chunk].count) { !(Key(nodes[chunks[chunk][$0]].pointee) < key) }
        return offset < chunks[chunk].count ? Index(chunk: chunk, offset: offset) : Index(chunk: chunk + 1, offset: 0)
    }

    mutating func insert(_ slot: UInt32, _ nodes: Slab<NodeRecord>.Elements) {
        count += 1
        let key = Key(nodes[slot].pointee)
        if let last = chunks.last?.last, Key(nodes[last].pointee) < key {
            if chunks[chunks.count - 1].count < Self.chunkLimit { return chunks[chunks.count - 1].append(slot) }
            chunks.append([slot])
            return heads.append(key)
        }
        guard !chunks.isEmpty else {
            chunks.append([slot])
            return heads.append(key)
        }
        let chunk = Swift.max(0, chunk(after: key) - 1)
        let offset = Self.first(chunks[chunk].count) { key < Key(nodes[chunks[chunk][$0]].pointee) }
        chunks[chunk].insert(slot, at: offset)
        if offset == 0 { heads[chunk] = key }
        guard chunks[chunk].count > Self.chunkLimit else { return }
        let tail = Array(chunks[chunk][(Self.chunkLimit / 2)...])
        chunks[chunk].removeLast(tail.count)
        chunks.insert(tail, at: chunk + 1)
        heads.insert(Key(nodes[tail[0]].pointee), at: chunk + 1)
    }

    /// Removes a root. Its creation time must be the same as at its insertion.
    mutating func remove(_ slot: UInt32, _ nodes: Slab<NodeRecord>.Elements) {
        let chunk = chunk(after: Key(nodes[slot].pointee)) - 1
        guard chunk >= 0, let offset = offset(of: slot, in: chunk) else {
            return assertionFailure("It is not among the roots")
        }
        chunks[chunk].remove(at: offset)
        count -= 1
        if chunks[chunk].isEmpty {
            chunks.remove(at: chunk)
            heads.remove(at: chunk)
        } else if offset == 0 {
            heads[chunk] = Key(nodes[chunks[chunk][0]].pointee)
        }
    }

    /// Returns the offset of a root in its chunk. Compares 16 slots at a time, and reads no nodes.
    private func offset(of slot: UInt32, in chunk: Int) -> Int? {
        chunks[chunk].withUnsafeBytes { bytes in
            let (width, all) = (16, bytes.count / 4)
            let wanted = SIMD16<UInt32>(repeating: slot)
            var offset = 0
            while offset + width <= all {
                let block = bytes.loadUnaligned(fromByteOffset: 4 * offset, as: SIMD16<UInt32>.self)
                if any(block .== wanted) { break }
                offset += width
            }
            return (offset..<Swift.min(offset + width, all)).first {
                bytes.load(fromByteOffset: 4 * $0, as: UInt32.self) == slot
            }
        }
    }

    /// Returns the index of the first chunk that begins after a key.
    private func chunk(after key: Key) -> Int { Self.first(heads.count) { key < heads[$0] } }

    /// Returns the first index below `count` from which on a condition holds; `count` if there is none.
    @inline(__always)
    private static func first(_ count: Int, _ condition: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
