// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// The path of waits from a node: it leads to a node that waits for no other node, or into a cycle.
struct BlockerPath {
    /// One node on the path, and what it waits for.
    struct Step {
        var node: NodeIndex
        var blocker: Blocker
        /// The wait of a handler that blocks the executor in which the node is queued; the path continues at that
        /// handler. Nil for other steps.
        var blockingWait: ThreadWait?
    }

    private(set) var steps: [Step] = []
    /// The index of the step where the cycle begins; nil for a path without a cycle.
    private(set) var cycleStart: Int?

    /// The maximum number of steps; a longer path is cut.
    private static let limit = 10_000

    /// Follows blockers from `start`. O(steps), plus for each step the settled members of its node and the threads that
    /// wait.
    init(from start: NodeIndex, in forest: borrowing ChainForest) {
        var seen: [NodeIndex: Int] = [:]
        var next: NodeIndex? = start
        while let node = next, steps.count < Self.limit {
            if let index = seen[node] {
                cycleStart = index
                return
            }
            seen[node] = steps.count
            var step = Step(node: node, blocker: forest.blocker(of: node))
            next = step.blocker.node
            if step.blocker.reason == .queued, let found = forest.longestBlockedHandler(of: forest.node(node).executor)
            {
                step.blockingWait = found.wait
                next = found.node
            }
            if [.running, .suspended, .group].contains(step.blocker.reason), next == nil,
                forest.kind(of: node).runsInTask
            {
                next = Self.newestLiveChild(of: node, in: forest)
            }
            steps.append(step)
        }
    }

    /// Returns the newest live child, which is what the code of a task most often waits for. Looks at no more than
    /// ``limit`` children.
    private static func newestLiveChild(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        var child = forest.lastChild(of: node)
        for _ in 0..<limit {
            guard let current = child, !forest.state(of: current).isLive else { return child }
            child = forest.previousSibling(of: current)
        }
        return nil
    }

    /// The last step. Its node waits for no other node, unless the path has a cycle or was cut.
    var last: Step { steps[steps.count - 1] }
}

extension ViewContext {
    /// Goes from the selected node to the end of its path of waits, and shows the path in a message. For a cycle within
    /// the program, only shows the message. If the selected node waits for no other node, the message advises what to
    /// do about it.
    mutating func goToBlocker() {
        guard let (programIndex, start) = selectedNode else { return notify("there is no node to ask about") }
        let path = BlockerPath(from: start, in: world.programs[programIndex].forest)
        let text = BlockerDescription(glyphs: options.glyphs, now: world.programs[programIndex].shownNow)
        if let cycleStart = path.cycleStart {
            let words = text.cycle(path.steps[cycleStart...], in: world.programs[programIndex].forest)
            return notify(
                words + (canAskToCancel(in: programIndex) ? "; c cancels one of them, which ends it" : ""), .warning,
                isSticky: true)
        }
        if goToCalled(from: path, in: programIndex) { return }
        let last = path.last
        let reason = text.reason(last, in: world.programs[programIndex].forest)
        guard path.steps.count > 1 else {
            let advice = advice(for: last, in: programIndex)
            let name = text.name(start, in: world.programs[programIndex].forest)
            return notify("\(name) \(reason)" + (advice.isEmpty ? "" : "; \(advice)"), isSticky: true)
        }
        reveal(last.node, in: programIndex)
        notify(text.path(path.steps, in: world.programs[programIndex].forest) + ": " + reason, isSticky: true)
    }

    private func canAskToCancel(in programIndex: Int) -> Bool { whyNotCancel(in: programIndex) == nil }

    /// Returns what can be done about a node that waits for no other node; empty if nothing can be done.
    private func advice(for step: BlockerPath.Step, in programIndex: Int) -> String {
        let forest = world.programs[programIndex].forest
        let site = forest.site(of: step.node).flatMap { $0.fileID.isEmpty ? nil : $0.description }
        let open = site.map { "e opens \($0)" }
        let cancel = canAskToCancel(in: programIndex) ? "c cancels it" : nil
        let words: [String?] =
            switch step.blocker.reason {
            case .running, .resolver, .suspended, .system, .task, .continuation, .group, .lock: [open, cancel]
            case .queued, .actor, .pool, .executor: ["2 shows what runs there", cancel]
            case .timer, .parent, .follows, .member, .awaits: [cancel]
            case .settled, .aboutToRun, .aboutToSettle, .holder, .free: []
            }
        return words.compactMap { $0 }.joined(separator: ", ")
    }
}

/// Blockers and paths to them in words.
struct BlockerDescription {
    let glyphs: Glyphs
    /// Nanoseconds of the program's clock.
    let now: UInt64

    /// The maximum width of a name, in cells.
    private static let nameLimit = 28
    /// The maximum number of members that are counted.
    private static let memberLimit = 1_000

