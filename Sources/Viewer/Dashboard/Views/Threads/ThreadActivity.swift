// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// The activity of a thread at the moment that is shown.
struct ThreadActivity {
    enum Doing {
        case idle, running
        /// The thread waits for a node or the system, but not long enough to be blocked, or not in a handler.
        case waiting
        /// The innermost handler has blocked the thread for at least the limit of the warning `blocked-worker`.
        case blocked
    }

    let doing: Doing
    /// The handlers and waits that occupy the thread, outermost first.
    let entries: [ThreadLane.Entry]
    /// What the thread is blocked in while it runs the innermost handler; nil if it is not blocked in the system.
    let systemWait: SystemWait?

    init(_ lane: ThreadLane, of program: borrowing Program, _ options: WarningOptions) {
        self.init(lane, in: program.forest, now: program.shownNow, options)
    }

    init(
        _ lane: ThreadLane, in forest: borrowing ChainForest, now: UInt64, _ options: WarningOptions
    ) {
        entries = ThreadLanes.entries(of: lane, in: forest)
        guard let last = entries.last else {
            (doing, systemWait) = (.idle, nil)
            return
        }
        var isBlocked = false
        var wait: SystemWait?
        if let handler = entries.last(where: { $0.kind == .handler }), let node = forest.index(of: handler.node),
            let block = HandlerBlock(of: node, in: forest)
        {
            isBlocked = block.isOverLimit(options, now: now)
            wait = block.wait
        }
        doing = isBlocked ? .blocked : last.kind == .handler ? .running : .waiting
        systemWait = wait
    }

    /// The node of the innermost handler.
    var handler: NodeID? { entries.last { $0.kind == .handler }?.node }
    /// The node that keys act on: ``handler``, or the node that a thread without a handler waits for.
    var node: NodeID? { handler ?? entries.last?.node }
    /// When the innermost handler, wait or stall began, in nanoseconds of the program's clock.
    var since: UInt64? { entries.last?.since }
    /// The innermost wait. While the thread waits, it may run another handler on top of the wait.
    var wait: ThreadLane.Entry? { entries.last { $0.kind == .wait } }
    /// The node of the handler that the innermost handler runs on top of.
    var outer: NodeID? {
        guard let inner = entries.lastIndex(where: { $0.kind == .handler }) else { return nil }
        return entries[..<inner].last { $0.kind == .handler }?.node
    }
}

extension Program {
    /// Returns the name of a thread; without a name, its number.
    func threadName(_ thread: ThreadID) -> String {
        if let name = forest.threads[thread], !name.isEmpty { return name }
        return "thread \(thread)"
    }

    /// Returns the name of an executor; without a name, its number. Executor 0 stands for tasks.
    func executorName(_ executor: ExecutorID) -> String {
        guard executor != 0 else { return "none (tasks)" }
        if let name = forest.executors[executor], !name.isEmpty { return name }
        return "executor \(executor)"
    }
}
