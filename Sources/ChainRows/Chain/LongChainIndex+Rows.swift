import ChainModel

// Rows from lists: only the rows that are asked for are made.
extension LongChainIndex {
    /// Returns the number of rows of a chain with its root unfolded; `isFiltered` says whether a filter hides nodes.
    func rowCount(of listIndex: Int, isFiltered: Bool) -> Int {
        isFiltered ? lists[listIndex]!.filteredRowCount : lists[listIndex]!.rowCount
    }

    @inline(__always)
    private func rowCount(ofChunk ordinal: Int, in listIndex: Int, _ isFiltered: Bool) -> Int {
        isFiltered ? lists[listIndex]!.filteredRowCounts[ordinal] : lists[listIndex]!.rowCounts[ordinal]
    }

    /// Returns whether an entry has a row while its root is unfolded.
    func isShown(at position: Position, in listIndex: Int, isFiltered: Bool) -> Bool {
        let chunkIndex = indexOfChunk(position.ordinal, of: listIndex)
        return isShown(chunks[chunkIndex].entries[position.offset], inChunk: chunkIndex, isFiltered)
    }

    private func isShown(_ entry: Entry, inChunk chunkIndex: Int, _ isFiltered: Bool) -> Bool {
        guard isFiltered else { return entry.folds == 0 && chunks[chunkIndex].folds == 0 }
        return entry.ownFolds == 0 && chunks[chunkIndex].ownFolds == 0 && entry.shownCount > 0
            && chunks[chunkIndex].round == round
    }

    /// Returns the row of an entry, counted from the first row of its chain; nil where it is hidden.
    func row(at position: Position, in listIndex: Int, isFiltered: Bool) -> Int? {
        guard isShown(at: position, in: listIndex, isFiltered: isFiltered) else { return nil }
        var row = 0
        for ordinal in 0..<position.ordinal { row += rowCount(ofChunk: ordinal, in: listIndex, isFiltered) }
        let chunkIndex = indexOfChunk(position.ordinal, of: listIndex)
        for entry in chunks[chunkIndex].entries[..<position.offset]
        where isShown(entry, inChunk: chunkIndex, isFiltered) {
            row += isFiltered ? 1 : height(of: entry)
        }
        return row
    }

    /// Returns the number of rows of a shown entry while no filter hides nodes. They are its own row and, unless it is
    /// folded, the foreign rows (rows of other programs' chains) under it.
    @inline(__always)
    func height(of entry: Entry) -> Int {
        foreignRows.isEmpty || entry.flags.contains(.folded) ? 1 : 1 + (foreignRows[entry.node] ?? 0)
    }

    /// Sets how many rows of other programs are drawn under a node.
    mutating func setForeignRows(_ count: Int, of node: NodeIndex) {
        foreignRows[node.rawValue] = count > 0 ? count : nil
        if let (listIndex, position) = find(node) { recount(position.ordinal, of: listIndex) }
    }

