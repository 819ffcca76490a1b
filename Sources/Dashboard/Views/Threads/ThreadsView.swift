import ChainEvents
import ChainInsight
import ChainModel
import Frames

/// The view of threads: a lane a thread, by name, and below them the executors; a section a program.
struct ThreadsView {
    /// What a row stands for: threads and executors keep their rows whatever they do.
    enum Row: Hashable {
        case program(SourceID)
        case lane(SourceID, ThreadID)
        /// The headers of the executors' columns.
        case executors(SourceID)
        case executor(SourceID, ExecutorID)

        /// The program of the row.
        var source: SourceID {
            switch self {
            case .program(let source), .lane(let source, _), .executors(let source), .executor(let source, _): source
            }
        }
    }

    var cursor = ListCursor()
    var rows: [Row] = []
    var threadOrders: [SourceID: ThreadOrder] = [:]
    var executorOrders: [SourceID: ExecutorOrder] = [:]
    /// The row under the cursor.
    var current: Row?
    /// The selection that followed from ``current``.
    var shown: RowID?
    /// The tree's selection until the cursor is moved: a glance at this view does not change the tree.
    var before: Before?

    /// What was selected in the tree.
    struct Before {
        var selection: RowID?
        var following: State.Following
        var anchor: ChainsView.Anchor?
    }
}

extension ThreadsView: ListView {
    static let name = "threads"
    static let intent = Intent.threads
    static let keyText = "threads: what runs on each, and what blocks it"
    static let bindings = [
        KeyMap.Binding(.detail, [KeyPress(.enter)], "go to what runs on the thread", footer: "go to")
    ]
    static let keepsAllRows = true
    static func cursor(of state: borrowing State) -> ListCursor { state.threads.cursor }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) { state.threads.cursor = cursor }

    static func didAppear(_ state: inout State) {
        state.threads.before = Before(
            selection: state.selection, following: state.following, anchor: state.tree.anchor)
    }

    static func willDisappear(_ state: inout State) {
        guard let before = state.threads.before else { return }
        let isKept = before.selection.map(state.contains) ?? false
        if isKept { state.select(before.selection) }
        // The first and the newest chain are found without a selection.
        guard isKept || before.following == .first || before.following == .newest else { return }
        (state.following, state.tree.anchor) = (before.following, before.anchor)
    }

    /// The cursor stays on its thread, or goes to that of a node that was selected elsewhere.
    static func updateRows(_ state: inout State) {
        state.threads.rows = allRows(&state)
        let height = height(in: state)
        let isSelectedElsewhere = state.selection != state.threads.shown
        var row = isSelectedElsewhere ? rowOfSelection(state) : nil
        if row == nil, let current = state.threads.current { row = state.threads.rows.firstIndex(of: current) }
        if let row, row != state.threads.cursor.selected {
            state.threads.cursor.count = state.threads.rows.count
            if isSelectedElsewhere {
                state.threads.cursor.select(row, height: height)
            } else {
                state.threads.cursor.moveSelection(to: row)
            }
        } else if row == nil, state.threads.current == nil {
            // The first lane rather than the program above it.
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

    /// The node that runs (or blocks) on a thread; the program of its row; nil for an executor.
    private static func rowID(of row: Row, _ state: borrowing State) -> RowID? {
        switch row {
        case .program(let source): return RowID(source: source)
        case .lane(let source, let thread):
            guard let programIndex = state.programIndex(of: source),
                let lane = state.programs[programIndex].insight.threads.lane(of: thread),
                let id = ThreadActivity(lane, in: state.programs[programIndex].forest).node,
                let node = state.programs[programIndex].forest.index(of: id)
            else { return nil }
            return state.rowID(of: node, in: programIndex)
        case .executors, .executor: return nil
        }
    }

    /// The lane on which the selected node runs.
    private static func rowOfSelection(_ state: borrowing State) -> Int? {
        guard let (programIndex, node) = state.selectedNode else { return nil }
        let view = state.programs[programIndex].forest.node(node)
        guard view.activity == .running else { return nil }
        return state.threads.rows.firstIndex(of: .lane(state.programs[programIndex].source, view.thread))
    }

    // MARK: Keys

    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .detail: goToRunningNode(&state)
        case .nextMatch, .previousMatch:
            guard state.filter.isActive else { return nil }
            goToMatch(forward: intent == .nextMatch, &state)
        default: return nil
        }
        return []
    }

    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        if click.isDouble { goToRunningNode(&state) }
    }

    private static func goToRunningNode(_ state: inout State) {
        switch state.threads.current {
        case .lane?:
            guard let (programIndex, node) = state.selectedNode else {
                return state.notify("nothing runs on this thread now")
            }
            state.reveal(node, in: programIndex)
        case .program?: state.notify("this is a program; Enter on a thread goes to what runs there")
        case .executors?, .executor?: state.notify("this is an executor; Enter on a thread goes to what runs there")
        case nil: state.notify(state.emptyReason)
        }
    }

    /// Goes to the next thread on which a matching node runs.
    private static func goToMatch(forward: Bool, _ state: inout State) {
        let rows = state.threads.rows
        let start = min(max(0, state.threads.cursor.selected), rows.count)
        let rest = forward ? Array(rows.indices.dropFirst(start + 1)) : rows.indices.prefix(start).reversed()
        for row in rest where isMatch(rows[row], state) { return moveCursor(to: row, &state) }
        state.notify("no match \(forward ? "below" : "above")")
    }

    private static func isMatch(_ row: Row, _ state: borrowing State) -> Bool {
        guard case .lane(let source, let thread) = row, let programIndex = state.programIndex(of: source),
            let lane = state.programs[programIndex].insight.threads.lane(of: thread)
        else { return false }
        return state.programs[programIndex].isMatch(
            ThreadActivity(lane, in: state.programs[programIndex].forest))
    }
}
