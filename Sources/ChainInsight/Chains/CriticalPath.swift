import ChainModel

/// The nodes that decide when a node settles: if any of them were faster, it would settle earlier.
///
/// The path is found backwards. From a node it leads to its followed node, or to the member that settled last. In a
/// race or an `any`, it leads to the first member that was fulfilled; in a live node, to a live member. From a node
/// without followed nodes and members, it leads to the node's parent. At the end of such a branch, the path continues
/// at the innermost node that depends on the branch. From a node that runs its members one after another, it leads to
/// the previous member. Otherwise it leads to the node's parent, if the branch was made after the node started.
public struct CriticalPath: Hashable, Sendable {
    /// The nodes; empty for an evicted node.
    public private(set) var nodes: Set<NodeIndex> = []

    /// The most nodes that are visited.
    static let nodeLimit = 10_000
    /// The most links of a node that are read.
    static let linkLimit = 1_000

    /// A node that depends on the current branch.
    private struct Holder {
        struct Member {
            let node: NodeIndex
            let time: UInt64
            /// The index of the link.
            let order: Int
        }

        let node: NodeIndex
        /// The settled members by time; nil until they are needed.
        var members: [Member]?
        /// How many of the members may still be on the path. The members after these are on it, or settled after
        /// ``moment``.
        var rest = 0
        /// The moment before which a member was searched last.
        var moment: UInt64 = 0
    }

    /// Finds the path to a node. O(n log n) for n nodes of the path and their links.
    public init(to tail: NodeIndex, in forest: borrowing ChainForest) {
        guard forest.contains(tail) else { return }
        // The nodes that depend on the current branch, innermost last.
        var holders: [Holder] = []
        var current: NodeIndex? = tail
        while let node = current, nodes.count < Self.nodeLimit {
            nodes.insert(node)
            if let next = dependency(of: node, in: forest), !nodes.contains(next) {
                holders.append(Holder(node: node))
                current = next
            } else if let parent = parent(of: node, in: forest) {
                current = parent
            } else {
                current = nextOfHolders(&holders, start: forest.node(node).created, in: forest)
            }
        }
    }

    /// Returns the node to visit after a branch that was made at `start`: the innermost holder's last member that
    /// settled before `start`. If there is none, it is the holder's parent. The parent of a holder that started after
    /// `start` did not delay the branch, so it is skipped.
    private func nextOfHolders(
        _ holders: inout [Holder], start: UInt64, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        while var holder = holders.popLast() {
            let view = forest.node(holder.node)
            if let before = step(before: start, of: &holder, in: forest) {
                holders.append(holder)
                return before
            }
            if start >= view.started ?? view.created, let parent = parent(of: holder.node, in: forest) { return parent }
        }
        return nil
    }

    /// Returns the last member that settled before a moment, of a node that runs its members one after another; nil for
    /// other nodes. Sorts the members at the first call, because a node may have a thousand members, all on the path.
    private func step(
        before moment: UInt64, of holder: inout Holder, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        switch forest.kind(of: holder.node) {
        case .retry, .repeat, .sequence, .forEach: break
        default: return nil
        }
        let members = holder.members ?? settledMembers(of: holder.node, in: forest)
        // Each call has an earlier moment than the call before, except where times are rounded.
        if holder.members == nil || moment > holder.moment { holder.rest = members.count }
        (holder.members, holder.moment) = (members, moment)
        while holder.rest > 0 {
            holder.rest -= 1
            let member = members[holder.rest]
            if member.time <= moment, !nodes.contains(member.node) { return member.node }
        }
        return nil
    }

    /// Returns the settled members of a node by time. Members that settled at the same time are in the order of their
    /// links.
    private func settledMembers(of node: NodeIndex, in forest: borrowing ChainForest) -> [Holder.Member] {
        var members: [Holder.Member] = []
        for (order, link) in forest.targets(of: node, limit: Self.linkLimit).enumerated() {
            guard let time = forest.node(link.node).settled else { continue }
            members.append(Holder.Member(node: link.node, time: time, order: order))
        }
        return members.sorted { ($0.time, $0.order) < ($1.time, $1.order) }
    }

    private func parent(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        guard forest.node(node).hasParent, let parent = forest.parent(of: node), !nodes.contains(parent) else {
            return nil
        }
        return parent
    }

    /// Returns the followed node or the member that a node's settlement depended on; nil if there is neither.
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
        // A race that is rejected before all members have settled is a race of promises; its first rejection decides.
        case .race: return (fulfilled ?? (hasLateMember ? first : last))?.node
        default: return last?.node
        }
    }
}
