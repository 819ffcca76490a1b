import ChainModel

/// The nodes of long chains, each chain's in the order in which they are drawn: one list a chain, in chunks.
///
/// A row is found by the sums of the chunks, the end of what stands under a node by the least level of each chunk; what
/// is folded or filtered away is counted in each entry, and in a chunk for all its entries at once. So a change costs
/// some moves within a chunk and at worst a pass over one number a chunk (500 of them in a chain of 100,000).
struct LongChainIndex {
    /// What is known of one node.
    struct Entry {
        var node: UInt32
        /// Twice how far in it stands, and one more where it goes on from the one before it at its level.
        ///
        /// All that stands under a node (and under what goes on from it) follows it, up to the first entry of no greater
        /// level that is even; what folding it hides ends at the first one that stands no further in than it.
        var level: UInt32
        /// How many nodes around it are folded, and how many of these the user folded; its chunk's are to be added.
        var folds: UInt32
        var userFolds: UInt16 = 0
        var flags: Flags = []
        /// Whether the filter finds it, plus under how many of its children the filter finds anything.
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
        var place = 0
        var folds: UInt32 = 0
        var userFolds: UInt16 = 0
        /// What entries say of the filter holds for this round of it; of an older one nothing is shown.
        var round: UInt32
        var entries: [Entry] = []
    }

    struct List {
        var root: NodeIndex
        var chunks: [UInt32] = []
        /// Of each chunk, beside it: the least level, the rows that it has, and those that it has while a filter hides
        /// the rest.
        var least: [UInt32] = []
        var open: [Int] = []
        var found: [Int] = []
        var count = 0
        var openCount = 0
        var foundCount = 0
        /// Whether all nodes are in it; else the first so many, and ``LongChainIndex/build(_:budget:in:_:_:)`` goes on.
        var isComplete = false
    }

    /// A place in a list: a chunk by its place, and an entry in it.
    struct Position: Comparable {
        var place: Int
        var offset: Int

        static func < (left: Position, right: Position) -> Bool {
            (left.place, left.offset) < (right.place, right.offset)
        }
    }

    let chunkLimit: Int
    var lists: [List?] = []
    var freeLists: [Int] = []
    /// By root.
    var listOf: [NodeIndex: Int] = [:]
    var chunks: [Chunk] = []
    var freeChunks: [Int] = []
    /// 1 + the chunk that a node is in, by its index; 0 for none.
    var chunkOf = PagedArray<UInt32>(filler: 0)
    /// Changes with each beginning of a filter.
    var round: UInt32 = 0
    var isFiltering = false
    /// Nodes with many children that came into a list: for the outline to fold.
    var large: [NodeIndex] = []

    init(chunkLimit: Int = 256) { self.chunkLimit = chunkLimit }

    func has(_ node: NodeIndex) -> Bool { chunkOf[node.rawValue] != 0 }

    /// The list of a chain, if it has one.
    func list(of root: NodeIndex) -> Int? { listOf.isEmpty ? nil : listOf[root] }

    // MARK: Finding

    /// Where a node is; nil where it is in no list. O(a chunk).
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
        return (chunks[chunk].list, Position(place: chunks[chunk].place, offset: offset))
    }

    func chunk(_ place: Int, of l: Int) -> Int { Int(lists[l]!.chunks[place]) }

    func entry(at position: Position, in l: Int) -> Entry {
        chunks[chunk(position.place, of: l)].entries[position.offset]
    }

    func end(of l: Int) -> Position { Position(place: lists[l]!.chunks.count, offset: 0) }

    /// The position after another; the end where there is none.
    func position(after position: Position, in l: Int) -> Position {
        position.offset + 1 < chunks[chunk(position.place, of: l)].entries.count
            ? Position(place: position.place, offset: position.offset + 1)
            : Position(place: position.place + 1, offset: 0)
    }

    /// The first entry from a position on that is of a level or a lesser one.
    func firstAtMost(_ level: UInt32, from position: Position, in l: Int) -> Position? {
        var (place, start) = (position.place, position.offset)
        let placeCount = lists[l]!.chunks.count
        while place < placeCount {
            if start == 0 {
                place = lists[l]!.least.withUnsafeBufferPointer { least in
                    var place = place
                    while place < placeCount, least[place] > level { place += 1 }
                    return place
                }
                guard place < placeCount else { return nil }
            }
            let offset = chunks[chunk(place, of: l)].entries.withUnsafeBufferPointer { entries in
                var offset = start
                while offset < entries.count, entries[offset].level > level { offset += 1 }
                return offset < entries.count ? offset : -1
            }
            if offset >= 0 { return Position(place: place, offset: offset) }
            (place, start) = (place + 1, 0)
        }
        return nil
    }

    /// The last entry before a position that is of a level or a lesser one.
    func lastAtMost(_ level: UInt32, before position: Position, in l: Int) -> Position? {
        var (place, limit) = (position.place, position.offset)
        while true {
            if limit > 0 {
                let offset = chunks[chunk(place, of: l)].entries.withUnsafeBufferPointer { entries in
                    var offset = limit - 1
                    while offset >= 0, entries[offset].level > level { offset -= 1 }
                    return offset
                }
                if offset >= 0 { return Position(place: place, offset: offset) }
            }
            place = lists[l]!.least.withUnsafeBufferPointer { least in
                var before = place - 1
                while before >= 0, least[before] > level { before -= 1 }
                return before
            }
            guard place >= 0 else { return nil }
            limit = chunks[chunk(place, of: l)].entries.count
        }
    }

    /// Behind all that stands under an entry and what goes on from it, itself included.
    func endOfTree(at position: Position, in l: Int) -> Position {
        let level = entry(at: position, in: l).level & ~1
        return firstAtMost(level, from: self.position(after: position, in: l), in: l) ?? end(of: l)
    }

    /// Behind what folding an entry hides; nil where that is the end of the list.
    func endOfInside(at position: Position, in l: Int) -> Position? {
        let level = entry(at: position, in: l).level | 1
        return firstAtMost(level, from: self.position(after: position, in: l), in: l)
    }

    /// Who an entry stands under; nil for the first one.
    func parent(at position: Position, in l: Int) -> Position? {
        let level = entry(at: position, in: l).level
        guard level > 0 else { return nil }
        return lastAtMost(level & 1 == 1 ? level : level - 1, before: position, in: l)
    }

    /// The row that an entry is drawn in from; nil for the root.
    func outer(at position: Position, in l: Int) -> Position? {
        guard position > Position(place: 0, offset: 0) else { return nil }
        let depth = entry(at: position, in: l).level >> 1
        guard depth > 0 else { return Position(place: 0, offset: 0) }
        return lastAtMost(2 * depth - 1, before: position, in: l)
    }

    /// How far in an entry stands; 0 for the root and what goes on from it.
    func depth(at position: Position, in l: Int) -> Int {
        Int(entry(at: position, in: l).level >> 1)
    }
}
