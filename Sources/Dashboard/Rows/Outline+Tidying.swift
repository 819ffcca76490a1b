import ChainEvents
import ChainModel

// What has gone well folds itself: a node that was fulfilled, with nothing live and nothing rejected inside it, is one
// row after a moment, so that a live chain shows where it stands and not all that it has been through. What the user
// folded or unfolded stays so, a node that the user is in stays open, and what begins to live inside opens it again.
extension Outline {
    /// How long a finished node stays open, in nanoseconds.
    static let tidyLinger: UInt64 = 1_200_000_000

    /// Chains of more nodes are not tidied: finding out costs a walk over the node's inside.
    static let tidyLimit = 512

    struct Tidy {
        var deadline: UInt64
        var node: NodeIndex
        var id: NodeID
        /// The user was in it when its time came.
        var isPutOff = false
    }

    /// Takes note of a node whose state has changed: it, or the node that it stands in, may be finished.
    mutating func noteState(of node: NodeIndex, _ state: NodeState, in forest: borrowing ChainForest, now: UInt64) {
        // Nothing has folded itself that it could open.
        if !state.isWell, folds.finished.isEmpty { return }
        let root = forest.root(of: node)
        let count = forest.nodeCount(ofRoot: root)
        guard count > 1, count <= Self.tidyLimit else { return }
        if !state.isWell { return open(around: node, in: forest) }
        if node != root, forest.childCount(of: node) > 0 { enqueueTidy(node, in: forest, now) }
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
        guard forest.state(of: node).isWell else { return }
        tidies.append(Tidy(deadline: now &+ Self.tidyLinger, node: node, id: forest.node(node).id))
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

    func hasTidy(now: UInt64) -> Bool { tidyStart < tidies.count && tidies[tidyStart].deadline <= now }

    /// Folds what has been finished for long enough, but for nodes that `selected` stands in.
    mutating func tidy(in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?) {
        var steps = 0
        while hasTidy(now: now), steps < 500 {
            if steps.isMultiple(of: Self.warmCount) {
                for entry in tidies[tidyStart...].prefix(Self.warmCount) { warmed ^= forest.warmth(of: entry.node) }
            }
            let entry = tidies[tidyStart]
            tidyStart += 1
            steps += 1
            if entry.isPutOff { putOffCount -= 1 }
            guard forest.contains(entry.id, at: entry.node), folds.finished[entry.node] == nil,
                isFinished(entry.node, in: forest)
            else { continue }
            if let selected, stands(selected, in: entry.node, forest) {
                putOffCount += 1
                tidies.append(
                    Tidy(deadline: now &+ Self.tidyLinger, node: entry.node, id: entry.id, isPutOff: true))
            } else {
                setFinished(entry.node, true, in: forest)
            }
        }
        if tidyStart > 1_024, tidyStart * 2 > tidies.count {
            tidies.removeFirst(tidyStart)
            tidyStart = 0
        }
    }

    private mutating func setFinished(_ node: NodeIndex, _ isFinished: Bool, in forest: borrowing ChainForest) {
        folds.finished[node] = isFinished ? forest.id(of: node) : nil
        noteFold(of: node, in: forest)
    }

    /// Whether a node and all inside it went well.
    private func isFinished(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        guard forest.state(of: node).isWell else { return false }
        guard forest.nodeCount(ofRoot: forest.root(of: node)) <= Self.tidyLimit else { return false }
        let tail = forest.continuation(of: node)
        var hasInner = false
        var child = forest.firstChild(of: node)
        while let current = child {
            if current != tail {
                hasInner = true
                guard isAllWell(under: current, in: forest) else { return false }
            }
            child = forest.nextSibling(of: current)
        }
        return hasInner
    }

    /// Whether a node and all under it went well.
    private func isAllWell(under top: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        var next: NodeIndex? = top
        while let node = next {
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
