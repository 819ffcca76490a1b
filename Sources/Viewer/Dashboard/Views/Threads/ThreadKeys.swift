// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

// What keys and clicks do in the view of threads.
extension ThreadsView {
    mutating func handleShared(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        switch intent {
        case .visit: activateRow(&context)
        case .sort: sortByNext(&context)
        case .invertSort: invertSort(&context)
        case .right, .left: fold(isFolding: intent == .left, &context)
        case .nextMatch, .previousMatch:
            goToMatch(forward: intent == .nextMatch, &context) { row, view, context in
                Self.isMatch(view.rows[row], context)
            }
        default: return false
        }
        return true
    }

    func offers(_ intent: Intent, hasSelection: Bool) -> Bool {
        guard intent == .visit else { return true }
        switch current {
        case .lane?, .queued?: return hasSelection
        case .idle?, .executor?: return true
        case .program?, .executors?, .moreQueued?, .idleExecutors?, nil: return false
        }
    }

    mutating func handleClickOnCursor(_ click: RowClick, _ context: inout ViewContext) {
        if click.isDouble { activateRow(&context) }
    }

    private mutating func activateRow(_ context: inout ViewContext) {
        switch current {
        case .lane?, .queued?:
            if let (programIndex, node) = context.selectedNode { return context.reveal(node, in: programIndex) }
            guard case .lane? = current else {
                return context.notify("this node has settled and was evicted")
            }
            context.notify("nothing runs on this thread now")
        case .idle?, .executor?: toggle(&context)
        case .program?: context.notify("this is a program; Enter on a thread goes to what runs there")
        case .executors?: context.notify("these are executors; Enter on one lists its queue")
        case .moreQueued?:
            context.notify("only the \(ExecutorQueue.limit) nodes that have been queued longest are listed")
        case .idleExecutors?: context.notify("this program has many executors, so the idle ones are only counted")
        case nil: context.notify(context.emptyReason)
        }
    }

    /// Lists the idle threads or the queue of the row, or folds the list.
    private mutating func toggle(_ context: inout ViewContext) {
        switch current {
        case .idle(let source, _)?:
            if showsIdle.remove(source) == nil { showsIdle.insert(source) }
        case .executor(let source, let executor)?:
            let key = ExecutorKey(source: source, executor: executor)
            if queues.removeValue(forKey: key) == nil {
                guard let programIndex = context.programIndex(of: source) else { return }
                guard context.programs[programIndex].forest.load(of: executor).queuedCount > 0 else {
                    return context.notify("the queue is empty")
                }
                queues[key] = ExecutorQueue()
                _ = tick(context)
            }
        default: return
        }
    }

    private mutating func fold(isFolding: Bool, _ context: inout ViewContext) {
        let isUnfolded: Bool
        switch current {
        case .idle(let source, _)?: isUnfolded = showsIdle.contains(source)
        case .executor(let source, let executor)?:
            isUnfolded = queues[ExecutorKey(source: source, executor: executor)] != nil
        case .queued(let source, let executor, _)? where isFolding,
            .moreQueued(let source, let executor)? where isFolding:
            if let row = rowNumber(of: .executor(source, executor)) { moveCursor(to: row, &context) }
            return
        default: return context.notify("only idle threads and queues fold here")
        }
        guard isUnfolded == isFolding else {
            return context.notify(isFolding ? "folded already" : "unfolded already")
        }
        toggle(&context)
    }

    /// Returns whether a matching node runs on the row's thread.
    private static func isMatch(_ row: Row, _ context: ViewContext) -> Bool {
        guard case .lane(let source, let thread) = row, let programIndex = context.programIndex(of: source),
            let lane = context.programs[programIndex].insight.threads.lane(of: thread)
        else { return false }
        return context.programs[programIndex].isMatch(
            ThreadActivity(lane, of: context.programs[programIndex], context.options.warnings))
    }
}
