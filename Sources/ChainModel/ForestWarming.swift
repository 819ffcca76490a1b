import ChainEvents

/// Reading ahead. In a forest of a million nodes nearly each step finds its node, and then its chain, outside the
/// processor's caches, and waits for both in turn; reading those of many steps at once waits for all of them together.
extension ForestData {
    /// How many events are read ahead.
    static let warmCount = 32
    #if DEBUG
        // So that tests do it, whose forests are small.
        private static let warmFrom = 1
    #else
        /// A forest of fewer nodes, some two megabytes, is in the caches anyway.
        private static let warmFrom = 16_384
    #endif

    /// Reads the records that these events will change.
    mutating func warm(for events: Slice<UnsafeBufferPointer<ChainEvent>>) {
        guard nodes.count >= Self.warmFrom else { return }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.warmCount) { slots in
            var count = 0
            for event in events {
                // Who is made is not there yet; who it stands under is.
                let slot = ids.find(event.kind == .created ? event.other : event.node)
                guard slot < evictedSlot else { continue }
                slots[count] = slot
                count += 1
            }
            warmed ^= warmth(ofNodes: slots[..<count])
        }
    }

    /// Reads the records of those whose turn to be evicted comes next.
    func warmth(of entries: ArraySlice<EvictionQueue.Entry>) -> UInt64 {
        guard nodes.count >= Self.warmFrom else { return 0 }
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: entries.count) { slots in
            var count = 0
            for entry in entries where isOccupied(entry.slot) {
                slots[count] = entry.slot
                count += 1
            }
            var sum = warmth(ofNodes: slots[..<count])
            // Those of a chain mostly stand one after the other: they were made together.
            for slot in slots[..<count] where nodes[slot].pointee.chain != noSlot {
                for next in slot + 1..<slot + max(1, min(8, chains[nodes[slot].pointee.chain].pointee.nodeCount))
                where nodes.hasPage(of: next) {
                    sum ^= nodes[next].pointee.id ^ UInt64(nodes[next].pointee.state.rawValue)
                }
            }
            return sum
        }
    }

    /// Something of the record of a node that may be there, and of its chain: who asks this of many nodes before asking
    /// them one by one waits for all of them together. Nobody needs what it gives.
    func warmth(of index: NodeIndex) -> UInt64 {
        guard nodes.count >= Self.warmFrom, nodes.hasPage(of: index.rawValue) else { return 0 }
        let node = nodes[index.rawValue]
        let seen = node.pointee.id ^ UInt64(node.pointee.state.rawValue)
        let chain = node.pointee.chain
        // Who is gone keeps its chain's number, which may be past the end by now.
        return chain != noSlot && chains.hasPage(of: chain) ? seen ^ chains[chain].pointee.settled : seen
    }

    private func warmth(ofNodes slots: Slice<UnsafeMutableBufferPointer<UInt32>>) -> UInt64 {
        var sum: UInt64 = 0
        // Both ends: a record may lie in two lines.
        for slot in slots { sum ^= nodes[slot].pointee.id ^ UInt64(nodes[slot].pointee.state.rawValue) }
        for slot in slots {
            let (chain, above) = (nodes[slot].pointee.chain, nodes[slot].pointee.treeParent)
            if above != noSlot { sum ^= UInt64(nodes[above].pointee.childCount) }
            if chain != noSlot { sum ^= chains[chain].pointee.settled ^ UInt64(chains[chain].pointee.counts.last) }
        }
        for slot in slots {
            let chain = nodes[slot].pointee.chain
            if chain != noSlot { sum ^= UInt64(nodes[chains[chain].pointee.root].pointee.state.rawValue) }
        }
        return sum
    }
}

extension ChainForest {
    /// Something of a record.
    public func warmth(of index: NodeIndex) -> UInt64 { data.warmth(of: index) }
}
