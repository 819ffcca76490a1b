/// The order of those under one node: intrusive lists by (creation, id).
extension ChainForest {
    /// Takes a node out of the list that it is in.
    mutating func unlinkSibling(_ slot: UInt32) {
        let node = nodes[slot]
        let above = nodes[node.pointee.treeParent]
        let (previous, next) = (node.pointee.previous, node.pointee.next)
        if previous == noSlot { above.pointee.firstChild = next } else { nodes[previous].pointee.next = next }
        if next == noSlot { above.pointee.lastChild = previous } else { nodes[next].pointee.previous = previous }
        above.pointee.childCount -= 1
        let finger = Int(node.pointee.treeParent & 15)
        if fingers[finger] == slot { fingers[finger] = noSlot }
        note(node.pointee.treeParent, .facts)
        childLeft(slot, node.pointee.treeParent)
        (node.pointee.treeParent, node.pointee.previous, node.pointee.next) = (noSlot, noSlot, noSlot)
    }

    /// Puts a node into the list under `parent`, where its creation time says.
    ///
    /// At the end or the beginning that is O(1). In between, the place is searched from the end and from where the last
    /// one was put at the same time, so that merging a sorted run costs its length.
    @inline(__always)
    mutating func linkSibling(_ slot: UInt32, under parent: UInt32) {
        enlist(slot, under: parent)
        childJoined(slot, parent)
    }

    @inline(__always)
    private mutating func enlist(_ slot: UInt32, under parent: UInt32) {
        let node = nodes[slot]
        let above = nodes[parent]
        note(parent, .facts)
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

    /// Who a node has to follow that comes before the last under `parent`; none if it comes first.
    private mutating func sibling(before slot: UInt32, under parent: UInt32) -> UInt32 {
        let node = nodes[slot]
        let place = Int(parent & 15)
        guard nodes[nodes[parent].pointee.firstChild].pointee.precedes(node.pointee) else { return noSlot }
        var back = nodes[parent].pointee.lastChild
        var finger = fingers[place]
        if finger == slot || finger == noSlot || !isTaken(finger) || nodes[finger].pointee.treeParent != parent {
            finger = noSlot
        }
        let hadFinger = finger != noSlot
        let isForward = hadFinger && nodes[finger].pointee.precedes(node.pointee)
        while true {
            back = nodes[back].pointee.previous
            if nodes[back].pointee.precedes(node.pointee) {
                if !hadFinger { fingers[place] = slot }
                return back
            }
            guard hadFinger else { continue }
            if isForward {
                let next = nodes[finger].pointee.next
                if next == noSlot || node.pointee.precedes(nodes[next].pointee) { break }
                finger = next
            } else {
                finger = nodes[finger].pointee.previous
                if nodes[finger].pointee.precedes(node.pointee) { break }
            }
        }
        fingers[place] = slot
        return finger
    }
}
