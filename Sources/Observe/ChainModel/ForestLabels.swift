// SPDX-License-Identifier: MIT

/// Labels, kinds and call sites of nodes.
extension ForestData {
    /// Applies facts of a node's creation that are not known yet. A known label stays, because a renaming may have set
    /// it.
    func applyCreationFacts(_ slot: UInt32, kind: NodeKind, site: SiteID, label: String?) {
        let node = nodes[slot]
        let before = (node.pointee.kind, node.pointee.site, node.pointee.label)
        if node.pointee.kind == .other { node.pointee.kind = kind }
        if node.pointee.site == 0 { node.pointee.site = site }
        if let label, node.pointee.label == noSlot { node.pointee.label = texts.intern(label) }
        if before != (node.pointee.kind, node.pointee.site, node.pointee.label) {
            recordChange(slot, [.facts, .description])
        }
    }

    /// Gives a node the label of the renaming with the number `count`, unless the node has the label of a later
    /// renaming. Of two labels with the same number the greater text wins, so that the order of events does not matter.
    func rename(_ slot: UInt32, _ label: String, count: UInt64) {
        guard count != 0 else { return }
        let count = UInt32(clamping: count)
        let extra = ensureExtra(of: slot)
        let known = extras[extra].pointee.renameCount
        guard known <= count, known < count || (texts[nodes[slot].pointee.label] ?? "") < label else { return }
        extras[extra].pointee.renameCount = count
        texts.replace(&nodes[slot].pointee.label, with: label)
        recordChange(slot, [.facts, .description])
    }
}
