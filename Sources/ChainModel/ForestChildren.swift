import ChainEvents

/// What is kept of those that stand under a node besides their order: how many were made by an operation on it, and,
/// where they are many, how they are doing.
extension ChainForest {
    /// From how many children on they are counted by state, and down to how many.
    static let countedFrom: UInt32 = 128, countedDownTo: UInt32 = 64

    /// The only one of those under a node that was made by an operation on it (`then` and the like), with which a chain
    /// goes on; nil where there is none or several.
    ///
    /// Searched from both ends, so O(1) where it is the first or the last, at worst O(children).
    public func continuation(of index: NodeIndex) -> NodeIndex? {
        let node = nodes[checked(index)]
        guard node.pointee.thenCount == 1 else { return nil }
        var (front, back) = (node.pointee.firstChild, node.pointee.lastChild)
        while front != noSlot, back != noSlot {
            if nodes[front].pointee.has(.hasParent) { return front.asNode }
            if nodes[back].pointee.has(.hasParent) { return back.asNode }
            (front, back) = (nodes[front].pointee.next, nodes[back].pointee.previous)
        }
        return nil
    }

    /// Whether a node is the ``continuation(of:)`` of the one that it stands under. O(1).
    public func isContinuation(_ index: NodeIndex) -> Bool {
        let node = nodes[checked(index)]
        guard node.pointee.has(.hasParent), node.pointee.treeParent != noSlot else { return false }
        return nodes[node.pointee.treeParent].pointee.thenCount == 1
    }

    /// How those directly under a node are doing, kept up where they are many (more than 128); nil where a caller can
    /// count them as well. O(1).
    public func childCounts(of index: NodeIndex) -> StateCounts? {
        let counts = childCountsSlot(of: checked(index))
        return counts == noSlot ? nil : childCounts[counts].pointee
    }

    // MARK: Keeping it up

    /// A node was put under `parent`.
    @inline(__always)
    mutating func childJoined(_ slot: UInt32, _ parent: UInt32) {
        if nodes[slot].pointee.has(.hasParent) { addThen(under: parent) }
        if nodes[parent].pointee.childCount > Self.countedDownTo { countChild(slot, joining: parent) }
    }

    /// A node was taken from under `parent`.
    @inline(__always)
    mutating func childLeft(_ slot: UInt32, _ parent: UInt32) {
        if nodes[slot].pointee.has(.hasParent) { removeThen(under: parent) }
        if nodes[parent].pointee.childCount >= Self.countedDownTo { countChild(slot, leaving: parent) }
    }

    /// The word for a node is another.
    @inline(__always)
    mutating func childTurned(_ slot: UInt32, from old: NodeState, to new: NodeState) {
        let parent = nodes[slot].pointee.treeParent
        guard parent != noSlot, nodes[parent].pointee.childCount > Self.countedDownTo else { return }
        let counts = childCountsSlot(of: parent)
        guard counts != noSlot else { return }
        childCounts[counts].pointee.subtract(old)
        childCounts[counts].pointee.add(new)
    }

    /// It is known of a node that it was made by an operation on another.
    mutating func setHasParent(_ slot: UInt32) {
        let node = nodes[slot]
        guard !node.pointee.has(.hasParent) else { return }
        node.pointee.bits.insert(.hasParent)
        guard node.pointee.treeParent != noSlot else { return }
        addThen(under: node.pointee.treeParent)
        note(slot, .moved)
    }

    private mutating func addThen(under parent: UInt32) {
        let node = nodes[parent]
        guard node.pointee.thenCount < .max else { return moreThens[parent, default: 0] += 1 }
        node.pointee.thenCount += 1
        if node.pointee.thenCount <= 2 { note(parent, .continuation) }
    }

    private mutating func removeThen(under parent: UInt32) {
        if let more = moreThens[parent] { return moreThens[parent] = more == 1 ? nil : more - 1 }
        let node = nodes[parent]
        node.pointee.thenCount -= 1
        if node.pointee.thenCount <= 1 { note(parent, .continuation) }
    }

    private func childCountsSlot(of slot: UInt32) -> UInt32 {
        let extra = nodes[slot].pointee.extra
        return extra == noSlot ? noSlot : extras[extra].pointee.childCounts
    }

    private mutating func countChild(_ slot: UInt32, joining parent: UInt32) {
        let known = childCountsSlot(of: parent)
        if known != noSlot { return childCounts[known].pointee.add(nodes[slot].pointee.state) }
        guard nodes[parent].pointee.childCount > Self.countedFrom else { return }
        var counts = StateCounts()
        var child = nodes[parent].pointee.firstChild
        while child != noSlot {
            counts.add(nodes[child].pointee.state)
            child = nodes[child].pointee.next
        }
        let extra = extra(of: parent)
        extras[extra].pointee.childCounts = childCounts.allocate(counts)
    }

    private mutating func countChild(_ slot: UInt32, leaving parent: UInt32) {
        let known = childCountsSlot(of: parent)
        guard known != noSlot else { return }
        childCounts[known].pointee.subtract(nodes[slot].pointee.state)
        guard nodes[parent].pointee.childCount == Self.countedDownTo else { return }
        childCounts.free(known)
        extras[nodes[parent].pointee.extra].pointee.childCounts = noSlot
    }
}
