// SPDX-License-Identifier: MIT

extension ChainForest {
    /// Whether a resync has begun and not ended.
    package var isInResync: Bool { data.resyncEpoch != nil }
}

extension ForestData {
    /// Applies the beginning or the end of a resync, in which the program reports all nodes that it still has. The end
    /// reads all nodes: some 20 ms for a million, but only after losses or on request.
    func apply(_ resync: Resync?) {
        switch resync {
        case nil: break
        case .begin(let epoch):
            resyncEpoch = epoch
            resyncGeneration &+= 1
            // After an overflow the numbers are cleared, because nodes may have the same number from an earlier resync.
            guard resyncGeneration == 0 else { break }
            resyncGeneration = 1
            forEachSlot { $0.nodes[$1].pointee.resync = 0 }
        case .end(let epoch):
            guard resyncEpoch == epoch else { break }
            resyncEpoch = nil
            forEachSlot { $0.endResync($1, epoch) }
        }
    }

    /// Marks a pending or running node as released if the resync did not report it, although it was made at the
    /// resync's beginning or before. A pending node settles as *unknown*.
    ///
    /// A node made at the same time as the beginning is included, because clocks may stand still. If such a node was in
    /// fact made after the beginning, an event has reported it since, and it counts as reported.
    private func endResync(_ slot: UInt32, _ epoch: UInt64) {
        let node = nodes[slot]
        guard node.pointee.resync != resyncGeneration, node.pointee.created <= epoch, node.pointee.has(.reported) else {
            return
        }
        if node.pointee.settlement == .pending {
            // The node's memory is freed, so none of its handlers runs.
            node.pointee.bits.insert(.released)
            settle(slot, .unknown, now)
            refresh(slot)
        } else if node.pointee.activity == .running {
            node.pointee.bits.insert(.released)
            recordChange(slot, .facts)
        }
    }

    private func forEachSlot(_ body: (ForestData, UInt32) -> Void) {
        for slot in 0..<UInt32(nodes.bound) where isOccupied(slot) { body(self, slot) }
    }
}

extension ChainForest {
    /// Whether the program reports the nodes that it still has, so that nodes may be incomplete or missing.
    public var isResyncing: Bool { data.resyncEpoch != nil }
}
