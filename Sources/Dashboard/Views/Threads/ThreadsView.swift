import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames

/// What the view of threads is at: a lane a thread, by name, and below them the executors; a section a program.
struct ThreadsView {
    /// What a row stands for: threads and executors keep their rows whatever they do.
    enum Row: Hashable {
        case program(SourceID)
        case lane(SourceID, ThreadID)
        /// The heads of the executors' columns.
        case executors(SourceID)
        case executor(SourceID, ExecutorID)

        /// The program that it is of.
        var source: SourceID {
            switch self {
            case .program(let source), .lane(let source, _), .executors(let source), .executor(let source, _): source
            }
        }
    }

    /// The threads of a program in order, and what that order was made of.
    struct Order: Equatable {
        var revision = -1
        var names: [String] = []
        var threads: [ThreadID] = []
    }

    /// The same of its executors.
    struct ExecutorOrder: Equatable {
        var known: Set<ExecutorID> = []
        var names: [String] = []
        var executors: [ExecutorID] = []
    }

    var cursor = ListCursor()
    var rows: [Row] = []
    var orders: [SourceID: Order] = [:]
    var executorOrders: [SourceID: ExecutorOrder] = [:]
    /// Executors that were sorted, for the tests of costs.
    var sortedCount = 0
    /// What the cursor is on.
    var current: Row?
    /// The selection that followed from it.
    var shown: RowID?
    /// The tree of before, until the cursor is moved: who only has a look finds it again.
    var before: Before?

    /// What the tree was at.
    struct Before {
        var selection: RowID?
        var following: State.Following
        var anchor: State.Anchor?
    }
}

extension State {
    /// Finds the rows anew; the cursor stays on its thread, or goes to that of a node that was selected elsewhere.
    mutating func arrangeThreads() {
        threads.rows = threadRows()
        let isSelectedElsewhere = selection != threads.shown
        let row =
            (isSelectedElsewhere ? rowOfSelection() : nil)
            ?? threads.current.flatMap { threads.rows.firstIndex(of: $0) }
        if let row, row != threads.cursor.selected {
            threads.cursor.count = threads.rows.count
            if isSelectedElsewhere {
                threads.cursor.select(row, height: viewHeight)
            } else {
                threads.cursor.moveSelection(to: row)
            }
        } else if row == nil, threads.current == nil {
            // The first lane rather than the head above it.
            threads.cursor.selected = threads.rows.firstIndex { if case .lane = $0 { true } else { false } } ?? 0
        }
        threads.cursor.resize(threads.rows.count, height: viewHeight)
        selectWhatRuns()
    }

    mutating func enterThreads() {
        threads.before = ThreadsView.Before(selection: selection, following: following, anchor: anchor)
    }

    mutating func leaveThreads() {
        guard let before = threads.before else { return }
        let isThere = before.selection.map(contains) ?? false
        if isThere { select(before.selection) }
        // The first and the newest are found without it.
        guard isThere || before.following == .first || before.following == .newest else { return }
        (following, anchor) = (before.following, before.anchor)
    }

    /// Another row was selected: the node that it stands for is what keys act on.
    mutating func didSelectInThreads() {
        threads.before = nil
        selectWhatRuns()
    }

    private mutating func selectWhatRuns() {
        let rows = threads.rows
        let row = rows.indices.contains(threads.cursor.selected) ? rows[threads.cursor.selected] : nil
        threads.current = row
        select(row.flatMap { rowID(of: $0) })
        threads.shown = selection
    }

    /// The node that runs (or blocks) on a thread; the program of its row; nothing for an executor.
    private func rowID(of row: ThreadsView.Row) -> RowID? {
        switch row {
        case .program(let source): return RowID(source: source)
        case .lane(let source, let thread):
            guard let programIndex = programIndex(of: source),
                let lane = programs[programIndex].insight.threads.lane(of: thread),
                let id = ThreadActivity(lane, in: programs[programIndex].forest!).node,
                let node = programs[programIndex].forest!.index(of: id)
            else { return nil }
            return rowID(of: node, in: programIndex)
        case .executors, .executor: return nil
        }
    }

    /// The lane on which the selected node runs.
    private func rowOfSelection() -> Int? {
        guard let (programIndex, node) = selectedNode else { return nil }
        let view = programs[programIndex].forest!.node(node)
        guard view.activity == .running else { return nil }
        return threads.rows.firstIndex(of: .lane(programs[programIndex].source, view.thread))
    }

