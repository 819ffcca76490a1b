// SPDX-License-Identifier: MIT

import ChainModel

/// Sweeps over changed and due nodes, in slices.
extension WarningTable {
    /// The minimum time between the beginnings of two sweeps, in nanoseconds.
    private static let interval: UInt64 = 500_000_000
    /// The longest ``pause(after:)``, in nanoseconds.
    private static let longestInterval: UInt64 = 2_000_000_000
    /// How much each examined node adds to ``pause(after:)``, in nanoseconds, so that sweeps take a few hundredths of a
    /// core at most.
    private static let pausePerNode: UInt64 = 10_000
    /// The longest time between two whole sweeps while something changes, in nanoseconds. Whole sweeps find conditions
    /// that begin with a change of another node.
    private static let wholeInterval: UInt64 = 30_000_000_000
    /// How many parts of the budget a cost of 1 takes (``WarningSweep/Outcome/cost``); a free slot takes 1 part.
    private static let nodeCost = 16
    /// How many parts of the budget a word of the watch list takes.
    private static let wordCost = 2
    /// The maximum number of combinators of one member that are watched; a whole sweep finds further combinators.
    private static let holderLimit = 1_000
    /// How many members of a combinator are read at no extra cost to find a member that is not settled.
    private static let fewMembers = 16
    /// The cost of reading further members if the first ``fewMembers`` are settled.
    private static let manyMembersCost = 500

    /// Begins a sweep if one is due, and continues a sweep under way.
    mutating func continueSweep(_ forest: ChainForest, _ now: UInt64, _ budget: Int) {
        if sweep == nil, !begin(now) { return }
        watch.reserve(forest.indexBound)
        var rest = budget * Self.nodeCost
        let deadlocks = DeadlockSearch(forest)
        while rest > 0, sweep!.bits != 0 || sweep!.cursor < watch.wordCount {
            if sweep!.bits == 0 {
                let removed = watch.removeSlots(sweep!.cursor, at: now, isWhole: sweep!.isWhole)
                sweep!.bits = removed.bits
                if removed.areOthersLeft { sweep!.noteDue(at: now) }
                rest -= Self.wordCost
            }
            examineWord(forest, deadlocks, now, &rest)
            guard sweep!.bits == 0 else { break }
            if let due = watch.due(sweep!.cursor) { sweep!.noteDue(at: due) }
            sweep!.cursor += 1
        }
        guard rest > 0 else { return }
        var depthBudget = rest / Self.nodeCost
        guard measureDepths(forest, budget: &depthBudget) else { return }
        finish(forest, deadlocks, now)
    }

    /// Returns the minimum time from the beginning of a sweep to the beginning of the next sweep, in nanoseconds.
    static func pause(after sweep: WarningSweep) -> UInt64 {
        // A whole sweep does not lengthen the pause, because the sweeps that follow it are small.
        sweep.isWhole ? interval : min(longestInterval, max(interval, sweep.nodeCount * pausePerNode))
    }

    /// Begins a sweep if one is due. Returns whether it has begun one.
    private mutating func begin(_ now: UInt64) -> Bool {
        // A node's time counts from its parent's settlement, which is no change of the node. A whole sweep within half
        // the limit finds the node before it is overdue, unless the limit is below a second.
        let interval = max(Self.interval, min(Self.wholeInterval, rules.options[.neverSettled] / 2))
        let isWhole =
            needsFaultSearch || (hasChangedSinceWholeSweep && wholeBegan.map { now >= $0 &+ interval } ?? true)
        guard hasChangedSinceSweep || isWhole || nextDue.map({ now >= $0 }) ?? false,
            sweepBegan.map({ now >= $0 &+ pause }) ?? true
        else { return false }
        sweep = WarningSweep(isWhole: isWhole, findsFaults: needsFaultSearch)
        if isWhole { (hasChangedSinceWholeSweep, wholeBegan) = (false, now) }
        (hasChangedSinceSweep, needsFaultSearch, sweepBegan) = (false, false, now)
        return true
    }

    /// Examines the nodes of the current word, as many as the budget allows.
    private mutating func examineWord(
        _ forest: ChainForest, _ deadlocks: DeadlockSearch, _ now: UInt64, _ rest: inout Int
    ) {
        var ahead = sweep!.bits
        while ahead != 0 {
            forest.prefetchNode(NodeIndex(rawValue: UInt32(sweep!.cursor << 6 | ahead.trailingZeroBitCount)))
            ahead &= ahead &- 1
        }
        while sweep!.bits != 0, rest > 0 {
            let slot = UInt32(sweep!.cursor << 6 | sweep!.bits.trailingZeroBitCount)
            sweep!.bits &= sweep!.bits &- 1
            let index = NodeIndex(rawValue: slot)
            guard forest.contains(index) else {
                rest -= 1
                continue
            }
            let outcome = examine(index, forest, deadlocks, now)
            sweep!.nodeCount += 1
            if outcome.isWatched { watch.insert(slot) }
            if let due = outcome.due { watch.insert(slot, at: due) }
            rest -= outcome.cost * Self.nodeCost
        }
    }

