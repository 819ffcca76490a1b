// SPDX-License-Identifier: MIT

/// Nodes with a parent in another process: the parent by slot, and the slots by parent.
struct RemoteParents {
    private var parents: [UInt32: NodeKey] = [:]
    private var children: [NodeKey: [UInt32]] = [:]

    /// The nodes with a parent, in no order.
    var slots: some Collection<UInt32> { parents.keys }

    subscript(slot: UInt32) -> NodeKey? { parents.isEmpty ? nil : parents[slot] }

    /// Returns the nodes with the given parent, in the order in which their parent became known.
    func children(of parent: NodeKey) -> [UInt32] { children[parent] ?? [] }

    /// Sets a node's parent, and returns whether this changed the parent. Of two parents the parent with the lower key
    /// holds, so that the order of events does not matter.
    mutating func insert(_ parent: NodeKey, of slot: UInt32) -> Bool {
        if let known = parents[slot] {
            guard (parent.process.rawValue, parent.id) < (known.process.rawValue, known.id) else { return false }
            remove(slot)
        }
        parents[slot] = parent
        children[parent, default: []].append(slot)
        return true
    }

    mutating func remove(_ slot: UInt32) {
        guard !parents.isEmpty, let parent = parents.removeValue(forKey: slot) else { return }
        children[parent]?.removeAll { $0 == slot }
        if children[parent]?.isEmpty == true { children[parent] = nil }
    }
}

extension ForestData {
    func setRemoteParent(_ slot: UInt32, _ parent: NodeKey?) {
        guard let parent, remoteParents.insert(parent, of: slot) else { return }
        recordChange(slot, [.facts, .description])
    }
}

extension ChainForest {
    /// Returns the parent of a node in another process; nil for none. O(1).
    public func remoteParent(of index: NodeIndex) -> NodeKey? { data.remoteParents[checked(index)] }

    /// The nodes with a parent in another process, in no order. O(nodes returned).
    package var nodesWithRemoteParent: [NodeIndex] { data.remoteParents.slots.map { NodeIndex(rawValue: $0) } }

    /// Returns the nodes of this process with a given parent in another process, in the order in which their parent
    /// became known. O(nodes returned).
    public func nodes(withRemoteParent parent: NodeKey) -> [NodeIndex] {
        data.remoteParents.children(of: parent).map { NodeIndex(rawValue: $0) }
    }
}
