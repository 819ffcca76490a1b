import ChainModel

/// A row of one program: of a chain, or of all chains from one call site; or rows of other programs among these.
package enum OutlineRow {
    case tree(TreeRow)
    case group(CodeLocation)
    case foreign(ForeignRows)

    var count: Int { if case .foreign(let rows) = self { rows.count } else { 1 } }
}

/// The chains from one call site.
package struct ChainGroup {
    /// The number of chains by what each is shown as.
    package let counts: StatusCounts
    /// The first and the last chain that is shown.
    package let first, last: NodeIndex?
    /// Whether its chains are shown.
    package let isOpen: Bool

    package var chainCount: Int { counts.chainCount }

    /// The status that stands for the group: that of its most active chain, else of the worst.
    package var status: ChainStatus { ChainStatus.allCases.first { counts[$0] > 0 } ?? .unknown }

    /// What its chains are shown as: live ones first, then faults, then the others.
    package var statuses: [(status: ChainStatus, count: Int)] {
        ChainStatus.allCases.filter { counts[$0] > 0 }.map { ($0, counts[$0]) }
    }
}

// Rows with those of the groups. Groups are as few as call sites, so that rows are counted from group to group.
extension RowModel {
    /// The number of rows that are shown.
    package var rowCount: Int {
        let shown = shown
        guard order.isGrouped else { return shown[0].rowCount }
        return order.groups.screen.reduce(0) { $0 + rowCount(of: shown[$1]) }
    }

    /// Returns the rows of a group; a group without chains has none.
    private func rowCount(of list: WeightedSortedList) -> Int {
        list.count == 0 ? 0 : 1 + (isOpen(list.group) ? list.rowCount : 0)
    }

    private func isOpen(_ group: UInt32) -> Bool { order.openSites.contains(order.groups[group].site) }

    /// Returns at most `count` rows from a row on. O(log n) and the rows.
    package mutating func lines(from first: Int, count: Int, in forest: borrowing ChainForest) -> [OutlineRow] {
        let shown = shown
        guard order.isGrouped else {
            return rows(ofGroup: 0, from: first, count: count, in: forest)
        }
        var result: [OutlineRow] = []
        var skipped = first
        var left = count
        for group in order.groups.screen where left > 0 {
            let list = shown[group]
            let total = rowCount(of: list)
            guard skipped < total else {
                skipped -= total
                continue
            }
            var rows: [OutlineRow] = []
            if skipped == 0 { rows.append(.group(order.groups[group].site)) } else { skipped -= 1 }
            if isOpen(group) {
                rows += self.rows(ofGroup: group, from: skipped, count: left - rows.count, in: forest)
            }
            result += rows
            left -= rows.reduce(0) { $0 + $1.count }
            skipped = 0
        }
        return result
    }

    /// Returns the first row of a chain, or of the folded group that hides it; nil where it is not shown.
    func firstRow(of key: RootKey) -> (row: Int, isHidden: Bool)? {
        let shown = shown
        guard let row = shown[key.group].row(of: key) else { return nil }
        guard order.isGrouped else { return (row, false) }
        guard let head = self.row(ofGroup: key.group, shown) else { return nil }
        return isOpen(key.group) ? (head + 1 + row, false) : (head, true)
    }

    private func row(ofGroup number: UInt32, _ shown: GroupedLists) -> Int? {
        guard shown[number].count > 0 else { return nil }
        var row = 0
        for group in order.groups.screen {
            if group == number { return row }
            row += rowCount(of: shown[group])
        }
        return nil
    }

    // MARK: One group

    /// Returns the row of the group of a call site; nil where there is none.
    package func row(ofGroup site: CodeLocation) -> Int? {
        groupNumber(of: site).flatMap { row(ofGroup: $0, shown) }
    }

    private func groupNumber(of site: CodeLocation) -> UInt32? {
        order.isGrouped ? order.groups.number(of: site) : nil
    }

    /// Returns the chains from a call site; nil where chains are not grouped.
    package func group(of site: CodeLocation, in forest: borrowing ChainForest) -> ChainGroup? {
        guard let number = groupNumber(of: site) else { return nil }
        let list = shown[number]
        func root(_ key: RootKey?) -> NodeIndex? { key.flatMap { forest.index(of: NodeID($0.id)) } }
        return ChainGroup(
            counts: order.groups[number].counts, first: root(list.first), last: root(list.last), isOpen: isOpen(number))
    }

    /// Folds or unfolds a group.
    package mutating func open(_ site: CodeLocation, _ isOpen: Bool) {
        if isOpen { order.openSites.insert(site) } else { order.openSites.remove(site) }
    }

    /// Returns the call site of a chain's group; nil where chains are not grouped.
    package func site(ofChain root: NodeIndex) -> CodeLocation? {
        guard order.isGrouped, slotOf[root.rawValue] != 0 else { return nil }
        return order.groups[slots.key(Int(slotOf[root.rawValue] - 1)).group].site
    }

    // MARK: One chain

    /// Returns whether a root is among the chains that are shown, in a folded group or not.
    func isShown(_ root: NodeIndex) -> Bool {
        slotOf[root.rawValue] != 0 && (!filter.hidesRest || filter.matchCount(of: root) > 0)
    }

    func isArchived(_ root: NodeIndex) -> Bool { slots.has(.archived, Int(slotOf[root.rawValue] - 1)) }

    mutating func openAllGroups(_ isOpen: Bool) {
        order.openSites = isOpen ? Set(order.groups.groups.map(\.site)) : []
    }
}