    /// Returns the own row of each node that has any of the rows `first ..< first + count` of a chain. The rows of a
    /// node are its own row and the foreign rows under it. `skipped` is how many rows of the first of these nodes come
    /// before `first`.
    func rows(from first: Int, count: Int, in listIndex: Int, isFiltered: Bool) -> (rows: [TreeRow], skipped: Int) {
        let (positions, skipped) = positions(from: first, count: count, in: listIndex, isFiltered)
        guard let last = positions.last else { return ([], 0) }
        let entries = positions.map { entry(at: $0, in: listIndex) }
        let after = position(after: last, in: listIndex)
        var rows: [TreeRow] = []
        rows.reserveCapacity(entries.count)
        // From the last row up, because guides depend on the rows below.
        var guides = guides(from: after, isFiltered, in: listIndex)
        for index in entries.indices.reversed() {
            let (entry, position) = (entries[index], positions[index])
            let (depth, tailLevel) = (entry.depth, entry.continuationLevel)
            let isRoot = position.ordinal == 0 && position.offset == 0
            // The continuation follows the rows inside the node: it is among `entries`, or below them.
            let next = entries[(index + 1)...].first { $0.level <= tailLevel }
            let hasContinuation =
                next.map { $0.level == tailLevel }
                ?? (shownLevel(atMost: tailLevel, from: after, isFiltered, in: listIndex) == tailLevel)
            var isPassing = depth > 0 && depth <= TreeRow.guideLimit && guides & (1 << (depth - 1)) != 0
            if depth > TreeRow.guideLimit {
                let level = entry.siblingLevel
                let next = entries[(index + 1)...].first { $0.level <= level }?.level
                isPassing = (next ?? shownLevel(atMost: level, from: after, isFiltered, in: listIndex)) == level
            }
            var flags: TreeRow.Flags = isRoot ? .root : []
            if entry.isContinuation, !isRoot { flags.insert(.continuation) }
            let isFolded = entry.flags.contains(isFiltered ? .ownFolded : .folded) && !isRoot
            let below =
                index + 1 < entries.count ? entries[index + 1] : nextShown(after: position, isFiltered, in: listIndex)
            let isOpenInside = !isFolded && below.map { $0.depth > depth } == true
            let isFoldable =
                isFolded && hides(at: position, isFiltered, in: listIndex) || isOpenInside
                || (isRoot && hasContinuation) || !isFiltered && foreignRows[entry.node] != nil
            if isFoldable { flags.insert(.foldable) }
            if isOpenInside { flags.insert(.openInside) }
            if isFolded, isFoldable { flags.insert(.folded) }
            if isPassing { flags.insert(.passing) } else if !hasContinuation { flags.insert(.last) }
            rows.append(
                TreeRow(
                    node: NodeIndex(rawValue: entry.node), depth: UInt16(clamping: depth),
                    guides: guides & Self.guideMask(below: depth), flags: flags))
            // For the rows above: this row ends the levels further in. If it is no continuation, it follows at its own
            // level.
            guides &= Self.guideMask(below: depth + 1)
            if depth > 0, depth <= TreeRow.guideLimit, !entry.isContinuation { guides |= 1 << (depth - 1) }
        }
        return (rows.reversed(), skipped)
    }

    /// Returns the bits of ``TreeRow/guides`` for the levels 1 ..< `level`.
    private static func guideMask(below level: UInt32) -> UInt32 {
        guard level > 0 else { return 0 }
        return level > TreeRow.guideLimit ? .max : (1 << (level - 1)) - 1
    }

    /// Returns the positions of the entries with any of the rows `first ..< first + count`. `skipped` is how many rows
    /// of the first of these entries come before `first`.
    private func positions(
        from first: Int, count: Int, in listIndex: Int, _ isFiltered: Bool
    ) -> (positions: [Position], skipped: Int) {
        var result: [Position] = []
        var (rest, left, skipped) = (first, count, 0)
        for ordinal in lists[listIndex]!.chunks.indices {
            let rowCount = rowCount(ofChunk: ordinal, in: listIndex, isFiltered)
            if rest >= rowCount {
                rest -= rowCount
                continue
            }
            let chunkIndex = indexOfChunk(ordinal, of: listIndex)
            for offset in chunks[chunkIndex].entries.indices
            where isShown(chunks[chunkIndex].entries[offset], inChunk: chunkIndex, isFiltered) {
                let height = isFiltered ? 1 : height(of: chunks[chunkIndex].entries[offset])
                if rest >= height {
                    rest -= height
                    continue
                }
                if result.isEmpty { skipped = rest }
                result.append(Position(ordinal: ordinal, offset: offset))
                left -= height - rest
                rest = 0
                if left <= 0 { return (result, skipped) }
            }
        }
        return (result, skipped)
    }

