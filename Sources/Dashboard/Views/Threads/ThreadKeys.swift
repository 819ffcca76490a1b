import ChainInsight
import ChainModel

// What keys and clicks do in the view of threads.
extension ThreadsView {
    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .visit: activateRow(&state)
        case .sort: sortByNext(&state)
        case .invertSort: invertSort(&state)
        case .right, .left: fold(isFolding: intent == .left, &state)
        case .nextMatch, .previousMatch:
            goToMatch(forward: intent == .nextMatch, &state) { isMatch($1.threads.rows[$0], $1) }
        default: return nil
        }
        return []
    }

    static func offers(_ intent: Intent, _ state: borrowing State) -> Bool {
        guard intent == .visit else { return true }
        switch state.threads.current {
        case .lane?, .queued?: return state.selection != nil
        case .idle?, .executor?: return true
        case .program?, .executors?, .moreQueued?, .idleExecutors?, nil: return false
        }
    }

    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        if click.isDouble { activateRow(&state) }
    }

    private static func activateRow(_ state: inout State) {
        switch state.threads.current {
        case .lane?, .queued?:
            if let (programIndex, node) = state.selectedNode { return state.reveal(node, in: programIndex) }
            guard case .lane? = state.threads.current else {
                return state.notify("this node has settled and was evicted")
            }
            state.notify("nothing runs on this thread now")
        case .idle?, .executor?: toggle(&state)
        case .program?: state.notify("this is a program; Enter on a thread goes to what runs there")
        case .executors?: state.notify("these are executors; Enter on one lists its queue")
        case .moreQueued?:
            state.notify("only the \(ExecutorQueue.limit) nodes that have been queued longest are listed")
        case .idleExecutors?: state.notify("this program has many executors, so the idle ones are only counted")
        case nil: state.notify(state.emptyReason)
        }
    }

    /// Lists the idle threads or the queue of the row, or folds the list.
    private static func toggle(_ state: inout State) {
        switch state.threads.current {
        case .idle(let source, _)?:
            if state.threads.showsIdle.remove(source) == nil { state.threads.showsIdle.insert(source) }
        case .executor(let source, let executor)?:
            let key = ExecutorKey(source: source, executor: executor)
            if state.threads.queues.removeValue(forKey: key) == nil {
                guard let programIndex = state.programIndex(of: source) else { return }
                guard state.programs[programIndex].forest.load(of: executor).queuedCount > 0 else {
                    return state.notify("the queue is empty")
                }
                state.threads.queues[key] = ExecutorQueue()
                _ = tick(&state)
            }
        default: return
        }
        state.updateViewport()
    }

    private static func fold(isFolding: Bool, _ state: inout State) {
        let isUnfolded: Bool
        switch state.threads.current {
        case .idle(let source, _)?: isUnfolded = state.threads.showsIdle.contains(source)
        case .executor(let source, let executor)?:
            isUnfolded = state.threads.queues[ExecutorKey(source: source, executor: executor)] != nil
        case .queued(let source, let executor, _)? where isFolding,
            .moreQueued(let source, let executor)? where isFolding:
            if let row = rowNumber(of: .executor(source, executor), state) { moveCursor(to: row, &state) }
            return
        default: return state.notify("only idle threads and queues fold here")
        }
        guard isUnfolded == isFolding else {
            return state.notify(isFolding ? "folded already" : "unfolded already")
        }
        toggle(&state)
    }

    /// Returns whether a matching node runs on the row's thread.
    private static func isMatch(_ row: Row, _ state: borrowing State) -> Bool {
        guard case .lane(let source, let thread) = row, let programIndex = state.programIndex(of: source),
            let lane = state.programs[programIndex].insight.threads.lane(of: thread)
        else { return false }
        return state.programs[programIndex].isMatch(
            ThreadActivity(lane, of: state.programs[programIndex], state.options.warnings))
    }
}
