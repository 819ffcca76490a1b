// SPDX-License-Identifier: MIT

import ChainModel

/// The nodes that decide when a node settles: if any of them were faster, it would settle earlier.
///
/// The path is found backwards. From a node it leads to its followed node, or to the member that settled last. In a
/// race or an `any`, it leads to the first member that was fulfilled; in a live node, to a live member. From a node
/// without followed nodes and members, it leads to the node's parent. The nodes that are found until no rule leads on
/// are a branch.
///
/// At the end of a branch, the path continues at the innermost node that depends on the branch. If that node runs its
/// members one after another, the path leads to the last member that settled before the branch was made. Otherwise it
/// leads to that node's parent, if the branch was made after that node started. If neither leads on, the path continues
/// at the next node outwards that depends on the branch.
package struct CriticalPath: Hashable, Sendable {
    /// The nodes; empty for an evicted node.
    package private(set) var nodes: Set<NodeIndex> = []

    /// The maximum number of nodes that are visited.
    static let nodeLimit = 10_000
    /// The maximum number of links of a node that are read.
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
        /// How many of the members may still be added to the path. The members after these are on the path already, or
        /// settled after ``lastMoment``.
        var remainingCount = 0
        /// The moment that was given to the latest search for an earlier member.
        var lastMoment: UInt64 = 0
    }

    /// Finds the path to a node. O(n log n) for n nodes of the path and their links.
    package init(to tail: NodeIndex, in forest: borrowing ChainForest) {
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
        if holder.members == nil || moment > holder.lastMoment { holder.remainingCount = members.count }
        (holder.members, holder.lastMoment) = (members, moment)
        while holder.remainingCount > 0 {
            holder.remainingCount -= 1
            let member = members[holder.remainingCount]
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
        // A race of promises settles with its first settled member, a race of chains with its first fulfilled member.
        // So a race that was rejected before all members settled is a race of promises: its first rejection decides.
        case .race: return (fulfilled ?? (hasLateMember ? first : last))?.node
        default: return last?.node
        }
    }
}
