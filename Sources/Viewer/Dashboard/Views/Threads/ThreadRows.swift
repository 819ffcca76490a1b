// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText

// The rows of the view of threads, and their order.
extension ThreadsView {
    /// The threads of a program by name, and what this order depends on.
    struct ThreadOrder: Equatable {
        /// ``ThreadLanes/revision``.
        var revision = -1
        var names: [String] = []
        var threads: [ThreadID] = []
    }

    /// The executors of a program by name, and what this order depends on.
    struct ExecutorOrder: Equatable {
        var known: Set<ExecutorID> = []
        var names: [String] = []
        var executors: [ExecutorID] = []
    }

    mutating func allRows(_ context: ViewContext) -> [Row] {
        var rows: [Row] = []
        for programIndex in context.programs.indices {
            let source = context.programs[programIndex].source
            if context.showsPrograms { rows.append(.program(source)) }
            guard context.programs[programIndex].wasReached else { continue }
            rows += laneRows(of: programIndex, context)
            let executors = orderedExecutors(of: programIndex, context)
            let idleCount = Self.idleExecutorCount(besides: executors, in: context.programs[programIndex].forest)
            if !executors.isEmpty || idleCount > 0 { rows.append(.executors(source)) }
            for executor in executors {
                rows.append(.executor(source, executor))
                let key = ExecutorKey(source: source, executor: executor)
                if queues[key] != nil { rows += queueRows(key, context.programs[programIndex]) }
            }
            if idleCount > 0 { rows.append(.idleExecutors(source, count: idleCount)) }
        }
        return rows
    }

    /// How long a thread has to be idle until its row is folded, in nanoseconds.
    private static let idleLimit: UInt64 = 5_000_000_000

    /// Returns the rows of the threads in order. If several threads have been idle for a while, they come last, under a
    /// row of their own. They are listed only if the user unfolded that row.
    private mutating func laneRows(of programIndex: Int, _ context: ViewContext) -> [Row] {
        let named = orderedThreads(of: programIndex, context)
        let program = context.programs[programIndex]
        let source = program.source
        let now = program.shownNow
        let threads = sorted(named, program, context)
        let idle = threads.filter { thread in
            guard let lane = program.insight.threads.lane(of: thread),
                lane.lastEventTime <= now, now - lane.lastEventTime >= Self.idleLimit,
                // The thread under the cursor stays, once the user has moved the cursor.
                before != nil || current != .lane(source, thread)
                    || showsIdle.contains(source)
            else { return false }
            return ThreadLanes.entries(of: lane, in: program.forest).isEmpty
        }
        guard idle.count > 1 else { return threads.map { .lane(source, $0) } }
        let folded = Set(idle)
        var rows = threads.filter { !folded.contains($0) }.map { Row.lane(source, $0) }
        rows.append(.idle(source, count: idle.count))
        if showsIdle.contains(source) { rows += idle.map { .lane(source, $0) } }
        return rows
    }

    /// Returns the threads by name. Sorts only if threads came, went, or changed their names.
    private mutating func orderedThreads(of programIndex: Int, _ context: ViewContext) -> [ThreadID] {
        let program = context.programs[programIndex]
        let known = threadOrders[program.source] ?? ThreadOrder()
        let lanes = program.insight.threads
        if known.revision == lanes.revision, known.threads.map({ program.threadName($0) }) == known.names {
            return known.threads
        }
        let named = lanes.lanes.map { (name: program.threadName($0.thread), thread: $0.thread) }.sorted {
            $0.name == $1.name ? $0.thread < $1.thread : NaturalOrder.precedes($0.name, $1.name)
        }
        threadOrders[program.source] = ThreadOrder(
            revision: lanes.revision, names: named.map(\.name), threads: named.map(\.thread))
        return named.map(\.thread)
    }

    /// The number of executors of a program up to which all are listed. If there are more, idle executors are counted
    /// instead of listed, except those of ``openExecutors(of:)``. The reason is that a program may make an executor
    /// for each connection, and that the rows are found anew with each update.
    static let executorLimit = 256

