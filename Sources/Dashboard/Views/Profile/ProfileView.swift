import ChainEvents
import ChainInsight
import Frames

/// The view of where the time goes: for each call site of a root, a tree of call paths over all its settled chains.
struct ProfileView {
    var cursor = ListCursor()
    var sort = ProfileSort()
    var rows: [ProfileRow] = []
    /// The selected row; nil until the user moves the cursor, which stays on the first row until then.
    var selected: ProfileRow.ID?
    /// Folded rows: the rows under them are hidden.
    var folded: Set<ProfileRow.ID> = []
    /// The `more` rows that were replaced by the short steps that they stand for.
    var expanded: Set<ProfileRow.ID> = []
    fileprivate var baseline: Baseline<ProfileRow.ID>?
    fileprivate var source: Source?

    /// What the rows depend on; they are made anew when it changes.
    fileprivate struct Source: Equatable {
        var generations: [UInt64]
        var programs: [ProcessKey?]
        var sort: ProfileSort
        var folded: Set<ProfileRow.ID>
        var expanded: Set<ProfileRow.ID>
    }

    var selectedRow: ProfileRow? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
}

extension ProfileView: ComparedView {
    static let name = "profile"
    static let intent = Intent.profile
    static let keyText = "profile: where the time of all chains goes, by call path"
    static let bindings = [
        KeyMap.Binding(
            .visit, [KeyPress(.enter)], "fold or unfold; on a last step: to its slowest node in the tree",
            footer: "fold"),
        KeyMap.Binding(
            .why, [KeyMap.key("w")], "why so long? to the slowest node, or the newest that is kept",
            footer: "slowest"),
        KeyMap.Binding(
            .sort, [KeyMap.key("s")], "sort by total, self, count, percentiles or errors; so does a click on a heading",
            footer: "sort"),
        KeyMap.Binding(
            .detail, [KeyMap.key("d")], "show or hide its histogram", footer: "detail"),
        KeyMap.Binding(.copyTree, [KeyMap.key("Y")], "copy all as folded stacks, for flamegraph.pl or speedscope"),
        Baseline<ProfileRow.ID>.binding,
    ]
    static let hasNodeRows = false
    static let keepsAllRows = true
    static func cursor(of state: borrowing State) -> ListCursor { state.profile.cursor }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) { state.profile.cursor = cursor }

    static func describesSelection(_ state: borrowing State) -> Bool { false }

    static func forgetRows(_ state: inout State) { state.profile.source = nil }

    static func updateRows(_ state: inout State) {
        let view = state.profile
        let source = Source(
            generations: state.programs.map(\.insight.chains.generation), programs: state.processKeys,
            sort: view.sort, folded: view.folded, expanded: view.expanded)
        if source != state.profile.source {
            state.profile.source = source
            state.profile.rows = allRows(state)
            state.profile.cursor.follow(state.profile.selected, in: state.profile.rows)
        }
        state.profile.cursor.resize(state.profile.rows.count, height: height(in: state))
        guard state.profile.selected != nil else { return }
        // After a jump in a recording paths are counted anew, and the selected path may be counted later.
        let isCounting = state.programs.contains { $0.insight.chains.isCounting }
        let shown = state.profile.selectedRow?.id
        if shown == state.profile.selected || !isCounting { state.profile.selected = shown }
    }

    private static func allRows(_ state: borrowing State) -> [ProfileRow] {
        var rows: [ProfileRow] = []
        for programIndex in state.programs.indices {
            rows += allRows(of: programIndex, state).rows
        }
        return rows
    }

    private static func allRows(of programIndex: Int, _ state: borrowing State) -> ProfileRows {
        ProfileRows(state.programs[programIndex], at: programIndex, state.profile) { compare(&$0, in: $1, state) }
    }

    static func baseline(of state: borrowing State) -> Baseline<ProfileRow.ID>? { state.profile.baseline }
    static func setBaseline(_ baseline: Baseline<ProfileRow.ID>?, _ state: inout State) {
        state.profile.baseline = baseline
    }

    static func count(of program: borrowing Program) -> CountIdentity? {
        guard let table = program.insight.chains.table, table.isComplete, table.profile != nil else { return nil }
        return table.identity
    }

    static func rows(of programIndex: Int, _ state: borrowing State) -> [ProfileRow] {
        allRows(of: programIndex, state).frameRows
    }

    static func spans(_ state: borrowing State) -> [(column: ProfileColumn, span: ColumnSpan)] {
        ProfileColumn.spans(
            width: Layout(state).content.columns, isCompared: state.profile.baseline != nil)
    }

    static func didMoveCursor(_ state: inout State) {
        let selected = state.profile.selectedRow?.id
        if state.profile.selected != selected { state.detailScroll = 0 }
        state.profile.selected = selected
    }

    static func sort(of state: borrowing State) -> ProfileSort { state.profile.sort }
    static func setSort(_ sort: ProfileSort, _ state: inout State) { state.profile.sort = sort }
    static func sortColumns(_ state: borrowing State) -> [ProfileColumn] { ProfileColumn.sorts }

    static func handleHeaderClick(column: Int, _ state: inout State) {
        guard let hit = spans(state).last(where: { column >= $0.span.start }) else { return }
        switch hit.column {
        case .path: break
        case .bar, .totalSum: sort(by: .totalShare, &state)
        case .ownSum: sort(by: .ownShare, &state)
        default: sort(by: hit.column, &state)
        }
    }

    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        guard let row = state.profile.selectedRow else { return }
        let path = spans(state).first { $0.column == .path }?.span
        let marker = path.map { $0.start + row.indent(in: $0) }
        let isOnMarker = row.hasChildren && marker.map { ($0...$0 + 1).contains(click.column) } ?? false
        if click.isDouble || isOnMarker { visit(&state) }
    }
}
