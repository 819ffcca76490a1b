import ChainEvents

extension ChainForest {
    /// Takes in where a resync begins and ends. The end looks at all nodes: some 20 ms at a million, after a loss only.
    mutating func fold(_ resync: Resync?) {
        switch resync {
        case nil: break
        case .begin(let epoch):
            resyncEpoch = epoch
            resyncGeneration &+= 1
            guard resyncGeneration == 0 else { break }
            resyncGeneration = 1
            forEachSlot { $0.nodes[$1].pointee.resync = 0 }
        case .end(let epoch):
            guard resyncEpoch == epoch else { break }
            resyncEpoch = nil
            forEachSlot { $0.endResync($1, epoch) }
        }
    }

    /// Who was not named has ended, if it was made before, or at that very time: clocks may stand still. Who was made
    /// after the resync began, be it at the same time, was told of since.
    private mutating func endResync(_ slot: UInt32, _ epoch: UInt64) {
        let node = nodes[slot]
        guard node.pointee.resync != resyncGeneration, node.pointee.created <= epoch, node.pointee.has(.told) else {
            return
        }
        if node.pointee.settlement == .pending {
            // Its memory is gone, so no handler of it runs any more.
            node.pointee.bits.insert(.released)
            settle(slot, .unknown, now)
            refresh(slot)
        } else if node.pointee.activity == .running {
            node.pointee.bits.insert(.released)
            note(slot, .facts)
        }
    }

    private mutating func forEachSlot(_ body: (inout ChainForest, UInt32) -> Void) {
        for slot in 0..<UInt32(nodes.bound) where isTaken(slot) { body(&self, slot) }
    }
}
