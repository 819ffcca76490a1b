// SPDX-License-Identifier: MIT

/// The newest settled nodes of a forest: those that a forest with a lower limit of settled nodes would have kept.
///
/// They are the chains that settled last and, beside them, the last ones that failed or have a fault, with half as many
/// nodes; and likewise leaves of live chains. Nodes that leave the forest meanwhile are left out.
struct NewestSettled: Sendable {
    /// Roots of settled chains, and settled leaves, those that settled last at the end.
    private var chains: [EvictionQueue.Entry] = []
    private var leaves: [EvictionQueue.Entry] = []
    /// The number of nodes that may still be returned, and of nodes with a failure that may be returned besides.
    private var room = (chains: 0, failedChains: 0, leaves: 0, failedLeaves: 0)

    init() {}

    /// Copies the queues of what settled: up to 20 bytes for each settled chain and leaf.
    init(of forest: borrowing ChainForest, limit: Int) {
        chains = Array(forest.data.failedChains.entries.contents + forest.data.settledChains.contents)
        leaves = Array(forest.data.failedLeaves.contents + forest.data.settledLeaves.contents)
        room = (limit, limit / 2, limit, limit / 2)
    }

    var isEmpty: Bool { chains.isEmpty && leaves.isEmpty }

    /// Returns the nodes of the next chain, or the next leaf; nil if there are no more, or if `rest`, which is
    /// decremented for each entry, has reached 0.
    mutating func next(of forest: borrowing ChainForest, passing rest: inout Int) -> [NodeID]? {
        let data = forest.data
        if room.chains == 0, room.failedChains == 0 { chains = [] }
        while rest > 0, let entry = chains.popLast() {
            rest -= 1
            guard !data.isStale(entry, isRoot: true), !data.isLive(root: entry.slot) else { continue }
            let (count, isFailed) = (data.nodeCount(root: entry.slot), data.isEvictedLast(root: entry.slot))
            guard Self.take(count, from: &room.chains, isFailed, &room.failedChains) else { continue }
            return data.ids(under: entry.slot)
        }
        if room.leaves == 0, room.failedLeaves == 0 { leaves = [] }
        while rest > 0, let entry = leaves.popLast() {
            rest -= 1
            guard !data.isStale(entry, isRoot: false) else { continue }
            let isFailed = data.isEvictedLast(leaf: entry.slot)
            guard Self.take(1, from: &room.leaves, isFailed, &room.failedLeaves) else { continue }
            return [NodeID(data.nodes[entry.slot].pointee.id)]
        }
        return nil
    }

    /// Takes room for `count` nodes; returns false if there is none. Room that was once too small is used up.
    private static func take(_ count: Int, from room: inout Int, _ isFailed: Bool, _ failedRoom: inout Int) -> Bool {
        if count <= room {
            room -= count
            return true
        }
        room = 0
        guard isFailed, count <= failedRoom else { return false }
        failedRoom -= count
        return true
    }
}

extension ForestData {
    fileprivate func ids(under root: UInt32) -> [NodeID] {
        var ids: [NodeID] = []
        var cursor = root
        while cursor != noSlot {
            ids.append(NodeID(nodes[cursor].pointee.id))
            cursor = nextInPreOrder(cursor, within: root)
        }
        return ids
    }
}
