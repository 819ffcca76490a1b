/// The changes since the last take: slots of nodes whose record has `changes`, each once, and who was evicted.
struct ChangeLog: Sendable {
    var slots: [UInt32] = []
    var evicted: [ForestChanges.Eviction] = []
    var isEverything = true
    var tables = false
    var highWaterMark = 0
}

extension ChainForest {
    /// Notes that a node changed.
    @inline(__always)
    mutating func note(_ slot: UInt32, _ changes: NodeChanges) {
        guard !log.isEverything else { return }
        let node = nodes[slot]
        if node.pointee.changes.isEmpty {
            guard log.slots.count < limits.changeLimit else { return noteEverything() }
            log.slots.append(slot)
        }
        node.pointee.changes.formUnion(changes)
    }

    mutating func noteEvicted(_ slot: UInt32, _ record: NodeRecord, newRoot: UInt32? = nil) {
        guard !log.isEverything else { return }
        guard log.evicted.count < limits.changeLimit else { return noteEverything() }
        let view = NodeView(index: NodeIndex(rawValue: slot), record: record)
        log.evicted.append(.init(node: view, newRoot: newRoot.map { NodeIndex(rawValue: $0) }))
    }

    mutating func noteEverything() {
        for slot in log.slots where isTaken(slot) { nodes[slot].pointee.changes = [] }
        log.slots = []
        log.evicted = []
        log.isEverything = true
    }

    /// Moves what changed since the last take into `changes` (whose storage is used again).
    public mutating func consumeChanges(into changes: inout ForestChanges) {
        makeUnique()
        log.highWaterMark = max(log.highWaterMark, log.slots.count, log.evicted.count)
        changes.nodes.removeAll(keepingCapacity: true)
        changes.evicted.removeAll(keepingCapacity: true)
        changes.isEverything = log.isEverything
        changes.tables = log.tables
        swap(&changes.evicted, &log.evicted)
        for slot in log.slots where isTaken(slot) {
            // A slot that was freed and taken again stands here twice; the first time told all.
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
        log.tables = false
    }

    /// What changed since the last take.
    public mutating func consumeChanges() -> ForestChanges {
        var changes = ForestChanges()
        consumeChanges(into: &changes)
        return changes
    }
}
