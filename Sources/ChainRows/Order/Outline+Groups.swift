// SPDX-License-Identifier: MIT

import ChainModel

/// A row of one program, or a run of other programs' rows between its rows.
package enum OutlineRow {
    /// The row of a node.
    case tree(TreeRow)
    /// The row of all chains from a call site.
    case group(CodeLocation)
    case foreign(ForeignRows)

    /// The number of rows.
    var count: Int { if case .foreign(let rows) = self { rows.count } else { 1 } }
}

/// The chains from one call site.
package struct ChainGroup {
    /// The number of chains by status, hidden chains included.
    package let counts: StatusCounts
    /// The first and the last chain among those that a filter does not hide.
    package let first, last: NodeIndex?
    /// Whether the group is unfolded.
    package let isUnfolded: Bool

    package var chainCount: Int { counts.chainCount }

    /// The status that stands for the group: the status of its most active chain or, if no chain is live, of its worst
    /// chain.
    package var status: ChainStatus { ChainStatus.allCases.first { counts[$0] > 0 } ?? .unknown }

    /// The number of chains of each status in the group: live statuses first, then faults, then the other statuses.
    package var statuses: [(status: ChainStatus, count: Int)] {
        ChainStatus.allCases.filter { counts[$0] > 0 }.map { ($0, counts[$0]) }
    }
}

// Rows, with the rows of the groups. Rows are counted from group to group, because groups are few: one for each call
// site.
extension Outline {
    /// The number of rows that are shown.
    package var rowCount: Int {
        guard isGrouped else { return lists[0].rowCount }
        return sorted.screenOrder.reduce(0) { $0 + rowCount(ofGroup: $1) }
    }

    /// Returns the number of rows of a group, its own row included; 0 for a group without shown chains.
    private func rowCount(ofGroup group: UInt32) -> Int {
        let list = lists[group]
        return list.count == 0 ? 0 : 1 + (isUnfolded(group) ? list.rowCount : 0)
    }

    private func isUnfolded(_ group: UInt32) -> Bool { unfoldedSites.contains(sorted.groups[group].site) }

    /// Returns at most `count` rows from row `first` on. O(groups + log chains + rows).
    package mutating func outlineRows(from first: Int, count: Int, in forest: borrowing ChainForest) -> [OutlineRow] {
        guard isGrouped else { return rows(from: first, count: count, in: forest) }
        weighNoted(in: forest)
        var result: [OutlineRow] = []
        var skipped = first
        var left = count
        for group in sorted.screenOrder where left > 0 {
            let total = rowCount(ofGroup: group)
            guard skipped < total else {
                skipped -= total
                continue
            }
            var rows: [OutlineRow] = []
            if skipped == 0 { rows.append(.group(sorted.groups[group].site)) } else { skipped -= 1 }
            if isUnfolded(group) {
                rows += self.rows(ofGroup: group, from: skipped, count: left - rows.count, in: forest)
            }
            result += rows
            left -= rows.reduce(0) { $0 + $1.count }
            skipped = 0
        }
        return result
    }

    /// Returns the first row of a chain, or the row of the folded group that hides it; nil if neither row is shown.
    func firstRow(of key: GroupedKey) -> (row: Int, isHidden: Bool)? {
        guard let row = lists[key.group].row(of: key.key) else { return nil }
        guard isGrouped else { return (row, false) }
        guard let head = self.row(ofGroup: key.group) else { return nil }
        return isUnfolded(key.group) ? (head + 1 + row, false) : (head, true)
    }

    /// Returns the row of a group; nil for a group without shown chains.
    private func row(ofGroup number: UInt32) -> Int? {
        guard lists[number].count > 0 else { return nil }
        return sorted.screenOrder.prefix { $0 != number }.reduce(0) { $0 + rowCount(ofGroup: $1) }
    }

    // MARK: One group

    /// Returns the row of the group of a call site; nil where the group is not shown.
    package func row(ofGroup site: CodeLocation) -> Int? { groupNumber(of: site).flatMap { row(ofGroup: $0) } }

    private func groupNumber(of site: CodeLocation) -> UInt32? { isGrouped ? sorted.groups.number(of: site) : nil }

    /// Returns the group of a call site; nil where there is none.
    package func group(of site: CodeLocation, in forest: borrowing ChainForest) -> ChainGroup? {
        guard let number = groupNumber(of: site) else { return nil }
        let list = lists[number]
        func root(_ place: ChainList.Place?) -> NodeIndex? {
            place.flatMap { forest.index(of: NodeID(list[$0].key.id)) }
        }
        return ChainGroup(
            counts: sorted.groups[number].counts, first: root(list.first), last: root(list.last),
            isUnfolded: isUnfolded(number))
    }

    /// Folds or unfolds a group.
    package mutating func setUnfolded(_ site: CodeLocation, _ isUnfolded: Bool) {
        if isUnfolded { unfoldedSites.insert(site) } else { unfoldedSites.remove(site) }
    }

    /// Returns the call site of a chain's group; nil where chains are not grouped.
    package func site(ofChain root: NodeIndex) -> CodeLocation? {
        guard isGrouped, let key = key(ofRoot: root) else { return nil }
        return sorted.groups[key.group].site
    }

    // MARK: One chain

    /// Returns whether a node is the root of a chain that the filter does not hide; the chain's group may be folded.
    func isShown(_ root: NodeIndex) -> Bool {
        chains.slot(of: root) != nil && (!filter.hidesUnmatched || filter.matchCount(of: root) > 0)
    }

    func isArchived(_ root: NodeIndex) -> Bool { chains.slot(of: root).map { chains.has(.archived, $0) } ?? false }

    mutating func setAllGroupsUnfolded(_ isUnfolded: Bool) {
        unfoldedSites = isUnfolded ? Set(sorted.groups.groups.map(\.site)) : []
    }
}
