// SPDX-License-Identifier: MIT

import CChainRuntime

/// Prefetching. In a forest of a million nodes nearly each event misses the caches at its node and then at its chain;
/// prefetching the records of many events overlaps these misses.
///
/// Without it `screen.fold.1M` of ScreenBench falls by 15 %, `screen.fold.scattered` by 28 %.
extension ForestData {
    /// How many events are prefetched at once.
    static let prefetchCount = 32
    /// How many nodes of a chain are prefetched before it is evicted.
    private static let evictedNodeCount = 8
    #if DEBUG
        // Prefetches always, so that tests with their small forests cover prefetching.
        static let prefetchMinimum = 1
    #else
        /// The minimum number of nodes for prefetching. A smaller forest, some two megabytes, is in the caches anyway.
        static let prefetchMinimum = 16_384
    #endif

    /// Prefetches the records that applying events will change, and stores the slot of each event's node, or of a
    /// created node's parent or creator. No event evicts a node, so the slots stay valid. For an unknown or evicted id
    /// the slot is ``noSlot``. Such an id has to be looked up again when its event is applied, because an event before
    /// it may have inserted the id.
    func prefetch(for events: Slice<UnsafeBufferPointer<ChainEvent>>, into slots: UnsafeMutableBufferPointer<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.prefetchCount) { known in
            var (offset, count) = (0, 0)
            var last = noSlot
            for event in events {
                let slot = ids.findCachingPage(event.kind == .created ? event.other : event.node)
                slots[offset] = slot == evictedSlot ? noSlot : slot
                offset += 1
                // Events of one node often come together.
                guard slot < evictedSlot, slot != last else { continue }
                last = slot
                known[count] = slot
                count += 1
            }
            prefetch(known[..<count])
        }
    }

    /// Prefetches what evicting chains will read of their first nodes: node by node, in all chains side by side, so
    /// that the misses overlap.
    func prefetch(_ entries: ArraySlice<EvictionQueue.Entry>) {
        guard nodes.count >= Self.prefetchMinimum else { return }
        withUnsafeTemporaryAllocation(of: (root: UInt32, next: UInt32).self, capacity: entries.count) { walks in
            var count = 0
            for entry in entries where nodes.hasPage(of: entry.slot) {
                nodes.prefetch(entry.slot)
                walks[count] = (entry.slot, entry.slot)
                count += 1
            }
            for step in 0..<Self.evictedNodeCount where count > 0 {
                var kept = 0
                for (root, slot) in walks[..<count] where step > 0 || isOccupied(slot) {
                    let node = nodes[slot]
                    if step == 0, node.pointee.chain != noSlot { chains.prefetch(node.pointee.chain) }
                    if node.pointee.extra != noSlot { extras.prefetch(node.pointee.extra) }
                    texts.prefetch(node.pointee.label)
                    let next = nextInPreOrder(slot, within: root)
                    guard next != noSlot else { continue }
                    nodes.prefetch(next)
                    walks[kept] = (root, next)
                    kept += 1
                }
                count = kept
            }
        }
    }

    func prefetch(_ index: NodeIndex) {
        guard nodes.count >= Self.prefetchMinimum, nodes.hasPage(of: index.rawValue) else { return }
        nodes.prefetch(index.rawValue)
        // An evicted node keeps the slot of its last chain, the page of which may be gone.
        let chain = nodes[index.rawValue].pointee.chain
        if chain != noSlot, chains.hasPage(of: chain) { chains.prefetch(chain) }
    }

    private func prefetch(_ slots: Slice<UnsafeMutableBufferPointer<UInt32>>) {
        for slot in slots { nodes.prefetch(slot) }
        for slot in slots {
            let (chain, parent) = (nodes[slot].pointee.chain, nodes[slot].pointee.treeParent)
            if parent != noSlot { nodes.prefetch(parent) }
            if chain != noSlot { chains.prefetch(chain) }
        }
        for slot in slots {
            let chain = nodes[slot].pointee.chain
            if chain != noSlot { nodes.prefetch(chains[chain].pointee.root) }
        }
    }
}

extension Slab {
    /// Prefetches the two cache lines that an element may touch.
    @inline(__always)
    fileprivate func prefetch(_ slot: UInt32) { chain_prefetch(self[slot]) }
}

extension ChainForest {
    /// Prefetches a node, which may be evicted, and its chain. Call it for many nodes before reading them one by one.
    public func prefetch(_ index: NodeIndex) { data.prefetch(index) }

    /// Prefetches a node, which may be evicted, without its chain, because finding the chain would wait for the node.
    package func prefetchNode(_ index: NodeIndex) {
        if data.nodes.hasPage(of: index.rawValue) { data.nodes.prefetch(index.rawValue) }
    }
}