    /// Adds a changed node to one of the next two sweeps, or removes a finished node. The root of a chain that may be
    /// too deep is always added.
    @inline(__always)
    mutating func watch(_ entry: ForestChanges.Entry, _ forest: borrowing ChainForest) {
        let slot = entry.index.rawValue
        if !entry.traits.contains(.unfinished) {
            watch.remove(slot)
        } else if entry.state == .waiting || entry.state == .queued {
            // A node that just began to wait is left to the sweep after the next, because most such nodes start before
            // that sweep. A node with a warning stays in the next sweep.
            let isFresh = !entry.changes.isDisjoint(with: [.created, .state]) && !heldSlots.contains(slot)
            watch.insertLater(slot, keepsNext: !isFresh)
        } else {
            watch.insert(slot)
        }
        if entry.traits.contains(.root), mayBeDeep(entry.index, forest) { watch.insert(slot) }
    }

    /// Adds the pending combinators of a settled member to the next sweep. They did not change, but they now wait for
    /// another member, which may wait for them.
    mutating func watchHolders(of member: NodeIndex, _ forest: ChainForest) {
        guard rules.isEnabled(.deadlock) else { return }
        for link in forest.holders(of: member, limit: Self.holderLimit)
        where link.role == .memberOf && forest.state(of: link.node) == .pending { watch.insert(link.node.rawValue) }
    }

    private mutating func examine(
        _ index: NodeIndex, _ forest: ChainForest, _ deadlocks: DeadlockSearch, _ now: UInt64
    ) -> WarningSweep.Outcome {
        let view = forest.node(index)
        var outcome = WarningSweep.Outcome()
        if sweep!.findsFaults { findFaults(view, forest, now) }
        if view.occupiesThread {
            outcome.isWatched = true
            if view.thread != 0, sweep!.threads.count < WarningSweep.threadLimit {
                sweep!.threads.insert(view.thread)
                if view.kind.runsInTask { sweep!.taskThreads[view.thread] = view.id }
            }
        }
        if mayBeDeep(index, forest) {
            outcome.cost += 2
            if addToDepthSearch(view, forest) { outcome.isWatched = true }
        }
        rules.ask(view, forest, now: now, &sweep!, &outcome)
        // Tasks that are queued for an actor, or run and wait for a lock, may be part of a deadlock, too.
        if view.isLive, rules.isEnabled(.deadlock), view.state == .pending || forest.taskWait(of: index) != nil {
            findDeadlock(view, forest, deadlocks, now, &outcome)
        }
        return outcome
    }

    private mutating func findFaults(_ view: NodeView, _ forest: ChainForest, _ now: UInt64) {
        noteReported(view)
        let kinds = rules.faults(of: view, forest)
        for kind in WarningKind.all where kinds & kind.bit != 0 {
            let warning = Warning(kind, view.id, since: rules.since(kind, view, now: now))
            if !isDismissed(warning.id) { sweep!.found[kind.index].add(warning) }
        }
        if rules.isDecided(view) { watchRace(view, forest) }
    }

    /// Searches for a cycle that a node waits for, once the node is older than ``WarningRules/grace``: a cycle of young
    /// nodes may be an accident of timing. A cycle that closes later is found by the change that closes it. That is a
    /// change of one of its nodes, or the settlement of a member (``watchHolders(of:_:)``).
    private mutating func findDeadlock(
        _ view: NodeView, _ forest: ChainForest, _ deadlocks: DeadlockSearch, _ now: UInt64,
        _ outcome: inout WarningSweep.Outcome
    ) {
        let blocker = forest.blocker(of: view.index, memberLimit: Self.fewMembers)
        if blocker.node == nil {
            guard blocker.reason == .member else { return }
            outcome.cost += Self.manyMembersCost
        }
        // What was reported is confirmed by its age instead.
        if !view.kind.isResource, forest.taskWait(of: view.index) == nil {
            guard now >= view.created, now - view.created >= WarningRules.grace else {
                return outcome.noteDue(at: view.created &+ WarningRules.grace)
            }
        }
        var steps = 2
        if let cycle = deadlocks.cycle(from: view.index, in: forest, steps: &steps),
            let warning = DeadlockSearch.warning(of: cycle, in: forest)
        {
            let confirmed = DeadlockSearch.confirmation(of: cycle, in: forest)
            if now >= confirmed {
                record(deadlock: warning)
                outcome.isWatched = true
            } else {
                outcome.noteDue(at: confirmed)
            }
        }
        outcome.cost += steps * 4
    }

    /// Records a deadlock, unless this sweep has found the same cycle from another node of the cycle.
    mutating func record(deadlock warning: Warning) {
        let index = warning.kind.index
        guard !sweep!.found[index].warnings.contains(where: { $0.node == warning.node }) else { return }
        sweep!.found[index].add(warning)
    }
}
