// SPDX-License-Identifier: MIT

/// What is stored about a node's children besides their order: how many of them were made by operations on the node
/// and, if there are many, their counts by state.
extension ChainForest {
    /// Returns the only child that was made by an operation on a node (`then` and the like), which continues its chain;
    /// nil if there is no such child, or if there are several.
    ///
    /// The children are searched from both ends. This costs O(1) if the child is the first or the last, and O(children)
    /// at worst.
    public func continuation(of index: NodeIndex) -> NodeIndex? {
        data.continuation(of: checked(index)).asNode
    }

    /// Returns whether a node is the ``continuation(of:)`` of its tree parent. O(1).
    public func isContinuation(_ index: NodeIndex) -> Bool {
        let node = data.nodes[checked(index)]
        guard node.pointee.has(.hasParent), node.pointee.treeParent != noSlot else { return false }
        return data.nodes[node.pointee.treeParent].pointee.operationChildCount == 1
    }

    /// Goes up from a node as long as each node is the ``continuation(of:)`` of its tree parent, and returns the tree
    /// parent of the last node reached. Returns the root if the way up ends at the root; nil if the given node is the
    /// root. O(steps up).
    package func outer(of index: NodeIndex) -> NodeIndex? {
        var steps = Int.max
        return outer(of: index, steps: &steps)
    }

    /// Returns the same as ``outer(of:)``, or nil after `steps` steps up. Subtracts the steps that were made from
    /// `steps`.
    package func outer(of index: NodeIndex, steps: inout Int) -> NodeIndex? {
        let slot = checked(index)
        let nodes = data.nodes.elements
        var (cursor, above) = (slot, nodes[slot].pointee.treeParent)
        while above != noSlot, nodes[cursor].pointee.has(.hasParent), nodes[above].pointee.operationChildCount == 1 {
            guard steps > 0 else { return nil }
            steps -= 1
            cursor = above
            above = nodes[cursor].pointee.treeParent
        }
        if above != noSlot { return NodeIndex(rawValue: above) }
        return cursor == slot ? nil : NodeIndex(rawValue: cursor)
    }

    /// Returns the counts of a node's children by state; nil if they are not counted. Counting begins at 129 children,
    /// and ends when only 64 are left. O(1).
    public func childCounts(of index: NodeIndex) -> StateCounts? {
        let counts = data.childCountsSlot(of: checked(index))
        return counts == noSlot ? nil : data.childCounts[counts].pointee
    }
}

// MARK: Upkeep

extension ForestData {
    /// The number of children above which the children of a node are counted by state.
    static let countedFrom: UInt32 = 128
    /// The number of children at which the children of a node are no longer counted by state.
    static let countedDownTo: UInt32 = 64

    /// Updates counts after a node was put under `parent`.
    @inline(__always)
    func childAdded(_ slot: UInt32, _ parent: UInt32) {
        if nodes[slot].pointee.has(.hasParent) { countOperationChild(under: parent) }
        if nodes[parent].pointee.childCount > Self.countedDownTo { countAddedChild(slot, under: parent) }
    }

    /// Updates counts after a node was removed from under `parent`.
    @inline(__always)
    func childRemoved(_ slot: UInt32, _ parent: UInt32) {
        if nodes[slot].pointee.has(.hasParent) { uncountOperationChild(under: parent) }
        if nodes[parent].pointee.childCount >= Self.countedDownTo { countRemovedChild(slot, under: parent) }
    }

    /// Updates counts after a node's state changed.
    @inline(__always)
    func childStateChanged(_ slot: UInt32, from old: NodeState, to new: NodeState) {
        let parent = nodes[slot].pointee.treeParent
        guard parent != noSlot, nodes[parent].pointee.childCount > Self.countedDownTo else { return }
        let counts = childCountsSlot(of: parent)
        guard counts != noSlot else { return }
        childCounts[counts].pointee.subtract(old)
        childCounts[counts].pointee.add(new)
    }

    /// Records that a node was made by an operation on another node.
    func setHasParent(_ slot: UInt32) {
        let node = nodes[slot]
        guard !node.pointee.has(.hasParent) else { return }
        node.pointee.bits.insert(.hasParent)
        guard node.pointee.treeParent != noSlot else { return }
        countOperationChild(under: node.pointee.treeParent)
        recordChange(slot, .moved)
        refreshOutcome(ofChainOf: slot)
    }

    /// Counts a child that was made by an operation on its parent.
    private func countOperationChild(under parent: UInt32) {
        let node = nodes[parent]
        guard node.pointee.operationChildCount < .max else {
            return operationChildCountOverflow[parent, default: 0] += 1
        }
        node.pointee.operationChildCount += 1
        if node.pointee.operationChildCount == 2 { forgetLineEnd(of: node.pointee.chain) }
        if node.pointee.operationChildCount <= 2 { recordChange(parent, .continuation) }
    }

    private func uncountOperationChild(under parent: UInt32) {
        if let more = operationChildCountOverflow[parent] {
            return operationChildCountOverflow[parent] = more == 1 ? nil : more - 1
        }
        let node = nodes[parent]
        node.pointee.operationChildCount -= 1
        forgetLineEnd(of: node.pointee.chain)
        if node.pointee.operationChildCount <= 1 { recordChange(parent, .continuation) }
    }

    func childCountsSlot(of slot: UInt32) -> UInt32 {
        let extra = nodes[slot].pointee.extra
        return extra == noSlot ? noSlot : extras[extra].pointee.childCounts
    }

    private func countAddedChild(_ slot: UInt32, under parent: UInt32) {
        let known = childCountsSlot(of: parent)
        if known != noSlot { return childCounts[known].pointee.add(nodes[slot].pointee.state) }
        guard nodes[parent].pointee.childCount > Self.countedFrom else { return }
        var counts = StateCounts()
        var child = nodes[parent].pointee.firstChild
        while child != noSlot {
            counts.add(nodes[child].pointee.state)
            child = nodes[child].pointee.next
        }
        let extra = ensureExtra(of: parent)
        extras[extra].pointee.childCounts = childCounts.allocate(counts)
    }

    private func countRemovedChild(_ slot: UInt32, under parent: UInt32) {
        let known = childCountsSlot(of: parent)
        guard known != noSlot else { return }
        childCounts[known].pointee.subtract(nodes[slot].pointee.state)
        guard nodes[parent].pointee.childCount == Self.countedDownTo else { return }
        childCounts.free(known)
        extras[nodes[parent].pointee.extra].pointee.childCounts = noSlot
    }
}
