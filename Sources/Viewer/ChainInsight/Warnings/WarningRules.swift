// SPDX-License-Identifier: MIT

import ChainModel

/// The verdict of one rule on a node.
enum WarningVerdict {
    /// The condition has held since a moment; `other` is the other node involved, or `.none`.
    case holds(since: UInt64, other: NodeID)
    /// The condition may hold from a moment on, and not earlier unless the node changes.
    case later(UInt64)
    case no

    /// Whether the condition holds.
    var holds: Bool { if case .holds = self { true } else { false } }
}

/// The condition of each kind of warning, tested on one node at a moment. A test reads the node and its neighbours.
/// Only the test for an unhandled rejection follows the rejection further, to its cause. ``DeadlockSearch`` finds
/// deadlocks.
struct WarningRules {
    let options: WarningOptions
    /// The limit of ``WarningKind/deepChain``.
    let depthLimit: Int
    /// ``WarningOptions/enabled``, with one bit for each kind.
    private let enabled: WarningBits

    init(_ options: WarningOptions) {
        self.options = options
        depthLimit = Int(clamping: options[.deepChain])
        enabled = options.enabled.reduce(0) { $0 | $1.bit }
    }

    /// How long losers may live on after a race is decided, in nanoseconds. Also the minimum age of a wait or of a
    /// pending node from which a search for a deadlock begins.
    static let grace: UInt64 = 1_000_000_000

    @inline(__always)
    func isEnabled(_ kind: WarningKind) -> Bool { enabled & kind.bit != 0 }

    private func verdict(since: UInt64, limit: UInt64, now: UInt64, other: NodeID = .none) -> WarningVerdict {
        guard since <= now, now - since >= limit else { return .later(since &+ limit) }
        return .holds(since: since, other: other)
    }

    // MARK: Asking

    /// Asks each rule that may hold for a node, and adds its cost; ``WarningSweep/Outcome/cost`` says of what.
    @inline(__always)
    func ask(
        _ view: NodeView, _ forest: ChainForest, now: UInt64, _ sweep: inout WarningSweep,
        _ outcome: inout WarningSweep.Outcome
    ) {
        @inline(__always)
        func record(_ kind: WarningKind, _ verdict: WarningVerdict, cost: Int) {
            sweep.record(verdict, kind, view, &outcome)
            outcome.cost += cost
        }
        if view.occupiesThread {
            record(.blockedWorker, blockedWorker(view, forest, now: now), cost: 3)
            record(.longHandler, longHandler(view, forest, now: now), cost: 3)
        }
        guard view.isLive else { return }
        if view.kind.isResource { record(.mainActorHeld, mainActorHeld(view, forest, now: now), cost: 0) }
        if view.state == .queued {
            record(.longQueueWait, longQueueWait(view, now: now), cost: 0)
            record(.starvedPool, longQueuedTask(view, now: now), cost: 0)
        } else if view.isSuspended {
            record(.suspendedTask, suspendedTask(view, forest, now: now), cost: 2)
        } else {
            record(.neverSettled, neverSettled(view, forest, now: now), cost: 2)
        }
        if view.isCancelRequested {
            record(.cancellationIgnored, cancellationIgnored(view, forest, now: now), cost: 4)
            outcome.isWatched = true
        }
    }

    /// Returns whether a warning of a node still holds.
    func holds(_ warning: Warning, of view: NodeView, _ forest: ChainForest, now: UInt64) -> Bool {
        switch warning.kind {
        case .neverSettled: return neverSettled(view, forest, now: now).holds
        case .blockedWorker: return blockedWorker(view, forest, now: now).holds
        case .longHandler: return longHandler(view, forest, now: now).holds
        case .longQueueWait: return longQueueWait(view, now: now).holds
        case .suspendedTask: return suspendedTask(view, forest, now: now).holds
        case .cancellationIgnored: return cancellationIgnored(view, forest, now: now).holds
        case .raceLoserRunning:
            guard let race = forest.index(of: warning.other) else { return view.isLive }
            return raceLoserRunning(view, race: forest.node(race), forest, now: now).holds
        case .deadlock: return view.isLive
        case .mainActorHeld: return mainActorHeld(view, forest, now: now).holds
        case .deepChain: return forest.isRoot(view.index) && forest.chain(of: view.index).liveCount > 0
        case .tooManyThreads, .starvedPool, .lostEvents, .abandoned, .unhandledRejection, .settledAgain,
            .awaitedOnOwnExecutor:
            return true
        }
    }

    // MARK: Faults

    /// The marks of nodes that are faults.
    static let faultMarks: NodeMarks = [.unhandled, .settledAgain, .hasMisusedAwait]

