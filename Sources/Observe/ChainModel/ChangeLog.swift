// SPDX-License-Identifier: MIT

/// The changes of a forest since changes were last consumed.
struct ChangeLog: Sendable {
    /// The slots of nodes with `changes` in their record, each once; a slot that was freed and reused is listed again.
    var slots: [UInt32] = []
    var evicted: [ForestChanges.Eviction] = []
    /// Whether changes are not listed, because they are too many or were never consumed.
    var isEverything = true
    /// Whether a batch was applied.
    var includesBatch = false
    /// The most entries that ``slots`` or ``evicted`` has had.
    var highWaterMark = 0
}

extension ForestData {
    /// Records changes of a node.
    @inline(__always)
    func recordChange(_ slot: UInt32, _ changes: NodeChanges) {
        guard !log.isEverything else { return }
        let node = nodes[slot]
        if node.pointee.changes.isEmpty {
            guard log.slots.count < limits.changeLimit else { return recordOverflow() }
            log.slots.append(slot)
        }
        node.pointee.changes.formUnion(changes)
    }

    func recordEviction(_ slot: UInt32, _ record: NodeRecord, newRoot: UInt32? = nil) {
        willEvict?(.node(NodeIndex(rawValue: slot), isReplaced: newRoot != nil))
        guard !log.isEverything else { return }
        guard log.evicted.count < limits.changeLimit else { return recordOverflow() }
        let view = NodeView(index: NodeIndex(rawValue: slot), record: record)
        log.evicted.append(.init(node: view, newRoot: newRoot.map { NodeIndex(rawValue: $0) }))
    }

    /// Empties the lists, and sets ``ChangeLog/isEverything`` in their place.
    func recordOverflow() {
        log.highWaterMark = max(log.highWaterMark, log.slots.count, log.evicted.count)
        for slot in log.slots where isOccupied(slot) { nodes[slot].pointee.changes = [] }
        log.slots = []
        log.evicted = []
        log.isEverything = true
    }

    func consumeChanges(into changes: inout ForestChanges) {
        log.highWaterMark = max(log.highWaterMark, log.slots.count, log.evicted.count)
        changes.nodes.removeAll(keepingCapacity: true)
        changes.evicted.removeAll(keepingCapacity: true)
        changes.isEverything = log.isEverything
        changes.includesBatch = log.includesBatch
        swap(&changes.evicted, &log.evicted)
        for slot in log.slots where isOccupied(slot) {
            // A slot that was freed and reused is listed twice; its first entry carried all changes.
            let node = nodes[slot]
            guard !node.pointee.changes.isEmpty else { continue }
            changes.nodes.append(
                .init(
                    index: NodeIndex(rawValue: slot), changes: node.pointee.changes, traits: node.pointee.traits,
                    kind: node.pointee.kind, state: node.pointee.state))
            node.pointee.changes = []
        }
        log.slots.removeAll(keepingCapacity: true)
        log.isEverything = limits.changeLimit == 0
        log.includesBatch = false
    }
}

extension ChainForest {
    /// Moves the changes since the last call into `changes`, and reuses the memory of its lists.
    public mutating func consumeChanges(into changes: inout ForestChanges) {
        makeUnique()
        data.consumeChanges(into: &changes)
    }

    /// Returns the changes since the last call.
    public mutating func consumeChanges() -> ForestChanges {
        var changes = ForestChanges()
        consumeChanges(into: &changes)
        return changes
    }
}