    func name(_ node: NodeIndex, in forest: borrowing ChainForest) -> String {
        glyphs.cut(NodeText.name(of: node, in: forest), to: Self.nameLimit)
    }

    /// Returns the names of a path's nodes, with the text of ``link(_:in:)`` between two names. If there are more than
    /// five nodes, names only the first two and the last two.
    func path(_ steps: [BlockerPath.Step], in forest: borrowing ChainForest) -> String {
        var text = ""
        let hidden = steps.count > 5 ? 2..<(steps.count - 2) : 0..<0
        for (index, step) in steps.enumerated() {
            if index == hidden.lowerBound, !hidden.isEmpty { text += "\(hidden.count) more \(glyphs.right) " }
            guard !hidden.contains(index) else { continue }
            text += name(step.node, in: forest)
            guard index < steps.count - 1 else { break }
            text += link(step, in: forest)
        }
        return text
    }

    /// Returns the text between a node and the next one on the path.
    private func link(_ step: BlockerPath.Step, in forest: borrowing ChainForest) -> String {
        if let wait = step.blockingWait { return ", queued: \(thread(wait.thread, in: forest)) is blocked by " }
        switch step.blocker.reason {
        case .member:
            return members(of: step.node, in: forest).map { " (\($0)) \(glyphs.right) " } ?? " \(glyphs.right) "
        case .awaits:
            let wait = forest.wait(of: step.node)
            let name = wait.map { thread($0.thread, in: forest) } ?? "its thread"
            return ", which blocks \(name) for "
        case .holder: return ", held by "
        default: return " \(glyphs.right) "
        }
    }

    /// Returns which of its members a node waits for, such as `2 of 3 left` or `the first of 3`; nil for fewer than two
    /// members.
    func members(of node: NodeIndex, in forest: borrowing ChainForest) -> String? {
        let members = forest.members(of: node, limit: Self.memberLimit)
        guard members.count > 1 else { return nil }
        let more = members.isPartial ? "+" : ""
        switch forest.node(node).kind {
        case .race: return "the first of \(members.count)\(more)"
        case .any: return "any of \(members.counts.liveCount)\(more) left"
        default: return "\(members.counts.liveCount) of \(members.count)\(more) left"
        }
    }

    /// Returns the words for a cycle, in which each node waits for the next one, and the last node waits for the first.
    func cycle(_ steps: ArraySlice<BlockerPath.Step>, in forest: borrowing ChainForest) -> String {
        guard steps.count > 1 else {
            return "deadlock: \(name(steps[steps.startIndex].node, in: forest)) waits for itself"
        }
        let first = name(steps[steps.startIndex].node, in: forest)
        return "deadlock: " + path(Array(steps), in: forest) + link(steps[steps.endIndex - 1], in: forest) + first
    }

    /// Returns how long ago a time was, as ` for 2.1s`; empty if the time is nil.
    private func since(_ time: UInt64?) -> String {
        time.map { " for \(DurationText.running(now - min($0, now)))" } ?? ""
    }

    /// Returns since when a node is as it is, as ` for 2.1s`; as ` for ≥ 2.1s` if it was so when it was first seen.
    func since(_ time: UInt64?, of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        guard let time, forest.isSeenFromOutside(node), time <= forest.node(node).created else { return since(time) }
        return atLeast(since: time)
    }

    /// Returns since when a task waits, as ` for 2.1s`; as ` for ≥ 2.1s` if it may have waited before. That it waits for a
    /// lock is only seen from outside, in prepared programs, too.
    private func since(_ wait: TaskWait, of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        wait.target == .lock ? atLeast(since: wait.since) : since(wait.since, of: node, in: forest)
    }

    private func atLeast(since time: UInt64) -> String {
        " for " + DurationText.atLeast(DurationText.running(now - min(time, now)), glyphs)
    }

