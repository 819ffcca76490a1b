// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

/// The view of call sites: nodes by call site and kind, how many, how fast, how often rejected. Has a page of stacks, one
/// row for all tasks that are suspended in the same functions.
struct SitesView {
    /// The cursor of the call sites.
    fileprivate var siteCursor = ListCursor()
    var sort = SiteSort()
    /// The rows in order, as of the last second.
    var rows: [SiteRow] = []
    /// The width of the widest label so far, so that columns do not move to and fro.
    fileprivate var labelWidth = 0
    /// The selected row; nil until the user moves the cursor, which stays on the first row until then.
    var selected: SiteRow.ID?
    var baseline: Baseline<SiteRow.ID>? {
        // The change is shown at the call sites.
        didSet { if baseline != nil { stacks.isShown = false } }
    }
    var stacks = StacksPage()
    /// What the rows depend on; they are made anew when it changes.
    fileprivate var source: Source?

    fileprivate struct Source: Equatable {
        /// By program, ``ShownFigures/generation``.
        var generations: [UInt64]
        /// The run of each program; nil for a program that was not reached.
        var programs: [ProcessKey?]
        var filter: String
        var sort: SiteSort
        /// The ``redrawKey(of:)``: seconds since 1970, because ages and rates change with time; 0 while all programs
        /// stand still.
        var second: UInt64
    }

    var cursor: ListCursor {
        get { stacks.isShown ? stacks.cursor : siteCursor }
        set { if stacks.isShown { stacks.cursor = newValue } else { siteCursor = newValue } }
    }

    var selectedRow: SiteRow? { rows.indices.contains(siteCursor.selected) ? rows[siteCursor.selected] : nil }
}

extension SitesView: ComparedView {
    static let name = "sites"
    static let acting: Set<Intent> = [.sort, .invertSort]
    static let keyText = "call sites: what is in flight, how fast, how often rejected"
    func redrawKey(in context: ViewContext) -> UInt64 {
        context.programs.allSatisfy(\.isClockStopped) ? 0 : context.wall / 1_000_000_000
    }
    static let bindings = [
        KeyMap.Binding(.visit, [KeyPress(.enter)], "its nodes in the tree, by a filter", footer: "nodes"),
        KeyMap.Binding(
            .sort, [KeyMap.key("s")], "sort by the next column; so does a click on its heading", footer: "sort"),
        KeyMap.Binding(
            .detail, [KeyMap.key("d")], "show or hide its histograms", footer: "detail"),
        Baseline<SiteRow.ID>.binding,
        KeyMap.Binding(
            own: Own.stacks, [KeyMap.key("u")],
            "suspended tasks by their stack; again: call sites", footer: "stacks", rank: 4),
    ]
    static let hasNodeRows = false
    static let showsSites = true

    /// What the view's own keys ask for.
    enum Own: String, CaseIterable { case stacks, baseline }

    func topLineCount(_ context: ViewContext) -> Int {
        stacks.isShown || baseline != nil ? 1 : 0
    }

    func describesSelection(in context: ViewContext) -> Bool { false }

    mutating func forgetRows() {
        source = nil
        stacks.source = nil
    }

    mutating func updateRows(_ context: inout ViewContext) {
        guard !stacks.isShown else { return updateStackRows(context) }
        let source = Source(
            generations: context.programs.map(\.insight.sites.generation), programs: context.processKeys,
            filter: context.filter.text, sort: sort, second: redrawKey(in: context))
        if source != self.source {
            self.source = source
            rows = allRows(context)
            for row in rows {
                labelWidth = max(labelWidth, context.options.glyphs.width(of: row.labelText))
            }
            siteCursor.follow(selected, in: rows)
        }
        siteCursor.resize(rows.count, height: height(in: context))
        // When the selected row is gone, the row that took its place is selected.
        if selected != nil { selected = selectedRow?.id }
    }

