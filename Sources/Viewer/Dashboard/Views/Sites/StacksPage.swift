// SPDX-License-Identifier: MIT

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
    mutating func toggleStacks(_ context: inout ViewContext) {
        stacks.isShown.toggle()
        stacks.selected = nil
        stacks.cursor = ListCursor()
        context.scrollDetailToTop()
        context.notify(
            stacks.isShown
                ? "suspended tasks by their stack; u shows the call sites again" : "the call sites again")
    }

    var readsAllFrames: Bool { stacks.isShown }

    mutating func tick(_ context: ViewContext) -> Bool {
        // By index, because a binding would copy each program.
        stacks.isShown && context.programs.indices.contains { context.programs[$0].areStacksDue }
    }

    var matchingRows: (count: Int, unit: String)? {
        stacks.isShown ? (stacks.rows.count, "stack") : nil
    }

    mutating func updateStackRows(_ context: ViewContext) {
        let source = StacksPage.Source(
            generations: context.programs.map(\.insight.stacks.generation), programs: context.processKeys,
            filter: context.filter.text, sort: stacks.sort)
        if source != stacks.source {
            stacks.source = source
            stacks.rows = stackRows(context)
            stacks.cursor.follow(stacks.selected, in: stacks.rows)
        }
        stacks.cursor.resize(stacks.rows.count, height: height(in: context))
        // When the selected row is gone, the row that took its place is selected.
        if stacks.selected != nil { stacks.selected = stacks.selectedRow?.id }
    }

    private func stackRows(_ context: ViewContext) -> [StackRow] {
        let query = context.filter.query
        var rows: [StackRow] = []
        for programIndex in context.programs.indices where context.programs[programIndex].wasReached {
            let program = context.programs[programIndex]
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
        let sort = stacks.sort
        return rows.sorted { $0.precedes($1, by: sort) }
    }

    mutating func didMoveStackCursor(_ context: inout ViewContext) {
        let selected = stacks.selectedRow?.id
        if stacks.selected != selected { context.scrollDetailToTop() }
        stacks.selected = selected
    }

    // MARK: Keys

    mutating func handleInStacks(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        switch intent {
        case .back where !context.filter.isActive: toggleStacks(&context)
        case .visit: visitStack(&context)
        case .sort:
            let columns = StackSort.Column.allCases
            let next = columns.firstIndex(of: stacks.sort.column)! + 1
            sortStacks(by: columns[next % columns.count], &context)
        case .invertSort: sortStacks(by: stacks.sort.column, &context)
        case .cancelNode, .cancelChain, .tag, .why:
            context.notify("these rows are stacks of tasks; Enter shows the tasks of one")
        case .nextMatch, .previousMatch:
            context.notify("all rows match; Enter shows the tasks of one, and n goes through them")
        case .copy: copyStack(&context)
        case .copyTree: context.notify("a stack has no tree; y copies its functions, Enter shows its tasks")
        case .edit:
            context.notify("where tasks are suspended is known by function, not by line; y copies the functions")
        default: return false
        }
        return true
    }

    /// Sorts by a column; inverts the order if the rows are sorted by that column already.
    private mutating func sortStacks(by column: StackSort.Column, _ context: inout ViewContext) {
        let old = stacks.sort
        stacks.sort = StackSort(
            column: column, isInverted: old.column == column && !old.isInverted)
        context.notify(stacks.sort.words)
    }

    mutating func sortStacks(byHeaderAt column: Int, _ context: inout ViewContext) {
        let columns = stackColumns(context)
        let spans: [(ColumnSpan, StackSort.Column)] = [
            (columns.count, .count), (columns.oldest, .oldest), (columns.change, .growth), (columns.rate, .growth),
            (columns.flag, .growth),
        ]
        // The gap after a header belongs to the header, because the mark of the sort is in the gap.
        let hit = spans.first { span, _ in
            span.isShown && (span.start..<span.start + span.width + ColumnLayout.gap).contains(column)
        }
        if let hit { sortStacks(by: hit.1, &context) }
    }

    /// Shows the tasks of the selected row in the tree, by a filter.
    func visitStack(_ context: inout ViewContext) {
        guard let row = stacks.selectedRow else { return context.notify(context.emptyReason) }
        guard !row.isOthers else { return context.notify(Self.othersWords) }
        context.showNodes(thatMatch: Query.text(frames: row.id.frames))
    }

    static var othersWords: String {
        "these are stacks beyond the limit of \(CountText.grouped(StackGrowth.stackLimit)), counted together"
    }

    private func copyStack(_ context: inout ViewContext) {
        guard let row = stacks.selectedRow else { return context.notify(context.emptyReason) }
        guard !row.isOthers else { return context.notify(Self.othersWords) }
        var text = ClipboardText()
        for function in row.functions { text.add(NodeText.safe(String(function))) }
        context.copy(text.text, as: "the stack of \(CountText.counted(row.entry.stack.count, "task"))")
    }

    func beginGrowth(_ context: inout ViewContext) {
        guard context.programs.indices.contains(where: { context.programs[$0].wasReached }) else {
            return context.notify(context.emptyReason)
        }
        context.request(.beginStackGrowth)
        context.notify("growth is counted anew")
    }
}