    /// Returns the predicate of a sentence about a node that waits for no other node. It says what the node does or
    /// waits for, or that the node is settled.
    func reason(_ step: BlockerPath.Step, in forest: borrowing ChainForest) -> String {
        let view = forest.node(step.node)
        switch step.blocker.reason {
        case .settled where forest.isReadFromOutside: return "waits for nothing: it has ended"
        case .settled: return "waits for nothing: it is \(view.state.word)"
        case .parent: return "waits for its parent"
        case .aboutToRun: return "is about to be queued"
        case .queued: return "is queued" + queue(view, in: forest, since(view.queued, of: step.node, in: forest))
        case .running:
            let name = view.thread == 0 ? "" : " on \(thread(view.thread, in: forest))"
            return "runs\(name)\(since(view.started, of: step.node, in: forest))"
        case .system:
            let name = view.thread == 0 ? "" : " on \(thread(view.thread, in: forest))"
            return "is \(systemWait(of: step.node, in: forest))\(name)"
        case .follows: return "follows another"
        case .member: return "waits for one of its members"
        case .aboutToSettle:
            switch view.kind {
            case .retry, .repeat, .sequence, .forEach: return "is between two of its members"
            default: return "is about to settle"
            }
        case .awaits: return "blocks its thread\(since(forest.wait(of: step.node)?.since)) for one that is gone"
        case .timer: return "waits for its timer"
        case .suspended: return "is suspended\(since(forest.lastSwitchTime(of: step.node), of: step.node, in: forest))"
        case .resolver:
            return "waits\(since(view.ended ?? view.created, of: step.node, in: forest)) for the program to settle it"
        case .task, .continuation, .group, .actor, .pool, .lock, .executor:
            let wait = forest.taskWait(of: step.node)
            let target = wait.flatMap { NodeText.target(of: $0, in: forest) } ?? "something"
            return "waits\(wait.map { since($0, of: step.node, in: forest) } ?? "") for \(target)"
        case .holder:
            let holder = forest.holder(of: step.node)
            let name = holder.map { NodeText.holder($0, in: forest) } ?? "a thread"
            return "is held\(since(holder?.since, of: step.node, in: forest)) by \(name)"
        case .free: return "is held by nobody"
        }
    }

    /// Returns ` on pool for 2.1s (14 queued, 4 running there)`.
    private func queue(_ view: NodeView, in forest: borrowing ChainForest, _ since: String) -> String {
        guard view.executor != 0 else { return since }
        let load = forest.load(of: view.executor)
        let name = forest.executors[view.executor] ?? "executor \(view.executor)"
        return " on \(name)\(since) (\(CountText.grouped(load.queuedCount)) queued, "
            + "\(CountText.grouped(load.runningCount)) running there)"
    }

    private func thread(_ thread: ThreadID, in forest: borrowing ChainForest) -> String {
        forest.threads[thread] ?? "thread \(thread)"
    }

    /// Returns what a live node waits for directly, in words, and the node that the words describe, if there is one.
    /// Nil for a node that runs or is settled.
    func directBlocker(_ node: NodeIndex, in forest: borrowing ChainForest) -> (words: String, node: NodeIndex?)? {
        let step = BlockerPath.Step(node: node, blocker: forest.blocker(of: node, memberLimit: Self.memberLimit))
        if let blocker = step.blocker.node {
            switch step.blocker.reason {
            case .parent: return ("its parent", blocker)
            case .follows: return ("which it follows", blocker)
            case .member: return (members(of: node, in: forest) ?? "its member", blocker)
            case .awaits: return ("blocking \(waitingThread(of: node, in: forest))", blocker)
            case .actor: return ("an actor", blocker)
            case .lock: return ("a lock", blocker)
            case .executor: return ("an executor", blocker)
            default: return ("", blocker)
            }
        }
        switch step.blocker.reason {
        case .running, .settled: return nil
        case .queued:
            let view = forest.node(node)
            let found = forest.longestBlockedHandler(of: view.executor)
            let blocked = found.map { ": \(thread($0.wait.thread, in: forest)) is blocked by" } ?? ""
            return ("a free thread" + queue(view, in: forest, "") + blocked, found?.node)
        case .resolver: return ("the program to settle it", nil)
        case .suspended:
            return ("what its code awaits\(since(forest.lastSwitchTime(of: node), of: node, in: forest))", nil)
        case .timer: return ("its timer", nil)
        case .system:
            let explanation = forest.stall(of: node)?.wait.explanation.map { ": \($0)" } ?? ""
            return ("the system, \(systemWait(of: node, in: forest))\(explanation)", nil)
        case .member: return ("one of its members", nil)
        case .aboutToRun, .aboutToSettle: return ("nothing: it \(reason(step, in: forest))", nil)
        case .awaits: return ("one that is gone, blocking \(waitingThread(of: node, in: forest))", nil)
        case .task, .continuation, .group, .actor, .pool, .lock, .executor:
            guard let wait = forest.taskWait(of: node), let target = NodeText.target(of: wait, in: forest) else {
                return nil
            }
            return (target + since(wait, of: node, in: forest), nil)
        // These reasons always have a node, or are those of an actor or a lock.
        case .parent, .follows, .holder, .free: return nil
        }
    }

    /// Returns what the thread of a node is blocked in, such as `blocked in futex wait for 12s`. Read from outside, it may
    /// have been blocked before it was first seen.
    private func systemWait(of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        guard let stall = forest.stall(of: node) else { return "blocked" }
        let duration = forest.isReadFromOutside ? atLeast(since: stall.since) : since(stall.since)
        return "blocked\(stall.wait.words)\(duration)"
    }

    /// Returns the name of the thread that a node blocks.
    private func waitingThread(of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        forest.wait(of: node).map { thread($0.thread, in: forest) } ?? "its thread"
    }
}
