// SPDX-License-Identifier: MIT

/// Chains that a user pinned: they are kept although they have settled and newer chains exceed the limits.
extension ChainForest {
    /// The most nodes that can be pinned at once; several of them may be in one chain. Together, pins keep at most half
    /// as many nodes as ``ForestLimits/settledNodeLimit``.
    public static let pinLimit = 16

    /// The most nodes that a chain may have for its pins to keep it; a chain that grows beyond this limit is evicted
    /// like any other chain.
    public var pinnedNodeLimit: Int { data.pinnedNodeLimit }

    /// Why a node cannot be pinned.
    public enum PinRefusal: Error, Hashable, Sendable {
        /// ``ChainForest/pinLimit`` nodes are pinned already.
        case tooMany(limit: Int)
        /// The node's chain has more nodes than ``ChainForest/pinnedNodeLimit``.
        case tooLarge(nodeCount: Int, limit: Int)
    }

    /// The pinned nodes that are kept, in the order in which they were pinned. O(pins).
    public var pins: [NodeID] { data.pins.filter(data.isKept).map { NodeID($0.id) } }

    /// Returns whether a node itself is pinned. O(pins).
    public func isPinned(_ index: NodeIndex) -> Bool {
        !data.pins.isEmpty && data.pins.contains { $0.slot == checked(index) && data.isKept($0) }
    }

    /// Returns whether any node of a node's chain is pinned. O(pins).
    public func isChainPinned(_ index: NodeIndex) -> Bool { data.hasPin(rootedAt: data.rootSlot(of: checked(index))) }

    /// Exempts the chain of a node from eviction. A node that is pinned already stays pinned, once. O(pins).
    public mutating func pin(_ index: NodeIndex) throws(PinRefusal) {
        makeUnique()
        let slot = checked(index)
        data.pins.removeAll { !data.isKept($0) }
        let isPinned = data.pins.contains { $0.slot == slot }
        guard isPinned || data.pins.count < Self.pinLimit else { throw .tooMany(limit: Self.pinLimit) }
        let nodeCount = nodeCount(ofRoot: root(of: index))
        guard nodeCount <= pinnedNodeLimit else { throw .tooLarge(nodeCount: nodeCount, limit: pinnedNodeLimit) }
        guard !isPinned else { return }
        data.pins.append(ForestPin(slot: slot, id: data.nodes[slot].pointee.id))
    }

    /// Removes the pins from the chain of a node, so that the chain can be evicted again. O(nodes of the chain).
    public mutating func unpin(_ index: NodeIndex) {
        makeUnique()
        data.unpin(rootedAt: data.rootSlot(of: checked(index)))
    }
}

/// A pinned node, and where it is stored.
struct ForestPin: Sendable {
    var slot: UInt32
    var id: UInt64
}

extension ForestData {
    var pinnedNodeLimit: Int { limits.settledNodeLimit / (2 * ChainForest.pinLimit) }

    /// Returns whether a pinned node was not evicted.
    func isKept(_ pin: ForestPin) -> Bool { isOccupied(pin.slot) && nodes[pin.slot].pointee.id == pin.id }

    func hasPin(rootedAt root: UInt32) -> Bool {
        !pins.isEmpty && pins.contains { isKept($0) && rootSlot(of: $0.slot) == root }
    }

    /// Returns whether a chain is exempt from eviction. O(pins); one comparison if there are none.
    @inline(__always)
    func isExempt(_ root: UInt32) -> Bool {
        guard !pins.isEmpty, hasPin(rootedAt: root) else { return false }
        let chain = nodes[root].pointee.chain
        return chain == noSlot || Int(chains[chain].pointee.nodeCount) <= pinnedNodeLimit
    }

    func unpin(rootedAt root: UInt32) {
        pins.removeAll { !isKept($0) || rootSlot(of: $0.slot) == root }
        // The nodes are enqueued again, because the eviction queues have dropped the entries of exempt nodes.
        let chain = nodes[root].pointee.chain
        if chain == noSlot ? !nodes[root].pointee.state.isLive : !chains[chain].pointee.isLive { enqueueRoot(root) }
        enqueueLeaves(under: root)
    }
}
