// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

// The rows of chains that are drawn under a node of another program, because that node called the chain.
extension World {
    /// Returns the node of another program that a node's chain is drawn under; nil for a chain that is drawn in its own
    /// program.
    func shownCaller(of node: NodeIndex, in programIndex: Int) -> (programIndex: Int, node: NodeIndex)? {
        guard !calledChains.isEmpty else { return nil }
        let root = programs[programIndex].forest.root(of: node)
        guard programs[programIndex].outline.isElsewhere(root) else { return nil }
        return calledChains.caller(of: rowID(of: root, in: programIndex)).flatMap(find)
    }

    /// Returns a node of the program at `programIndex`: the row's own node, if it is of that program. Else returns the
    /// nearest node of the program under which the row's chain is drawn, directly or through other chains. Nil if there
    /// is no such node.
    func node(in programIndex: Int, around rowID: RowID) -> NodeIndex? {
        var next = find(rowID)
        while let found = next, found.programIndex != programIndex {
            next = shownCaller(of: found.node, in: found.programIndex)
        }
        return next?.node
    }

    /// Returns the row of a node, or of what hides the node, if the node's chain is drawn under a caller; nil for other
    /// chains.
    mutating func rowUnderCaller(of node: NodeIndex, in programIndex: Int) -> Int? {
        guard let caller = shownCaller(of: node, in: programIndex) else { return nil }
        let callerID = rowID(of: caller.node, in: caller.programIndex)
        guard let row = row(of: callerID), let shown = self.row(at: row) else { return nil }
        guard shown.rowID == callerID, shown.tree?.flags.contains(.folded) == false else { return row }
        let root = programs[programIndex].forest.root(of: node)
        let rootID = rowID(of: root, in: programIndex)
        var first = row + 1
        for chain in calledChains.chains(under: callerID) {
            guard chain.root != rootID else { break }
            first += chain.weight.rows
        }
        return first
            + programs[programIndex].outline.row(of: node, inChain: root, in: programs[programIndex].forest)
    }

    /// Unfolds what hides a node: in its own program, and around each caller that its chain is drawn under.
    mutating func unfold(to node: NodeIndex, in programIndex: Int) {
        var next = Optional((programIndex: programIndex, node: node))
        while let (index, node) = next {
            programs[index].unfold(to: node)
            next = shownCaller(of: node, in: index)
            guard let caller = next else { break }
            let isFolded = programs[caller.programIndex].outline.isFolded(
                caller.node, in: programs[caller.programIndex].forest)
            if isFolded { programs[caller.programIndex].fold(caller.node, false) }
        }
        linkPrograms()
    }
}
