import ChainModel

// Rows out of lists: those of the window alone are made.
extension LongChainIndex {
    /// How many rows a chain has, its root unfolded; `isFiltered` while a filter hides the rest.
    func rowCount(of l: Int, isFiltered: Bool) -> Int { isFiltered ? lists[l]!.foundCount : lists[l]!.openCount }

    func isShown(at position: Position, in l: Int, isFiltered: Bool) -> Bool {
        let number = chunk(position.place, of: l)
        return isShown(chunks[number].entries[position.offset], number, isFiltered)
    }

    private func isShown(_ entry: Entry, _ number: Int, _ isFiltered: Bool) -> Bool {
        guard isFiltered else { return entry.folds == 0 && chunks[number].folds == 0 }
        return entry.userFolds == 0 && chunks[number].userFolds == 0 && entry.shown > 0
            && chunks[number].round == round
    }

    /// The row of a node in its chain; nil where it is hidden.
    func row(at position: Position, in l: Int, isFiltered: Bool) -> Int? {
        guard isShown(at: position, in: l, isFiltered: isFiltered) else { return nil }
        var row = 0
        for place in 0..<position.place { row += isFiltered ? lists[l]!.found[place] : lists[l]!.open[place] }
        let number = chunk(position.place, of: l)
        for entry in chunks[number].entries[..<position.offset] where isShown(entry, number, isFiltered) { row += 1 }
        return row
    }

