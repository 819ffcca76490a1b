// SPDX-License-Identifier: MIT

/// The tree: parents, children, chains and depths.
extension ChainForest {
    /// Returns whether a node is a root.
    public func isRoot(_ index: NodeIndex) -> Bool { data.nodes[checked(index)].pointee.has(.isRoot) }

    /// Returns the position of a node's root among ``roots``, counted from 0. O(roots / 512).
    public func rootNumber(of index: NodeIndex) -> Int {
        roots.number(of: roots.index(of: data.rootSlot(of: checked(index)), data.nodes.elements))
    }

    /// Returns the parent of a node in the tree: its promise's parent, else its first adopter or combinator, else its
    /// creator; nil for a root.
    public func treeParent(of index: NodeIndex) -> NodeIndex? { data.nodes[checked(index)].pointee.treeParent.asNode }

    /// Returns the first child of a node. Children are in order of (creation, id).
    public func firstChild(of index: NodeIndex) -> NodeIndex? { data.nodes[checked(index)].pointee.firstChild.asNode }

    /// Returns the last child of a node.
    public func lastChild(of index: NodeIndex) -> NodeIndex? { data.nodes[checked(index)].pointee.lastChild.asNode }

    /// Returns the next child of the same tree parent; nil for roots and for the last child.
    public func nextSibling(of index: NodeIndex) -> NodeIndex? { data.nodes[checked(index)].pointee.next.asNode }

    /// Returns the previous child of the same tree parent; nil for roots and for the first child.
    public func previousSibling(of index: NodeIndex) -> NodeIndex? {
        data.nodes[checked(index)].pointee.previous.asNode
    }

    /// Returns the next node in pre-order of the subtree under `top`; nil after the last one.
    ///
    /// - Parameter skips: whether the subtree under `node` is left out.
    public func next(after node: NodeIndex, within top: NodeIndex, skippingBelow skips: Bool = false) -> NodeIndex? {
        var depth = 0
        let slot = checked(node)
        guard skips else { return data.nextInPreOrder(slot, within: top.rawValue).asNode }
        return data.nextAfterSubtree(slot, within: top.rawValue, depth: &depth).asNode
    }

    /// Returns the next node in pre-order of the subtree under `top`; nil after the last one. `depth` is the depth of
    /// `node` on entry, and the depth of the next node on return.
    public func next(after node: NodeIndex, within top: NodeIndex, depth: inout Int) -> NodeIndex? {
        data.nextInPreOrder(checked(node), within: top.rawValue, depth: &depth).asNode
    }

    /// Returns how many children a node has in the tree.
    public func childCount(of index: NodeIndex) -> Int { Int(data.nodes[checked(index)].pointee.childCount) }

    /// Returns the root of the tree that a node is in. O(1).
    public func root(of index: NodeIndex) -> NodeIndex { NodeIndex(rawValue: data.rootSlot(of: checked(index))) }

    /// Returns how many nodes the chain of a root has; 0 for a node that is no root.
    public func nodeCount(ofRoot index: NodeIndex) -> Int {
        let root = checked(index)
        return data.nodes[root].pointee.has(.isRoot) ? data.nodeCount(root: root) : 0
    }

    /// The most nodes that a chain has had, at least 1.
    package var chainHighWater: Int { max(1, Int(data.chainHighWater)) }

    /// Returns the root of the tree that a node is in, and how many nodes its chain has. O(1).
    package func rootAndNodeCount(of index: NodeIndex) -> (root: NodeIndex, nodeCount: Int) {
        let chain = data.nodes[checked(index)].pointee.chain
        guard chain != noSlot else { return (index, 1) }
        let record = data.chains[chain]
        return (NodeIndex(rawValue: record.pointee.root), Int(record.pointee.nodeCount))
    }

    /// Returns the summary of the chain that a node belongs to. O(1).
    public func chain(of index: NodeIndex) -> ChainSummary {
        let node = data.nodes[checked(index)]
        guard node.pointee.chain != noSlot else {
            return ChainSummary(
                root: index, counts: StateCounts(one: node.pointee.state), evictedCount: 0,
                firstRejected: data.isRejected(index.rawValue) ? index : nil, settled: node.pointee.settled,
                outcome: ChainOutcome(of: node.pointee))
        }
        let record = data.chains[node.pointee.chain].pointee
        return ChainSummary(
            root: NodeIndex(rawValue: record.root), counts: record.counts, evictedCount: Int(record.evictedCount),
            firstRejected: record.firstRejected.asNode,
            settled: record.isLive || record.isUnknown ? nil : record.settled,
            outcome: record.outcome)
    }

    /// Returns whether children of a node are indented. An only child is not indented if an operation such as `then` on
    /// the node made it and no sibling was evicted; so a chain reads as a list.
    public func indentsChildren(of index: NodeIndex) -> Bool { data.indents(checked(index)) }

    /// Returns how many levels a node is indented, 0 for a root. O(steps up to the root).
    public func depth(of index: NodeIndex) -> Int {
        var depth = 0
        var cursor = data.nodes[checked(index)].pointee.treeParent
        while cursor != noSlot {
            if data.indents(cursor) { depth += 1 }
            cursor = data.nodes[cursor].pointee.treeParent
        }
        return depth
    }
}