    private func allRows(_ context: ViewContext) -> [SiteRow] {
        let query = context.filter.query
        var rows: [SiteRow] = []
        for programIndex in context.programs.indices {
            rows += self.rows(of: programIndex, context).filter {
                query?.mayFind(site: $0.site, kind: $0.id.key.kind, label: $0.labelText) ?? true
            }
        }
        for index in rows.indices { compare(&rows[index], in: context.programs[rows[index].programIndex]) }
        return rows.sorted { $0.precedes($1, by: sort) }
    }

    // MARK: The baseline

    static func count(of program: borrowing Program) -> CountIdentity? {
        program.insight.sites.figures == nil ? nil : program.insight.identity
    }

    func rows(of programIndex: Int, _ context: ViewContext) -> [SiteRow] {
        let program = context.programs[programIndex]
        let now = program.insight.sites.time(at: program.shownNow)
        return (program.insight.sites.figures ?? [:]).map { key, statistics in
            SiteRow(
                id: SiteRow.ID(process: program.forest.process, key: key), programIndex: programIndex,
                program: program.shownName, site: program.forest.sites[key.site], statistics: statistics,
                now: now, isOldestLeast: program.isOldestLeast(of: statistics.flow))
        }
    }

    mutating func didMoveCursor(_ context: inout ViewContext) {
        guard !stacks.isShown else { return didMoveStackCursor(&context) }
        if selected != selectedRow?.id { context.scrollDetailToTop() }
        selected = selectedRow?.id
    }

    // MARK: Keys

    func footerWord(for intent: Intent) -> String? {
        guard stacks.isShown else { return nil }
        return switch intent {
        case .visit: "tasks"
        case .own(Own.stacks.rawValue): "call sites"
        default: nil
        }
    }

    mutating func handleShared(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        guard !stacks.isShown else { return handleInStacks(intent, &context) }
        switch intent {
        case .visit: visit(&context)
        case .sort: sortByNext(&context)
        case .invertSort: invertSort(&context)
        case .cancelNode, .cancelChain, .tag, .why:
            context.notify("these rows are call sites; Enter shows the nodes of one")
        case .nextMatch, .previousMatch:
            context.notify("all rows match; Enter shows the nodes of one, and n goes through them")
        case .copy: copy(&context)
        case .copyTree: context.notify("a call site has no tree; y copies its figures, Enter shows its nodes")
        case .edit: context.open(selectedRow?.site)
        default: return endBaseline(by: intent, &context)
        }
        return true
    }

    mutating func perform(_ intent: Own, _ context: inout ViewContext) {
        switch intent {
        case .stacks: toggleStacks(&context)
        case .baseline where stacks.isShown: beginGrowth(&context)
        case .baseline: makeBaseline(&context)
        }
    }

    mutating func handleClickOnCursor(_ click: RowClick, _ context: inout ViewContext) {
        guard click.isDouble else { return }
        if stacks.isShown { visitStack(&context) } else { visit(&context) }
    }

    /// Shows the nodes of the selected call site in the tree, by a filter.
    private func visit(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        guard row.id.key != .others else {
            return context.notify("these are call sites beyond the limit of \(SiteCount.keyLimit), counted together")
        }
        context.showNodes(thatMatch: Query.text(site: row.site, kind: row.id.key.kind))
    }

    private func copy(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        context.copy(SiteDetail.line(row), as: NodeText.safe(row.name))
    }

    // MARK: Sorting

    func spans(_ context: ViewContext) -> [(column: SiteColumn, span: ColumnSpan)] {
        SiteColumn.spans(
            width: context.layout.content.columns, hasPrograms: context.showsPrograms,
            labelWidth: labelWidth, isCompared: baseline != nil)
    }

    func sortColumns(_ context: ViewContext) -> [SiteColumn] { spans(context).map(\.column) }

    mutating func handleHeaderClick(column: Int, _ context: inout ViewContext) {
        guard !stacks.isShown else { return sortStacks(byHeaderAt: column, &context) }
        // The gap after a header belongs to the header, because the mark of the sort is in the gap.
        guard let hit = spans(context).last(where: { column >= $0.span.start }),
            column < hit.span.start + hit.span.width + ColumnLayout.gap
        else { return }
        sort(by: hit.column, &context)
    }
}
