import ChainModel

/// The nodes that decide when a node settles: if any of them were faster, it would settle earlier.
///
/// The path is found backwards. From a node it leads to its followed node, or to the member that settled last (in a
/// race or an `any`, to the first that was fulfilled; in a live node, to a live one); from a node without these, to its
/// parent. At the end of such a branch, the path continues at the innermost node that depends on the branch. From there
/// it leads to the previous member if the node runs its members one after another, or to the node's parent if the
/// branch was made after the node started.
public struct CriticalPath: Hashable, Sendable {
    /// The nodes; empty for an evicted node.
    public private(set) var nodes: Set<NodeIndex> = []

    /// The most nodes that are visited.
    static let nodeLimit = 10_000
    /// The most links of a node that are read.
    static let linkLimit = 1_000

    /// Finds the path to a node. O(nodes of the path and their links).
    public init(to tail: NodeIndex, in forest: borrowing ChainForest) {
        guard forest.contains(tail) else { return }
        // The nodes that depend on the current branch, innermost last.
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

    /// Returns the node to visit after a branch that was made at `start`: the innermost holder's last member that
    /// settled before, or else the holder's parent. The parent of a holder that started after `start` did not delay the
    /// branch, so it is skipped.
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

    /// Returns the last member that settled before a moment, of a node that runs its members one after another; nil for
    /// other nodes.
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

    /// Returns the followed node or the member that a node's settlement depended on; nil where it has neither.
    private func dependency(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        let view = forest.node(node)
        let end = view.latestSettled ?? .max
        var first, last, fulfilled: (node: NodeIndex, time: UInt64)?
        var hasLateMember = false
        for link in forest.targets(of: node, limit: Self.linkLimit) {
            let time = forest.node(link.node).settled ?? .max
            // A member that settled after the node was not waited for.
            guard time <= end else {
                hasLateMember = true
                continue
            }
            if first.map({ time < $0.time }) ?? true { first = (link.node, time) }
            if last.map({ time > $0.time }) ?? true { last = (link.node, time) }
            guard forest.state(of: link.node) == .fulfilled else { continue }
            if fulfilled.map({ time < $0.time }) ?? true { fulfilled = (link.node, time) }
        }
        switch view.kind {
        case .timeout: return first?.node
        case .any: return (fulfilled ?? last)?.node
        // A race that is rejected before all members have settled is one of promises; its first rejection decides.
        case .race: return (fulfilled ?? (hasLateMember ? first : last))?.node
        default: return last?.node
        }
    }
}
