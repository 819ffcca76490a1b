import ChainInsight
import ChainModel

/// What a thread does at the moment that is shown.
struct ThreadActivity {
    enum Doing {
        case idle, running
        /// Waits, not for long or not in a handler.
        case waiting
        /// Its handler has been waiting for as long as the warning `blocked-worker` takes.
        case blocked
    }

    let doing: Doing
    /// What it is in, from the outside in.
    let entries: [ThreadLane.Entry]

    init(_ lane: ThreadLane, of program: borrowing Program, _ options: WarningOptions) {
        self.init(lane, in: program.forest, now: program.shownNow, options)
    }

    init(
        _ lane: ThreadLane, in forest: borrowing ChainForest, now: UInt64, _ options: WarningOptions
    ) {
        entries = ThreadLanes.entries(of: lane, in: forest)
        guard let last = entries.last else {
            doing = .idle
            return
        }
        var isBlocked = false
        if let handler = entries.last(where: { $0.kind == .handler }), let node = forest.index(of: handler.node),
            let block = HandlerBlock(of: node, in: forest)
        {
            isBlocked = block.isOverLimit(options, now: now)
        }
        doing = isBlocked ? .blocked : last.kind == .wait ? .waiting : .running
    }

    /// The handler that runs or blocks.
    var handler: NodeID? { entries.last { $0.kind == .handler }?.node }
    /// What keys act on: that, or what a thread without a handler waits for.
    var node: NodeID? { handler ?? entries.last?.node }
    var since: UInt64? { entries.last?.since }
    /// What the thread waits for, or the handler that another one runs on top of.
    var wait: ThreadLane.Entry? { entries.last { $0.kind == .wait } }
    /// The handler that a wait keeps, or that runs the innermost one.
    var outer: NodeID? {
        guard let inner = entries.lastIndex(where: { $0.kind == .handler }) else { return nil }
        return entries[..<inner].last { $0.kind == .handler }?.node
    }
}

extension Program {
    /// What a thread is called: a name, or its number.
    func threadName(_ thread: ThreadID) -> String {
        if let name = forest.threads[thread], !name.isEmpty { return name }
        return "thread \(thread)"
    }

    /// What an executor is called: a name, or its number.
    func executorName(_ executor: ExecutorID) -> String {
        guard executor != 0 else { return "none (tasks)" }
        if let name = forest.executors[executor], !name.isEmpty { return name }
        return "executor \(executor)"
    }
}
