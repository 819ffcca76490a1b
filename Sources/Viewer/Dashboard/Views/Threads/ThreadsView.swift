// SPDX-License-Identifier: MIT

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
    static let keyText = "threads: what runs on each, and what blocks it"
    static let acting: Set<Intent> = [.left, .right, .sort, .invertSort]
    static let changesSelectedNode = true
    static let bindings = [
        KeyMap.Binding(
            .visit, [KeyPress(.enter)], "go to what runs on the thread; on an executor: list its queue",
            footer: "go to"),
        KeyMap.Binding(.sort, [KeyMap.key("s")], "sort by name, busy, or since", footer: "sort"),
    ]
    static let keepsAllRows = true

    mutating func didAppear(_ context: inout ViewContext) {
        before = context.treePosition
    }

    mutating func willDisappear(_ context: inout ViewContext) {
        guard var before else { return }
        let isKept = before.selection.map(context.contains) ?? false
        // The first and the newest chain are found without a selection.
        guard isKept || before.following == .first || before.following == .newest else { return }
        if !isKept { before.selection = context.selection }
        context.request(.restore(before))
    }

    /// Makes the next update sort the threads, and the next tick sweep the unfolded queues.
    mutating func forgetRows() {
        threadOrders = [:]
        for key in queues.keys { queues[key]!.forgetSweep() }
    }

    /// Finds the rows. The cursor stays on its row, or goes to the thread of a node that was selected outside this
    /// view.
    mutating func updateRows(_ context: inout ViewContext) {
        rows = allRows(context)
        let height = height(in: context)
        let isSelectedElsewhere = context.selection != shown
        var row = isSelectedElsewhere ? rowOfSelection(context) : nil
        if row == nil, let current { row = rowNumber(of: current) }
        if let row, row != cursor.selected {
            cursor.count = rows.count
            if isSelectedElsewhere {
                cursor.select(row, height: height)
            } else {
                cursor.moveSelection(to: row)
            }
        } else if row == nil, current == nil {
            // Select the row of the first thread, rather than the program's row above it.
            let lane = rows.firstIndex { if case .lane = $0 { true } else { false } }
            cursor.selected = lane ?? 0
        }
        cursor.resize(rows.count, height: height)
        selectRunningNode(&context)
    }

    mutating func didMoveCursor(_ context: inout ViewContext) {
        before = nil
        selectRunningNode(&context)
    }

    /// Selects what the row under the cursor stands for.
    private mutating func selectRunningNode(_ context: inout ViewContext) {
        current = rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil
        context.select(current.flatMap { rowID(of: $0, context) })
        shown = context.selection
    }

    /// Returns what keys act on in a row: the node that runs on a thread, a queued node, or the program; else nil.
    private func rowID(of row: Row, _ context: ViewContext) -> RowID? {
        switch row {
        case .program(let source): return RowID(source: source)
        case .lane(let source, let thread):
            guard let programIndex = context.programIndex(of: source),
                let lane = context.programs[programIndex].insight.threads.lane(of: thread),
                let id = ThreadActivity(lane, of: context.programs[programIndex], context.options.warnings).node,
                let node = context.programs[programIndex].forest.index(of: id)
            else { return nil }
            return context.rowID(of: node, in: programIndex)
        case .queued(let source, _, let id):
            guard let programIndex = context.programIndex(of: source),
                let node = context.programs[programIndex].forest.index(of: id)
            else { return nil }
            return context.rowID(of: node, in: programIndex)
        case .idle, .executors, .executor, .moreQueued, .idleExecutors: return nil
        }
    }

    /// Returns the number of a row; a row of idle threads or executors is found whatever its count.
    func rowNumber(of row: Row) -> Int? {
        rows.firstIndex { other in
            if case .idle(let source, _) = row, case .idle(source, _) = other { return true }
            if case .idleExecutors(let source, _) = row, case .idleExecutors(source, _) = other { return true }
            return other == row
        }
    }

    /// Returns the row of the thread on which the selected node runs; nil if the node does not run.
    private func rowOfSelection(_ context: ViewContext) -> Int? {
        guard let (programIndex, node) = context.selectedNode else { return nil }
        let view = context.programs[programIndex].forest.node(node)
        guard view.activity == .running else { return nil }
        return rows.firstIndex(of: .lane(context.programs[programIndex].source, view.thread))
    }
}