    /// Returns the listed executors by name. Sorts only if executors came, went, or changed their names. Tasks, which
    /// have no executor, come last and only while some tasks run.
    private mutating func orderedExecutors(of programIndex: Int, _ context: ViewContext) -> [ExecutorID] {
        let program = context.programs[programIndex]
        let names = program.forest.executors
        // An executor of `openExecutors` may be from an earlier run of the program.
        var known =
            names.count > Self.executorLimit
            ? openExecutors(of: program.source).filter { names[$0] != nil } : Set(names.keys)
        let loads = program.forest.loads
        for executor in loads.indices where loads[executor].queuedCount + loads[executor].runningCount > 0 {
            known.insert(ExecutorID(executor))
        }
        let hasTasks = known.remove(0) != nil && program.forest.load(of: 0).runningCount > 0
        var order = executorOrders[program.source] ?? ExecutorOrder()
        if order.known != known || order.executors.map({ program.executorName($0) }) != order.names {
            let named = known.map { (name: program.executorName($0), id: $0) }.sorted {
                $0.name == $1.name ? $0.id < $1.id : NaturalOrder.precedes($0.name, $1.name)
            }
            order = ExecutorOrder(known: known, names: named.map(\.name), executors: named.map(\.id))
            executorOrders[program.source] = order
        }
        return order.executors + (hasTasks ? [0] : [])
    }

    /// Returns the executors of a program that are listed even while they are idle: the executor under the cursor, and
    /// executors with an unfolded queue.
    private func openExecutors(of source: SourceID) -> Set<ExecutorID> {
        var executors = Set(queues.keys.filter { $0.source == source }.map(\.executor))
        if case .executor(source, let executor)? = current { executors.insert(executor) }
        return executors
    }

    /// Returns the number of idle executors that are not listed.
    private static func idleExecutorCount(besides listed: [ExecutorID], in forest: borrowing ChainForest) -> Int {
        let names = forest.executors
        guard names.count > Self.executorLimit else { return 0 }
        // 0 stands for tasks.
        let listedCount = listed.count { $0 != 0 && names[$0] != nil }
        return names.count - listedCount - (names[0] == nil ? 0 : 1)
    }

    // MARK: Redrawing

    func redrawKey(in context: ViewContext) -> UInt64 {
        var key: UInt64 = 0
        let rows = rows
        let seconds = ThreadColumns(context).strip.width
        var program: Program?
        for row in rows[cursor.window(height: height(in: context)).clamped(to: rows.indices)] {
            key = key &* 1_000_003
            if program?.source != row.source {
                program = nil
                if let index = context.programIndex(of: row.source) { program = context.programs[index] }
            }
            if let program, !program.isClockStopped {
                key &+= Self.redrawKey(of: row, in: program, context.options.warnings, seconds: seconds)
            }
        }
        return key
    }

    private static func redrawKey(
        of row: Row, in program: Program, _ options: WarningOptions, seconds: Int
    ) -> UInt64 {
        switch row {
        case .lane(_, let thread):
            guard let lane = program.insight.threads.lane(of: thread) else { return 0 }
            let activity = ThreadActivity(lane, of: program, options)
            let statistics = ThreadStatistics(lane, activity, at: program.shownNow, seconds: seconds)
            return statistics.redrawKey &* 2 &+ (activity.doing == .blocked ? 1 : 0)
        case .executor(_, let executor):
            guard let oldest = program.forest.load(of: executor).oldestQueued else { return 0 }
            return 1 &+ DurationText.step(program.shownNow &- min(program.shownNow, oldest))
        case .queued(_, _, let id):
            guard let node = program.forest.index(of: id) else { return 0 }
            let view = program.forest.node(node)
            return 1 &+ DurationText.step(program.shownNow &- min(program.shownNow, view.queued ?? view.created))
        case .program, .idle, .executors, .moreQueued, .idleExecutors: return 0
        }
    }
}
