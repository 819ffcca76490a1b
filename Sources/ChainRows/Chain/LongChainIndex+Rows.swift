import ChainModel

// Rows from lists: only those of the window are made.
extension LongChainIndex {
    /// Returns the number of rows of a chain with its root unfolded; `isFiltered` while a filter hides the rest.
    func rowCount(of listIndex: Int, isFiltered: Bool) -> Int {
        isFiltered ? lists[listIndex]!.foundCount : lists[listIndex]!.openCount
    }

    func isShown(at position: Position, in listIndex: Int, isFiltered: Bool) -> Bool {
        let number = chunk(position.ordinal, of: listIndex)
        return isShown(chunks[number].entries[position.offset], number, isFiltered)
    }

    private func isShown(_ entry: Entry, _ number: Int, _ isFiltered: Bool) -> Bool {
        guard isFiltered else { return entry.folds == 0 && chunks[number].folds == 0 }
        return entry.userFolds == 0 && chunks[number].userFolds == 0 && entry.shown > 0
            && chunks[number].round == round
    }

    /// Returns the row of a node in its chain; nil where it is hidden.
    func row(at position: Position, in listIndex: Int, isFiltered: Bool) -> Int? {
        guard isShown(at: position, in: listIndex, isFiltered: isFiltered) else { return nil }
        var row = 0
        for ordinal in 0..<position.ordinal {
            row += isFiltered ? lists[listIndex]!.found[ordinal] : lists[listIndex]!.open[ordinal]
        }
        let number = chunk(position.ordinal, of: listIndex)
        for entry in chunks[number].entries[..<position.offset] where isShown(entry, number, isFiltered) {
            row += isFiltered ? 1 : height(of: entry)
        }
        return row
    }

    /// Returns the rows that an entry takes with the foreign ones under it, if it is shown and no filter hides the rest.
    @inline(__always)
    func height(of entry: Entry) -> Int {
        foreignRows.isEmpty || entry.flags.contains(.folded) ? 1 : 1 + (foreignRows[entry.node] ?? 0)
    }

    /// Sets how many rows of other programs are drawn under a node.
    mutating func setForeignRows(_ count: Int, of node: NodeIndex) {
        foreignRows[node.rawValue] = count > 0 ? count : nil
        if let (listIndex, at) = find(node) { recount(at.ordinal, of: listIndex) }
    }

    /// Returns the rows of the nodes that the rows `first ..< first + count` of a chain are of, foreign ones included, and
    /// how many rows of the first of these nodes come before `first`.
    func rows(from first: Int, count: Int, in listIndex: Int, isFiltered: Bool) -> (rows: [TreeRow], skipped: Int) {
        let (positions, skipped) = positions(from: first, count: count, in: listIndex, isFiltered)
        guard let last = positions.last else { return ([], 0) }
        let entries = positions.map { entry(at: $0, in: listIndex) }
        let after = position(after: last, in: listIndex)
        var rows: [TreeRow] = []
        rows.reserveCapacity(entries.count)
        // From the last row up, because guides depend on what follows below.
        var guides = guides(from: after, isFiltered, in: listIndex)
        for ordinal in entries.indices.reversed() {
            let (entry, at) = (entries[ordinal], positions[ordinal])
            let depth = entry.level >> 1
            let isRoot = at.ordinal == 0 && at.offset == 0
            let next = entries[(ordinal + 1)...].first { $0.level <= entry.level | 1 }
            let goesOn =
                next.map { $0.level == entry.level | 1 }
                ?? (shownLevel(atMost: entry.level | 1, from: after, isFiltered, in: listIndex) == entry.level | 1)
            var more = depth > 0 && depth <= 32 && guides & (1 << (depth - 1)) != 0
            if depth > 32 {
                let even = entry.level & ~1
                let next = entries[(ordinal + 1)...].first { $0.level <= even }
                more = (next?.level ?? shownLevel(atMost: even, from: after, isFiltered, in: listIndex)) == even
            }
            var flags: TreeRow.Flags = isRoot ? .root : []
            if entry.level & 1 == 1, !isRoot { flags.insert(.continuation) }
            let isFolded = entry.flags.contains(isFiltered ? .userFolded : .folded) && !isRoot
            let below =
                ordinal + 1 < entries.count ? entries[ordinal + 1] : nextShown(after: at, isFiltered, in: listIndex)
            let isOpenInside = !isFolded && below.map { $0.level >> 1 > entry.level >> 1 } == true
            let hasInside =
                isFolded && hides(at, isFiltered, in: listIndex) || isOpenInside || (isRoot && goesOn)
                || !isFiltered && foreignRows[entry.node] != nil
            if hasInside { flags.insert(.foldable) }
            if isOpenInside { flags.insert(.openInside) }
            if isFolded, hasInside { flags.insert(.folded) }
            if !more, !goesOn { flags.insert(.last) }
            if more { flags.insert(.passing) }
            let around = depth == 0 ? 0 : depth > 32 ? guides : guides & (1 << (depth - 1) - 1)
            rows.append(
                TreeRow(
                    node: NodeIndex(rawValue: entry.node), depth: UInt16(clamping: depth), guides: around,
                    flags: flags))
            if depth < 32 { guides &= 1 << depth - 1 }
            if depth > 0, depth <= 32, entry.level & 1 == 0 { guides |= 1 << (depth - 1) }
        }
        return (rows.reversed(), skipped)
    }

