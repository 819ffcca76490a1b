// SPDX-License-Identifier: MIT

import ChainModel

// Steps from match to match.
extension Outline {
    /// Returns the nearest match below a node (`forward`), or above it. It is in the node's chain or, unless
    /// `staysInChain`, in the nearest other chain with a match. Without a node, returns the first match (`forward`), or
    /// the last match.
    package func match(
        from node: NodeIndex?, forward: Bool, staysInChain: Bool = false, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        guard let node, case let root = forest.root(of: node), let key = key(ofRoot: root) else {
            return sorted.match(isFirst: forward).flatMap { match(in: $0, forward: forward, in: forest) }
        }
        if filter.matchCount(of: root) > (filter.isMatch(node) ? 1 : 0),
            let match = PreorderSteps.nearest(
                to: node, forward: forward, within: root, in: forest, where: filter.isMatch)
        {
            return match
        }
        if staysInChain { return nil }
        return sorted.match(from: key, forward: forward).flatMap { match(in: $0, forward: forward, in: forest) }
    }

    /// Returns the first match of a chain (`forward`), or the last match.
    private func match(in line: ChainList.Line, forward: Bool, in forest: borrowing ChainForest) -> NodeIndex? {
        guard let root = forest.index(of: NodeID(line.key.id)) else { return nil }
        let edge = forward ? root : PreorderSteps.last(under: root, in: forest)
        if filter.isMatch(edge) { return edge }
        return PreorderSteps.nearest(to: edge, forward: forward, within: root, in: forest, where: filter.isMatch)
    }
}
