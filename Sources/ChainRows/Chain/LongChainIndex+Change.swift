import ChainModel

// Putting entries in and taking them out, folding, and counting what the filter shows.
extension LongChainIndex {
    mutating func addList(of root: NodeIndex) -> Int {
        let number = freeLists.popLast() ?? lists.count
        if number == lists.count { lists.append(nil) }
        lists[number] = List(root: root)
        listOf[root] = number
        return number
    }

    /// Forgets a list. O(its nodes).
    mutating func removeList(_ l: Int) {
        guard let list = lists[l] else { return }
        remove(from: Position(place: 0, offset: 0), to: end(of: l), in: l)
        listOf[list.root] = nil
        lists[l] = nil
        freeLists.append(l)
    }

    /// Forgets all lists.
    mutating func removeAll() {
        (lists, freeLists, listOf, chunks, freeChunks, large) = ([], [], [:], [], [], [])
        chunkOf.removeAll()
    }

    // MARK: In and out

    /// Puts entries in front of a position.
    mutating func insert(_ new: [Entry], at position: Position, in l: Int) {
        guard !new.isEmpty else { return }
        if lists[l]!.chunks.isEmpty { addChunks([[]], at: 0, in: l) }
        var at = position
        if at.offset == 0, at.place > 0 {
            // Rather at the end of the chunk before, if it has room.
            let count = chunks[chunk(at.place - 1, of: l)].entries.count
            if at.place == lists[l]!.chunks.count || count + new.count <= chunkLimit {
                at = Position(place: at.place - 1, offset: count)
            }
        }
        let number = chunk(at.place, of: l)
        settle(number)
        lists[l]!.count += new.count
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
            lists[l]!.least[at.place] = min(lists[l]!.least[at.place], new[0].level)
            if new[0].folds == 0 {
                lists[l]!.open[at.place] += 1
                lists[l]!.openCount += 1
            }
            return
        }
        recount(at.place, of: l)
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
        addChunks(pieces, at: at.place + 1, in: l)
    }

    private mutating func addChunks(_ pieces: [[Entry]], at place: Int, in l: Int) {
        guard !pieces.isEmpty else { return }
        var numbers: [UInt32] = []
        for piece in pieces {
            let number = freeChunks.popLast() ?? chunks.count
            let chunk = Chunk(list: l, round: round, entries: piece)
            if number == chunks.count { chunks.append(chunk) } else { chunks[number] = chunk }
            for entry in piece { chunkOf[entry.node] = UInt32(number + 1) }
            numbers.append(UInt32(number))
        }
        lists[l]!.chunks.insert(contentsOf: numbers, at: place)
        lists[l]!.least.insert(contentsOf: repeatElement(0, count: pieces.count), at: place)
        lists[l]!.open.insert(contentsOf: repeatElement(0, count: pieces.count), at: place)
        lists[l]!.found.insert(contentsOf: repeatElement(0, count: pieces.count), at: place)
        number(from: place, of: l)
        for new in place..<(place + pieces.count) { recount(new, of: l) }
    }

    /// Takes out the entries from a position up to another.
    mutating func remove(from start: Position, to end: Position, in l: Int) {
        var emptied: Range<Int>?
        let last = min(end.place, lists[l]!.chunks.count - 1)
        guard start < end, start.place <= last else { return }
        for place in start.place...last {
            let number = chunk(place, of: l)
            let from = place == start.place ? start.offset : 0
            let to = place == end.place ? end.offset : chunks[number].entries.count
            guard from < to else { continue }
            for entry in chunks[number].entries[from..<to] { chunkOf[entry.node] = 0 }
            chunks[number].entries.removeSubrange(from..<to)
            lists[l]!.count -= to - from
            recount(place, of: l)
            if chunks[number].entries.isEmpty { emptied = (emptied?.lowerBound ?? place)..<(place + 1) }
        }
        if let emptied {
            for place in emptied {
                chunks[chunk(place, of: l)].entries = []
                freeChunks.append(chunk(place, of: l))
            }
            dropPlaces(emptied, of: l)
        }
        join(around: start.place, in: l)
    }

    private mutating func dropPlaces(_ places: Range<Int>, of l: Int) {
        lists[l]!.chunks.removeSubrange(places)
        lists[l]!.least.removeSubrange(places)
        lists[l]!.open.removeSubrange(places)
        lists[l]!.found.removeSubrange(places)
        number(from: places.lowerBound, of: l)
    }

    private mutating func number(from place: Int, of l: Int) {
        for later in place..<lists[l]!.chunks.count { chunks[chunk(later, of: l)].place = later }
    }

    /// Joins chunks that hold little with their neighbours.
    private mutating func join(around place: Int, in l: Int) {
        for upper in [place + 1, place] where upper > 0 && upper < lists[l]!.chunks.count {
            let (left, right) = (chunk(upper - 1, of: l), chunk(upper, of: l))
            guard chunks[left].entries.count + chunks[right].entries.count <= chunkLimit / 2 else { continue }
            settle(left)
            settle(right)
            for entry in chunks[right].entries { chunkOf[entry.node] = UInt32(left + 1) }
            chunks[left].entries += chunks[right].entries
            chunks[right].entries = []
            freeChunks.append(right)
            lists[l]!.openCount -= lists[l]!.open[upper]
            lists[l]!.foundCount -= lists[l]!.found[upper]
            dropPlaces(upper..<(upper + 1), of: l)
            recount(upper - 1, of: l)
        }
    }

    /// Carries what a chunk says of all its entries into them.
    private mutating func settle(_ number: Int) {
        freshen(number)
        let (folds, userFolds) = (chunks[number].folds, chunks[number].userFolds)
        guard folds > 0 || userFolds > 0 else { return }
        for offset in chunks[number].entries.indices {
            chunks[number].entries[offset].folds += folds
            chunks[number].entries[offset].userFolds += userFolds
        }
        (chunks[number].folds, chunks[number].userFolds) = (0, 0)
    }

    private mutating func freshen(_ number: Int) {
        guard chunks[number].round != round else { return }
        chunks[number].round = round
        for offset in chunks[number].entries.indices {
            chunks[number].entries[offset].shown = 0
            chunks[number].entries[offset].flags.remove(.match)
        }
    }

    /// Finds anew what is kept beside a chunk.
    private mutating func recount(_ place: Int, of l: Int) {
        let number = chunk(place, of: l)
        let (isOpen, isFound) = (chunks[number].folds == 0, chunks[number].userFolds == 0)
        let isFresh = chunks[number].round == round
        let counts = chunks[number].entries.withUnsafeBufferPointer { entries in
            var (least, open, found) = (UInt32.max, 0, 0)
            for entry in entries {
                least = min(least, entry.level)
                if isOpen, entry.folds == 0 { open += 1 }
                if isFound, isFresh, entry.userFolds == 0, entry.shown > 0 { found += 1 }
            }
            return (least, open, found)
        }
        lists[l]!.least[place] = counts.0
        lists[l]!.openCount += counts.1 - lists[l]!.open[place]
        lists[l]!.open[place] = counts.1
        lists[l]!.foundCount += counts.2 - lists[l]!.found[place]
        lists[l]!.found[place] = counts.2
    }

    // MARK: Folding

    /// Folds or unfolds a node, by all that is said and by what the user said. The root's folding is not known here.
    mutating func setFolded(_ node: NodeIndex, _ isFolded: Bool, byUser: Bool) {
        guard let (l, at) = find(node), lists[l]!.root != node else { return }
        setFolded(at, isFolded, byUser: byUser, in: l)
    }

    /// Makes the first entry that of a root.
    mutating func unfoldRoot(in l: Int) {
        setFolded(Position(place: 0, offset: 0), false, byUser: false, in: l)
        chunks[chunk(0, of: l)].entries[0].level = 0
        lists[l]!.least[0] = 0
    }

    private mutating func setFolded(_ at: Position, _ isFolded: Bool, byUser: Bool, in l: Int) {
        let number = chunk(at.place, of: l)
        var flags = chunks[number].entries[at.offset].flags
        let plain = (isFolded ? 1 : 0) - (flags.contains(.folded) ? 1 : 0)
        let user = (byUser ? 1 : 0) - (flags.contains(.userFolded) ? 1 : 0)
        guard plain != 0 || user != 0 else { return }
        flags.subtract([.folded, .userFolded])
        if isFolded { flags.insert(.folded) }
        if byUser { flags.insert(.userFolded) }
        chunks[number].entries[at.offset].flags = flags
        let start = position(after: at, in: l)
        let end = endOfInside(at: at, in: l) ?? end(of: l)
        guard start < end else { return }
        for place in start.place...min(end.place, lists[l]!.chunks.count - 1) {
            let number = chunk(place, of: l)
            let from = place == start.place ? start.offset : 0
            let to = place == end.place ? end.offset : chunks[number].entries.count
            guard from < to else { continue }
            if from == 0, to == chunks[number].entries.count, Int(chunks[number].folds) + plain >= 0,
                Int(chunks[number].userFolds) + user >= 0
            {
                chunks[number].folds = UInt32(Int(chunks[number].folds) + plain)
                chunks[number].userFolds = UInt16(Int(chunks[number].userFolds) + user)
            } else {
                settle(number)
                for offset in from..<to {
                    let entry = chunks[number].entries[offset]
                    chunks[number].entries[offset].folds = UInt32(Int(entry.folds) + plain)
                    chunks[number].entries[offset].userFolds = UInt16(Int(entry.userFolds) + user)
                }
            }
            recount(place, of: l)
        }
    }

    /// How many nodes around an entry are folded, and how many of these by the user.
    func folds(at position: Position, in l: Int) -> (all: UInt32, user: UInt16) {
        let number = chunk(position.place, of: l)
        let entry = chunks[number].entries[position.offset]
        return (entry.folds + chunks[number].folds, entry.userFolds + chunks[number].userFolds)
    }

    // MARK: The filter

    /// Another filter begins, or none: nothing is found so far.
    mutating func restartFilter(isActive: Bool) {
        isFiltering = isActive
        round += 1
        for l in lists.indices where lists[l] != nil {
            lists[l]!.foundCount = 0
            for place in lists[l]!.found.indices { lists[l]!.found[place] = 0 }
        }
    }

    /// Takes in whether the filter finds some nodes. Of those that stand together the one above is told once.
    mutating func setMatches(
        of nodes: some Sequence<NodeIndex>, in forest: borrowing ChainForest, _ filter: borrowing FilterScan
    ) {
        var raised: [NodeIndex: Int] = [:]
        var run: (parent: NodeIndex, change: Int)?
        var (lastChunk, lastOffset) = (-1, 0)
        for node in nodes {
            let number = Int(chunkOf[node.rawValue]) - 1
            guard number >= 0 else { continue }
            freshen(number)
            let next = lastOffset + 1
            let follows =
                number == lastChunk && next < chunks[number].entries.count
                && chunks[number].entries[next].node == node.rawValue
            let offset = follows ? next : find(node)!.at.offset
            (lastChunk, lastOffset) = (number, offset)
            let isMatch = filter.isMatch(node)
            guard chunks[number].entries[offset].flags.contains(.match) != isMatch else { continue }
            chunks[number].entries[offset].flags.formSymmetricDifference(.match)
            let turned = raise(number, offset, by: isMatch ? 1 : -1)
            guard turned != 0, let parent = forest.treeParent(of: node) else { continue }
            if let last = run, last.parent == parent {
                run = (parent, last.change + turned)
            } else {
                if let last = run { raised[last.parent, default: 0] += last.change }
                run = (parent, turned)
            }
        }
        if let last = run { raised[last.parent, default: 0] += last.change }
        while let (node, change) = raised.popFirst() {
            guard let (l, at) = find(node) else { continue }
            let turned = raise(chunk(at.place, of: l), at.offset, by: change)
            if turned != 0, let parent = forest.treeParent(of: node) { raised[parent, default: 0] += turned }
        }
    }

    /// Whether an entry came to be shown (1), is shown no longer (-1), or neither.
    private mutating func raise(_ number: Int, _ offset: Int, by change: Int) -> Int {
        freshen(number)
        let old = Int(chunks[number].entries[offset].shown)
        chunks[number].entries[offset].shown = UInt32(old + change)
        guard (old == 0) != (old + change == 0) else { return 0 }
        let turned = old == 0 ? 1 : -1
        if chunks[number].entries[offset].userFolds == 0, chunks[number].userFolds == 0 {
            let (l, place) = (chunks[number].list, chunks[number].place)
            lists[l]!.found[place] += turned
            lists[l]!.foundCount += turned
        }
        return turned
    }

    /// How much the filter shows under an entry.
    func shown(at position: Position, in l: Int) -> UInt32 {
        let number = chunk(position.place, of: l)
        return chunks[number].round == round ? chunks[number].entries[position.offset].shown : 0
    }

    /// One more or less is shown of an entry, and so of those above it where that is the first or the last.
    mutating func raise(at position: Position, in l: Int, by change: Int) {
        var at: Position? = position
        while let current = at, raise(chunk(current.place, of: l), current.offset, by: change) != 0 {
            at = parent(at: current, in: l)
        }
    }
}
