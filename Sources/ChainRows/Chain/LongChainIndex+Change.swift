import ChainModel

// Inserting and removing entries.
extension LongChainIndex {
    /// Adds an empty list for a chain; returns its index.
    mutating func addList(of root: NodeIndex) -> Int {
        let listIndex = freeLists.popLast() ?? lists.count
        if listIndex == lists.count { lists.append(nil) }
        lists[listIndex] = List(root: root)
        listOf[root] = listIndex
        return listIndex
    }

    /// Removes a list. O(its nodes).
    mutating func removeList(_ listIndex: Int) {
        guard let list = lists[listIndex] else { return }
        remove(from: Position(ordinal: 0, offset: 0), to: end(of: listIndex), in: listIndex)
        listOf[list.root] = nil
        lists[listIndex] = nil
        freeLists.append(listIndex)
    }

    mutating func removeAll() {
        (lists, freeLists, listOf, chunks, freeChunks, large) = ([], [], [:], [], [], [])
        chunkOf.removeAll()
    }

    // MARK: Entries

    /// Inserts entries at a position. Their ``Entry/shownCount`` has to be 0, because matches of the filter are set
    /// later.
    mutating func insert(_ new: [Entry], at position: Position, in listIndex: Int) {
        guard !new.isEmpty else { return }
        if lists[listIndex]!.chunks.isEmpty { addChunks([[]], at: 0, in: listIndex) }
        var start = position
        if start.offset == 0, start.ordinal > 0 {
            // Append to the chunk before, if it has room or no chunk follows.
            let count = chunks[indexOfChunk(start.ordinal - 1, of: listIndex)].entries.count
            if start.ordinal == lists[listIndex]!.chunks.count || count + new.count <= chunkLimit {
                start = Position(ordinal: start.ordinal - 1, offset: count)
            }
        }
        let chunkIndex = indexOfChunk(start.ordinal, of: listIndex)
        pushDownFolds(chunkIndex)
        lists[listIndex]!.count += new.count
        var tail: [Entry] = []
        let room = chunkLimit - chunks[chunkIndex].entries.count
        if room < new.count {
            tail = Array(chunks[chunkIndex].entries[start.offset...])
            chunks[chunkIndex].entries.removeSubrange(start.offset...)
        }
        let first = new.prefix(chunkLimit - chunks[chunkIndex].entries.count)
        chunks[chunkIndex].entries.insert(contentsOf: first, at: start.offset)
        for entry in first { chunkOf[entry.node] = UInt32(chunkIndex + 1) }
        // A single entry is counted without a pass over the chunk.
        if new.count == 1, first.count == 1, tail.isEmpty {
            let least = lists[listIndex]!.leastLevels[start.ordinal]
            lists[listIndex]!.leastLevels[start.ordinal] = min(least, new[0].level)
            if new[0].folds == 0 {
                lists[listIndex]!.rowCounts[start.ordinal] += height(of: new[0])
                lists[listIndex]!.rowCount += height(of: new[0])
            }
            return
        }
        recount(start.ordinal, of: listIndex)
        var rest = new.dropFirst(first.count)
        var pieces: [[Entry]] = []
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(chunkLimit)))
            rest = rest.dropFirst(chunkLimit)
        }
        if !tail.isEmpty {
            if let last = pieces.last, last.count + tail.count <= chunkLimit {
                pieces[pieces.count - 1] += tail
            } else {
                pieces.append(tail)
            }
        }
        addChunks(pieces, at: start.ordinal + 1, in: listIndex)
    }

    /// Adds a chunk for each piece, from an ordinal on.
    private mutating func addChunks(_ pieces: [[Entry]], at ordinal: Int, in listIndex: Int) {
        guard !pieces.isEmpty else { return }
        var added: [UInt32] = []
        for piece in pieces {
            let chunkIndex = freeChunks.popLast() ?? chunks.count
            let chunk = Chunk(list: listIndex, round: round, entries: piece)
            if chunkIndex == chunks.count { chunks.append(chunk) } else { chunks[chunkIndex] = chunk }
            for entry in piece { chunkOf[entry.node] = UInt32(chunkIndex + 1) }
            added.append(UInt32(chunkIndex))
        }
        lists[listIndex]!.chunks.insert(contentsOf: added, at: ordinal)
        lists[listIndex]!.leastLevels.insert(contentsOf: repeatElement(0, count: pieces.count), at: ordinal)
        lists[listIndex]!.rowCounts.insert(contentsOf: repeatElement(0, count: pieces.count), at: ordinal)
        lists[listIndex]!.filteredRowCounts.insert(contentsOf: repeatElement(0, count: pieces.count), at: ordinal)
        renumberChunks(from: ordinal, of: listIndex)
        for new in ordinal..<(ordinal + pieces.count) { recount(new, of: listIndex) }
    }

    /// Removes the entries between two positions.
    mutating func remove(from start: Position, to end: Position, in listIndex: Int) {
        var emptied: Range<Int>?
        let last = min(end.ordinal, lists[listIndex]!.chunks.count - 1)
        guard start < end, start.ordinal <= last else { return }
        for ordinal in start.ordinal...last {
            let chunkIndex = indexOfChunk(ordinal, of: listIndex)
            let from = ordinal == start.ordinal ? start.offset : 0
            let to = ordinal == end.ordinal ? end.offset : chunks[chunkIndex].entries.count
            guard from < to else { continue }
            for entry in chunks[chunkIndex].entries[from..<to] { chunkOf[entry.node] = 0 }
            chunks[chunkIndex].entries.removeSubrange(from..<to)
            lists[listIndex]!.count -= to - from
            recount(ordinal, of: listIndex)
            if chunks[chunkIndex].entries.isEmpty { emptied = (emptied?.lowerBound ?? ordinal)..<(ordinal + 1) }
        }
        if let emptied {
            for ordinal in emptied {
                let chunkIndex = indexOfChunk(ordinal, of: listIndex)
                chunks[chunkIndex].entries = []
                freeChunks.append(chunkIndex)
            }
            dropChunks(emptied, of: listIndex)
        }
        join(around: start.ordinal, in: listIndex)
    }

    /// Removes empty chunks from a list.
    private mutating func dropChunks(_ ordinals: Range<Int>, of listIndex: Int) {
        lists[listIndex]!.chunks.removeSubrange(ordinals)
        lists[listIndex]!.leastLevels.removeSubrange(ordinals)
        lists[listIndex]!.rowCounts.removeSubrange(ordinals)
        lists[listIndex]!.filteredRowCounts.removeSubrange(ordinals)
        renumberChunks(from: ordinals.lowerBound, of: listIndex)
    }

    private mutating func renumberChunks(from ordinal: Int, of listIndex: Int) {
        for later in ordinal..<lists[listIndex]!.chunks.count {
            chunks[indexOfChunk(later, of: listIndex)].ordinal = later
        }
    }

    /// Joins the chunk at an ordinal with the next chunk, and then with the previous chunk. Two chunks are joined only
    /// if both together fill at most half a chunk.
    private mutating func join(around ordinal: Int, in listIndex: Int) {
        for upper in [ordinal + 1, ordinal] where upper > 0 && upper < lists[listIndex]!.chunks.count {
            let (left, right) = (indexOfChunk(upper - 1, of: listIndex), indexOfChunk(upper, of: listIndex))
            guard chunks[left].entries.count + chunks[right].entries.count <= chunkLimit / 2 else { continue }
            pushDownFolds(left)
            pushDownFolds(right)
            for entry in chunks[right].entries { chunkOf[entry.node] = UInt32(left + 1) }
            chunks[left].entries += chunks[right].entries
            chunks[right].entries = []
            freeChunks.append(right)
            lists[listIndex]!.rowCount -= lists[listIndex]!.rowCounts[upper]
            lists[listIndex]!.filteredRowCount -= lists[listIndex]!.filteredRowCounts[upper]
            dropChunks(upper..<(upper + 1), of: listIndex)
            recount(upper - 1, of: listIndex)
        }
    }

    /// Moves a chunk's own fold counts into its entries; forgets matches of an earlier filter.
    mutating func pushDownFolds(_ chunkIndex: Int) {
        resetOldMatches(chunkIndex)
        let (folds, ownFolds) = (chunks[chunkIndex].folds, chunks[chunkIndex].ownFolds)
        guard folds > 0 || ownFolds > 0 else { return }
        for offset in chunks[chunkIndex].entries.indices {
            chunks[chunkIndex].entries[offset].folds += folds
            chunks[chunkIndex].entries[offset].ownFolds += ownFolds
        }
        (chunks[chunkIndex].folds, chunks[chunkIndex].ownFolds) = (0, 0)
    }

    /// Forgets a chunk's matches if they are of an earlier filter.
    mutating func resetOldMatches(_ chunkIndex: Int) {
        guard chunks[chunkIndex].round != round else { return }
        chunks[chunkIndex].round = round
        for offset in chunks[chunkIndex].entries.indices {
            chunks[chunkIndex].entries[offset].shownCount = 0
            chunks[chunkIndex].entries[offset].flags.remove(.match)
        }
    }

    /// Recounts what a list stores about a chunk: the least level and the numbers of rows. O(entries).
    mutating func recount(_ ordinal: Int, of listIndex: Int) {
        let chunkIndex = indexOfChunk(ordinal, of: listIndex)
        let isOpen = chunks[chunkIndex].folds == 0
        let isOpenFiltered = chunks[chunkIndex].ownFolds == 0 && chunks[chunkIndex].round == round
        let hasForeign = !foreignRows.isEmpty
        let (least, rowCount, filteredRowCount) = chunks[chunkIndex].entries.withUnsafeBufferPointer { entries in
            var (least, rowCount, filteredRowCount) = (UInt32.max, 0, 0)
            for entry in entries {
                least = min(least, entry.level)
                if isOpen, entry.folds == 0 { rowCount += hasForeign ? height(of: entry) : 1 }
                if isOpenFiltered, entry.ownFolds == 0, entry.shownCount > 0 { filteredRowCount += 1 }
            }
            return (least, rowCount, filteredRowCount)
        }
        lists[listIndex]!.leastLevels[ordinal] = least
        lists[listIndex]!.rowCount += rowCount - lists[listIndex]!.rowCounts[ordinal]
        lists[listIndex]!.rowCounts[ordinal] = rowCount
        lists[listIndex]!.filteredRowCount += filteredRowCount - lists[listIndex]!.filteredRowCounts[ordinal]
        lists[listIndex]!.filteredRowCounts[ordinal] = filteredRowCount
    }
}
