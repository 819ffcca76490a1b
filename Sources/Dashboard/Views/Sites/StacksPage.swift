import ChainInsight
import ChainModel
import ChainText

/// The page of stacks in the view of call sites: one row for all tasks that are suspended in the same functions.
struct StacksPage {
    var isShown = false
    var cursor = ListCursor()
    var sort = StackSort()
    /// The rows in order, as of the last second.
    var rows: [StackRow] = []
    /// The selected row; nil until the user moves the cursor, which stays on the first row until then.
    var selected: StackRow.ID?
    /// What the rows depend on; they are made anew when it changes.
    var source: Source?

    struct Source: Equatable {
        /// By program, ``StacksInsight/generation``.
        var generations: [UInt64]
        var programs: [ProcessKey?]
        var filter: String
        var sort: StackSort
    }

    var selectedRow: StackRow? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
}

/// A row of the page: the tasks of one program in one stack.
struct StackRow: Identifiable {
    struct ID: Hashable {
        var process: ProcessKey
        /// The functions, one a line, innermost first; empty for all stacks beyond the limit.
        var frames: String
    }

    var id: ID
    /// The program's index in ``State/programs``.
    var programIndex: Int
    var program: String
    var entry: StacksInsight.Entry
    /// For how long the oldest task has been seen suspended, in nanoseconds; nil if unknown.
    var age: UInt64?
    /// Whether the tasks are read from outside, so that they may have been suspended for longer.
    var isAgeLeast: Bool

    var isOthers: Bool { id.frames.isEmpty }
    var isGrowing: Bool { entry.change?.isGrowing == true }
    /// The functions, innermost first: hostile until they are escaped.
    var functions: [Substring] { id.frames.split(separator: "\n") }
    /// The innermost function of the program's own.
    var name: String { isOthers ? "all other stacks" : functions.first.map(String.init) ?? "" }
}

/// The order of the page's rows.
struct StackSort: Equatable {
    enum Column: CaseIterable { case count, growth, oldest }

    var column = Column.count
    /// Whether the least comes first.
    var isInverted = false

    /// The order in a sentence.
    var words: String {
        switch column {
        case .count: "sorted by count: the \(isInverted ? "smallest" : "largest") first"
        case .growth: "sorted by growth: what grew \(isInverted ? "least" : "most") first"
        case .oldest: "sorted by the oldest task: the \(isInverted ? "shortest" : "longest") wait first"
        }
    }
}

extension StackRow {
    private func rank(_ column: StackSort.Column) -> Double? {
        switch column {
        case .count: Double(entry.stack.count)
        case .growth: entry.change.map { Double($0.total) }
        case .oldest: age.map(Double.init)
        }
    }

    /// Returns whether a row comes before another one, in a strict total order. Rows without a figure, and that of all
    /// other stacks, come last in either direction.
    func precedes(_ other: StackRow, by sort: StackSort) -> Bool {
        if isOthers != other.isOthers { return other.isOthers }
        let ranks = (rank(sort.column), other.rank(sort.column))
        if (ranks.0 == nil) != (ranks.1 == nil) { return ranks.0 != nil }
        if let own = ranks.0, let others = ranks.1, own != others { return (own > others) != sort.isInverted }
        if entry.stack.count != other.entry.stack.count { return entry.stack.count > other.entry.stack.count }
        if age != other.age { return age ?? 0 > other.age ?? 0 }
        return (id.frames, programIndex) < (other.id.frames, other.programIndex)
    }
}

extension SitesView {
    /// Shows the stacks, or the call sites again.
    static func toggleStacks(_ state: inout State) {
        state.sites.stacks.isShown.toggle()
        state.sites.stacks.selected = nil
        state.sites.stacks.cursor = ListCursor()
        state.detailScroll = 0
        state.notify(
            state.sites.stacks.isShown
                ? "suspended tasks by their stack; u shows the call sites again" : "the call sites again")
        state.updateViewport()
    }

    static func readsAllFrames(_ state: borrowing State) -> Bool { state.sites.stacks.isShown }

    static func tick(_ state: inout State) -> Bool {
        // By index, because a binding would copy each program.
        state.sites.stacks.isShown && state.programs.indices.contains { state.programs[$0].areStacksDue }
    }

    static func matchCount(of state: borrowing State) -> (count: Int, unit: String)? {
        state.sites.stacks.isShown ? (state.sites.stacks.rows.count, "stack") : nil
    }

    static func updateStackRows(_ state: inout State) {
        for programIndex in state.programs.indices { state.programs[programIndex].countStacks() }
        let source = StacksPage.Source(
            generations: state.programs.map(\.insight.stacks.generation), programs: state.processKeys,
            filter: state.filter.text, sort: state.sites.stacks.sort)
        if source != state.sites.stacks.source {
            state.sites.stacks.source = source
            state.sites.stacks.rows = stackRows(state)
            state.sites.stacks.cursor.follow(state.sites.stacks.selected, in: state.sites.stacks.rows)
        }
        state.sites.stacks.cursor.resize(state.sites.stacks.rows.count, height: height(in: state))
        // When the selected row is gone, the row that took its place is selected.
        if state.sites.stacks.selected != nil { state.sites.stacks.selected = state.sites.stacks.selectedRow?.id }
    }

