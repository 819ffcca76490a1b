import ChainEvents
import Testing

@testable import ChainModel

extension ChainForest {
    /// Checks the stored counts, orders and links against a recount from scratch.
    func expectConsistent(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        var problems: [String] = []
        var counts = StateCounts()
        var (visited, liveChains, settledNodes) = (0, 0, 0)
        var before: NodeRecord?
        var (outcomes, oldest) = (OutcomeCounts(), NodeIndex?.none)
        for root in roots {
            let record = data.nodes[root.rawValue].pointee
            if let before, !before.precedes(record) { problems.append("roots out of order at \(id(of: root))") }
            before = record
            if !record.has(.isRoot) || record.treeParent != noSlot { problems.append("\(id(of: root)) is no root") }
            let chain = recount(root, &problems)
            counts += chain.counts
            visited += chain.nodeCount
            if chain.liveCount > 0 { liveChains += 1 } else { settledNodes += chain.nodeCount }
            var kept = self.chain(of: root)
            outcomes[kept.outcome] += 1
            if kept.liveCount > 0, oldest == nil { oldest = root }
            kept.evictedCount = 0
            if totals.evictedCount > 0, kept.settled != nil { kept.settled = chain.settled }
            // Decided when the chain settled, with the nodes that it had then.
            if totals.evictedCount > 0, kept.outcome != .live { kept.outcome = chain.outcome }
            if kept != chain { problems.append("chain of \(id(of: root)): kept \(kept), counted \(chain)") }
        }
        if counts != totals.counts { problems.append("totals: kept \(totals.counts), counted \(counts)") }
        if visited != data.nodes.count { problems.append("\(data.nodes.count) nodes, \(visited) of them in trees") }
        if liveChains != totals.liveChainCount { problems.append("\(liveChains) live, kept \(totals.liveChainCount)") }
        if settledNodes != data.settledChainNodeCount {
            problems.append("\(settledNodes) kept \(data.settledChainNodeCount)")
        }
        if outcomes != totals.outcomes { problems.append("outcomes: kept \(totals.outcomes), counted \(outcomes)") }
        if totals.evictedCount == 0, oldest != oldestLiveRoot { problems.append("another live chain is the oldest") }
        if history.madeCount < roots.count { problems.append("\(history.madeCount) of \(roots.count) made") }
        if !isResyncing, history.failedCount < outcomes.failedCount {
            problems.append("\(history.failedCount) failed, of which \(outcomes.failedCount) are kept")
        }
        if roots.count != totals.chainCount { problems.append("\(roots.count) roots, kept \(totals.chainCount)") }
        problems += recountLoads()
        problems += roots.enumerated().compactMap { rootNumber(of: $1) == $0 ? nil : "\(id(of: $1)) is not \($0)" }
        #expect(problems == [], comment, sourceLocation: sourceLocation)
    }

    /// Returns the executors with another stored load than that of their nodes.
    private func recountLoads() -> [String] {
        var loads: [ExecutorID: ExecutorLoad] = [:]
        var oldest: [ExecutorID: UInt64] = [:]
        for slot in 0..<UInt32(data.nodes.bound) where data.isOccupied(slot) {
            let record = data.nodes[slot].pointee
            if record.state == .running { loads[record.executor, default: ExecutorLoad()].runningCount += 1 }
            guard record.state == .queued, let queued = record.queued else { continue }
            loads[record.executor, default: ExecutorLoad()].queuedCount += 1
            loads[record.executor]?.ages.add(queued)
            oldest[record.executor] = min(oldest[record.executor] ?? .max, queued / QueueAges.grain)
        }
        let known = Set(loads.keys).union(self.loads.indices.map { ExecutorID($0) })
        return known.compactMap { executor in
            let (kept, counted) = (load(of: executor), loads[executor] ?? ExecutorLoad())
            let isRight = kept == counted && kept.oldestQueued.map { $0 / QueueAges.grain } == oldest[executor]
            return isRight ? nil : "load of \(executor): kept \(kept), counted \(counted)"
        }
    }

