// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

/// The figures of a view's rows at an earlier moment. While there is one, columns show the change since then.
///
/// Takes some 500 bytes for each row; the tables of call sites and of call paths are limited.
struct Baseline<ID: Hashable> {
    /// Its moment, in nanoseconds since 1970.
    let time: UInt64
    /// The figures by the raw values of the columns.
    var figures: [ID: [Double?]] = [:]
    /// The count that the figures of each program are from. By the source, which a restart keeps.
    var counts: [SourceID: CountIdentity] = [:]

    static var binding: KeyMap.Binding {
        KeyMap.Binding(
            .baseline, [KeyMap.key("=")], "the change since now; Esc ends it", footer: "baseline", rank: 10)
    }
}

extension Intent {
    /// What the key of a view with a baseline asks for, by the name that such views have for it.
    static let baseline = Intent.own("baseline")
}

/// A column of a view with a baseline.
protocol ComparedColumn: RawRepresentable<Int>, CaseIterable, Equatable {
    var title: String { get }
    /// What the column counts; nil if it does not show changes.
    var unit: FigureText.Unit? { get }
    /// Whether the column adds up what was counted, and does not describe it.
    var isTotal: Bool { get }
}

/// A row of a view with a baseline.
protocol ComparedRow: Identifiable {
    associatedtype Column: ComparedColumn
    /// The changes since the baseline, by the raw values of the columns; nil where they are not known. Empty without a
    /// baseline.
    var changes: [Double?] { get set }
    /// Whether the row came after the baseline.
    var isNew: Bool { get set }
    /// Returns the figure of a column; nil if it is not known, or if the column has no unit.
    func figure(_ column: Column) -> Double?
}

/// A view of statistics that can be compared with those of an earlier moment.
protocol ComparedView: SortedView where Sort.Column == Row.Column {
    associatedtype Row: ComparedRow
    /// The figures with which rows are compared; nil to show the figures themselves.
    var baseline: Baseline<Row.ID>? { get set }
    /// Returns the count that a program's rows are from; nil until it is complete.
    static func count(of program: borrowing Program) -> CountIdentity?
    /// Returns all rows of a program, whatever the filter and what is folded.
    func rows(of programIndex: Int, _ context: ViewContext) -> [Row]
}

extension ComparedView {
    mutating func willDisappear(_ context: inout ViewContext) { context.request(.forgetSoughtBaseline) }

    func topLineCount(_ context: ViewContext) -> Int { baseline == nil ? 0 : 1 }

    func title(of column: Row.Column, _ glyphs: Glyphs) -> String {
        (column.unit == nil || baseline == nil ? "" : glyphs.change) + column.title
    }

    func words(of sort: Sort, _ context: ViewContext) -> String {
        guard sort.column.unit != nil, baseline != nil else { return sort.words }
        let title = title(of: sort.column, context.options.glyphs)
        return "sorted by \(title): the \(sort.isInverted ? "least" : "greatest") first"
    }

    /// Sets the changes of a row. Of a program that was counted anew, totals have none, and no row is new. Of a program
    /// that came later, all rows are new.
    func compare(_ row: inout Row, in program: borrowing Program) {
        guard let baseline else { return }
        let old = baseline.counts[program.source]
        let isSameCount = old == nil || old === Self.count(of: program)
        let before = baseline.figures[row.id]
        row.isNew = isSameCount && before == nil
        row.changes = Row.Column.allCases.map { column in
            guard isSameCount || !column.isTotal, let figure = row.figure(column) else { return nil }
            if row.isNew { return column.isTotal ? figure : nil }
            return before?[column.rawValue].map { figure - $0 }
        }
    }

    /// Ends the baseline, if Esc asks for that and ends nothing else; returns whether it did.
    mutating func endBaseline(by intent: Intent, _ context: inout ViewContext) -> Bool {
        guard intent == .back, baseline != nil, !context.filter.isActive else { return false }
        endBaseline(&context)
        return true
    }

    mutating func makeBaseline(_ context: inout ViewContext) {
        let programs = context.programs.indices.filter { context.programs[$0].wasReached }
        guard !programs.isEmpty else { return context.notify(context.emptyReason) }
        var baseline = Baseline<Row.ID>(time: context.shownWall)
        for programIndex in programs {
            guard let count = Self.count(of: context.programs[programIndex]) else {
                return context.notify("still counting: try again in a moment")
            }
            baseline.counts[context.programs[programIndex].source] = count
            for row in rows(of: programIndex, context) {
                baseline.figures[row.id] = Row.Column.allCases.map(row.figure)
            }
        }
        show(baseline, &context)
        let clock = ClockText.seconds(baseline.time, offset: context.options.clockOffset)
        context.notify("columns show the change since \(clock): = begins anew, Esc ends it")
    }

    mutating func endBaseline(_ context: inout ViewContext) {
        context.notify(baseline == nil ? "there is no baseline; = sets it" : "columns show figures again")
        show(nil, &context)
    }

    private mutating func show(_ baseline: Baseline<Row.ID>?, _ context: inout ViewContext) {
        context.request(.forgetSoughtBaseline)
        self.baseline = baseline
        forgetRows()
    }
}

extension Painter {
    /// Draws the line that tells the baseline's moment.
    mutating func paintBaseline<View: ComparedView>(_ view: View, _ context: ViewContext) {
        guard let baseline = view.baseline else { return }
        let age = context.shownWall.subtractingClamped(baseline.time)
        let ahead = baseline.time.subtractingClamped(context.shownWall)
        var text = "\(glyphs.change) since \(ClockText.seconds(baseline.time, offset: context.options.clockOffset)) ("
        text += ahead > age ? "\(DurationText.coarse(ahead)) later)" : "\(DurationText.coarse(age)) ago)"
        let isCountedAnew = context.programs.contains {
            guard let old = baseline.counts[$0.source], let count = View.count(of: $0) else { return false }
            return count !== old
        }
        if isCountedAnew { text += "; counted anew since then: totals are blank" }
        let span = ColumnSpan(start: 2, width: layout.content.columns - 3)
        write(text, row: layout.content.row, in: span, style: .status)
    }

    /// Draws the changes of a row since the baseline: a dot for none, nothing where it is not known, and *new* in the
    /// first column of a row that came later.
    mutating func paintChanges<Row: ComparedRow>(
        of row: Row, _ spans: [(column: Row.Column, span: ColumnSpan)], line: Int, isDim: Bool = false
    ) {
        guard !row.changes.isEmpty else { return }
        let first = spans.first { $0.column.unit != nil }?.column
        for (column, span) in spans {
            guard let unit = column.unit else { continue }
            let change = row.changes[column.rawValue].map { FigureText.change($0, unit) }
            guard let text = row.isNew && column == first ? "new" : change else { continue }
            write(
                text.isEmpty ? glyphs.dot : text, row: line, in: span,
                style: text.isEmpty ? .guide : isDim ? .dim : .number, isRightAligned: true)
        }
    }
}
