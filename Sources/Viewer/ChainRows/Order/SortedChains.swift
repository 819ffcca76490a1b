// SPDX-License-Identifier: MIT

import ChainModel

/// The group of a chain, 0 where chains are not grouped, and its key in the list of the group.
struct GroupedKey: Equatable {
    var group: UInt32
    var key: ChainList.Key
}

/// All chains in one order: a list for each group, and the key of each chain.
struct SortedChains {
    /// Makes the ranks.
    let rank: SortRank
    var groups = GroupTable()

    private struct Entry: BitwiseCopyable {
        var rank: UInt64
        /// The group's number, shifted by five bits, the status by which the group counts the chain, shifted by one,
        /// and a bit that is set if the chain is in a list.
        var word: UInt32

        var isListed: Bool { word & 1 != 0 }
        var group: UInt32 { word >> 5 }
        var status: ChainStatus { ChainStatus(rawValue: UInt8(word >> 1 & 15)) ?? .unknown }
    }

    private var entries = PagedArray<Entry>()

    init(_ rank: SortRank) {
        self.rank = rank
        if !order.isGrouped { groups.addedNumber(of: CodeLocation(fileID: "", line: 0)) }
    }

    var order: TreeOrder { rank.order }

    /// Returns the key of a chain that is in a list.
    func key(_ slot: UInt32, id: UInt64) -> GroupedKey {
        let entry = entries[slot]
        return GroupedKey(group: entry.group, key: ChainList.Key(rank: entry.rank, id: id))
    }

    func isListed(_ slot: UInt32) -> Bool { entries[slot].isListed }

    /// Adds a chain with its numbers of rows, or moves it to the place that follows from the present state of the forest.
    mutating func place(
        _ slot: UInt32, _ chain: ChainTable.Chain, rows: RowCounts = RowCounts(), in forest: borrowing ChainForest
    ) {
        let (old, oldKey) = (entries[slot], key(slot, id: chain.id))
        let root = NodeIndex(rawValue: chain.root)
        var word: UInt32 = 1
        if order.isGrouped {
            let group = groups.addedNumber(of: forest.node(root).site, in: forest)
            let status = forest.chain(of: root).status
            if old.isListed { groups[old.group].counts[old.status] -= 1 }
            groups[group].counts[status] += 1
            word |= group << 5 | UInt32(status.rawValue) << 1
        }
        let isArchived = chain.bits.contains(.archived)
        entries[slot] = Entry(rank: rank.rank(ofRoot: root, isArchived: isArchived, in: forest), word: word)
        let new = key(slot, id: chain.id)
        var rows = rows
        if old.isListed {
            guard new != oldKey, let line = groups[oldKey.group].list.remove(oldKey.key) else { return }
            rows = line.rows
        }
        groups[new.group].list.insert(ChainList.Line(key: new.key, slot: slot, rows: rows))
    }

    mutating func remove(_ slot: UInt32, id: UInt64) {
        let (entry, key) = (entries[slot], key(slot, id: id))
        guard entry.isListed else { return }
        groups[key.group].list.remove(key.key)
        if order.isGrouped { groups[entry.group].counts[entry.status] -= 1 }
        entries[slot] = Entry(rank: 0, word: 0)
    }

    /// Returns the numbers of rows of a chain; none if it is not in a list.
    func rows(of slot: UInt32, id: UInt64) -> RowCounts {
        let key = key(slot, id: id)
        return entries[slot].isListed ? groups[key.group].list.rows(of: key.key) ?? RowCounts() : RowCounts()
    }

    /// Sets the number of rows of a chain while no filter hides nodes, or while one does (`isFiltered`).
    mutating func setRows(_ rows: Int, isFiltered: Bool, of slot: UInt32, id: UInt64) {
        let key = key(slot, id: id)
        if entries[slot].isListed { groups[key.group].list.setRows(rows, isFiltered: isFiltered, of: key.key) }
    }

    /// Forgets the numbers of rows while a filter hides nodes.
    mutating func forgetMatches() { for group in groups.groups.indices { groups.groups[group].list.forgetMatches() } }

    /// Counts a chain in its group by its new status.
    mutating func count(_ slot: UInt32, as status: ChainStatus) {
        let entry = entries[slot]
        guard order.isGrouped, entry.isListed, entry.status != status else { return }
        groups[entry.group].counts[entry.status] -= 1
        groups[entry.group].counts[status] += 1
        entries[slot].word = entry.group << 5 | UInt32(status.rawValue) << 1 | 1
    }

    /// Returns the nearest chain with a match after a chain (`forward`), or before it; without a chain, the first or the
    /// last chain with a match.
    func match(from key: GroupedKey?, forward: Bool) -> ChainList.Line? {
        var start = key?.key
        let numbers = forward ? groups.screenOrder : groups.screenOrder.reversed()
        for group in numbers.drop(while: { key != nil && $0 != key!.group }) {
            if let line = groups[group].list.nearest(to: start, forward: forward, isFiltered: true) { return line }
            start = nil
        }
        return nil
    }
}
