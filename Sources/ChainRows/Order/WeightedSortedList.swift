/// A sorted list of chains, each with a weight (its number of rows): finds a chain by row and a row by chain.
///
/// The chains are sorted by rank (see ``Rank``), then by id. They are in chunks of at most 240, with the sum of the
/// weights of each chunk and of each block of 64 chunks. Without a ``merge``, a look-up takes at most two binary
/// searches and three short passes over sums and weights. That is under 1 µs at a million chains. A change moves
/// entries within one chunk, unless a chunk is added, split, joined or removed. A chain takes 16 bytes, and 4 more once
/// a chain of its chunk has another weight than 1.
///
/// With a ``merge`` the order of rows differs from the order of ranks; see `WeightedSortedList+Merge.swift`.
struct WeightedSortedList {
    /// A key without its group, because a list holds one group.
    struct Entry: Hashable, Comparable, BitwiseCopyable {
        var rank: UInt64
        var id: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            left.rank != right.rank ? left.rank < right.rank : left.id < right.id
        }
    }

    struct Chunk {
        var entries: [Entry]
        /// The weights of the entries; empty if each weight is 1.
        var weights: [UInt32] = []

        func weight(_ offset: Int) -> Int { weights.isEmpty ? 1 : Int(weights[offset]) }
    }

    /// A position in the list, or its end. The position after a chunk's last entry stands for the next chunk's first.
    struct Cursor {
        var chunk: Int
        var offset: Int
    }

    /// The maximum number of entries of a chunk.
    static let chunkLimit = 240
    /// The binary logarithm of the number of chunks in a block.
    static let blockShift = 6

    /// The number of the list's group.
    let group: UInt32
    /// How durations that still grow are merged with known durations; nil if rows are in the order of ranks alone.
    var merge: Merge?
    var chunks: [Chunk] = []
    /// The first entry of each chunk, in an array of its own, because a search for a chunk reads only first entries.
    var heads: [Entry] = []
    /// The sum of the weights of each chunk, in an array of its own, because look-ups read many sums in sequence.
    var sums: [Int] = []
    /// The sum of the weights of each block.
    var blocks: [Int] = []
    /// The number of chains.
    var count = 0
    /// The number of rows: the sum of all weights.
    var rowCount = 0
    /// An inserted entry, and its position when it was inserted.
    struct InsertionHint {
        var entry = Entry(rank: 0, id: 0)
        var cursor = Cursor(chunk: 0, offset: 0)
    }

    /// The last insertion. The next entry often belongs beside it: then no search is needed, and a full chunk is cut
    /// there.
    var hint = InsertionHint()
    /// The last insertion at another place, for entries that arrive at two places in turn.
    var otherHint = InsertionHint()

    init(group: UInt32 = 0) { self.group = group }

    // MARK: Changes

    /// Adds a chain; the key must not be in the list.
    mutating func insert(_ key: RootKey, weight: Int) {
        let entry = Entry(rank: key.rank, id: key.id)
        count += 1
        rowCount += weight
        guard !chunks.isEmpty else { return addChunk(at: 0, entry, weight) }
        var cursor = insertionCursor(for: entry)
        if chunks[cursor.chunk].entries.count >= Self.chunkLimit {
            guard let room = makeRoom(at: cursor) else {
                return addChunk(at: cursor.offset == 0 ? cursor.chunk : cursor.chunk + 1, entry, weight)
            }
            cursor = room
        }
        insert(entry, weight, at: cursor)
    }

    /// Adds a chain with a key greater than all others; fills the last chunk before it adds another.
    mutating func append(_ key: RootKey, weight: Int) {
        let entry = Entry(rank: key.rank, id: key.id)
        count += 1
        rowCount += weight
        if let last = chunks.indices.last, chunks[last].entries.count < Self.chunkLimit {
            insert(entry, weight, at: Cursor(chunk: last, offset: chunks[last].entries.count))
        } else {
            addChunk(at: chunks.count, entry, weight)
        }
    }

    /// Removes a chain; returns false if it is not in the list.
    @discardableResult
    mutating func remove(_ key: RootKey) -> Bool {
        guard let (chunk, offset) = find(key) else { return false }
        let weight = chunks[chunk].weight(offset)
        if !chunks[chunk].weights.isEmpty { chunks[chunk].weights.remove(at: offset) }
        chunks[chunk].entries.remove(at: offset)
        count -= 1
        rowCount -= weight
        add(-weight, to: chunk)
        if chunks[chunk].entries.isEmpty {
            removeChunk(chunk)
        } else {
            if offset == 0 { heads[chunk] = chunks[chunk].entries[0] }
            joinIfSmall(chunk)
        }
        return true
    }

    /// Sets the weight of a chain; returns false if it is not in the list.
    @discardableResult
    mutating func setWeight(_ weight: Int, of key: RootKey) -> Bool {
        guard let (chunk, offset) = find(key) else { return false }
        let change = weight - chunks[chunk].weight(offset)
        guard change != 0 else { return true }
        storeWeights(of: chunk)
        chunks[chunk].weights[offset] = UInt32(weight)
        add(change, to: chunk)
        rowCount += change
        return true
    }

    // MARK: Look-ups, in the order of ranks

    // `@inline(__always)` is for functions that changes call, because such a call would copy the list.

    /// Returns the weight of a chain; nil if it is not in the list.
    @inline(__always)
    func weight(of key: RootKey) -> Int? {
        find(key).map { chunks[$0.chunk].weight($0.offset) }
    }

    func contains(_ key: RootKey) -> Bool { find(key) != nil }

    /// Returns the number of rows before a position, in the order of ranks.
    func rows(before cursor: Cursor) -> Int {
        var rows = 0
        let block = cursor.chunk >> Self.blockShift
        for index in 0..<block { rows += blocks[index] }
        for index in (block << Self.blockShift)..<cursor.chunk { rows += sums[index] }
        guard cursor.chunk < chunks.count, cursor.offset > 0 else { return rows }
        if chunks[cursor.chunk].weights.isEmpty { return rows + cursor.offset }
        for offset in 0..<cursor.offset { rows += Int(chunks[cursor.chunk].weights[offset]) }
        return rows
    }

    /// Returns the position of the chain that holds a row, in the order of ranks, and the row's offset in the chain.
    /// Returns nil where there is no such row.
    func cursor(ofRow row: Int) -> (cursor: Cursor, offset: Int)? {
        guard row >= 0, row < rowCount else { return nil }
        var rest = row
        var chunk = 0
        for block in blocks.indices {
            guard rest >= blocks[block] else { break }
            rest -= blocks[block]
            chunk += 1 << Self.blockShift
        }
        while rest >= sums[chunk] {
            rest -= sums[chunk]
            chunk += 1
        }
        if chunks[chunk].weights.isEmpty { return (Cursor(chunk: chunk, offset: rest), 0) }
        var offset = 0
        while rest >= Int(chunks[chunk].weights[offset]) {
            rest -= Int(chunks[chunk].weights[offset])
            offset += 1
        }
        return (Cursor(chunk: chunk, offset: offset), rest)
    }

    /// Returns the position of the first entry that is not before `entry`; the end if there is none.
    @inline(__always)
    func lowerBound(_ entry: Entry) -> Cursor {
        guard let chunk = chunk(of: entry) else { return Cursor(chunk: 0, offset: 0) }
        return Cursor(chunk: chunk, offset: offset(of: entry, in: chunk))
    }

    /// Returns the chunk in which an entry is or would be; nil in an empty list.
    func chunk(of entry: Entry) -> Int? {
        guard !heads.isEmpty else { return nil }
        var (low, high) = (0, heads.count)
        while low < high {
            let middle = (low + high) / 2
            if entry < heads[middle] { high = middle } else { low = middle + 1 }
        }
        return max(0, low - 1)
    }

    /// Returns the offset in a chunk of the first entry that is not before `entry`.
    func offset(of entry: Entry, in chunk: Int) -> Int {
        let guess = guess(entry, in: chunk)
        return chunks[chunk].entries.withUnsafeBufferPointer { entries in
            var (low, high) = (0, entries.count)
            if let guess {
                // Narrows the search to seven entries if the guess is close.
                let (before, after) = (max(0, guess - 3), min(entries.count - 1, guess + 3))
                if before < entries.count, entries[before] < entry { low = before + 1 } else { high = before }
                if low > before, !(entries[after] < entry) { high = after }
            }
            while low < high {
                let middle = (low + high) / 2
                if entries[middle] < entry { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Guesses the offset of an entry by interpolation, because each probe of a binary search is a cache miss. Most
    /// ranks are evenly spread moments. Returns nil where the entry is not between the first entries of two chunks.
    @inline(__always)
    private func guess(_ entry: Entry, in chunk: Int) -> Int? {
        let next = chunk + 1 < heads.count ? heads[chunk + 1].rank : 0
        let head = heads[chunk].rank
        guard next > head, entry.rank > head, entry.rank <= next else { return nil }
        return Int(Double(entry.rank - head) / Double(next - head) * Double(chunks[chunk].entries.count))
    }

    /// Returns the entry at a position; nil at the end.
    func entry(at cursor: Cursor) -> Entry? {
        guard cursor.chunk < chunks.count else { return nil }
        if cursor.offset < chunks[cursor.chunk].entries.count { return chunks[cursor.chunk].entries[cursor.offset] }
        return cursor.chunk + 1 < chunks.count ? heads[cursor.chunk + 1] : nil
    }

    /// Returns the entry before a position; nil at the beginning.
    func entry(before cursor: Cursor) -> Entry? {
        if cursor.chunk < chunks.count, cursor.offset > 0 { return chunks[cursor.chunk].entries[cursor.offset - 1] }
        return cursor.chunk > 0 ? chunks[cursor.chunk - 1].entries.last : nil
    }

    /// Returns the weight of the entry at a position.
    func weight(at cursor: Cursor) -> Int { chunks[cursor.chunk].weight(cursor.offset) }

    var lowest: Entry? { heads.first }
    var highest: Entry? { chunks.last?.entries.last }
    var chunkCount: Int { chunks.count }
    func head(_ chunk: Int) -> Entry { heads[chunk] }
    func entries(_ chunk: Int) -> [Entry] { chunks[chunk].entries }

    /// Returns the key of an entry.
    func key(_ entry: Entry) -> RootKey { RootKey(group: group, rank: entry.rank, id: entry.id) }

    @inline(__always)
    private func find(_ key: RootKey) -> (chunk: Int, offset: Int)? {
        let entry = Entry(rank: key.rank, id: key.id)
        let cursor = lowerBound(entry)
        guard cursor.chunk < chunks.count, cursor.offset < chunks[cursor.chunk].entries.count,
            chunks[cursor.chunk].entries[cursor.offset] == entry
        else { return nil }
        return (cursor.chunk, cursor.offset)
    }
}
