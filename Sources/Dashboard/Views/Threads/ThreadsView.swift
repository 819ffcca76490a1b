import ChainInsight
import ChainModel
import Frames

/// The view of threads: for each program, a row for each thread, and below the threads a row for each executor.
struct ThreadsView {
    /// What a row stands for.
    enum Row: Hashable {
        case program(SourceID)
        case lane(SourceID, ThreadID)
        /// Threads that have been idle for a while, folded into one row or listed below it.
        case idle(SourceID, count: Int)
        /// The headers of the executors' columns.
        case executors(SourceID)
        case executor(SourceID, ExecutorID)
        /// A node in the executor's queue, which is unfolded.
        case queued(SourceID, ExecutorID, NodeID)
        /// The nodes of an unfolded queue that are not listed.
        case moreQueued(SourceID, ExecutorID)
        /// The idle executors that are not listed, because the program has many.
        case idleExecutors(SourceID, count: Int)

        /// The program of the row.
        var source: SourceID {
            switch self {
            case .program(let source), .lane(let source, _), .idle(let source, _), .executors(let source),
                .executor(let source, _), .queued(let source, _, _), .moreQueued(let source, _),
                .idleExecutors(let source, _):
                source
            }
        }
    }

    var cursor = ListCursor()
    var rows: [Row] = []
    var threadOrders: [SourceID: ThreadOrder] = [:]
    var executorOrders: [SourceID: ExecutorOrder] = [:]
    var sort = ThreadSort()
    /// Programs with idle threads listed one by one.
    var showsIdle: Set<SourceID> = []
    /// The queues of unfolded executors.
    var queues: [ExecutorKey: ExecutorQueue] = [:]
    /// The second, since 1970, in which ``tick(_:)`` last looked for rows that time alone changed.
    var second: UInt64 = 0
    /// The row under the cursor.
    var current: Row?
    /// The selection that ``current`` led to. If the selection is another row by now, it was made outside this view.
    var shown: RowID?
    /// The tree's position before this view appeared; nil once the cursor was moved. Restored when the view is left.
    var before: TreePosition?
}

extension ThreadsView: SortedView {
    static let name = "threads"
    static let intent = Intent.threads
    static let keyText = "threads: what runs on each, and what blocks it"
    static let bindings = [
        KeyMap.Binding(
            .visit, [KeyPress(.enter)], "go to what runs on the thread; on an executor: list its queue",
            footer: "go to"),
        KeyMap.Binding(.sort, [KeyMap.key("s")], "sort by name, busy, or since", footer: "sort"),
    ]
    static let keepsAllRows = true
    static func cursor(of state: borrowing State) -> ListCursor { state.threads.cursor }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) { state.threads.cursor = cursor }

    static func didAppear(_ state: inout State) {
        state.threads.before = state.treePosition
    }

    static func willDisappear(_ state: inout State) {
        guard var before = state.threads.before else { return }
        let isKept = before.selection.map(state.contains) ?? false
        // The first and the newest chain are found without a selection.
        guard isKept || before.following == .first || before.following == .newest else { return }
        if !isKept { before.selection = state.selection }
        state.treePosition = before
    }

    /// Makes the next update sort the threads, and the next tick sweep the unfolded queues.
    static func forgetRows(_ state: inout State) {
        state.threads.threadOrders = [:]
        for key in state.threads.queues.keys { state.threads.queues[key]!.forgetSweep() }
    }

    /// Finds the rows. The cursor stays on its row, or goes to the thread of a node that was selected outside this
    /// view.
    static func updateRows(_ state: inout State) {
        state.threads.rows = allRows(&state)
        let height = height(in: state)
        let isSelectedElsewhere = state.selection != state.threads.shown
        var row = isSelectedElsewhere ? rowOfSelection(state) : nil
        if row == nil, let current = state.threads.current { row = rowNumber(of: current, state) }
        if let row, row != state.threads.cursor.selected {
            state.threads.cursor.count = state.threads.rows.count
            if isSelectedElsewhere {
                state.threads.cursor.select(row, height: height)
            } else {
                state.threads.cursor.moveSelection(to: row)
            }
        } else if row == nil, state.threads.current == nil {
            // Select the row of the first thread, rather than the program's row above it.
            let lane = state.threads.rows.firstIndex { if case .lane = $0 { true } else { false } }
            state.threads.cursor.selected = lane ?? 0
        }
        state.threads.cursor.resize(state.threads.rows.count, height: height)
        selectRunningNode(&state)
    }

    static func didMoveCursor(_ state: inout State) {
        state.threads.before = nil
        selectRunningNode(&state)
    }

    /// Selects what the row under the cursor stands for.
    private static func selectRunningNode(_ state: inout State) {
        let rows = state.threads.rows
        let index = state.threads.cursor.selected
        let row = rows.indices.contains(index) ? rows[index] : nil
        state.threads.current = row
        var rowID: RowID?
        if let row { rowID = self.rowID(of: row, state) }
        state.select(rowID)
        state.threads.shown = state.selection
    }

    /// Returns what keys act on in a row: the node that runs on a thread, a queued node, or the program; else nil.
    private static func rowID(of row: Row, _ state: borrowing State) -> RowID? {
        switch row {
        case .program(let source): return RowID(source: source)
        case .lane(let source, let thread):
            guard let programIndex = state.programIndex(of: source),
                let lane = state.programs[programIndex].insight.threads.lane(of: thread),
                let id = ThreadActivity(lane, of: state.programs[programIndex], state.options.warnings).node,
                let node = state.programs[programIndex].forest.index(of: id)
            else { return nil }
            return state.rowID(of: node, in: programIndex)
        case .queued(let source, _, let id):
            guard let programIndex = state.programIndex(of: source),
                let node = state.programs[programIndex].forest.index(of: id)
            else { return nil }
            return state.rowID(of: node, in: programIndex)
        case .idle, .executors, .executor, .moreQueued, .idleExecutors: return nil
        }
    }

    /// Returns the number of a row; a row of idle threads or executors is found whatever its count.
    static func rowNumber(of row: Row, _ state: borrowing State) -> Int? {
        state.threads.rows.firstIndex { other in
            if case .idle(let source, _) = row, case .idle(source, _) = other { return true }
            if case .idleExecutors(let source, _) = row, case .idleExecutors(source, _) = other { return true }
            return other == row
        }
    }

    /// Returns the row of the thread on which the selected node runs; nil if the node does not run.
    private static func rowOfSelection(_ state: borrowing State) -> Int? {
        guard let (programIndex, node) = state.selectedNode else { return nil }
        let view = state.programs[programIndex].forest.node(node)
        guard view.activity == .running else { return nil }
        return state.threads.rows.firstIndex(of: .lane(state.programs[programIndex].source, view.thread))
    }
}
