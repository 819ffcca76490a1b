// SPDX-License-Identifier: MIT

/// The outcomes of chains: decided by a walk along the main line (see ``ChainOutcome``) when a chain settles, and when
/// it changes after that.
extension ChainForest {
    /// Returns the node that has the value or error of a chain; nil while the chain is live. `index` is any node of the
    /// chain.
    ///
    /// It is the last node of the main line that was not skipped. If the line ends in several branches and one of them
    /// was not fulfilled, it is the last such node of the worst branch.
    ///
    /// O(1) for a main line of up to 64 nodes, and for a longer main line that was walked when the chain settled.
    public func concludingNode(of index: NodeIndex) -> NodeIndex? {
        let slot = checked(index)
        let chain = data.nodes[slot].pointee.chain
        guard chain != noSlot else { return data.nodes[slot].pointee.state.isLive ? nil : index }
        guard data.chains[chain].pointee.outcome != .live else { return nil }
        return NodeIndex(rawValue: data.conclusion(of: chain).node)
    }

    /// Counts of all chains since the forest was made.
    public var history: ChainHistory { data.history }

    /// The root of the live chain that began first; nil where no chain is live. As of the last batch or eviction. O(1).
    public var oldestLiveRoot: NodeIndex? {
        data.oldestLive == noSlot ? nil : NodeIndex(rawValue: data.oldestLive)
    }
}

extension ForestData {
    /// The length of a main line, in steps, from which on its end is stored.
    private static let longLine = 64
    /// The most steps along all branches of a main line; also the most steps up from a skipped node.
    private static let branchLimit = 256
    /// The most steps along one branch.
    private static let oneBranchLimit = 32

    // MARK: The main line

    /// Returns the only child that was made by an operation on a node, or ``noSlot``; see
    /// ``ChainForest/continuation(of:)``.
    @inline(__always)
    func continuation(of slot: UInt32) -> UInt32 {
        let node = nodes[slot]
        guard node.pointee.operationChildCount == 1 else { return noSlot }
        var (front, back) = (node.pointee.firstChild, node.pointee.lastChild)
        while front != noSlot, back != noSlot {
            if nodes[front].pointee.has(.hasParent) { return front }
            if nodes[back].pointee.has(.hasParent) { return back }
            (front, back) = (nodes[front].pointee.next, nodes[back].pointee.previous)
        }
        return noSlot
    }

    /// Returns the last node of a chain's main line, and how many steps were walked from the stored node or the root.
    private func mainLineEnd(of chain: UInt32) -> (end: UInt32, steps: Int) {
        var cursor = lineEnds.isEmpty ? chains[chain].pointee.root : lineEnds[chain] ?? chains[chain].pointee.root
        var steps = 0
        while true {
            let next = continuation(of: cursor)
            guard next != noSlot else { return (cursor, steps) }
            cursor = next
            steps += 1
        }
    }

    /// Forgets the end of a chain's main line after a change above it.
    @inline(__always)
    func forgetLineEnd(of chain: UInt32) {
        if !lineEnds.isEmpty, chain != noSlot { lineEnds[chain] = nil }
    }

    /// Forgets the stored node of a chain's main line if it is evicted.
    func forgetLineEnd(of chain: UInt32, at slot: UInt32) {
        if !lineEnds.isEmpty, lineEnds[chain] == slot { lineEnds[chain] = nil }
    }

    /// Returns how a settled chain ended, and the node with its value or error.
    func conclusion(of chain: UInt32) -> (outcome: ChainOutcome, node: UInt32) {
        conclusion(of: chain, lineTo: mainLineEnd(of: chain).end)
    }

    private func conclusion(of chain: UInt32, lineTo end: UInt32) -> (outcome: ChainOutcome, node: UInt32) {
        var worst = conclusion(ofLineTo: end)
        if nodes[end].pointee.operationChildCount > 1 { worst = worstBranch(of: end, worst) }
        if worst.outcome == .fulfilled, chains[chain].pointee.counts.rejectedCount > 0 { worst.outcome = .recovered }
        return worst
    }

    /// Returns the outcome of the line that ends at `end`, and the node with its result: the last node of the line that
    /// was not skipped.
    private func conclusion(ofLineTo end: UInt32) -> (outcome: ChainOutcome, node: UInt32) {
        var cursor = end
        for _ in 0..<Self.branchLimit {
            let node = nodes[cursor]
            guard node.pointee.state == .skipped, node.pointee.has(.hasParent), node.pointee.treeParent != noSlot else {
                break
            }
            cursor = node.pointee.treeParent
        }
        let outcome = ChainOutcome(of: nodes[end].pointee)
        guard nodes[end].pointee.settlement == .skippedRejected else { return (outcome, cursor) }
        let origin = ChainOutcome(of: nodes[cursor].pointee)
        return (origin == .abandoned || origin == .cancelled ? origin : outcome, cursor)
    }

