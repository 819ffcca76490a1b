import ChainModel

/// The nodes of long chains in pre-order: a list for each chain, in chunks.
///
/// A row is found by the row counts of chunks, and the end of a subtree is found by the least level of each chunk. An
/// entry counts the folded nodes around it and the matches under it; a fold around a whole chunk is counted once, in
/// the chunk.
///
/// Inserting or removing a node moves entries within a chunk. At worst it passes over one number for each chunk: 500
/// numbers in a chain of 100,000 nodes. Folding a node is O(nodes inside).
struct LongChainIndex {
    /// One node.
    struct Entry {
        var node: UInt32
        /// Twice the node's depth, plus one for a continuation.
        ///
        /// The subtree of a node and of its continuations ends before the next entry of at most ``siblingLevel``. What
        /// folding the node hides ends before the next entry of at most ``continuationLevel``.
        var level: UInt32
        /// How many folded nodes it is inside of. The chunk's ``Chunk/folds`` have to be added.
        var folds: UInt32
        /// As ``folds``, but counts only nodes with a fold of their own. The chunk's ``Chunk/ownFolds`` have to be
        /// added.
        var ownFolds: UInt16 = 0
        var flags: Flags = []
        /// 1 if the node matches, plus the number of its children that match or have a match under them, as of the
        /// chunk's ``Chunk/round``.
        var shownCount: UInt32 = 0

