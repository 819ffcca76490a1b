// SPDX-License-Identifier: MIT

import ChainModel

/// The lists of the chains of each group; one list if chains are not grouped.
struct ChainLists {
    private(set) var lists = [ChainList()]

    /// Returns the list of a group, which may be empty.
    subscript(group: UInt32) -> ChainList { group < lists.count ? lists[Int(group)] : ChainList() }

    mutating func insert(_ key: GroupedKey, slot: UInt32, rows: Int) {
        while lists.count <= Int(key.group) { lists.append(ChainList()) }
        lists[Int(key.group)].insert(ChainList.Line(key: key.key, slot: slot, rows: UInt32(clamping: rows)))
    }

    @discardableResult
    mutating func remove(_ key: GroupedKey) -> Bool {
        key.group < lists.count && lists[Int(key.group)].remove(key.key)
    }

    @discardableResult
    mutating func setRows(_ rows: Int, of key: GroupedKey) -> Bool {
        key.group < lists.count && lists[Int(key.group)].setRows(rows, of: key.key)
    }

    var isEmpty: Bool { lists.allSatisfy { $0.count == 0 } }

    /// Returns the number of rows of a chain; nil if it is not in the lists.
    func rows(of key: GroupedKey) -> Int? { key.group < lists.count ? lists[Int(key.group)].rows(of: key.key) : nil }
}

/// The group of a chain, 0 where chains are not grouped, and its key in the list of the group.
struct GroupedKey: Equatable {
    var group: UInt32
    var key: ChainList.Key
}

/// All chains in one order: the lists of all chains and of those with a match, and the key of each chain.
struct SortedChains {
    /// Makes the ranks.
    let rank: SortRank
    private(set) var groups = GroupTable()
    /// All chains.
    private(set) var all = ChainLists()
    /// The chains with a match of the filter. Their rows are those that are shown while the filter hides nodes.
    private(set) var matches = ChainLists()

    private struct Entry: BitwiseCopyable {
        var rank: UInt64
        /// The group's number, shifted by five bits, the status by which the group counts the chain, shifted by one,
        /// and a bit that is set if the chain is in the lists.
        var word: UInt32

        var isListed: Bool { word & 1 != 0 }
        var group: UInt32 { word >> 5 }
        var status: ChainStatus { ChainStatus(rawValue: UInt8(word >> 1 & 15)) ?? .unknown }
    }

    private var entries = PagedArray<Entry>()

    init(_ rank: SortRank) { self.rank = rank }

    var order: TreeOrder { rank.order }

    /// Returns the key of a chain that is in the lists.
    func key(_ slot: UInt32, id: UInt64) -> GroupedKey {
        let entry = entries[slot]
        return GroupedKey(group: entry.group, key: ChainList.Key(rank: entry.rank, id: id))
    }

    func isListed(_ slot: UInt32) -> Bool { entries[slot].isListed }

    /// Adds a chain, or moves it to the place that follows from the present state of the forest. `rows` is its number
    /// of rows; `matchRows` that in the list of matches, for a new chain.
    mutating func place(
        _ slot: UInt32, _ chain: ChainTable.Chain, rows: Int, matchRows: Int, in forest: borrowing ChainForest
    ) {
        let root = NodeIndex(rawValue: chain.root)
        let old = entries[slot]
        let isArchived = chain.bits.contains(.archived)
        let rank = rank.rank(ofRoot: root, isArchived: isArchived, in: forest)
        var word: UInt32 = 1
        if order.isGrouped {
            let group = groups.addedNumber(of: forest.node(root).site, in: forest)
            let status = forest.chain(of: root).status
            if old.isListed { groups.count(old.group, old.status, by: -1) }
            groups.count(group, status, by: 1)
            word |= group << 5 | UInt32(status.rawValue) << 1
        }
        let oldKey = key(slot, id: chain.id)
        entries[slot] = Entry(rank: rank, word: word)
        let new = key(slot, id: chain.id)
        guard old.isListed else {
            all.insert(new, slot: slot, rows: rows)
            if matchRows > 0 { matches.insert(new, slot: slot, rows: matchRows) }
            return
        }
        guard new != oldKey else { return }
        all.remove(oldKey)
        all.insert(new, slot: slot, rows: rows)
        if !matches.isEmpty, let rows = matches.rows(of: oldKey) {
            matches.remove(oldKey)
            matches.insert(new, slot: slot, rows: rows)
        }
    }

    mutating func remove(_ slot: UInt32, id: UInt64) {
        let entry = entries[slot]
        guard entry.isListed else { return }
        let key = key(slot, id: id)
        all.remove(key)
        if !matches.isEmpty { matches.remove(key) }
        if order.isGrouped { groups.count(entry.group, entry.status, by: -1) }
        entries[slot] = Entry(rank: 0, word: 0)
    }

    /// Sets the number of rows of a chain.
    mutating func setRows(_ rows: Int, of slot: UInt32, id: UInt64) {
        if entries[slot].isListed { all.setRows(rows, of: key(slot, id: id)) }
    }

    /// Sets the number of rows of a chain while a filter hides nodes; 0 if it has no match.
    mutating func setMatchRows(_ rows: Int, of slot: UInt32, id: UInt64) {
        guard entries[slot].isListed else { return }
        let key = key(slot, id: id)
        if rows == 0 {
            matches.remove(key)
        } else if !matches.setRows(rows, of: key) {
            matches.insert(key, slot: slot, rows: rows)
        }
    }

    /// Forgets the list of matches.
    mutating func forgetMatches() { matches = ChainLists() }

    /// Counts a chain in its group by its new status.
    mutating func count(_ slot: UInt32, as status: ChainStatus) {
        let entry = entries[slot]
        guard order.isGrouped, entry.isListed, entry.status != status else { return }
        groups.count(entry.group, entry.status, by: -1)
        groups.count(entry.group, status, by: 1)
        entries[slot].word = entry.group << 5 | UInt32(status.rawValue) << 1 | 1
    }

    // MARK: From chain to chain

    /// The group numbers in the order of the screen.
    var screenOrder: [UInt32] { order.isGrouped ? groups.screenOrder : [0] }

    /// Returns the first chain with a match, or the last one.
    func match(isFirst: Bool) -> ChainList.Line? { edge(of: screenOrder[...], isFirst) }

    private func edge(of groups: ArraySlice<UInt32>, _ isFirst: Bool) -> ChainList.Line? {
        for group in isFirst ? Array(groups) : groups.reversed() {
            let list = matches[group]
            if let place = isFirst ? list.first : list.last { return list[place] }
        }
        return nil
    }

    /// Returns the nearest chain with a match after a chain (`forward`), or before it.
    func match(from key: GroupedKey, forward: Bool) -> ChainList.Line? {
        let list = matches[key.group]
        if forward {
            var next = list.lowerBound(key.key)
            if let place = next, list[place].key == key.key { next = list.next(after: place) }
            if let next { return list[next] }
        } else if let place = list.last(before: key.key) {
            return list[place]
        }
        guard let index = screenOrder.firstIndex(of: key.group) else { return nil }
        return edge(of: forward ? screenOrder[(index + 1)...] : screenOrder[..<index], forward)
    }
}