    /// Returns the first shown entry after a position; nil where there is none.
    private func nextShown(after position: Position, _ isFiltered: Bool, in listIndex: Int) -> Entry? {
        var start = self.position(after: position, in: listIndex)
        while start.ordinal < lists[listIndex]!.chunks.count {
            if rowCount(ofChunk: start.ordinal, in: listIndex, isFiltered) > 0 {
                let chunkIndex = indexOfChunk(start.ordinal, of: listIndex)
                let rest = chunks[chunkIndex].entries[start.offset...]
                if let found = rest.first(where: { isShown($0, inChunk: chunkIndex, isFiltered) }) { return found }
            }
            start = Position(ordinal: start.ordinal + 1, offset: 0)
        }
        return nil
    }

    /// Returns whether folding an entry hides any row.
    private func hides(at position: Position, _ isFiltered: Bool, in listIndex: Int) -> Bool {
        let entry = entry(at: position, in: listIndex)
        guard isFiltered else {
            let next = self.position(after: position, in: listIndex)
            return next.ordinal < lists[listIndex]!.chunks.count
                && self.entry(at: next, in: listIndex).depth > entry.depth
        }
        // How many children are shown, without the continuation.
        var innerCount = Int(shownCount(at: position, in: listIndex)) - (entry.flags.contains(.match) ? 1 : 0)
        if let end = endOfInside(at: position, in: listIndex),
            self.entry(at: end, in: listIndex).level == entry.continuationLevel,
            shownCount(at: end, in: listIndex) > 0
        {
            innerCount -= 1
        }
        return innerCount > 0
    }

    /// Returns the level of the first entry of at most `level` from a position on; nil if that entry is hidden, or if
    /// there is none. If `level` is even, skips hidden entries of that level, which are siblings.
    private func shownLevel(atMost level: UInt32, from position: Position, _ isFiltered: Bool, in listIndex: Int)
        -> UInt32?
    {
        var start = position
        while let next = firstCandidate(atMost: level, from: start, isFiltered, in: listIndex) {
            let found = entry(at: next, in: listIndex).level
            if isShown(at: next, in: listIndex, isFiltered: isFiltered) { return found }
            // A later sibling may be shown. After a continuation or an entry further out there is no such sibling.
            if found < level || level & 1 == 1 { return nil }
            start = self.position(after: next, in: listIndex)
        }
        return nil
    }

    /// Returns the position of the first entry of at most `level` from a position on. If `level` is even, skips chunks
    /// without a shown entry and without an entry further out.
    private func firstCandidate(
        atMost level: UInt32, from position: Position, _ isFiltered: Bool, in listIndex: Int
    ) -> Position? {
        var start = position
        while start.ordinal < lists[listIndex]!.chunks.count {
            let rowCount = rowCount(ofChunk: start.ordinal, in: listIndex, isFiltered)
            let leastLevel = lists[listIndex]!.leastLevels[start.ordinal]
            let isHidden = rowCount == 0 && level & 1 == 0 && leastLevel == level
            if !isHidden, leastLevel <= level {
                let entries = chunks[indexOfChunk(start.ordinal, of: listIndex)].entries
                if let offset = entries[start.offset...].firstIndex(where: { $0.level <= level }) {
                    return Position(ordinal: start.ordinal, offset: offset)
                }
            }
            start = Position(ordinal: start.ordinal + 1, offset: 0)
        }
        return nil
    }

    /// Returns the ``TreeRow/guides`` beside rows that end at a position: the levels at which a shown entry follows,
    /// before any entry further out.
    private func guides(from position: Position, _ isFiltered: Bool, in listIndex: Int) -> UInt32 {
        var guides: UInt32 = 0
        // The greatest level at which an entry may still follow.
        var bound = 2 * TreeRow.guideLimit
        var start = position
        while bound > 0, let next = firstCandidate(atMost: bound, from: start, isFiltered, in: listIndex) {
            let entry = entry(at: next, in: listIndex)
            if entry.depth == 0 { break }
            if entry.isContinuation {
                // A continuation ends all levels further in.
                bound = entry.siblingLevel
            } else if isShown(at: next, in: listIndex, isFiltered: isFiltered) {
                guides |= 1 << (entry.depth - 1)
                bound = entry.level - 2
            } else {
                bound = entry.level
            }
            start = self.position(after: next, in: listIndex)
        }
        return guides
    }
}
