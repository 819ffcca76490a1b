// SPDX-License-Identifier: MIT

/// The order of children: intrusive lists by (creation, id).
extension ForestData {
    /// Removes a node from the list of its tree parent's children.
    func unlinkSibling(_ slot: UInt32) {
        let node = nodes[slot]
        let above = nodes[node.pointee.treeParent]
        let (previous, next) = (node.pointee.previous, node.pointee.next)
        if previous == noSlot { above.pointee.firstChild = next } else { nodes[previous].pointee.next = next }
        if next == noSlot { above.pointee.lastChild = previous } else { nodes[next].pointee.previous = previous }
        above.pointee.childCount -= 1
        let hint = Int(node.pointee.treeParent & 15)
        if insertionHints[hint] == slot { insertionHints[hint] = noSlot }
        recordChange(node.pointee.treeParent, .facts)
        childRemoved(slot, node.pointee.treeParent)
        (node.pointee.treeParent, node.pointee.previous, node.pointee.next) = (noSlot, noSlot, noSlot)
    }

    /// Inserts a node into the list under `parent` by its creation time.
    ///
    /// O(1) at the end or the beginning. Otherwise the search runs from the end and from an earlier insertion at the
    /// same time. Each node of a sorted run that continues this insertion then costs O(1).
    @inline(__always)
    func linkSibling(_ slot: UInt32, under parent: UInt32) {
        insertInOrder(slot, under: parent)
        childAdded(slot, parent)
    }

    @inline(__always)
    private func insertInOrder(_ slot: UInt32, under parent: UInt32) {
        let node = nodes[slot]
        let above = nodes[parent]
        recordChange(parent, .facts)
        node.pointee.treeParent = parent
        above.pointee.childCount += 1
        let last = above.pointee.lastChild
        guard last != noSlot, !nodes[last].pointee.precedes(node.pointee) else {
            node.pointee.previous = last
            if last == noSlot { above.pointee.firstChild = slot } else { nodes[last].pointee.next = slot }
            above.pointee.lastChild = slot
            return
        }
        let before = sibling(before: slot, under: parent)
        let next = before == noSlot ? above.pointee.firstChild : nodes[before].pointee.next
        node.pointee.previous = before
        node.pointee.next = next
        nodes[next].pointee.previous = slot
        if before == noSlot { above.pointee.firstChild = slot } else { nodes[before].pointee.next = slot }
    }

    /// Returns the sibling after which to insert a node that comes before the last child; ``noSlot`` if the node
    /// becomes the first child.
    private func sibling(before slot: UInt32, under parent: UInt32) -> UInt32 {
        let node = nodes[slot]
        let hintIndex = Int(parent & 15)
        guard nodes[nodes[parent].pointee.firstChild].pointee.precedes(node.pointee) else { return noSlot }
        var back = nodes[parent].pointee.lastChild
        var hint = insertionHints[hintIndex]
        if hint == slot || hint == noSlot || !isOccupied(hint) || nodes[hint].pointee.treeParent != parent {
            hint = noSlot
        }
        let hadHint = hint != noSlot
        let isForward = hadHint && nodes[hint].pointee.precedes(node.pointee)
        while true {
            back = nodes[back].pointee.previous
            if nodes[back].pointee.precedes(node.pointee) {
                if !hadHint { insertionHints[hintIndex] = slot }
                return back
            }
            guard hadHint else { continue }
            if isForward {
                let next = nodes[hint].pointee.next
                if next == noSlot || node.pointee.precedes(nodes[next].pointee) { break }
                hint = next
            } else {
                hint = nodes[hint].pointee.previous
                if nodes[hint].pointee.precedes(node.pointee) { break }
            }
        }
        insertionHints[hintIndex] = slot
        return hint
    }
}
