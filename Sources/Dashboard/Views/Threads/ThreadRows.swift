import ChainEvents
import ChainInsight
import ChainModel
import ChainText

// Which rows the view of threads has, and in which order.
extension ThreadsView {
    /// The threads of a program in order, and what the order was made of.
    struct ThreadOrder: Equatable {
        var revision = -1
        var names: [String] = []
        var threads: [ThreadID] = []
    }

    /// The executors of a program in order, and what the order was made of.
    struct ExecutorOrder: Equatable {
        var known: Set<ExecutorID> = []
        var names: [String] = []
        var executors: [ExecutorID] = []
    }

    static func allRows(_ state: inout State) -> [Row] {
        var rows: [Row] = []
        for programIndex in state.programs.indices {
            let source = state.programs[programIndex].source
            if state.showsPrograms { rows.append(.program(source)) }
            guard state.programs[programIndex].isReached else { continue }
            rows += orderedThreads(of: programIndex, &state).map { .lane(source, $0) }
            let executors = orderedExecutors(of: programIndex, &state)
            if !executors.isEmpty { rows.append(.executors(source)) }
            rows += executors.map { .executor(source, $0) }
        }
        return rows
    }

    /// The threads by name. Sorts only where threads came, went, or changed their names.
    private static func orderedThreads(of programIndex: Int, _ state: inout State) -> [ThreadID] {
        let program = state.programs[programIndex]
        let known = state.threads.threadOrders[program.source] ?? ThreadOrder()
        let lanes = program.insight.threads
        if known.revision == lanes.revision, known.threads.map({ program.threadName($0) }) == known.names {
            return known.threads
        }
        let named = lanes.lanes.map { (name: program.threadName($0.thread), thread: $0.thread) }.sorted {
            $0.name == $1.name ? $0.thread < $1.thread : NaturalOrder.precedes($0.name, $1.name)
        }
        state.threads.threadOrders[program.source] = ThreadOrder(
            revision: lanes.revision, names: named.map(\.name), threads: named.map(\.thread))
        return named.map(\.thread)
    }

    /// The executors by name. Sorts only where executors came, went, or changed their names; tasks, which have no
    /// executor, are last and only while some of them run.
    private static func orderedExecutors(of programIndex: Int, _ state: inout State) -> [ExecutorID] {
        let program = state.programs[programIndex]
        var known = Set(program.forest.executors.keys)
        for (executor, load) in program.forest.loads.enumerated() where load.queuedCount + load.runningCount > 0 {
            known.insert(ExecutorID(executor))
        }
        let hasTasks = known.remove(0) != nil && program.forest.load(of: 0).runningCount > 0
        var order = state.threads.executorOrders[program.source] ?? ExecutorOrder()
        if order.known != known || order.executors.map({ program.executorName($0) }) != order.names {
            let named = known.map { (name: program.executorName($0), id: $0) }.sorted {
                $0.name == $1.name ? $0.id < $1.id : NaturalOrder.precedes($0.name, $1.name)
            }
            order = ExecutorOrder(known: known, names: named.map(\.name), executors: named.map(\.id))
            state.threads.executorOrders[program.source] = order
        }
        return order.executors + (hasTasks ? [0] : [])
    }

    // MARK: Redrawing

    static func redrawKey(of state: borrowing State) -> UInt64 {
        var key: UInt64 = 0
        let rows = state.threads.rows
        let seconds = ThreadColumns(state).strip.width
        var program: Program?
        for row in rows[state.threads.cursor.window(height: height(in: state)).clamped(to: rows.indices)] {
            key = key &* 1_000_003
            if program?.source != row.source {
                program = nil
                if let index = state.programIndex(of: row.source) { program = state.programs[index] }
            }
            if let program, !program.isStill { key &+= redrawKey(of: row, in: program, seconds: seconds) }
        }
        return key
    }

    private static func redrawKey(of row: Row, in program: Program, seconds: Int) -> UInt64 {
        switch row {
        case .lane(_, let thread):
            guard let lane = program.insight.threads.lane(of: thread) else { return 0 }
            let activity = ThreadActivity(lane, in: program.forest)
            return ThreadStatistics(lane, activity, at: program.shownNow, seconds: seconds).redrawKey
        case .executor(_, let executor):
            guard let oldest = program.forest.load(of: executor).oldestQueued else { return 0 }
            return 1 &+ DurationText.step(program.shownNow &- min(program.shownNow, oldest))
        case .program, .executors: return 0
        }
    }
}