    private static func stackRows(_ state: borrowing State) -> [StackRow] {
        let query = state.filter.query
        var rows: [StackRow] = []
        for programIndex in state.programs.indices where state.programs[programIndex].wasReached {
            let program = state.programs[programIndex]
            for entry in program.insight.stacks.entries {
                let frames = entry.stack.frames
                guard query?.mayFind(frames: frames) ?? true else { continue }
                rows.append(
                    StackRow(
                        id: StackRow.ID(process: program.forest.process, frames: frames), programIndex: programIndex,
                        program: program.shownName, entry: entry,
                        age: entry.stack.oldestSince.map { program.shownNow.subtractingClamped($0) },
                        isAgeLeast: program.info?.isReadFromOutside == true))
            }
        }
        let sort = state.sites.stacks.sort
        return rows.sorted { $0.precedes($1, by: sort) }
    }

    static func didMoveStackCursor(_ state: inout State) {
        let selected = state.sites.stacks.selectedRow?.id
        if state.sites.stacks.selected != selected { state.detailScroll = 0 }
        state.sites.stacks.selected = selected
    }

    // MARK: Keys

    static func handleInStacks(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .stacks: toggleStacks(&state)
        case .back where !state.filter.isActive: toggleStacks(&state)
        case .visit: visitStack(&state)
        case .sort:
            let columns = StackSort.Column.allCases
            let next = columns.firstIndex(of: state.sites.stacks.sort.column)! + 1
            sortStacks(by: columns[next % columns.count], &state)
        case .invertSort: sortStacks(by: state.sites.stacks.sort.column, &state)
        case .baseline: beginGrowth(&state)
        case .cancelNode, .cancelChain, .tag, .why:
            state.notify("these rows are stacks of tasks; Enter shows the tasks of one")
        case .nextMatch, .previousMatch:
            state.notify("all rows match; Enter shows the tasks of one, and n goes through them")
        case .copy: return copyStack(&state)
        case .copyTree: state.notify("a stack has no tree; y copies its functions, Enter shows its tasks")
        case .edit: state.notify("where tasks are suspended is known by function, not by line; y copies the functions")
        default: return nil
        }
        return []
    }

    /// Sorts by a column; inverts the order if the rows are sorted by that column already.
    private static func sortStacks(by column: StackSort.Column, _ state: inout State) {
        let old = state.sites.stacks.sort
        state.sites.stacks.sort = StackSort(
            column: column, isInverted: old.column == column && !old.isInverted)
        state.notify(state.sites.stacks.sort.words)
        state.updateViewport()
    }

    static func sortStacks(byHeaderAt column: Int, _ state: inout State) {
        let columns = stackColumns(state)
        let spans: [(ColumnSpan, StackSort.Column)] = [
            (columns.count, .count), (columns.oldest, .oldest), (columns.change, .growth), (columns.rate, .growth),
            (columns.flag, .growth),
        ]
        // The gap after a header belongs to the header, because the mark of the sort is in the gap.
        let hit = spans.first { span, _ in
            span.isShown && (span.start..<span.start + span.width + ColumnLayout.gap).contains(column)
        }
        if let hit { sortStacks(by: hit.1, &state) }
    }

    /// Shows the tasks of the selected row in the tree, by a filter.
    static func visitStack(_ state: inout State) {
        guard let row = state.sites.stacks.selectedRow else { return state.notify(state.emptyReason) }
        guard !row.isOthers else { return state.notify(othersWords) }
        state.showNodes(thatMatch: Query.text(frames: row.id.frames))
    }

    static var othersWords: String {
        "these are stacks beyond the limit of \(CountText.grouped(StackGrowth.stackLimit)), counted together"
    }

    private static func copyStack(_ state: inout State) -> [Effect] {
        guard let row = state.sites.stacks.selectedRow else { return state.refuse(state.emptyReason) }
        guard !row.isOthers else { return state.refuse(othersWords) }
        var text = ClipboardText()
        for function in row.functions { text.add(NodeText.safe(String(function))) }
        state.notify(state.copied("the stack of \(CountText.counted(row.entry.stack.count, "task"))"))
        return [.copy(text.text)]
    }

    private static func beginGrowth(_ state: inout State) {
        guard state.programs.indices.contains(where: { state.programs[$0].wasReached }) else {
            return state.notify(state.emptyReason)
        }
        for programIndex in state.programs.indices { state.programs[programIndex].insight.stacks.beginGrowth() }
        state.notify("growth is counted anew")
        state.updateViewport()
    }
}
