// SPDX-License-Identifier: MIT

/// Separate chains: Swift tasks that are drawn as chains although they were made in a group of another task, such as the
/// requests of a server. The program decides this as it makes a task, so a separate chain never changes its place.
extension ForestData {
    /// Takes a node out of the tree of its origin, and keeps it a root from now on.
    func setSeparate(_ slot: UInt32) {
        guard !nodes[slot].pointee.handlerFlags.contains(.isSeparate) else { return }
        saveOrigin(slot)
        nodes[slot].pointee.handlerFlags.insert(.isSeparate)
        separateCount += 1
        recordChange(slot, .facts)
        place(slot)
    }

    /// Calls `body` with each separate chain.
    fileprivate func forEachSeparate(_ body: (UInt32) -> Void) {
        guard separateCount > 0 else { return }
        var slot: UInt32 = 0
        let bound = UInt32(nodes.bound)
        while slot < bound {
            guard let elements = nodes.elements(from: slot, upTo: bound) else {
                slot = nodes.nextPage(after: slot)
                continue
            }
            for node in elements {
                if node.id != 0, node.handlerFlags.contains(.isSeparate) { body(slot) }
                slot += 1
            }
        }
    }
}

/// The separate chains in the group of one node.
public struct GroupMembers: Sendable {
    /// How many there are, and how many of them are live.
    public var count = 0, liveCount = 0
    /// The newest live ones, then the newest settled ones, as many as were asked for.
    public var newest: [NodeIndex] = []
}

extension ChainForest {
    /// Returns whether a Swift task is drawn as a separate chain, although it was made in a group of another node.
    public func isSeparate(_ index: NodeIndex) -> Bool {
        data.nodes[checked(index)].pointee.handlerFlags.contains(.isSeparate)
    }

    /// Returns the separate chains in the group of a node. O(nodes of the forest) if there are any in the forest.
    public func groupMembers(of owner: NodeIndex, limit: Int) -> GroupMembers {
        let id = self.id(of: owner)
        var members = GroupMembers()
        var found: [(slot: UInt32, isLive: Bool, created: UInt64)] = []
        data.forEachSeparate { slot in
            guard data.originID(of: slot) == id else { return }
            let isLive = data.isLive(root: slot)
            members.count += 1
            if isLive { members.liveCount += 1 }
            found.append((slot, isLive, data.nodes[slot].pointee.created))
        }
        found.sort { ($0.isLive ? 1 : 0, $0.created, $0.slot) > ($1.isLive ? 1 : 0, $1.created, $1.slot) }
        members.newest = found.prefix(limit).map { NodeIndex(rawValue: $0.slot) }
        return members
    }

    /// Returns the live separate chains in groups of nodes at or under `tops`, and in groups of those chains. O(nodes of
    /// the forest) if there are any in the forest.
    public func separateChains(inGroupsUnder tops: some Sequence<NodeIndex>) -> [NodeIndex] {
        var rest: [(member: UInt32, owner: UInt32)] = []
        data.forEachSeparate { slot in
            guard data.isLive(root: slot), let owner = data.slot(of: data.originID(of: slot)) else { return }
            rest.append((slot, owner))
        }
        var inside = Set(tops.map { checked($0) })
        var found: [NodeIndex] = []
        var count = -1
        while count != found.count, !rest.isEmpty {
            count = found.count
            var known: [UInt32: Bool] = [:]
            rest.removeAll { member, owner in
                let isInside = known[owner] ?? isUnder(owner, inside)
                known[owner] = isInside
                guard isInside, inside.insert(member).inserted else { return isInside }
                found.append(NodeIndex(rawValue: member))
                return true
            }
        }
        return found
    }

    private func isUnder(_ slot: UInt32, _ tops: Set<UInt32>) -> Bool {
        var cursor = slot
        while cursor != noSlot {
            if tops.contains(cursor) { return true }
            cursor = data.nodes[cursor].pointee.treeParent
        }
        return false
    }
}