    /// Returns the summary of a chain, counted from its nodes.
    private func recount(_ root: NodeIndex, _ problems: inout [String]) -> ChainSummary {
        var summary = ChainSummary(
            root: root, counts: StateCounts(), evictedCount: 0, firstRejected: nil, settled: nil, outcome: .live)
        var (stack, settled) = ([root], UInt64?.none)
        while let index = stack.popLast() {
            let view = node(index)
            if let time = view.settled { settled = max(settled ?? 0, time) }
            summary.counts[view.state] += 1
            if view.record.derivedState != view.state { problems.append("\(view.id) is not \(view.state)") }
            if self.root(of: index) != root { problems.append("\(view.id) has another root") }
            if self.index(of: view.id) != index { problems.append("\(view.id) is not found") }
            if view.state == .rejected || view.state == .abandoned {
                let key = (view.latestSettled ?? 0, view.id.rawValue)
                let first = summary.firstRejected.map { (node($0).latestSettled ?? 0, node($0).id.rawValue) }
                if first == nil || key < first! { summary.firstRejected = index }
            }
            recountChildren(of: index, &stack, &problems)
        }
        if summary.liveCount == 0 { (summary.outcome, summary.settled) = (end(of: root), settled) }
        if summary.outcome == .fulfilled, summary.rejectedCount > 0 { summary.outcome = .recovered }
        return summary
    }

    /// Returns how the line from a node on ended: as the worst of its branches.
    private func end(of top: NodeIndex) -> ChainOutcome {
        var (thens, child) = ([NodeIndex](), firstChild(of: top))
        while let current = child {
            if node(current).hasParent { thens.append(current) }
            child = nextSibling(of: current)
        }
        guard thens.isEmpty else {
            let order: [ChainOutcome] = [.rejected, .abandoned, .cancelled, .unknown, .fulfilled]
            let ends = Set(thens.map { end(of: $0) })
            return order.first { ends.contains($0) }!
        }
        switch node(top).settlement {
        case .pending, .unknown: return .unknown
        case .fulfilled, .skippedFulfilled: return .fulfilled
        case .rejected: return .rejected
        case .abandoned: return .abandoned
        case .cancelled: return .cancelled
        case .skippedRejected:
            var above = top
            while state(of: above) == .skipped, node(above).hasParent, let parent = treeParent(of: above) {
                above = parent
            }
            let state = state(of: above)
            return state == .abandoned ? .abandoned : state == .cancelled ? .cancelled : .rejected
        }
    }

    /// Checks the counts and the order of children, and adds the children to the stack.
    private func recountChildren(of index: NodeIndex, _ stack: inout [NodeIndex], _ problems: inout [String]) {
        var (count, previous) = (0, NodeIndex?.none)
        var (states, thens) = (StateCounts(), [NodeIndex]())
        var child = firstChild(of: index)
        while let current = child {
            count += 1
            states[state(of: current)] += 1
            if node(current).hasParent { thens.append(current) }
            stack.append(current)
            if treeParent(of: current) != index { problems.append("\(id(of: current)) under another") }
            if previousSibling(of: current) != previous { problems.append("\(id(of: current)) has a wrong previous") }
            if let previous, !node(previous).record.precedes(node(current).record) {
                problems.append("\(id(of: current)) out of order")
            }
            previous = current
            child = nextSibling(of: current)
        }
        if continuation(of: index) != (thens.count == 1 ? thens[0] : nil) {
            problems.append("\(id(of: index)) goes on with another")
        }
        for then in thens where isContinuation(then) != (thens.count == 1) {
            problems.append("whether \(id(of: then)) goes on")
        }
        if let kept = childCounts(of: index), kept != states { problems.append("states under \(id(of: index))") }
        if count > 128, childCounts(of: index) == nil { problems.append("no states under \(id(of: index))") }
        if count != childCount(of: index) || lastChild(of: index) != previous {
            problems.append("children of \(id(of: index))")
        }
    }
}

// SPDX-License-Identifier: MIT