    /// Returns the worst outcome of the branches below a node with several operations. The branches are visited from
    /// the latest on. `own` is the outcome of the line to that node.
    private func worstBranch(
        of fork: UInt32, _ own: (outcome: ChainOutcome, node: UInt32)
    ) -> (outcome: ChainOutcome, node: UInt32) {
        var worst: (outcome: ChainOutcome, node: UInt32)?
        var forks = [fork]
        var steps = 0
        while let current = forks.popLast() {
            var child = nodes[current].pointee.lastChild
            while child != noSlot, steps < Self.branchLimit {
                steps += 1
                defer { child = nodes[child].pointee.previous }
                guard nodes[child].pointee.has(.hasParent) else { continue }
                var end = child
                let limit = min(Self.branchLimit, steps + Self.oneBranchLimit)
                while steps < limit {
                    let next = continuation(of: end)
                    guard next != noSlot else { break }
                    end = next
                    steps += 1
                }
                if nodes[end].pointee.operationChildCount > 1 {
                    forks.append(end)
                    continue
                }
                let one = conclusion(ofLineTo: end)
                if worst == nil || one.outcome.severity > worst!.outcome.severity { worst = one }
            }
        }
        guard let worst else { return own }
        return worst.outcome.severity == 0 ? (worst.outcome, own.node) : worst
    }

    // MARK: Counts

    /// Decides the outcome of a chain anew after a change in it, and counts it.
    func refreshOutcome(of chain: UInt32) {
        let record = chains[chain]
        let before = record.pointee.outcome
        decideOutcome(of: chain)
        count(before, as: record.pointee.outcome, of: record.pointee.root)
    }

    /// Decides the outcome of a chain anew without counting it.
    func decideOutcome(of chain: UInt32) {
        let record = chains[chain]
        guard !record.pointee.isLive else { return record.pointee.outcome = .live }
        let (end, steps) = mainLineEnd(of: chain)
        if steps >= Self.longLine { lineEnds[chain] = end }
        record.pointee.outcome = conclusion(of: chain, lineTo: end).outcome
    }

    /// Decides the outcome of a node's chain anew after a change inside the chain, if the chain is settled.
    func refreshOutcome(ofChainOf slot: UInt32) {
        let chain = nodes[slot].pointee.chain
        guard chain != noSlot else { return }
        forgetLineEnd(of: chain)
        if !chains[chain].pointee.isLive { refreshOutcome(of: chain) }
    }

    /// Counts a chain's change of outcome in the totals, and notes the chain's root for ``countOutcomes()``.
    @inline(__always)
    func count(_ old: ChainOutcome, as new: ChainOutcome, of root: UInt32) {
        guard old != new else { return }
        totals.outcomes[old] -= 1
        totals.outcomes[new] += 1
        if old.isCounted || new.isCounted { changedOutcomes.append(root) }
    }

    /// Updates the history with the chains that have another outcome than at the end of the last batch.
    ///
    /// While a state is being read, outcomes are not counted, because a part may have a rejected node without the
    /// `catch` under it. They are counted when the state is complete, or once many of them wait.
    func countOutcomes() {
        history.madeCount = history.evictedCount + totals.outcomes.chainCount
        guard resyncEpoch == nil || changedOutcomes.count >= evictionLimit else { return }
        for slot in changedOutcomes where isOccupied(slot) {
            let node = nodes[slot]
            let chain = node.pointee.chain
            // A node that is only referenced is no chain yet.
            guard node.pointee.has(.isRoot), node.pointee.has(.reported) || chain != noSlot else { continue }
            let outcome = chain == noSlot ? ChainOutcome(of: node.pointee) : chains[chain].pointee.outcome
            guard outcome != node.pointee.countedOutcome else { continue }
            history.count(outcome, after: node.pointee.countedOutcome)
            node.pointee.countedOutcome = outcome
        }
        changedOutcomes.removeAll(keepingCapacity: true)
    }

    /// Updates the outcome of a node's chain after the node, which had settled already, got another settlement.
    func outcomeChanged(of slot: UInt32, from before: ChainOutcome) {
        guard nodes[slot].pointee.chain == noSlot else { return refreshOutcome(ofChainOf: slot) }
        count(before, as: ChainOutcome(of: nodes[slot].pointee), of: slot)
    }
}

extension ChainOutcome {
    /// Makes the outcome of a chain that consists of this node only.
    @inline(__always)
    init(of node: NodeRecord) {
        guard !node.state.isLive else {
            self = .live
            return
        }
        switch node.settlement {
        case .pending, .unknown: self = .unknown
        case .fulfilled, .skippedFulfilled: self = .fulfilled
        case .rejected, .skippedRejected: self = .rejected
        case .abandoned: self = .abandoned
        case .cancelled: self = .cancelled
        }
    }
}
