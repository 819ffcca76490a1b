/// A sorted list of chains, each with a weight (the rows that it takes), that finds a chain by row and a row by chain.
///
/// Chunks of at most 240 chains, the sum of each one's weights beside it, and those summed by 64 again: a look-up is two
/// binary searches and three short passes over numbers (under a microsecond at a million chains), a change is a move
/// within one chunk. 16 bytes a chain, and 4 more in chunks in which not every chain is one row.
///
/// With a ``merge`` the order of the rows is another than that of the ranks; see `WeightedSortedList+Merge.swift`.
struct WeightedSortedList {
    /// What is kept of a key: all keys of a list are of one group.
    struct Entry: Hashable, Comparable, BitwiseCopyable {
        var rank: UInt64
        var id: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            left.rank != right.rank ? left.rank < right.rank : left.id < right.id
        }
    }

    private struct Chunk {
        var entries: [Entry]
        /// Empty where each is one row.
        var weights: [UInt32] = []

        func weight(_ place: Int) -> Int { weights.isEmpty ? 1 : Int(weights[place]) }
    }

    /// A place in the list, which need not be taken.
    struct Cursor {
        var chunk: Int
        var place: Int
    }

    static let chunkLimit = 240
    private static let blockShift = 6

    /// The number of its group.
    let group: UInt32
    /// How growing durations stand among known ones; nil for the plain order of ranks.
    var merge: Merge?
    private var chunks: [Chunk] = []
    /// The first entry of each chunk, and the weights of each chunk summed; beside the chunks, for passes over them.
    private var heads: [Entry] = []
    private var sums: [Int] = []
    /// The sums of 64 chunks each.
    private var blocks: [Int] = []
    /// The number of chains.
    private(set) var count = 0
    /// The number of rows: the sum of all weights.
    private(set) var rowCount = 0
    /// Who was put in, and where that was.
    private struct Finger {
        var entry = Entry(rank: 0, id: 0)
        var place = Cursor(chunk: 0, place: 0)
    }

    /// What often comes next is who stands beside the one that was put in last, and then nothing is looked for and full
    /// chunks are not cut in half; or, where that was an odd one among many in sequence, beside the one before it.
    private var latest = Finger(), other = Finger()

    init(group: UInt32 = 0) { self.group = group }

    // MARK: Changes

    /// Adds a chain; the key must not be in the list.
    mutating func insert(_ key: RootKey, weight: Int) {
        let entry = Entry(rank: key.rank, id: key.id)
        count += 1
        rowCount += weight
        guard !chunks.isEmpty else { return addChunk(at: 0, entry, weight) }
        var cursor = placeBeside(entry)
        if chunks[cursor.chunk].entries.count >= Self.chunkLimit {
            guard let room = makeRoom(at: cursor) else {
                return addChunk(at: cursor.place == 0 ? cursor.chunk : cursor.chunk + 1, entry, weight)
            }
            cursor = room
        }
        put(entry, weight, at: cursor)
    }

    /// Adds a chain that comes after all others: cheaper, and chunks are filled.
    mutating func append(_ key: RootKey, weight: Int) {
        let entry = Entry(rank: key.rank, id: key.id)
        count += 1
        rowCount += weight
        if let last = chunks.indices.last, chunks[last].entries.count < Self.chunkLimit {
            put(entry, weight, at: Cursor(chunk: last, place: chunks[last].entries.count))
        } else {
            addChunk(at: chunks.count, entry, weight)
        }
    }

    /// Takes a chain out; false if it is not in the list.
    @discardableResult
    mutating func remove(_ key: RootKey) -> Bool {
        guard let (chunk, place) = find(key) else { return false }
        let weight = chunks[chunk].weight(place)
        if !chunks[chunk].weights.isEmpty { chunks[chunk].weights.remove(at: place) }
        chunks[chunk].entries.remove(at: place)
        count -= 1
        rowCount -= weight
        add(-weight, to: chunk)
        if chunks[chunk].entries.isEmpty {
            removeChunk(chunk)
        } else {
            if place == 0 { heads[chunk] = chunks[chunk].entries[0] }
            joinIfSmall(chunk)
        }
        return true
    }

    /// Gives a chain another number of rows; false if it is not in the list.
    @discardableResult
    mutating func setWeight(_ weight: Int, of key: RootKey) -> Bool {
        guard let (chunk, place) = find(key) else { return false }
        let change = weight - chunks[chunk].weight(place)
        guard change != 0 else { return true }
        spellOutWeights(chunk)
        chunks[chunk].weights[place] = UInt32(weight)
        add(change, to: chunk)
        rowCount += change
        return true
    }

    // MARK: Questions, in the order of ranks

    // Those that changes ask are inline: a call would get a copy of all of the list.

    /// The rows of a chain, or nil if it is not in the list.
    @inline(__always)
    func weight(of key: RootKey) -> Int? {
        find(key).map { chunks[$0.chunk].weight($0.place) }
    }

    func contains(_ key: RootKey) -> Bool { find(key) != nil }

    /// The rows of all chains that stand before a place.
    func rows(before cursor: Cursor) -> Int {
        var rows = 0
        let block = cursor.chunk >> Self.blockShift
        for index in 0..<block { rows += blocks[index] }
        for index in (block << Self.blockShift)..<cursor.chunk { rows += sums[index] }
        guard cursor.chunk < chunks.count, cursor.place > 0 else { return rows }
        if chunks[cursor.chunk].weights.isEmpty { return rows + cursor.place }
        for place in 0..<cursor.place { rows += Int(chunks[cursor.chunk].weights[place]) }
        return rows
    }

    /// The chain that holds a row, were the rows in the order of ranks.
    func place(ofRow row: Int) -> (cursor: Cursor, offset: Int)? {
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
        if chunks[chunk].weights.isEmpty { return (Cursor(chunk: chunk, place: rest), 0) }
        var place = 0
        while rest >= Int(chunks[chunk].weights[place]) {
            rest -= Int(chunks[chunk].weights[place])
            place += 1
        }
        return (Cursor(chunk: chunk, place: place), rest)
    }

    /// The first place whose chain does not stand before an entry; behind the last one at the end.
    @inline(__always)
    func lowerBound(_ entry: Entry) -> Cursor {
        guard let chunk = chunk(of: entry) else { return Cursor(chunk: 0, place: 0) }
        return Cursor(chunk: chunk, place: place(of: entry, in: chunk))
    }

    /// The chunk in which an entry is or would be; nil where there is none.
    private func chunk(of entry: Entry) -> Int? {
        guard !heads.isEmpty else { return nil }
        var (low, high) = (0, heads.count)
        while low < high {
            let middle = (low + high) / 2
            if entry < heads[middle] { high = middle } else { low = middle + 1 }
        }
        return max(0, low - 1)
    }

    /// The first place of a chunk whose chain does not stand before an entry.
    private func place(of entry: Entry, in chunk: Int) -> Int {
        let guess = guess(entry, in: chunk)
        return chunks[chunk].entries.withUnsafeBufferPointer { entries in
            var (low, high) = (0, entries.count)
            if let guess {
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

    /// Where in a chunk an entry should be: ranks are mostly moments, evenly spread, so it is near there, and each look
    /// elsewhere would be a wait for memory.
    @inline(__always)
    private func guess(_ entry: Entry, in chunk: Int) -> Int? {
        let next = chunk + 1 < heads.count ? heads[chunk + 1].rank : 0
        let head = heads[chunk].rank
        guard next > head, entry.rank > head, entry.rank <= next else { return nil }
        return Int(Double(entry.rank - head) / Double(next - head) * Double(chunks[chunk].entries.count))
    }

    /// Something of what lies where a chain is or would be, so that it comes near. Nobody needs what it gives.
    func warmth(of key: RootKey) -> UInt64 {
        let entry = Entry(rank: key.rank, id: key.id)
        guard let chunk = chunk(of: entry) else { return 0 }
        let guess = guess(entry, in: chunk) ?? 0
        let entries = chunks[chunk].entries
        return entries.isEmpty ? 0 : entries[min(guess, entries.count - 1)].rank
    }

    /// The chain at a place; nil behind the last one.
    func entry(at cursor: Cursor) -> Entry? {
        guard cursor.chunk < chunks.count else { return nil }
        if cursor.place < chunks[cursor.chunk].entries.count { return chunks[cursor.chunk].entries[cursor.place] }
        return cursor.chunk + 1 < chunks.count ? heads[cursor.chunk + 1] : nil
    }

    /// The chain before a place; nil before the first one.
    func entry(before cursor: Cursor) -> Entry? {
        if cursor.chunk < chunks.count, cursor.place > 0 { return chunks[cursor.chunk].entries[cursor.place - 1] }
        return cursor.chunk > 0 ? chunks[cursor.chunk - 1].entries.last : nil
    }

    /// The rows of the chain at a place.
    func weight(at cursor: Cursor) -> Int { chunks[cursor.chunk].weight(cursor.place) }

    var lowest: Entry? { heads.first }
    var highest: Entry? { chunks.last?.entries.last }
    var chunkCount: Int { chunks.count }
    func head(_ chunk: Int) -> Entry { heads[chunk] }
    func entries(_ chunk: Int) -> [Entry] { chunks[chunk].entries }

    func key(_ entry: Entry) -> RootKey { RootKey(group: group, rank: entry.rank, id: entry.id) }

    @inline(__always)
    private func find(_ key: RootKey) -> (chunk: Int, place: Int)? {
        let entry = Entry(rank: key.rank, id: key.id)
        let cursor = lowerBound(entry)
        guard cursor.chunk < chunks.count, cursor.place < chunks[cursor.chunk].entries.count,
            chunks[cursor.chunk].entries[cursor.place] == entry
        else { return nil }
        return (cursor.chunk, cursor.place)
    }

    // MARK: Chunks

    /// Where an entry belongs; beside who was put in last, mostly.
    private mutating func placeBeside(_ entry: Entry) -> Cursor {
        if let place = place(of: entry, beside: latest) { return place }
        swap(&latest, &other)
        return place(of: entry, beside: latest) ?? lowerBound(entry)
    }

    /// The place in front of who was put in, or behind, if that is where an entry belongs.
    @inline(__always)
    private func place(of entry: Entry, beside finger: Finger) -> Cursor? {
        let at = finger.place
        guard at.chunk < chunks.count, at.place < chunks[at.chunk].entries.count,
            chunks[at.chunk].entries[at.place] == finger.entry
        else { return nil }
        if entry < finger.entry {
            if let previous = self.entry(before: at), entry < previous { return nil }
            return at
        }
        let behind = Cursor(chunk: at.chunk, place: at.place + 1)
        if let next = self.entry(at: behind), next < entry { return nil }
        return behind
    }

    private mutating func put(_ entry: Entry, _ weight: Int, at cursor: Cursor) {
        latest = Finger(entry: entry, place: cursor)
        if weight != 1 { spellOutWeights(cursor.chunk) }
        let hasWeights = !chunks[cursor.chunk].weights.isEmpty
        if cursor.place == chunks[cursor.chunk].entries.count {
            // Most of them, and cheaper.
            if hasWeights { chunks[cursor.chunk].weights.append(UInt32(weight)) }
            chunks[cursor.chunk].entries.append(entry)
        } else {
            if hasWeights { chunks[cursor.chunk].weights.insert(UInt32(weight), at: cursor.place) }
            chunks[cursor.chunk].entries.insert(entry, at: cursor.place)
        }
        if cursor.place == 0 { heads[cursor.chunk] = entry }
        add(weight, to: cursor.chunk)
    }

    private mutating func add(_ rows: Int, to chunk: Int) {
        sums[chunk] += rows
        blocks[chunk >> Self.blockShift] += rows
    }

    private mutating func spellOutWeights(_ chunk: Int) {
        guard chunks[chunk].weights.isEmpty else { return }
        chunks[chunk].weights = Array(repeating: 1, count: chunks[chunk].entries.count)
    }

    private mutating func addChunk(at index: Int, _ entry: Entry, _ weight: Int) {
        latest = Finger(entry: entry, place: Cursor(chunk: index, place: 0))
        var chunk = Chunk(entries: [])
        // The first one may stay small: a group of few chains.
        if index > 0 { chunk.entries.reserveCapacity(Self.chunkLimit) }
        chunk.entries.append(entry)
        if weight != 1 { chunk.weights = [UInt32(weight)] }
        insertChunk(chunk, at: index, sum: weight)
    }

    private mutating func insertChunk(_ chunk: Chunk, at index: Int, sum: Int) {
        chunks.insert(chunk, at: index)
        heads.insert(chunk.entries[0], at: index)
        sums.insert(sum, at: index)
        sumBlocks(from: index)
    }

    private mutating func removeChunk(_ index: Int) {
        chunks.remove(at: index)
        heads.remove(at: index)
        sums.remove(at: index)
        sumBlocks(from: index)
    }

    private mutating func sumBlocks(from index: Int) {
        let first = index >> Self.blockShift
        let blockCount = (sums.count + 63) >> Self.blockShift
        blocks.removeLast(max(0, blocks.count - first))
        for block in first..<max(first, blockCount) {
            let start = block << Self.blockShift
            blocks.append(sums[start..<min(start + 64, sums.count)].reduce(0, +))
        }
    }

    /// A place for one more where a chunk is full; nil where it takes a chunk of its own, before or after.
    private mutating func makeRoom(at cursor: Cursor) -> Cursor? {
        if cursor.place == Self.chunkLimit {
            let next = cursor.chunk + 1
            let hasRoom = next < chunks.count && chunks[next].entries.count < Self.chunkLimit
            return hasRoom ? Cursor(chunk: next, place: 0) : nil
        }
        guard cursor.place > 0 else { return nil }
        let entries = chunks[cursor.chunk].entries
        // Where one comes after the other all go to the same place: a cut there leaves full chunks.
        let isInSequence = entries[cursor.place - 1] == latest.entry || entries[cursor.place] == latest.entry
        let cut = isInSequence ? cursor.place : Self.chunkLimit / 2
        split(cursor.chunk, at: cut)
        return cursor.place <= cut
            ? cursor : Cursor(chunk: cursor.chunk + 1, place: cursor.place - cut)
    }

    private mutating func split(_ chunk: Int, at cut: Int) {
        var tail = Chunk(entries: [])
        tail.entries.reserveCapacity(Self.chunkLimit)
        tail.entries += chunks[chunk].entries[cut...]
        chunks[chunk].entries.removeSubrange(cut...)
        var moved = tail.entries.count
        if !chunks[chunk].weights.isEmpty {
            tail.weights = Array(chunks[chunk].weights[cut...])
            chunks[chunk].weights.removeSubrange(cut...)
            moved = tail.weights.reduce(0) { $0 + Int($1) }
        }
        sums[chunk] -= moved
        insertChunk(tail, at: chunk + 1, sum: moved)
        sumBlocks(from: chunk)
    }

    /// Lists that shrink do not keep chunks of a few.
    private mutating func joinIfSmall(_ chunk: Int) {
        guard chunks[chunk].entries.count < Self.chunkLimit / 4 else { return }
        for first in [chunk - 1, chunk] where first >= 0 && first + 1 < chunks.count {
            guard chunks[first].entries.count + chunks[first + 1].entries.count < Self.chunkLimit * 3 / 4 else {
                continue
            }
            if !chunks[first].weights.isEmpty || !chunks[first + 1].weights.isEmpty {
                spellOutWeights(first)
                spellOutWeights(first + 1)
                chunks[first].weights += chunks[first + 1].weights
            }
            chunks[first].entries += chunks[first + 1].entries
            sums[first] += sums[first + 1]
            removeChunk(first + 1)
            sumBlocks(from: first)
            return
        }
    }
}
