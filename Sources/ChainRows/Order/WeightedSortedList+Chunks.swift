// Where a new entry goes, and how chunks are filled, split and joined.
extension WeightedSortedList {
    /// Returns the position for a new entry, by the hints if they fit.
    mutating func insertionCursor(for entry: Entry) -> Cursor {
        if let cursor = cursor(for: entry, beside: hint) { return cursor }
        swap(&hint, &otherHint)
        return cursor(for: entry, beside: hint) ?? lowerBound(entry)
    }

    /// Returns the position directly before or behind a hint, if the entry belongs there.
    @inline(__always)
    private func cursor(for entry: Entry, beside hint: InsertionHint) -> Cursor? {
        let at = hint.cursor
        guard at.chunk < chunks.count, at.offset < chunks[at.chunk].entries.count,
            chunks[at.chunk].entries[at.offset] == hint.entry
        else { return nil }
        if entry < hint.entry {
            if let previous = self.entry(before: at), entry < previous { return nil }
            return at
        }
        let behind = Cursor(chunk: at.chunk, offset: at.offset + 1)
        if let next = self.entry(at: behind), next < entry { return nil }
        return behind
    }

    mutating func put(_ entry: Entry, _ weight: Int, at cursor: Cursor) {
        hint = InsertionHint(entry: entry, cursor: cursor)
        if weight != 1 { spellOutWeights(cursor.chunk) }
        let hasWeights = !chunks[cursor.chunk].weights.isEmpty
        if cursor.offset == chunks[cursor.chunk].entries.count {
            // The most frequent case, and cheaper.
            if hasWeights { chunks[cursor.chunk].weights.append(UInt32(weight)) }
            chunks[cursor.chunk].entries.append(entry)
        } else {
            if hasWeights { chunks[cursor.chunk].weights.insert(UInt32(weight), at: cursor.offset) }
            chunks[cursor.chunk].entries.insert(entry, at: cursor.offset)
        }
        if cursor.offset == 0 { heads[cursor.chunk] = entry }
        add(weight, to: cursor.chunk)
    }

    mutating func add(_ rows: Int, to chunk: Int) {
        sums[chunk] += rows
        blocks[chunk >> Self.blockShift] += rows
    }

    mutating func spellOutWeights(_ chunk: Int) {
        guard chunks[chunk].weights.isEmpty else { return }
        chunks[chunk].weights = Array(repeating: 1, count: chunks[chunk].entries.count)
    }

    mutating func addChunk(at index: Int, _ entry: Entry, _ weight: Int) {
        hint = InsertionHint(entry: entry, cursor: Cursor(chunk: index, offset: 0))
        var chunk = Chunk(entries: [])
        // Without reserved room in the first chunk, because a group may have few chains.
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

    private mutating func sumBlocks(from index: Int) {
        let first = index >> Self.blockShift
        let blockCount = (sums.count + 63) >> Self.blockShift
        blocks.removeLast(max(0, blocks.count - first))
        for block in first..<max(first, blockCount) {
            let start = block << Self.blockShift
            blocks.append(sums[start..<min(start + 64, sums.count)].reduce(0, +))
        }
    }

    /// Returns a position in a full chunk after making room; nil where the entry gets a chunk of its own.
    mutating func makeRoom(at cursor: Cursor) -> Cursor? {
        if cursor.offset == Self.chunkLimit {
            let next = cursor.chunk + 1
            let hasRoom = next < chunks.count && chunks[next].entries.count < Self.chunkLimit
            return hasRoom ? Cursor(chunk: next, offset: 0) : nil
        }
        guard cursor.offset > 0 else { return nil }
        let entries = chunks[cursor.chunk].entries
        // Cut where entries arrive in sequence, because that leaves full chunks.
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

    /// Joins a chunk that became small with a neighbour.
    mutating func joinIfSmall(_ chunk: Int) {
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
