/// What a node is called, and by what it was made.
extension ForestData {
    /// Applies facts of a node's creation. The label is that of the creation: a later one stays.
    func describe(_ slot: UInt32, kind: NodeKind, site: SiteID, label: String?) {
        let node = nodes[slot]
        let before = (node.pointee.kind, node.pointee.site, node.pointee.label)
        if node.pointee.kind == .other { node.pointee.kind = kind }
        if node.pointee.site == 0 { node.pointee.site = site }
        if let label, node.pointee.label == noSlot { node.pointee.label = texts.intern(label) }
        if before != (node.pointee.kind, node.pointee.site, node.pointee.label) {
            recordChange(slot, [.facts, .description])
        }
    }

    /// Gives a node the label of its n-th renaming, unless it has that of a later one. Of two with one number the greater
    /// text holds, so that the order in which they come does not matter.
    func rename(_ slot: UInt32, _ label: String, count: UInt64) {
        guard count != 0 else { return }
        let extra = extra(of: slot)
        let known = extras[extra].pointee.renameCount
        guard known <= count, known < count || (texts[nodes[slot].pointee.label] ?? "") < label else { return }
        extras[extra].pointee.renameCount = count
        texts.replace(&nodes[slot].pointee.label, with: label)
        recordChange(slot, [.facts, .description])
    }
}