        var depth: UInt32 { level >> 1 }
        var isContinuation: Bool { level & 1 == 1 }
        /// The level of its siblings; for a continuation, the level of the siblings of the node that it continues.
        var siblingLevel: UInt32 { level & ~1 }
        /// The level of its continuation.
        var continuationLevel: UInt32 { level | 1 }
    }

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Folded, by the user or not; never set for a root.
        static let folded = Flags(rawValue: 1)
        static let ownFolded = Flags(rawValue: 2)
        static let match = Flags(rawValue: 4)
    }

    struct Chunk {
        /// The index of its list.
        var list: Int
        /// Its index among the chunks of the list.
        var ordinal = 0
        /// How many folded nodes all entries are inside of, besides the folded nodes that each entry counts.
        var folds: UInt32 = 0
        /// As ``folds``, but counts only nodes with a fold of their own.
        var ownFolds: UInt16 = 0
        /// The filter round (``LongChainIndex/round``) of the entries' matches; in another round nothing matches.
        var round: UInt32
        var entries: [Entry] = []
    }

    /// The nodes of one chain.
    struct List {
        var root: NodeIndex
        /// The indices of its chunks in ``LongChainIndex/chunks``, in order.
        var chunks: [UInt32] = []
        /// The least level in each chunk.
        var leastLevels: [UInt32] = []
        /// The number of rows of each chunk while no filter hides nodes.
        var rowCounts: [Int] = []
        /// The number of rows of each chunk while a filter hides nodes.
        var filteredRowCounts: [Int] = []
        /// The number of entries.
        var count = 0
        /// The sum of ``rowCounts``.
        var rowCount = 0
        /// The sum of ``filteredRowCounts``.
        var filteredRowCount = 0
        /// Whether all nodes are in the list; if not, ``LongChainIndex/build(_:budget:in:_:_:)`` continues after the
        /// last entry.
        var isComplete = false
    }

    /// A position in a list: a chunk by its ordinal, and an entry by its offset in the chunk.
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
    /// The index of a chain's list, by root.
    var listOf: [NodeIndex: Int] = [:]
    var chunks: [Chunk] = []
    var freeChunks: [Int] = []
    /// 1 + the index of a node's chunk, by node index; 0 for a node in no list.
    var chunkOf = PagedArray<UInt32>()
    /// The number of the filter round, which changes with each new filter.
    var round: UInt32 = 0
    var isFiltering = false
    /// Nodes with many children that were added to a list, for ``RowModel`` to fold.
    var large: [NodeIndex] = []

    /// The number of rows of other programs' chains under a node, by node index. Nodes of short chains are included.
    var foreignRows: [UInt32: Int] = [:]

    init(chunkLimit: Int = 256) { self.chunkLimit = chunkLimit }

    /// Returns whether a node is in a list.
    @inline(__always) func has(_ node: NodeIndex) -> Bool { chunkOf[node.rawValue] != 0 }

    /// Returns the index of a chain's list; nil if it has none.
    func list(of root: NodeIndex) -> Int? { listOf.isEmpty ? nil : listOf[root] }

    // MARK: Finding

    /// Returns the list and the position of a node; nil for a node in no list. O(``chunkLimit``).
    func find(_ node: NodeIndex) -> (list: Int, position: Position)? {
        let number = chunkOf[node.rawValue]
        guard number != 0 else { return nil }
        let chunkIndex = Int(number - 1)
        let offset = chunks[chunkIndex].entries.withUnsafeBufferPointer { entries in
            var offset = entries.count - 1
            while offset >= 0, entries[offset].node != node.rawValue { offset -= 1 }
            return offset
        }
        assert(offset >= 0, "chunkOf refers to a chunk that does not hold the node")
        return (chunks[chunkIndex].list, Position(ordinal: chunks[chunkIndex].ordinal, offset: offset))
    }

    /// Returns the index in ``chunks`` of a list's chunk.
    func indexOfChunk(_ ordinal: Int, of listIndex: Int) -> Int { Int(lists[listIndex]!.chunks[ordinal]) }

    func entry(at position: Position, in listIndex: Int) -> Entry {
        chunks[indexOfChunk(position.ordinal, of: listIndex)].entries[position.offset]
    }

    func end(of listIndex: Int) -> Position { Position(ordinal: lists[listIndex]!.chunks.count, offset: 0) }

    /// Returns the position after another; ``end(of:)`` after the last.
    func position(after position: Position, in listIndex: Int) -> Position {
        position.offset + 1 < chunks[indexOfChunk(position.ordinal, of: listIndex)].entries.count
            ? Position(ordinal: position.ordinal, offset: position.offset + 1)
            : Position(ordinal: position.ordinal + 1, offset: 0)
    }

    /// Returns the position of the first entry of at most `level` from a position on; nil where there is none.
    func firstAtMost(_ level: UInt32, from position: Position, in listIndex: Int) -> Position? {
        var (ordinal, start) = (position.ordinal, position.offset)
        let chunkCount = lists[listIndex]!.chunks.count
        while ordinal < chunkCount {
            if start == 0 {
                ordinal = lists[listIndex]!.leastLevels.withUnsafeBufferPointer { least in
                    var ordinal = ordinal
                    while ordinal < chunkCount, least[ordinal] > level { ordinal += 1 }
                    return ordinal
                }
                guard ordinal < chunkCount else { return nil }
            }
            let offset = chunks[indexOfChunk(ordinal, of: listIndex)].entries.withUnsafeBufferPointer { entries in
                var offset = start
                while offset < entries.count, entries[offset].level > level { offset += 1 }
                return offset < entries.count ? offset : -1
            }
            if offset >= 0 { return Position(ordinal: ordinal, offset: offset) }
            (ordinal, start) = (ordinal + 1, 0)
        }
        return nil
    }

    /// Returns the position of the last entry of at most `level` before a position; nil where there is none.
    func lastAtMost(_ level: UInt32, before position: Position, in listIndex: Int) -> Position? {
        var (ordinal, limit) = (position.ordinal, position.offset)
        while true {
            if limit > 0 {
                let offset = chunks[indexOfChunk(ordinal, of: listIndex)].entries.withUnsafeBufferPointer { entries in
                    var offset = limit - 1
                    while offset >= 0, entries[offset].level > level { offset -= 1 }
                    return offset
                }
                if offset >= 0 { return Position(ordinal: ordinal, offset: offset) }
            }
            ordinal = lists[listIndex]!.leastLevels.withUnsafeBufferPointer { least in
                var before = ordinal - 1
                while before >= 0, least[before] > level { before -= 1 }
                return before
            }
            guard ordinal >= 0 else { return nil }
            limit = chunks[indexOfChunk(ordinal, of: listIndex)].entries.count
        }
    }

    /// Returns the end of an entry's subtree, its continuations included.
    func endOfTree(at position: Position, in listIndex: Int) -> Position {
        let level = entry(at: position, in: listIndex).siblingLevel
        return firstAtMost(level, from: self.position(after: position, in: listIndex), in: listIndex)
            ?? end(of: listIndex)
    }

    /// Returns the position after the entries that folding an entry hides; nil if that is the end of the list.
    func endOfInside(at position: Position, in listIndex: Int) -> Position? {
        let level = entry(at: position, in: listIndex).continuationLevel
        return firstAtMost(level, from: self.position(after: position, in: listIndex), in: listIndex)
    }

    /// Returns the position of an entry's tree parent; nil for the root.
    func parent(at position: Position, in listIndex: Int) -> Position? {
        let level = entry(at: position, in: listIndex).level
        guard level > 0 else { return nil }
        // The parent of a continuation is at the same depth; the parent of another node is one level further out.
        return lastAtMost(level & 1 == 1 ? level : level - 1, before: position, in: listIndex)
    }

    /// Returns the position of the nearest entry that, when folded, hides an entry; nil for the root.
    func outer(at position: Position, in listIndex: Int) -> Position? {
        guard position > Position(ordinal: 0, offset: 0) else { return nil }
        let depth = entry(at: position, in: listIndex).depth
        guard depth > 0 else { return Position(ordinal: 0, offset: 0) }
        return lastAtMost(2 * depth - 1, before: position, in: listIndex)
    }

    /// Returns the depth of an entry; 0 for the root and its continuations.
    func depth(at position: Position, in listIndex: Int) -> Int {
        Int(entry(at: position, in: listIndex).depth)
    }
}
