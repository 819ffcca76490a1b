import ChainModel

// Inserting and removing entries.
extension LongChainIndex {
    mutating func addList(of root: NodeIndex) -> Int {
        let number = freeLists.popLast() ?? lists.count
        if number == lists.count { lists.append(nil) }
        lists[number] = List(root: root)
        listOf[root] = number
        return number
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

    mutating func insert(_ new: [Entry], at position: Position, in listIndex: Int) {
        guard !new.isEmpty else { return }
        if lists[listIndex]!.chunks.isEmpty { addChunks([[]], at: 0, in: listIndex) }
        var at = position
        if at.offset == 0, at.ordinal > 0 {
            // Append to the chunk before, if it has room or no chunk follows.
            let count = chunks[chunk(at.ordinal - 1, of: listIndex)].entries.count
            if at.ordinal == lists[listIndex]!.chunks.count || count + new.count <= chunkLimit {
                at = Position(ordinal: at.ordinal - 1, offset: count)
            }
        }
        let number = chunk(at.ordinal, of: listIndex)
        pushDownFolds(number)
        lists[listIndex]!.count += new.count
        var tail: [Entry] = []
        let room = chunkLimit - chunks[number].entries.count
        if room < new.count {
            tail = Array(chunks[number].entries[at.offset...])
            chunks[number].entries.removeSubrange(at.offset...)
        }
        let first = new.prefix(chunkLimit - chunks[number].entries.count)
        chunks[number].entries.insert(contentsOf: first, at: at.offset)
        for entry in first { chunkOf[entry.node] = UInt32(number + 1) }
        if new.count == 1, first.count == 1, tail.isEmpty {
            lists[listIndex]!.least[at.ordinal] = min(lists[listIndex]!.least[at.ordinal], new[0].level)
            if new[0].folds == 0 {
                lists[listIndex]!.open[at.ordinal] += height(of: new[0])
                lists[listIndex]!.openCount += height(of: new[0])
            }
            return
        }
        recount(at.ordinal, of: listIndex)
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
        addChunks(pieces, at: at.ordinal + 1, in: listIndex)
    }

    private mutating func addChunks(_ pieces: [[Entry]], at ordinal: Int, in listIndex: Int) {
        guard !pieces.isEmpty else { return }
        var numbers: [UInt32] = []
        for piece in pieces {
            let number = freeChunks.popLast() ?? chunks.count
            let chunk = Chunk(list: listIndex, round: round, entries: piece)
            if number == chunks.count { chunks.append(chunk) } else { chunks[number] = chunk }
            for entry in piece { chunkOf[entry.node] = UInt32(number + 1) }
            numbers.append(UInt32(number))
        }
        lists[listIndex]!.chunks.insert(contentsOf: numbers, at: ordinal)
        lists[listIndex]!.least.insert(contentsOf: repeatElement(0, count: pieces.count), at: ordinal)
        lists[listIndex]!.open.insert(contentsOf: repeatElement(0, count: pieces.count), at: ordinal)
        lists[listIndex]!.found.insert(contentsOf: repeatElement(0, count: pieces.count), at: ordinal)
        number(from: ordinal, of: listIndex)
        for new in ordinal..<(ordinal + pieces.count) { recount(new, of: listIndex) }
    }

    /// Removes the entries between two positions.
    mutating func remove(from start: Position, to end: Position, in listIndex: Int) {
        var emptied: Range<Int>?
        let last = min(end.ordinal, lists[listIndex]!.chunks.count - 1)
        guard start < end, start.ordinal <= last else { return }
        for ordinal in start.ordinal...last {
            let number = chunk(ordinal, of: listIndex)
            let from = ordinal == start.ordinal ? start.offset : 0
            let to = ordinal == end.ordinal ? end.offset : chunks[number].entries.count
            guard from < to else { continue }
            for entry in chunks[number].entries[from..<to] { chunkOf[entry.node] = 0 }
            chunks[number].entries.removeSubrange(from..<to)
            lists[listIndex]!.count -= to - from
            recount(ordinal, of: listIndex)
            if chunks[number].entries.isEmpty { emptied = (emptied?.lowerBound ?? ordinal)..<(ordinal + 1) }
        }
        if let emptied {
            for ordinal in emptied {
                chunks[chunk(ordinal, of: listIndex)].entries = []
                freeChunks.append(chunk(ordinal, of: listIndex))
            }
            dropChunks(emptied, of: listIndex)
        }
        join(around: start.ordinal, in: listIndex)
    }

    private mutating func dropChunks(_ ordinals: Range<Int>, of listIndex: Int) {
        lists[listIndex]!.chunks.removeSubrange(ordinals)
        lists[listIndex]!.least.removeSubrange(ordinals)
        lists[listIndex]!.open.removeSubrange(ordinals)
        lists[listIndex]!.found.removeSubrange(ordinals)
        number(from: ordinals.lowerBound, of: listIndex)
    }

    private mutating func number(from ordinal: Int, of listIndex: Int) {
        for later in ordinal..<lists[listIndex]!.chunks.count { chunks[chunk(later, of: listIndex)].ordinal = later }
    }

    /// Joins neighbouring chunks that fill at most half a chunk together.
    private mutating func join(around ordinal: Int, in listIndex: Int) {
        for upper in [ordinal + 1, ordinal] where upper > 0 && upper < lists[listIndex]!.chunks.count {
            let (left, right) = (chunk(upper - 1, of: listIndex), chunk(upper, of: listIndex))
            guard chunks[left].entries.count + chunks[right].entries.count <= chunkLimit / 2 else { continue }
            pushDownFolds(left)
            pushDownFolds(right)
            for entry in chunks[right].entries { chunkOf[entry.node] = UInt32(left + 1) }
            chunks[left].entries += chunks[right].entries
            chunks[right].entries = []
            freeChunks.append(right)
            lists[listIndex]!.openCount -= lists[listIndex]!.open[upper]
            lists[listIndex]!.foundCount -= lists[listIndex]!.found[upper]
            dropChunks(upper..<(upper + 1), of: listIndex)
            recount(upper - 1, of: listIndex)
        }
    }

    /// Moves a chunk's own fold counts into its entries.
    mutating func pushDownFolds(_ number: Int) {
        resetOldMatches(number)
        let (folds, userFolds) = (chunks[number].folds, chunks[number].userFolds)
        guard folds > 0 || userFolds > 0 else { return }
        for offset in chunks[number].entries.indices {
            chunks[number].entries[offset].folds += folds
            chunks[number].entries[offset].userFolds += userFolds
        }
        (chunks[number].folds, chunks[number].userFolds) = (0, 0)
    }

    /// Clears a chunk's matches if they are of an earlier filter round.
    mutating func resetOldMatches(_ number: Int) {
        guard chunks[number].round != round else { return }
        chunks[number].round = round
        for offset in chunks[number].entries.indices {
            chunks[number].entries[offset].shown = 0
            chunks[number].entries[offset].flags.remove(.match)
        }
    }

    /// Recounts what a list stores of a chunk: the least level and the numbers of rows.
    mutating func recount(_ ordinal: Int, of listIndex: Int) {
        let number = chunk(ordinal, of: listIndex)
        let (isOpen, isFound) = (chunks[number].folds == 0, chunks[number].userFolds == 0)
        let isFresh = chunks[number].round == round
        let hasForeign = !foreignRows.isEmpty
        let counts = chunks[number].entries.withUnsafeBufferPointer { entries in
            var (least, open, found) = (UInt32.max, 0, 0)
            for entry in entries {
                least = min(least, entry.level)
                if isOpen, entry.folds == 0 { open += hasForeign ? height(of: entry) : 1 }
                if isFound, isFresh, entry.userFolds == 0, entry.shown > 0 { found += 1 }
            }
            return (least, open, found)
        }
        lists[listIndex]!.least[ordinal] = counts.0
        lists[listIndex]!.openCount += counts.1 - lists[listIndex]!.open[ordinal]
        lists[listIndex]!.open[ordinal] = counts.1
        lists[listIndex]!.foundCount += counts.2 - lists[listIndex]!.found[ordinal]
        lists[listIndex]!.found[ordinal] = counts.2
    }
}
