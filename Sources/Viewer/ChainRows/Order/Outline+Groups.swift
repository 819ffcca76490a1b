// SPDX-License-Identifier: MIT

import ChainModel

/// A row of one program, or a run of other programs' rows between its rows.
package enum OutlineRow {
    /// The row of a node.
    case tree(TreeRow)
    /// The row of all chains from a call site.
    case group(CodeLocation)
    case foreign(ForeignRows)

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
// site. Chains that are not grouped are in one group without a row of its own.
extension Outline {
    /// The number of rows that are shown.
    package var rowCount: Int { sorted.groups.screenOrder.reduce(0) { $0 + rowCount(ofGroup: $1) } }

    /// Returns the number of rows of a group, its own row included; 0 for a group without shown chains.
    private func rowCount(ofGroup group: UInt32) -> Int {
        let rows = sorted.groups[group].list.rows[filter.hidesUnmatched]
        return isGrouped && rows > 0 ? 1 + (isUnfolded(group) ? rows : 0) : rows
    }

    private func isUnfolded(_ group: UInt32) -> Bool {
        !isGrouped || unfoldedSites.contains(sorted.groups[group].site)
    }

    /// Returns at most `count` rows from row `first` on. O(groups + log chains + rows).
    package mutating func outlineRows(from first: Int, count: Int, in forest: borrowing ChainForest) -> [OutlineRow] {
        weighNoted(in: forest)
        var result: [OutlineRow] = []
        var (skipped, left) = (first, count)
        for group in sorted.groups.screenOrder where left > 0 {
            let total = rowCount(ofGroup: group)
            guard skipped < total else {
                skipped -= total
                continue
            }
            if isGrouped, skipped == 0 {
                result.append(.group(sorted.groups[group].site))
                left -= 1
            } else if isGrouped {
                skipped -= 1
            }
            if isUnfolded(group) {
                left -= append(rowsOfGroup: group, from: skipped, count: left, in: forest, to: &result)
            }
            skipped = 0
        }
        return result
    }

    /// Returns the first row of a chain, or the row of the folded group that hides it; nil if neither row is shown.
    func firstRow(of key: GroupedKey) -> (row: Int, isHidden: Bool)? {
        let isFiltered = filter.hidesUnmatched
        guard let rows = sorted.groups[key.group].list.rows(of: key.key), !isFiltered || rows[true] > 0,
            let row = sorted.groups[key.group].list.row(of: key.key, isFiltered: isFiltered)
        else { return nil }
        guard isGrouped else { return (row, false) }
        guard let head = self.row(ofGroup: key.group) else { return nil }
        return isUnfolded(key.group) ? (head + 1 + row, false) : (head, true)
    }

    /// Returns the row of a group; nil for a group without shown chains.
    private func row(ofGroup number: UInt32) -> Int? {
        guard rowCount(ofGroup: number) > 0 else { return nil }
        return sorted.groups.screenOrder.prefix { $0 != number }.reduce(0) { $0 + rowCount(ofGroup: $1) }
    }

    // MARK: One group

    /// Returns the row of the group of a call site; nil where the group is not shown.
    package func row(ofGroup site: CodeLocation) -> Int? { groupNumber(of: site).flatMap { row(ofGroup: $0) } }

    private func groupNumber(of site: CodeLocation) -> UInt32? { isGrouped ? sorted.groups.number(of: site) : nil }

    /// Returns the group of a call site; nil where there is none.
    package func group(of site: CodeLocation, in forest: borrowing ChainForest) -> ChainGroup? {
        guard let number = groupNumber(of: site) else { return nil }
        func edge(isFirst: Bool) -> NodeIndex? {
            sorted.groups[number].list.nearest(to: nil, forward: isFirst, isFiltered: filter.hidesUnmatched)
                .flatMap { forest.index(of: NodeID($0.key.id)) }
        }
        return ChainGroup(
            counts: sorted.groups[number].counts, first: edge(isFirst: true), last: edge(isFirst: false),
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

    /// Returns the key of a root; nil for a node that is not a root, or whose chain was not added yet.
    func key(ofRoot root: NodeIndex) -> GroupedKey? {
        chains.slot(of: root).map { sorted.key($0, id: chains[$0].id) }
    }

    func isArchived(_ root: NodeIndex) -> Bool { chains.slot(of: root).map { chains.has(.archived, $0) } ?? false }

    mutating func setAllGroupsUnfolded(_ isUnfolded: Bool) {
        unfoldedSites = isUnfolded ? Set(sorted.groups.groups.map(\.site)) : []
    }
}