    /// Returns the faults that a node's marks and state show, with one bit for each kind. Faults that follow from
    /// another node's abandonment are left out, because that node is reported itself.
    @inline(__always)
    func faults(of view: NodeView, _ forest: ChainForest) -> WarningBits {
        var kinds: WarningBits = view.state == .abandoned ? WarningKind.abandoned.bit : 0
        let marks = view.marks
        if !marks.isDisjoint(with: Self.faultMarks) {
            if marks.contains(.unhandled) { kinds |= WarningKind.unhandledRejection.bit }
            if marks.contains(.settledAgain) { kinds |= WarningKind.settledAgain.bit }
            if marks.contains(.hasMisusedAwait) { kinds |= WarningKind.awaitedOnOwnExecutor.bit }
        }
        kinds &= enabled
        let consequences = WarningKind.abandoned.bit | WarningKind.unhandledRejection.bit
        guard kinds & consequences != 0, isEnabled(.abandoned), followsFromAbandoned(view, forest) else {
            return kinds
        }
        return kinds & ~consequences
    }

    /// Returns whether a node was rejected because another node was abandoned.
    private func followsFromAbandoned(_ view: NodeView, _ forest: ChainForest) -> Bool {
        // An evicted node has no links any more.
        guard forest.index(of: view.id) == view.index else { return false }
        guard view.state == .abandoned else {
            let origin = forest.rejectionOrigin(of: view.index, limit: Self.causeLimit)
            return origin.steps > 0 && forest.state(of: origin.node) == .abandoned
        }
        if view.hasParent, let parent = forest.parent(of: view.index), forest.state(of: parent) == .abandoned {
            return true
        }
        return forest.targets(of: view.index, limit: Self.relativeLimit).contains {
            forest.state(of: $0.node) == .abandoned
        }
    }

    /// The maximum number of steps from an unhandled rejection to its cause.
    private static let causeLimit = 1_000

    /// Returns the time of a fault: for a rejection, its settlement; for a mark, `now`, because marks have no time.
    func since(_ kind: WarningKind, _ view: NodeView, now: UInt64) -> UInt64 {
        kind == .abandoned || kind == .unhandledRejection ? view.settled ?? now : now
    }

    // MARK: Handlers

    func blockedWorker(_ view: NodeView, _ forest: ChainForest, now: UInt64) -> WarningVerdict {
        guard isEnabled(.blockedWorker), let block = HandlerBlock(view, forest) else { return .no }
        return verdict(since: block.since, limit: options[.blockedWorker], now: now, other: block.node)
    }

    /// Leaves out a handler that blocks its thread, if ``WarningKind/blockedWorker`` is enabled to report it. A handler
    /// that ran for longer than the limit before it blocked is left out only once that warning holds.
    func longHandler(_ view: NodeView, _ forest: ChainForest, now: UInt64) -> WarningVerdict {
        guard isEnabled(.longHandler), view.occupiesThread,
            let started = forest.lastSwitchTime(of: view.index) ?? view.started
        else { return .no }
        if isEnabled(.blockedWorker), let block = HandlerBlock(view, forest) {
            if block.since < started.addingClamped(options[.longHandler]) { return .no }
            if block.isOverLimit(options, now: now) { return .no }
        }
        return verdict(since: started, limit: options[.longHandler], now: now)
    }

    func longQueueWait(_ view: NodeView, now: UInt64) -> WarningVerdict {
        guard isEnabled(.longQueueWait), view.state == .queued, let queued = view.queued else { return .no }
        return verdict(since: queued, limit: options[.longQueueWait], now: now)
    }

    /// Tests whether a Swift task has been queued for longer than the limit. The sweep compares the number of such
    /// tasks with the number of threads that run tasks.
    func longQueuedTask(_ view: NodeView, now: UInt64) -> WarningVerdict {
        guard isEnabled(.starvedPool), view.state == .queued, view.kind == .task, let queued = view.queued else {
            return .no
        }
        return verdict(since: queued, limit: options[.starvedPool], now: now)
    }

    /// Leaves out a task that waits for another node, because a warning about that node suffices; a task with live
    /// children, because such a task mostly waits for its children; and the program's main function, which mostly waits
    /// for the end of the program.
    func suspendedTask(_ view: NodeView, _ forest: ChainForest, now: UInt64) -> WarningVerdict {
        guard isEnabled(.suspendedTask), view.isSuspended, let since = forest.lastSwitchTime(of: view.index) else {
            return .no
        }
        let result = verdict(since: since, limit: options[.suspendedTask], now: now)
        guard result.holds else { return result }
        if isMain(view, forest) { return .no }
        if forest.taskWait(of: view.index)?.node != nil || hasLiveChild(view, forest) {
            return .later(now &+ options[.suspendedTask])
        }
        return result
    }

    /// Returns whether a task runs the program's main function: the functions of all other tasks have brackets.
    private func isMain(_ view: NodeView, _ forest: ChainForest) -> Bool {
        view.kind == .task && forest.site(of: view.index).map { $0.line == 0 && $0.fileID == "main" } ?? false
    }

    /// The maximum number of children that are read; a task with so many children is taken to have a live child.
    private static let childLimit = 1_000