    /// The rows of a chain from a number on, at most so many.
    func rows(from first: Int, count: Int, in l: Int, isFiltered: Bool) -> [TreeRow] {
        let positions = positions(from: first, count: count, in: l, isFiltered)
        guard let last = positions.last else { return [] }
        let entries = positions.map { entry(at: $0, in: l) }
        let after = position(after: last, in: l)
        var rows: [TreeRow] = []
        rows.reserveCapacity(entries.count)
        // From the last row up: at which levels more follows below.
        var guides = guides(from: after, isFiltered, in: l)
        for place in entries.indices.reversed() {
            let (entry, at) = (entries[place], positions[place])
            let depth = entry.level >> 1
            let isRoot = at.place == 0 && at.offset == 0
            let next = entries[(place + 1)...].first { $0.level <= entry.level | 1 }
            let goesOn =
                next.map { $0.level == entry.level | 1 }
                ?? (shownLevel(atMost: entry.level | 1, from: after, isFiltered, in: l) == entry.level | 1)
            var more = depth > 0 && depth <= 32 && guides & (1 << (depth - 1)) != 0
            if depth > 32 {
                let even = entry.level & ~1
                let next = entries[(place + 1)...].first { $0.level <= even }
                more = (next?.level ?? shownLevel(atMost: even, from: after, isFiltered, in: l)) == even
            }
            var flags: TreeRow.Flags = isRoot ? .root : []
            if entry.level & 1 == 1, !isRoot { flags.insert(.continuation) }
            let isFolded = entry.flags.contains(isFiltered ? .userFolded : .folded) && !isRoot
            let below = place + 1 < entries.count ? entries[place + 1] : nextShown(after: at, isFiltered, in: l)
            let hasInside =
                isFolded
                ? hides(at, isFiltered, in: l)
                : below.map { $0.level >> 1 > entry.level >> 1 } == true || (isRoot && goesOn)
            if hasInside { flags.insert(.foldable) }
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
        return rows.reversed()
    }

    private func positions(from first: Int, count: Int, in l: Int, _ isFiltered: Bool) -> [Position] {
        var result: [Position] = []
        var rest = first
        for place in lists[l]!.chunks.indices {
            let here = isFiltered ? lists[l]!.found[place] : lists[l]!.open[place]
            if rest >= here {
                rest -= here
                continue
            }
            let number = chunk(place, of: l)
            for offset in chunks[number].entries.indices
            where isShown(chunks[number].entries[offset], number, isFiltered) {
                if rest > 0 {
                    rest -= 1
                    continue
                }
                result.append(Position(place: place, offset: offset))
                if result.count == count { return result }
            }
        }
        return result
    }

    /// The next entry that is shown.
    private func nextShown(after position: Position, _ isFiltered: Bool, in l: Int) -> Entry? {
        var at = self.position(after: position, in: l)
        while at.place < lists[l]!.chunks.count {
            if (isFiltered ? lists[l]!.found[at.place] : lists[l]!.open[at.place]) > 0 {
                let number = chunk(at.place, of: l)
                let rest = chunks[number].entries[at.offset...]
                if let found = rest.first(where: { isShown($0, number, isFiltered) }) { return found }
            }
            at = Position(place: at.place + 1, offset: 0)
        }
        return nil
    }

    /// Whether folding an entry hides anything, all else as it is.
    private func hides(_ at: Position, _ isFiltered: Bool, in l: Int) -> Bool {
        let entry = entry(at: at, in: l)
        guard isFiltered else {
            let next = position(after: at, in: l)
            return next.place < lists[l]!.chunks.count && self.entry(at: next, in: l).level >> 1 > entry.level >> 1
        }
        var inside = Int(shown(at: at, in: l)) - (entry.flags.contains(.match) ? 1 : 0)
        if let end = endOfInside(at: at, in: l), self.entry(at: end, in: l).level == entry.level | 1,
            shown(at: end, in: l) > 0
        {
            inside -= 1
        }
        return inside > 0
    }

    /// The level of the first entry from a position on that is shown and of a level or a lesser one; nil where one that
    /// is hidden, and less far in, comes before it.
    private func shownLevel(atMost level: UInt32, from position: Position, _ isFiltered: Bool, in l: Int) -> UInt32? {
        var at = position
        while let next = firstUseful(atMost: level, from: at, isFiltered, in: l) {
            let found = entry(at: next, in: l).level
            if isShown(at: next, in: l, isFiltered: isFiltered) { return found }
            // Others beside it may be shown; less far in, or of what it goes on with, are none.
            if found < level || level & 1 == 1 { return nil }
            at = self.position(after: next, in: l)
        }
        return nil
    }

    /// As ``firstAtMost(_:from:in:)``, but for whole chunks of entries that are of this level and hidden.
    private func firstUseful(
        atMost level: UInt32, from position: Position, _ isFiltered: Bool, in l: Int
    ) -> Position? {
        var at = position
        while at.place < lists[l]!.chunks.count {
            let shown = isFiltered ? lists[l]!.found[at.place] : lists[l]!.open[at.place]
            if shown == 0, level & 1 == 0, lists[l]!.least[at.place] == level {
                at = Position(place: at.place + 1, offset: 0)
                continue
            }
            let limit = Position(place: at.place + 1, offset: 0)
            if lists[l]!.least[at.place] > level {
                at = limit
                continue
            }
            let entries = chunks[chunk(at.place, of: l)].entries
            if let offset = entries[at.offset...].firstIndex(where: { $0.level <= level }) {
                return Position(place: at.place, offset: offset)
            }
            at = limit
        }
        return nil
    }

    /// The levels, from bit 0 for the first below the root, at which something that is shown follows a position.
    private func guides(from position: Position, _ isFiltered: Bool, in l: Int) -> UInt32 {
        var guides: UInt32 = 0
        var bound: UInt32 = 64
        var at = position
        while bound > 0, let next = firstUseful(atMost: bound, from: at, isFiltered, in: l) {
            let level = entry(at: next, in: l).level
            if level < 2 { break }
            if level & 1 == 1 {
                // Something goes on there: whatever is further in has come to its end.
                bound = level - 1
            } else if isShown(at: next, in: l, isFiltered: isFiltered) {
                guides |= 1 << (level >> 1 - 1)
                bound = level - 2
            } else {
                bound = level
            }
            at = self.position(after: next, in: l)
        }
        return guides
    }
}
