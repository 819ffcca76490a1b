// The positions of new entries, and how chunks are filled, split and joined.
extension WeightedSortedList {
    /// Returns the position for a new entry, without a search if it belongs beside a hint.
    mutating func insertionCursor(for entry: Entry) -> Cursor {
        if let cursor = cursor(for: entry, beside: hint) { return cursor }
        swap(&hint, &otherHint)
        return cursor(for: entry, beside: hint) ?? lowerBound(entry)
    }

    /// Returns the position directly before or after a hint, if the entry belongs there.
    @inline(__always)
    private func cursor(for entry: Entry, beside hint: InsertionHint) -> Cursor? {
        let cursor = hint.cursor
        // The entry of the hint may have been moved or removed.
        guard cursor.chunk < chunks.count, cursor.offset < chunks[cursor.chunk].entries.count,
            chunks[cursor.chunk].entries[cursor.offset] == hint.entry
        else { return nil }
        if entry < hint.entry {
            if let previous = self.entry(before: cursor), entry < previous { return nil }
            return cursor
        }
        let behind = Cursor(chunk: cursor.chunk, offset: cursor.offset + 1)
        if let next = self.entry(at: behind), next < entry { return nil }
        return behind
    }

    /// Inserts an entry into a chunk with room.
    mutating func insert(_ entry: Entry, _ weight: Int, at cursor: Cursor) {
        hint = InsertionHint(entry: entry, cursor: cursor)
        if weight != 1 { storeWeights(of: cursor.chunk) }
        let hasWeights = !chunks[cursor.chunk].weights.isEmpty
        if cursor.offset == chunks[cursor.chunk].entries.count {
            // Appending is cheaper than inserting, and is the most frequent case.
            if hasWeights { chunks[cursor.chunk].weights.append(UInt32(weight)) }
            chunks[cursor.chunk].entries.append(entry)
        } else {
            if hasWeights { chunks[cursor.chunk].weights.insert(UInt32(weight), at: cursor.offset) }
            chunks[cursor.chunk].entries.insert(entry, at: cursor.offset)
        }
        if cursor.offset == 0 { heads[cursor.chunk] = entry }
        add(weight, to: cursor.chunk)
    }

    /// Adds rows to the sum of a chunk and to the sum of its block.
    mutating func add(_ rows: Int, to chunk: Int) {
        sums[chunk] += rows
        blocks[chunk >> Self.blockShift] += rows
    }

    /// Stores a weight of 1 for each entry of a chunk that has no stored weights yet.
    mutating func storeWeights(of chunk: Int) {
        guard chunks[chunk].weights.isEmpty else { return }
        chunks[chunk].weights = Array(repeating: 1, count: chunks[chunk].entries.count)
    }

    /// Adds a chunk with one entry.
    mutating func addChunk(at index: Int, _ entry: Entry, _ weight: Int) {
        hint = InsertionHint(entry: entry, cursor: Cursor(chunk: index, offset: 0))
        var chunk = Chunk(entries: [])
        // No room is reserved in the first chunk, because a group may have few chains.
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

    mutating func removeChunk(_ index: Int) {
        chunks.remove(at: index)
        heads.remove(at: index)
        sums.remove(at: index)
        sumBlocks(from: index)
    }

    /// Recomputes the sums of the blocks, from a chunk's block on.
    private mutating func sumBlocks(from index: Int) {
        let first = index >> Self.blockShift
        let blockLength = 1 << Self.blockShift
        let blockCount = (sums.count + blockLength - 1) >> Self.blockShift
        blocks.removeLast(max(0, blocks.count - first))
        for block in first..<max(first, blockCount) {
            let start = block << Self.blockShift
            blocks.append(sums[start..<min(start + blockLength, sums.count)].reduce(0, +))
        }
    }

    /// Returns the position for a new entry that belongs into a full chunk: in the next chunk, or in the chunk or its
    /// new neighbour after a split. Returns nil if the entry needs a new chunk.
    mutating func makeRoom(at cursor: Cursor) -> Cursor? {
        if cursor.offset == Self.chunkLimit {
            let next = cursor.chunk + 1
            let hasRoom = next < chunks.count && chunks[next].entries.count < Self.chunkLimit
            return hasRoom ? Cursor(chunk: next, offset: 0) : nil
        }
        guard cursor.offset > 0 else { return nil }
        let entries = chunks[cursor.chunk].entries
        // Cut at the position where entries arrive in sequence, because that leaves full chunks.
        let isInSequence =
            entries[cursor.offset - 1] == hint.entry || entries[cursor.offset] == hint.entry
        let cut = isInSequence ? cursor.offset : Self.chunkLimit / 2
        split(cursor.chunk, at: cut)
        return cursor.offset <= cut
            ? cursor : Cursor(chunk: cursor.chunk + 1, offset: cursor.offset - cut)
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

    /// Joins a chunk that became small with a neighbour, if both together fill less than three quarters of a chunk.
    mutating func joinIfSmall(_ chunk: Int) {
        guard chunks[chunk].entries.count < Self.chunkLimit / 4 else { return }
        for first in [chunk - 1, chunk] where first >= 0 && first + 1 < chunks.count {
            guard chunks[first].entries.count + chunks[first + 1].entries.count < Self.chunkLimit * 3 / 4 else {
                continue
            }
            if !chunks[first].weights.isEmpty || !chunks[first + 1].weights.isEmpty {
                storeWeights(of: first)
                storeWeights(of: first + 1)
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
