import ChainInsight
import ChainModel
import ChainText
import Frames

/// The view of call sites: nodes by call site and kind, how many, how fast, how often rejected. Has a page of stacks, one
/// row for all tasks that are suspended in the same functions.
struct SitesView {
    var cursor = ListCursor()
    var sort = SiteSort()
    /// The rows in order, as of the last second.
    var rows: [SiteRow] = []
    /// The width of the widest label so far, so that columns do not move to and fro.
    fileprivate var labelWidth = 0
    /// The selected row; nil until the user moves the cursor, which stays on the first row until then.
    var selected: SiteRow.ID?
    fileprivate var baseline: Baseline<SiteRow.ID>?
    var stacks = StacksPage()
    /// What the rows depend on; they are made anew when it changes.
    fileprivate var source: Source?

    fileprivate struct Source: Equatable {
        /// By program, ``SitesInsight/generation``.
        var generations: [UInt64]
        /// The run of each program; nil for a program that was not reached.
        var programs: [ProcessKey?]
        var filter: String
        var sort: SiteSort
        /// The ``redrawKey(of:)``: seconds since 1970, because ages and rates change with time; 0 while all programs
        /// stand still.
        var second: UInt64
    }

    var selectedRow: SiteRow? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
}

extension SitesView: ComparedView {
    static let name = "sites"
    static let intent = Intent.sites
    static let keyText = "call sites: what is in flight, how fast, how often rejected"
    static func redrawKey(of state: borrowing State) -> UInt64 {
        state.programs.allSatisfy(\.isClockStopped) ? 0 : state.wall / 1_000_000_000
    }
    static let bindings = [
        KeyMap.Binding(.visit, [KeyPress(.enter)], "its nodes in the tree, by a filter", footer: "nodes"),
        KeyMap.Binding(
            .sort, [KeyMap.key("s")], "sort by the next column; so does a click on its heading", footer: "sort"),
        KeyMap.Binding(
            .detail, [KeyMap.key("d")], "show or hide its histograms", footer: "detail"),
        Baseline<SiteRow.ID>.binding,
        KeyMap.Binding(
            .stacks, [KeyMap.key("u")],
            "suspended tasks by their stack; again: call sites", footer: "stacks"),
    ]
    static let hasNodeRows = false
    static func cursor(of state: borrowing State) -> ListCursor {
        state.sites.stacks.isShown ? state.sites.stacks.cursor : state.sites.cursor
    }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) {
        if state.sites.stacks.isShown { state.sites.stacks.cursor = cursor } else { state.sites.cursor = cursor }
    }

    static func topLineCount(_ state: borrowing State) -> Int {
        state.sites.stacks.isShown || state.sites.baseline != nil ? 1 : 0
    }

    static func describesSelection(_ state: borrowing State) -> Bool { false }

    static func forgetRows(_ state: inout State) {
        state.sites.source = nil
        state.sites.stacks.source = nil
    }

    static func updateRows(_ state: inout State) {
        guard !state.sites.stacks.isShown else { return updateStackRows(&state) }
        let source = Source(
            generations: state.programs.map(\.insight.sites.generation), programs: state.processKeys,
            filter: state.filter.text, sort: state.sites.sort, second: redrawKey(of: state))
        if source != state.sites.source {
            state.sites.source = source
            // The ages of the rows are measured now, so nodes that settled after the last count must not be among them.
            for programIndex in state.programs.indices { state.programs[programIndex].refreshSiteAges() }
            state.sites.rows = allRows(state)
            for row in state.sites.rows {
                state.sites.labelWidth = max(state.sites.labelWidth, state.options.glyphs.width(of: row.labelText))
            }
            state.sites.cursor.follow(state.sites.selected, in: state.sites.rows)
        }
        state.sites.cursor.resize(state.sites.rows.count, height: height(in: state))
        // When the selected row is gone, the row that took its place is selected.
        if state.sites.selected != nil { state.sites.selected = state.sites.selectedRow?.id }
    }

    private static func allRows(_ state: borrowing State) -> [SiteRow] {
        let query = state.filter.query
        var rows: [SiteRow] = []
        for programIndex in state.programs.indices {
            rows += self.rows(of: programIndex, state).filter {
                query?.mayFind(site: $0.site, kind: $0.id.key.kind, label: $0.labelText) ?? true
            }
        }
        for index in rows.indices { compare(&rows[index], in: state.programs[rows[index].programIndex], state) }
        let sort = state.sites.sort
        return rows.sorted { $0.precedes($1, by: sort) }
    }

    // MARK: The baseline

    static func baseline(of state: borrowing State) -> Baseline<SiteRow.ID>? { state.sites.baseline }
    static func setBaseline(_ baseline: Baseline<SiteRow.ID>?, _ state: inout State) {
        state.sites.baseline = baseline
        // The change is shown at the call sites.
        if baseline != nil { state.sites.stacks.isShown = false }
    }

    static func count(of program: borrowing Program) -> CountIdentity? {
        guard program.insight.sites.isReady, let table = program.insight.sites.table else { return nil }
        return table.isComplete ? table.identity : nil
    }

    static func rows(of programIndex: Int, _ state: borrowing State) -> [SiteRow] {
        let program = state.programs[programIndex]
        guard program.insight.sites.isReady, let table = program.insight.sites.table else { return [] }
        return table.keys.compactMap { key in
            table.statistics(key).map {
                SiteRow(
                    id: SiteRow.ID(process: program.forest.process, key: key), programIndex: programIndex,
                    program: program.shownName, site: program.forest.sites[key.site], statistics: $0,
                    now: program.shownNow, isOldestLeast: program.isOldestLeast(of: $0.flow))
            }
        }
    }

    static func didMoveCursor(_ state: inout State) {
        guard !state.sites.stacks.isShown else { return didMoveStackCursor(&state) }
        let selected = state.sites.selectedRow?.id
        if state.sites.selected != selected { state.detailScroll = 0 }
        state.sites.selected = selected
    }

    // MARK: Keys

    static func footerWord(for intent: Intent, _ state: borrowing State) -> String? {
        guard state.sites.stacks.isShown else { return nil }
        return switch intent {
        case .visit: "tasks"
        case .stacks: "call sites"
        default: nil
        }
    }

    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        guard !state.sites.stacks.isShown else { return handleInStacks(intent, &state) }
        switch intent {
        case .stacks: toggleStacks(&state)
        case .visit: visit(&state)
        case .sort: sortByNext(&state)
        case .invertSort: invertSort(&state)
        case .cancelNode, .cancelChain, .tag, .why:
            state.notify("these rows are call sites; Enter shows the nodes of one")
        case .nextMatch, .previousMatch:
            state.notify("all rows match; Enter shows the nodes of one, and n goes through them")
        case .copy: return copy(&state)
        case .copyTree: state.notify("a call site has no tree; y copies its figures, Enter shows its nodes")
        case .edit: return state.open(state.sites.selectedRow?.site)
        default: return handleBaseline(intent, &state)
        }
        return []
    }

    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        guard click.isDouble else { return }
        if state.sites.stacks.isShown { visitStack(&state) } else { visit(&state) }
    }

    /// Shows the nodes of the selected call site in the tree, by a filter.
    private static func visit(_ state: inout State) {
        guard let row = state.sites.selectedRow else { return state.notify(state.emptyReason) }
        guard row.id.key != .others else {
            return state.notify("these are call sites beyond the limit of \(SiteTable.keyLimit), counted together")
        }
        state.showNodes(thatMatch: Query.text(site: row.site, kind: row.id.key.kind))
    }

    private static func copy(_ state: inout State) -> [Effect] {
        guard let row = state.sites.selectedRow else { return state.refuse(state.emptyReason) }
        state.notify(state.copied(NodeText.safe(row.name)))
        return [.copy(SiteDetail.line(row))]
    }

    // MARK: Sorting

    static func spans(_ state: borrowing State) -> [(column: SiteColumn, span: ColumnSpan)] {
        SiteColumn.spans(
            width: Layout(state).content.columns, hasPrograms: state.showsPrograms,
            labelWidth: state.sites.labelWidth, isCompared: state.sites.baseline != nil)
    }

    static func sort(of state: borrowing State) -> SiteSort { state.sites.sort }
    static func setSort(_ sort: SiteSort, _ state: inout State) { state.sites.sort = sort }
    static func sortColumns(_ state: borrowing State) -> [SiteColumn] { spans(state).map(\.column) }

    static func handleHeaderClick(column: Int, _ state: inout State) {
        guard !state.sites.stacks.isShown else { return sortStacks(byHeaderAt: column, &state) }
        // The gap after a header belongs to the header, because the mark of the sort is in the gap.
        guard let hit = spans(state).last(where: { column >= $0.span.start }),
            column < hit.span.start + hit.span.width + ColumnLayout.gap
        else { return }
        sort(by: hit.column, &state)
    }
}