    private mutating func threadRows() -> [ThreadsView.Row] {
        var rows: [ThreadsView.Row] = []
        for programIndex in programs.indices {
            let source = programs[programIndex].source
            if showsPrograms { rows.append(.program(source)) }
            guard programs[programIndex].isReached else { continue }
            rows += orderedThreads(of: programIndex).map { .lane(source, $0) }
            let executors = executors(of: programIndex)
            if !executors.isEmpty { rows.append(.executors(source)) }
            rows += executors.map { .executor(source, $0) }
        }
        return rows
    }

    /// By name; sorted anew only where threads came, went, or changed their names.
    private mutating func orderedThreads(of programIndex: Int) -> [ThreadID] {
        let program = programs[programIndex]
        let known = threads.orders[program.source] ?? ThreadsView.Order()
        let lanes = program.insight.threads
        if known.revision == lanes.revision, known.threads.map({ program.threadName($0) }) == known.names {
            return known.threads
        }
        let named = lanes.lanes.map { (name: program.threadName($0.thread), thread: $0.thread) }.sorted {
            $0.name == $1.name ? $0.thread < $1.thread : NaturalOrder.precedes($0.name, $1.name)
        }
        threads.orders[program.source] = ThreadsView.Order(
            revision: lanes.revision, names: named.map(\.name), threads: named.map(\.thread))
        return named.map(\.thread)
    }

    /// By name, sorted anew only where executors came, went, or changed their names; tasks, which have no executor, stand
    /// last and only while there are any.
    private mutating func executors(of programIndex: Int) -> [ExecutorID] {
        let forest = programs[programIndex].forest!
        var known = Set(forest.executors.keys)
        for (executor, load) in forest.loads.enumerated() where load.queuedCount + load.runningCount > 0 {
            known.insert(ExecutorID(executor))
        }
        let hasTasks = known.remove(0) != nil && forest.load(of: 0).runningCount > 0
        let source = programs[programIndex].source
        var order = threads.executorOrders[source] ?? ThreadsView.ExecutorOrder()
        if order.known != known || order.executors.map({ programs[programIndex].executorName($0) }) != order.names {
            let named = known.map { (name: programs[programIndex].executorName($0), id: $0) }.sorted {
                $0.name == $1.name ? $0.id < $1.id : NaturalOrder.precedes($0.name, $1.name)
            }
            threads.sortedCount += named.count
            order = ThreadsView.ExecutorOrder(known: known, names: named.map(\.name), executors: named.map(\.id))
            threads.executorOrders[source] = order
        }
        return order.executors + (hasTasks ? [0] : [])
    }

    /// Does what only this view does; nil where it is done as everywhere.
    mutating func performInThreads(_ intent: Intent) -> [Effect]? {
        switch intent {
        case .detail: goToRunning()
        case .nextMatch, .previousMatch:
            guard filter.isActive else { return nil }
            goToMatchInThreads(forward: intent == .nextMatch)
        default: return nil
        }
        return []
    }

    mutating func goToRunning() {
        switch threads.current {
        case .lane?:
            guard let (programIndex, node) = selectedNode else { return say("nothing runs on this thread now") }
            reveal(node, in: programIndex)
        case .program?: say("this is a program; Enter on a thread goes to what runs there")
        case .executors?, .executor?: say("this is an executor; Enter on a thread goes to what runs there")
        case nil: say(whyEmpty)
        }
    }

    /// A number that changes when the passing of time alone changes the picture: made of what the visible rows show of
    /// the time.
    var threadsStep: UInt64 {
        var step: UInt64 = 0
        let seconds = ThreadColumns(self).strip.width
        var program: Program?
        for row in threads.rows[threads.cursor.window(height: viewHeight).clamped(to: threads.rows.indices)] {
            step = step &* 1_000_003
            if program?.source != row.source { program = programIndex(of: row.source).map { programs[$0] } }
            if program != nil, !program!.isStill { step &+= self.step(of: row, in: program!, seconds: seconds) }
        }
        return step
    }

    private func step(of row: ThreadsView.Row, in program: Program, seconds: Int) -> UInt64 {
        switch row {
        case .lane(_, let thread):
            guard let lane = program.insight.threads.lane(of: thread) else { return 0 }
            return ThreadStatistics(
                lane, ThreadActivity(lane, in: program.forest!), at: program.shownNow, seconds: seconds
            ).step
        case .executor(_, let executor):
            guard let oldest = program.forest!.load(of: executor).oldestQueued else { return 0 }
            return 1 &+ DurationText.step(program.shownNow &- min(program.shownNow, oldest))
        case .program, .executors: return 0
        }
    }
}
