// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows

/// The nodes of a forest that are listed, in the usual order of the dashboard's rows.
package struct TreeListing: Sendable {
    /// Whether settled nodes are left out, except settled nodes above a listed node.
    package var isLiveOnly: Bool
    /// The filter: nodes that do not match it are left out, except nodes above a listed node.
    package var query: Query?
    /// The greatest number of nodes to list.
    package var nodeLimit: Int

    /// Lists everything by default.
    package init(isLiveOnly: Bool = false, query: Query? = nil, nodeLimit: Int = .max) {
        self.isLiveOnly = isLiveOnly
        self.query = query
        self.nodeLimit = nodeLimit
    }

    /// Calls `body` with each row: first the rows of live chains, the newest chain first, then the rows of settled
    /// chains, the most recently settled chain first. Returns the number of rows past the limit. Costs O(nodes), and
    /// O(n log n) for n chains.
    package func forEachRow(of forest: ChainForest, now: UInt64, _ body: (TreeRow) throws -> Void) rethrows -> Int {
        var (roots, settled): ([NodeIndex], [(root: NodeIndex, end: UInt64)]) = ([], [])
        for root in forest.roots.reversed() {
            let chain = forest.chain(of: root)
            if chain.liveCount > 0 { roots.append(root) } else { settled.append((root, chain.settled ?? 0)) }
        }
        func start(_ root: NodeIndex) -> (UInt64, UInt64) {
            let node = forest.node(root)
            return (node.startRank, node.id.rawValue)
        }
        roots.sort { start($0) > start($1) }
        settled.sort { $0.end > $1.end }
        roots += settled.map(\.root)
        return try forEachRow(of: roots, in: forest, now: now, body)
    }

    /// Calls `body` with each row of some chains; returns the number of rows past the limit. O(nodes).
    package func forEachRow(
        of roots: some Sequence<NodeIndex>, in forest: ChainForest, now: UInt64, _ body: (TreeRow) throws -> Void
    ) rethrows -> Int {
        var (count, leftOut) = (0, 0)
        var matcher = query.map { QueryMatcher($0, warnings: Self.warnings(for: $0, of: forest, now: now)) }
        for root in roots {
            if isLiveOnly, forest.chain(of: root).liveCount == 0 { continue }
            var shown: Set<NodeIndex> = []
            let leavesOut = isLiveOnly || matcher != nil
            if leavesOut {
                let showsLiveBelow = query?.isOfNames == true
                mark(root, in: forest, &shown) { node, isBelowListed in
                    if isLiveOnly, !forest.state(of: node).isLive { return false }
                    if matcher?.matches(node, in: forest, now: now) ?? true { return true }
                    return showsLiveBelow && isBelowListed && forest.state(of: node).isLive
                }
                guard shown.contains(root) else { continue }
            }
            let rows = ChainWalk.rows(
                of: root, in: forest, isHidden: leavesOut ? { !shown.contains($0) } : nil)
            for row in rows.prefix(max(0, nodeLimit - count)) { try body(row) }
            let taken = min(rows.count, max(0, nodeLimit - count))
            count += taken
            leftOut += rows.count - taken
        }
        return leftOut
    }

    /// Returns the warnings of a whole forest if a query depends on warnings, otherwise no warnings. O(nodes).
    private static func warnings(for query: Query, of forest: ChainForest, now: UInt64) -> [NodeID: WarningBits] {
        guard query.dependsOnWarnings else { return [:] }
        var table = WarningTable()
        repeat { table.tick(forest, now: now, options: WarningOptions()) } while table.isSweeping
        return table.kindsByNode
    }

    /// Adds to `shown` the nodes of a chain for which `isListed` holds, and all nodes above them. `isListed` is also told
    /// whether it holds for the node above.
    private func mark(
        _ root: NodeIndex, in forest: ChainForest, _ shown: inout Set<NodeIndex>,
        _ isListed: (NodeIndex, _ isBelowListed: Bool) -> Bool
    ) {
        var stack = [(node: root, isBelowListed: false)]
        while let (node, isBelowListed) = stack.popLast() {
            let isOn = isListed(node, isBelowListed)
            if isOn {
                var above: NodeIndex? = node
                while let current = above, shown.insert(current).inserted { above = forest.treeParent(of: current) }
            }
            var child = forest.firstChild(of: node)
            while let current = child {
                stack.append((current, isOn))
                child = forest.nextSibling(of: current)
            }
        }
    }
}
