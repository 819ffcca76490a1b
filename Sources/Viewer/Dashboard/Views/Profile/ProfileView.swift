// SPDX-License-Identifier: MIT

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
    var baseline: Baseline<ProfileRow.ID>?
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
    static let keyText = "profile: where the time of all chains goes, by call path"
    static let acting: Set<Intent> = [.left, .right, .unfoldAll, .foldAll, .sort, .invertSort]

    /// What the view's own keys ask for.
    enum Own: String, CaseIterable { case baseline }

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
    static let showsPaths = true

    func describesSelection(in context: ViewContext) -> Bool { false }

    mutating func forgetRows() { source = nil }

    mutating func updateRows(_ context: inout ViewContext) {
        let source = Source(
            generations: context.programs.map(\.insight.profile.generation), programs: context.processKeys,
            sort: sort, folded: folded, expanded: expanded)
        if source != self.source {
            self.source = source
            rows = allRows(context)
            cursor.follow(selected, in: rows)
        }
        cursor.resize(rows.count, height: height(in: context))
        guard selected != nil else { return }
        // After a jump in a recording paths are counted anew, and the selected path may be counted later.
        let isCounting = context.programs.contains { $0.insight.profile.isCounting }
        let shown = selectedRow?.id
        if shown == selected || !isCounting { selected = shown }
    }

    private func allRows(_ context: ViewContext) -> [ProfileRow] {
        var rows: [ProfileRow] = []
        for programIndex in context.programs.indices {
            rows += allRows(of: programIndex, context).rows
        }
        return rows
    }

    private func allRows(of programIndex: Int, _ context: ViewContext) -> ProfileRows {
        ProfileRows(context.programs[programIndex], at: programIndex, self) { compare(&$0, in: $1) }
    }

    static func count(of program: borrowing Program) -> CountIdentity? {
        program.insight.profile.figures == nil ? nil : program.insight.identity
    }

    func rows(of programIndex: Int, _ context: ViewContext) -> [ProfileRow] {
        allRows(of: programIndex, context).frameRows
    }

    func spans(_ context: ViewContext) -> [(column: ProfileColumn, span: ColumnSpan)] {
        ProfileColumn.spans(
            width: context.layout.content.columns, isCompared: baseline != nil)
    }

    mutating func didMoveCursor(_ context: inout ViewContext) {
        if selected != selectedRow?.id { context.scrollDetailToTop() }
        selected = selectedRow?.id
    }

    func sortColumns(_ context: ViewContext) -> [ProfileColumn] { ProfileColumn.sorts }

    mutating func handleHeaderClick(column: Int, _ context: inout ViewContext) {
        guard let hit = spans(context).last(where: { column >= $0.span.start }) else { return }
        switch hit.column {
        case .path: break
        case .bar, .totalSum: sort(by: .totalShare, &context)
        case .ownSum: sort(by: .ownShare, &context)
        default: sort(by: hit.column, &context)
        }
    }

    mutating func handleClickOnCursor(_ click: RowClick, _ context: inout ViewContext) {
        guard let row = selectedRow else { return }
        let path = spans(context).first { $0.column == .path }?.span
        let marker = path.map { $0.start + row.indent(in: $0) }
        let isOnMarker = row.hasChildren && marker.map { ($0...$0 + 1).contains(click.column) } ?? false
        if click.isDouble || isOnMarker { visit(&context) }
    }
}
