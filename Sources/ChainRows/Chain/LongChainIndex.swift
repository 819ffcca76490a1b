import ChainModel

/// The nodes of long chains in pre-order: one list a chain, in chunks.
///
/// Rows are found by the sums of chunks, the end of a subtree by the least level of each chunk. Folds and matches are
/// counted in each entry, and in a chunk for all its entries. A change moves entries within a chunk, and at worst
/// passes over one number a chunk (500 of them in a chain of 100,000 nodes).
struct LongChainIndex {
    /// One node.
    struct Entry {
        var node: UInt32
        /// Twice the node's depth, plus one for a continuation.
        ///
        /// The subtree of a node and of its continuations ends at the next even level that is not greater; what folding
        /// the node hides ends at the next entry that is not deeper.
        var level: UInt32
        /// How many nodes around it are folded, and how many of these by the user; the chunk's numbers are to be added.
        var folds: UInt32
        var userFolds: UInt16 = 0
        var flags: Flags = []
        /// 1 if the node matches, plus the number of its children with anything shown.
        var shown: UInt32 = 0
    }

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let folded = Flags(rawValue: 1)
        static let userFolded = Flags(rawValue: 2)
        static let match = Flags(rawValue: 4)
    }

    struct Chunk {
        var list: Int
        var ordinal = 0
        var folds: UInt32 = 0
        var userFolds: UInt16 = 0
        /// The filter round of the entries' matches; in another round nothing matches.
        var round: UInt32
        var entries: [Entry] = []
    }

    struct List {
        var root: NodeIndex
        var chunks: [UInt32] = []
        /// By chunk: the least level, the number of rows, and the number of rows while a filter hides the rest.
        var least: [UInt32] = []
        var open: [Int] = []
        var found: [Int] = []
        var count = 0
        var openCount = 0
        var foundCount = 0
        /// Whether all nodes are in the list; else ``LongChainIndex/build(_:budget:in:_:_:)`` continues after the last.
        var isComplete = false
    }

    /// A position in a list: a chunk by its ordinal, and an entry of the chunk.
    struct Position: Comparable {
        var ordinal: Int
        var offset: Int

        static func < (left: Position, right: Position) -> Bool {
            (left.ordinal, left.offset) < (right.ordinal, right.offset)
        }
    }

    let chunkLimit: Int
    var lists: [List?] = []
    var freeLists: [Int] = []
    /// The list of a root.
    var listOf: [NodeIndex: Int] = [:]
    var chunks: [Chunk] = []
    var freeChunks: [Int] = []
    /// 1 + the chunk of a node, by node index; 0 for none.
    var chunkOf = PagedArray<UInt32>()
    /// A number that changes with each new filter.
    var round: UInt32 = 0
    var isFiltering = false
    /// Nodes with many children that came into a list, for ``RowModel`` to fold.
    var large: [NodeIndex] = []

    /// By node, also of short chains: the rows of other programs that are drawn under it.
    var foreignRows: [UInt32: Int] = [:]

    init(chunkLimit: Int = 256) { self.chunkLimit = chunkLimit }

    @inline(__always) func has(_ node: NodeIndex) -> Bool { chunkOf[node.rawValue] != 0 }

    /// Returns the list of a chain, if it has one.
    func list(of root: NodeIndex) -> Int? { listOf.isEmpty ? nil : listOf[root] }

    // MARK: Finding

    /// Returns the position of a node; nil where it is in no list. O(a chunk).
    func find(_ node: NodeIndex) -> (list: Int, at: Position)? {
        let number = chunkOf[node.rawValue]
        guard number != 0 else { return nil }
        let chunk = Int(number - 1)
        let offset = chunks[chunk].entries.withUnsafeBufferPointer { entries in
            var offset = entries.count - 1
            while offset >= 0, entries[offset].node != node.rawValue { offset -= 1 }
            return offset
        }
        assert(offset >= 0, "a node is in the chunk that the table says")
        return (chunks[chunk].list, Position(ordinal: chunks[chunk].ordinal, offset: offset))
    }

    func chunk(_ ordinal: Int, of listIndex: Int) -> Int { Int(lists[listIndex]!.chunks[ordinal]) }

    func entry(at position: Position, in listIndex: Int) -> Entry {
        chunks[chunk(position.ordinal, of: listIndex)].entries[position.offset]
    }

    func end(of listIndex: Int) -> Position { Position(ordinal: lists[listIndex]!.chunks.count, offset: 0) }

    /// Returns the position after another; the end where there is none.
    func position(after position: Position, in listIndex: Int) -> Position {
        position.offset + 1 < chunks[chunk(position.ordinal, of: listIndex)].entries.count
            ? Position(ordinal: position.ordinal, offset: position.offset + 1)
            : Position(ordinal: position.ordinal + 1, offset: 0)
    }

    /// Returns the first entry of at most `level` from a position on.
    func firstAtMost(_ level: UInt32, from position: Position, in listIndex: Int) -> Position? {
        var (ordinal, start) = (position.ordinal, position.offset)
        let placeCount = lists[listIndex]!.chunks.count
        while ordinal < placeCount {
            if start == 0 {
                ordinal = lists[listIndex]!.least.withUnsafeBufferPointer { least in
                    var ordinal = ordinal
                    while ordinal < placeCount, least[ordinal] > level { ordinal += 1 }
                    return ordinal
                }
                guard ordinal < placeCount else { return nil }
            }
            let offset = chunks[chunk(ordinal, of: listIndex)].entries.withUnsafeBufferPointer { entries in
                var offset = start
                while offset < entries.count, entries[offset].level > level { offset += 1 }
                return offset < entries.count ? offset : -1
            }
            if offset >= 0 { return Position(ordinal: ordinal, offset: offset) }
            (ordinal, start) = (ordinal + 1, 0)
        }
        return nil
    }

    /// Returns the last entry of at most `level` before a position.
    func lastAtMost(_ level: UInt32, before position: Position, in listIndex: Int) -> Position? {
        var (ordinal, limit) = (position.ordinal, position.offset)
        while true {
            if limit > 0 {
                let offset = chunks[chunk(ordinal, of: listIndex)].entries.withUnsafeBufferPointer { entries in
                    var offset = limit - 1
                    while offset >= 0, entries[offset].level > level { offset -= 1 }
                    return offset
                }
                if offset >= 0 { return Position(ordinal: ordinal, offset: offset) }
            }
            ordinal = lists[listIndex]!.least.withUnsafeBufferPointer { least in
                var before = ordinal - 1
                while before >= 0, least[before] > level { before -= 1 }
                return before
            }
            guard ordinal >= 0 else { return nil }
            limit = chunks[chunk(ordinal, of: listIndex)].entries.count
        }
    }

    /// Returns the end of an entry's subtree and of its continuations'.
    func endOfTree(at position: Position, in listIndex: Int) -> Position {
        let level = entry(at: position, in: listIndex).level & ~1
        return firstAtMost(level, from: self.position(after: position, in: listIndex), in: listIndex)
            ?? end(of: listIndex)
    }

    /// Returns the end of what folding an entry hides; nil where that is the end of the list.
    func endOfInside(at position: Position, in listIndex: Int) -> Position? {
        let level = entry(at: position, in: listIndex).level | 1
        return firstAtMost(level, from: self.position(after: position, in: listIndex), in: listIndex)
    }

    /// Returns the parent of an entry; nil for the first one.
    func parent(at position: Position, in listIndex: Int) -> Position? {
        let level = entry(at: position, in: listIndex).level
        guard level > 0 else { return nil }
        return lastAtMost(level & 1 == 1 ? level : level - 1, before: position, in: listIndex)
    }

    /// Returns the nearest entry above that hides an entry when folded; nil for the root.
    func outer(at position: Position, in listIndex: Int) -> Position? {
        guard position > Position(ordinal: 0, offset: 0) else { return nil }
        let depth = entry(at: position, in: listIndex).level >> 1
        guard depth > 0 else { return Position(ordinal: 0, offset: 0) }
        return lastAtMost(2 * depth - 1, before: position, in: listIndex)
    }

    /// Returns the depth of an entry; 0 for the root and its continuations.
    func depth(at position: Position, in listIndex: Int) -> Int {
        Int(entry(at: position, in: listIndex).level >> 1)
    }
}
