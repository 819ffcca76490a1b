import ChainEvents
import ChainModel

// What has gone well folds itself: a node that was fulfilled, with nothing live and nothing rejected inside it, is one
// row after a moment, so that a live chain shows where it stands and not all that it has been through. What the user
// folded or unfolded stays so, a node that the user is in stays open, and what begins to live inside opens it again.
extension RowModel {
    /// How long a finished node stays open, in nanoseconds.
    static let tidyLinger: UInt64 = 1_200_000_000

    /// Chains of more nodes are not tidied: finding out costs a walk over the node's inside.
    static let tidyLimit = 512

    /// Takes note of a node whose state has changed: it, or the node that it stands in, may be finished.
    mutating func noteState(of node: NodeIndex, _ state: NodeState, in forest: borrowing ChainForest, now: UInt64) {
        // Nothing has folded itself that it could open.
        if !state.isWell, folds.finished.isEmpty { return }
        let root = forest.root(of: node)
        let count = forest.nodeCount(ofRoot: root)
        guard count > 1, count <= Self.tidyLimit else { return }
        if !state.isWell { return open(around: node, in: forest) }
        if node != root { enqueueTidy(node, in: forest, now) }
        if let outer = self.outer(of: node, in: forest), outer != root { enqueueTidy(outer, in: forest, now) }
    }

    /// Takes note of what is finished in a chain that is new to the outline; gives how many nodes it looked at.
    mutating func noteStates(under root: NodeIndex, in forest: borrowing ChainForest, now: UInt64) -> Int {
        let chain = forest.chain(of: root)
        guard chain.settled == nil, chain.nodeCount > 1, chain.nodeCount <= Self.tidyLimit else { return 1 }
        let rows = ChainWalk.rows(of: root, in: forest, isFolded: { _, _ in false })
        for row in rows where row.flags.contains(.foldable) && row.node != root {
            enqueueTidy(row.node, in: forest, now)
        }
        return rows.count
    }

    private mutating func enqueueTidy(_ node: NodeIndex, in forest: borrowing ChainForest, _ now: UInt64) {
        guard forest.state(of: node).isWell, hasInside(node, in: forest) else { return }
        let id = forest.id(of: node)
        let owner = UInt32(truncatingIfNeeded: id.rawValue)
        // Its entry is in the queue: it is looked at when its turn comes, whatever has happened to it by then.
        guard owner == 0 || tidyOwners[node.rawValue] != owner else { return }
        tidyOwners[node.rawValue] = owner
        tidies.append(NodeQueue.Entry(deadline: now &+ Self.tidyLinger, node: node, id: id), in: forest)
    }

    /// Whether anything stands under a node but what goes on from it.
    private func hasInside(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        switch forest.childCount(of: node) {
        case 0: false
        case 1: forest.continuation(of: node) == nil
        default: true
        }
    }

    /// Opens what folded itself around a node that is live or went wrong.
    mutating func open(around node: NodeIndex, in forest: borrowing ChainForest) {
        guard !folds.finished.isEmpty else { return }
        var current = outer(of: node, in: forest)
        while let outer = current {
            if folds.finished[outer] != nil { setFinished(outer, false, in: forest) }
            current = self.outer(of: outer, in: forest)
        }
    }

    /// Folds finished nodes and nodes with many children, but for those around `selected`; returns whether there was
    /// anything to look at.
    package mutating func tidy(in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?) -> Bool {
        let isFolded = foldLarge(in: forest, selected: selected)
        guard tidies.hasDue(now: now) else { return isFolded }
        foldFinished(in: forest, now: now, selected: selected)
        return true
    }

    /// What folding finished nodes may cost in a tick, in nodes that are looked at: 1 to 3 ms.
    private static let tidyBudget = 20_000
    /// What an entry costs besides the nodes inside it; the entry of an evicted node costs 1.
    private static let tidyEntryCost = 8

    /// Folds what has been finished for long enough, but for nodes that `selected` stands in.
    mutating func foldFinished(in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?) {
        var steps = 0
        var budget = Self.tidyBudget
        while let entry = tidies.first, entry.deadline <= now, budget > 0 {
            if steps.isMultiple(of: Self.warmCount) {
                for entry in tidies.prefix(Self.warmCount) { warmed ^= forest.warmth(of: entry.node) }
            }
            tidies.removeFirst()
            steps += 1
            budget -= 1
            guard forest.contains(entry.id, at: entry.node) else { continue }
            budget -= Self.tidyEntryCost
            tidyOwners[entry.node.rawValue] = 0
            guard folds.finished[entry.node] == nil, isFinished(entry.node, in: forest, &budget) else { continue }
            if let selected, stands(selected, in: entry.node, forest) {
                tidyOwners[entry.node.rawValue] = UInt32(truncatingIfNeeded: entry.id.rawValue)
                let deadline = now &+ Self.tidyLinger
                tidies.append(.init(deadline: deadline, node: entry.node, id: entry.id, isPutOff: true), in: forest)
            } else {
                setFinished(entry.node, true, in: forest)
            }
        }
    }

    private mutating func setFinished(_ node: NodeIndex, _ isFinished: Bool, in forest: borrowing ChainForest) {
        folds.finished[node] = isFinished ? forest.id(of: node) : nil
        noteFold(of: node, in: forest)
    }

    /// Whether a node and all inside it went well; `budget` shrinks by the nodes that were looked at.
    private func isFinished(_ node: NodeIndex, in forest: borrowing ChainForest, _ budget: inout Int) -> Bool {
        guard forest.state(of: node).isWell else { return false }
        guard forest.nodeCount(ofRoot: forest.root(of: node)) <= Self.tidyLimit else { return false }
        let tail = forest.continuation(of: node)
        var hasInner = false
        var child = forest.firstChild(of: node)
        while let current = child {
            if current != tail {
                hasInner = true
                guard isAllWell(under: current, in: forest, &budget) else { return false }
            }
            child = forest.nextSibling(of: current)
        }
        return hasInner
    }

    /// Whether a node and all under it went well.
    private func isAllWell(
        under top: NodeIndex, in forest: borrowing ChainForest, _ budget: inout Int
    ) -> Bool {
        var next: NodeIndex? = top
        while let node = next {
            budget -= 1
            guard forest.state(of: node).isWell else { return false }
            next = forest.next(after: node, within: top)
        }
        return true
    }
}

extension NodeState {
    /// Over, and nothing went wrong.
    fileprivate var isWell: Bool { self == .fulfilled || self == .skipped }
}
