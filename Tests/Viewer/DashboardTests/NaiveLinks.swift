import ChainEvents
import ChainModel
import Testing

@testable import ChainRows
@testable import Dashboard

extension State {
    /// Returns the rows of a program by a naive walk, with those of called chains of other programs between them.
    func naiveRows(of programIndex: Int) -> NaiveRows {
        let program = programs[programIndex]
        let filter = program.outline.filter
        var naive = NaiveRows(
            forest: program.forest, outline: program.outline,
            selected: selectedNode.flatMap { $0.programIndex == programIndex ? $0.node : nil },
            needle: filter.query.text, hides: filter.hidesUnmatched)
        guard !filter.hidesUnmatched else { return naive }
        naive.isElsewhere = { world.calledChains.caller(of: program.rowID(of: $0)) != nil }
        naive.foreign = { caller in
            world.calledChains.chains(under: program.rowID(of: caller)).flatMap { chain -> [RowID] in
                guard let (index, root) = find(chain.root) else { return [] }
                return naiveRows(of: index).rows(of: root, isRoot: true).map { row in
                    switch row {
                    case .node(let node): rowID(of: node, in: index)
                    case .foreign(let rowID): rowID
                    case .group(let site): RowID(source: program.source, site: site)
                    }
                }
            }
        }
        return naive
    }

    /// Checks that each root is drawn under its caller, unless that does not exist, is drawn in the root's own tree, or
    /// rows are grouped. Returns how many roots are drawn under their callers.
    func checkedLinks(of programIndex: Int, _ what: String) -> Int {
        var count = 0
        for root in programs[programIndex].forest.roots {
            let drawn = world.calledChains.caller(of: rowID(of: root, in: programIndex))
            guard let caller = caller(of: root, in: programIndex), !tree.order.isGrouped else {
                #expect(drawn == nil, "\(what)")
                continue
            }
            if let drawn {
                count += 1
                #expect(drawn == rowID(of: caller.node, in: caller.programIndex), "\(what)")
            } else {
                let isRing = isDrawn(caller, in: root, of: programIndex)
                #expect(isRing, "\(what)")
            }
        }
        return count
    }

    /// Whether the node is drawn in the root's tree: in its chain, or in a chain that is drawn under one of that tree.
    private func isDrawn(
        _ node: (programIndex: Int, node: NodeIndex), in root: NodeIndex, of programIndex: Int
    ) -> Bool {
        var next: (programIndex: Int, node: NodeIndex)? = node
        while let (index, node) = next {
            let above = programs[index].forest.root(of: node)
            if index == programIndex, above == root { return true }
            next = world.calledChains.caller(of: rowID(of: above, in: index)).flatMap(find)
        }
        return false
    }
}

// SPDX-License-Identifier: MIT