    private func positions(
        from first: Int, count: Int, in listIndex: Int, _ isFiltered: Bool
    ) -> (positions: [Position], skipped: Int) {
        var result: [Position] = []
        var (rest, left, skipped) = (first, count, 0)
        for ordinal in lists[listIndex]!.chunks.indices {
            let here = isFiltered ? lists[listIndex]!.found[ordinal] : lists[listIndex]!.open[ordinal]
            if rest >= here {
                rest -= here
                continue
            }
            let number = chunk(ordinal, of: listIndex)
            for offset in chunks[number].entries.indices
            where isShown(chunks[number].entries[offset], number, isFiltered) {
                let height = isFiltered ? 1 : height(of: chunks[number].entries[offset])
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

    private func nextShown(after position: Position, _ isFiltered: Bool, in listIndex: Int) -> Entry? {
        var at = self.position(after: position, in: listIndex)
        while at.ordinal < lists[listIndex]!.chunks.count {
            if (isFiltered ? lists[listIndex]!.found[at.ordinal] : lists[listIndex]!.open[at.ordinal]) > 0 {
                let number = chunk(at.ordinal, of: listIndex)
                let rest = chunks[number].entries[at.offset...]
                if let found = rest.first(where: { isShown($0, number, isFiltered) }) { return found }
            }
            at = Position(ordinal: at.ordinal + 1, offset: 0)
        }
        return nil
    }

    /// Returns whether folding an entry hides anything.
    private func hides(_ at: Position, _ isFiltered: Bool, in listIndex: Int) -> Bool {
        let entry = entry(at: at, in: listIndex)
        guard isFiltered else {
            let next = position(after: at, in: listIndex)
            return next.ordinal < lists[listIndex]!.chunks.count
                && self.entry(at: next, in: listIndex).level >> 1 > entry.level >> 1
        }
        var inside = Int(shown(at: at, in: listIndex)) - (entry.flags.contains(.match) ? 1 : 0)
        if let end = endOfInside(at: at, in: listIndex), self.entry(at: end, in: listIndex).level == entry.level | 1,
            shown(at: end, in: listIndex) > 0
        {
            inside -= 1
        }
        return inside > 0
    }

    /// Returns the level of the first shown entry of at most `level` from a position on; nil where a hidden entry
    /// further out comes first.
    private func shownLevel(atMost level: UInt32, from position: Position, _ isFiltered: Bool, in listIndex: Int)
        -> UInt32?
    {
        var at = position
        while let next = firstUseful(atMost: level, from: at, isFiltered, in: listIndex) {
            let found = entry(at: next, in: listIndex).level
            if isShown(at: next, in: listIndex, isFiltered: isFiltered) { return found }
            // Siblings may be shown; entries further out, or those of a hidden continuation, are not.
            if found < level || level & 1 == 1 { return nil }
            at = self.position(after: next, in: listIndex)
        }
        return nil
    }

    /// Returns the same as ``firstAtMost(_:from:in:)``, but skips chunks in which all entries of the level are hidden.
    private func firstUseful(
        atMost level: UInt32, from position: Position, _ isFiltered: Bool, in listIndex: Int
    ) -> Position? {
        var at = position
        while at.ordinal < lists[listIndex]!.chunks.count {
            let shown = isFiltered ? lists[listIndex]!.found[at.ordinal] : lists[listIndex]!.open[at.ordinal]
            if shown == 0, level & 1 == 0, lists[listIndex]!.least[at.ordinal] == level {
                at = Position(ordinal: at.ordinal + 1, offset: 0)
                continue
            }
            let limit = Position(ordinal: at.ordinal + 1, offset: 0)
            if lists[listIndex]!.least[at.ordinal] > level {
                at = limit
                continue
            }
            let entries = chunks[chunk(at.ordinal, of: listIndex)].entries
            if let offset = entries[at.offset...].firstIndex(where: { $0.level <= level }) {
                return Position(ordinal: at.ordinal, offset: offset)
            }
            at = limit
        }
        return nil
    }

    /// Returns the levels at which a shown entry follows a position; bit 0 is the first level below the root.
    private func guides(from position: Position, _ isFiltered: Bool, in listIndex: Int) -> UInt32 {
        var guides: UInt32 = 0
        var bound: UInt32 = 64
        var at = position
        while bound > 0, let next = firstUseful(atMost: bound, from: at, isFiltered, in: listIndex) {
            let level = entry(at: next, in: listIndex).level
            if level < 2 { break }
            if level & 1 == 1 {
                // A continuation, so that all levels further in have ended.
                bound = level - 1
            } else if isShown(at: next, in: listIndex, isFiltered: isFiltered) {
                guides |= 1 << (level >> 1 - 1)
                bound = level - 2
            } else {
                bound = level
            }
            at = self.position(after: next, in: listIndex)
        }
        return guides
    }
}