    private func hasLiveChild(_ view: NodeView, _ forest: ChainForest) -> Bool {
        var child = forest.firstChild(of: view.index)
        for _ in 0..<Self.childLimit {
            guard let current = child else { return false }
            if forest.state(of: current).isLive { return true }
            child = forest.nextSibling(of: current)
        }
        return true
    }

    /// Tests whether an actor or an executor with the label of the main one is held by a task while others wait.
    func mainActorHeld(_ view: NodeView, _ forest: ChainForest, now: UInt64) -> WarningVerdict {
        guard isEnabled(.mainActorHeld), view.kind == .executor || view.kind == .actor, isMainActor(view, forest),
            forest.waiterCount(of: view.index) > 0, let holder = forest.holder(of: view.index), let task = holder.node
        else { return .no }
        return verdict(
            since: holder.since, limit: options[.mainActorHeld], now: now, other: forest.id(of: task))
    }

    private func isMainActor(_ view: NodeView, _ forest: ChainForest) -> Bool {
        switch forest.label(of: view) {
        case "main", "MainActor": true
        default: false
        }
    }

    // MARK: Nodes that do not settle

    /// Leaves out nodes that wait for another node, because a warning about that other node suffices.
    func neverSettled(_ view: NodeView, _ forest: ChainForest, now: UInt64) -> WarningVerdict {
        // Futures of SwiftNIO are pending for as long as a connection is open.
        guard isEnabled(.neverSettled), view.isLive, view.kind.role != .combinator, view.kind != .future else {
            return .no
        }
        let limit = options[.neverSettled]
        switch view.state {
        case .running:
            guard view.kind.runsInTask, !view.occupiesThread, let started = view.started else { return .no }
            return verdict(since: started, limit: limit, now: now)
        case .pending, .waiting:
            guard now >= view.created, now - view.created >= limit else { return .later(view.created &+ limit) }
            let reason = forest.blocker(of: view.index).reason
            // The first node of a planned chain may wait for long, because no event reports that the chain was started.
            guard reason == .resolver || (reason == .aboutToRun && view.kind != .chain) else { return .no }
            guard let total = forest.timing(of: view.index, now: now).total else { return .no }
            return verdict(since: now - min(now, total), limit: limit, now: now)
        default: return .no
        }
    }

    /// Leaves out nodes that wait for another node, and suspended tasks with a child that was asked to end as well,
    /// because a warning about that other node suffices.
    func cancellationIgnored(_ view: NodeView, _ forest: ChainForest, now: UInt64) -> WarningVerdict {
        guard isEnabled(.cancellationIgnored), view.isLive, view.marks.contains(.cancelRequested) else { return .no }
        // If there is no request time, the program has not confirmed the cancellation yet, or the time is unknown.
        guard let asked = forest.cancelRequestTime(of: view.index), forest.blocker(of: view.index).node == nil else {
            return .no
        }
        if view.isSuspended, hasCancelledChild(view, forest) { return .later(now &+ options[.cancellationIgnored]) }
        return verdict(since: asked, limit: options[.cancellationIgnored], now: now)
    }

    private func hasCancelledChild(_ view: NodeView, _ forest: ChainForest) -> Bool {
        var child = forest.firstChild(of: view.index)
        for _ in 0..<Self.childLimit {
            guard let current = child else { return false }
            if forest.node(current).isCancelRequested { return true }
            child = forest.nextSibling(of: current)
        }
        return false
    }

    // MARK: Races

    /// Returns whether a node is a race that is decided, so that its members no longer matter.
    func isDecided(_ view: NodeView) -> Bool {
        (view.kind == .race || view.kind == .any) && !view.isLive && view.state != .unknown
    }

    /// Leaves out timers (they cost nothing), members that were asked to end, and members that another node waits for.
    func raceLoserRunning(
        _ view: NodeView, race: NodeView, _ forest: ChainForest, now: UInt64
    ) -> WarningVerdict {
        guard isEnabled(.raceLoserRunning), view.isLive, view.kind != .delay, !view.marks.contains(.cancelRequested),
            let decided = race.settled, !isWanted(view, besides: race.index, forest)
        else { return .no }
        return verdict(since: decided, limit: Self.grace, now: now, other: race.id)
    }

    /// The maximum number of links or children of a node that are read.
    private static let relativeLimit = 16

    /// Returns whether a node other than the race waits for the member.
    private func isWanted(_ view: NodeView, besides race: NodeIndex, _ forest: ChainForest) -> Bool {
        for holder in forest.holders(of: view.index, limit: Self.relativeLimit)
        where holder.node != race && forest.state(of: holder.node).isLive { return true }
        var child = forest.firstChild(of: view.index)
        for _ in 0..<Self.relativeLimit {
            guard let current = child else { break }
            if forest.node(current).hasParent, forest.state(of: current).isLive { return true }
            child = forest.nextSibling(of: current)
        }
        return false
    }
}
