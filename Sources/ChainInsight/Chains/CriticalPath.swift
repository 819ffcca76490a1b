import ChainModel

/// The nodes that decide when a node settles: if any of them were faster, it would settle earlier.
///
/// Found backwards from the node, along the dependency of each that settled last (of a race the winner, of a live node
/// what it waits for): the followed node or a member, of steps in a row each, and the parent where that was what the
/// handler had to wait for.
public struct CriticalPath: Hashable, Sendable {
    /// The nodes; empty for an evicted node.
    public private(set) var nodes: Set<NodeIndex> = []

    /// The most nodes that are visited, and the most links of each.
    static let nodeLimit = 10_000, linkLimit = 1_000

    /// The path to a node. O(its nodes, and their links).
    public init(to tail: NodeIndex, in forest: borrowing ChainForest) {
        guard forest.contains(tail) else { return }
        // Nodes that wait for a dependency, which is visited first.
        var holders: [NodeIndex] = []
        var current: NodeIndex? = tail
        while let node = current, nodes.count < Self.nodeLimit {
            nodes.insert(node)
            if let next = dependency(of: node, in: forest), !nodes.contains(next) {
                holders.append(node)
                current = next
            } else if let parent = parent(of: node, in: forest) {
                current = parent
            } else {
                current = nextOfHolders(&holders, start: forest.node(node).created, in: forest)
            }
        }
    }

    /// The parent of the innermost holder that could not start earlier. A dependency that was made before its holder
    /// started did not wait for that.
    private func nextOfHolders(
        _ holders: inout [NodeIndex], start: UInt64, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        while let holder = holders.popLast() {
            let view = forest.node(holder)
            if let before = step(before: start, of: holder, in: forest) {
                holders.append(holder)
                return before
            }
            if start >= view.started ?? view.created, let parent = parent(of: holder, in: forest) { return parent }
        }
        return nil
    }

    /// Of nodes that run their members one after another, the member that had to settle before a moment.
    private func step(
        before moment: UInt64, of holder: NodeIndex, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        switch forest.kind(of: holder) {
        case .retry, .repeat, .sequence, .forEach: break
        default: return nil
        }
        var best: (node: NodeIndex, time: UInt64)?
        for link in forest.targets(of: holder, limit: Self.linkLimit) where !nodes.contains(link.node) {
            guard let time = forest.node(link.node).settled, time <= moment, time >= best?.time ?? 0 else { continue }
            best = (link.node, time)
        }
        return best?.node
    }

    private func parent(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        guard forest.node(node).hasParent, let parent = forest.parent(of: node), !nodes.contains(parent) else {
            return nil
        }
        return parent
    }

    /// The followed node or the member that a node's settlement depended on.
    private func dependency(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        let view = forest.node(node)
        let end = view.settled ?? .max
        var isRace = false
        if case .race = view.kind { isRace = true }
        if case .any = view.kind { isRace = true }
        if case .timeout = view.kind { isRace = true }
        var best: (node: NodeIndex, time: UInt64)?
        for link in forest.targets(of: node, limit: Self.linkLimit) {
            let time = forest.node(link.node).settled ?? .max
            // What settled later was not waited for.
            guard time <= end else { continue }
            guard let known = best else {
                best = (link.node, time)
                continue
            }
            if isRace ? time < known.time : time > known.time { best = (link.node, time) }
        }
        return best?.node
    }
}
