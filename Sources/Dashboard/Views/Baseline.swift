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
        KeyMap.Binding(.baseline, [KeyMap.key("=")], "the change since now; Esc ends it", footer: "baseline")
    }
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
    static func baseline(of state: borrowing State) -> Baseline<Row.ID>?
    static func setBaseline(_ baseline: Baseline<Row.ID>?, _ state: inout State)
    /// Returns the count that a program's rows are from; nil until it is complete.
    static func count(of program: borrowing Program) -> CountIdentity?
    /// Returns all rows of a program, whatever the filter and what is folded.
    static func rows(of programIndex: Int, _ state: borrowing State) -> [Row]
}

extension ComparedView {
    static func willDisappear(_ state: inout State) { state.soughtBaseline = nil }

    static func topLineCount(_ state: borrowing State) -> Int { baseline(of: state) == nil ? 0 : 1 }

    static func title(of column: Row.Column, _ state: borrowing State) -> String {
        (column.unit == nil || baseline(of: state) == nil ? "" : state.options.glyphs.change) + column.title
    }

    static func words(of sort: Sort, _ state: borrowing State) -> String {
        guard sort.column.unit != nil, baseline(of: state) != nil else { return sort.words }
        return "sorted by \(title(of: sort.column, state)): the \(sort.isInverted ? "least" : "greatest") first"
    }

    /// Sets the changes of a row. Of a program that was counted anew, totals have none, and no row is new. Of a program
    /// that came later, all rows are new.
    static func compare(_ row: inout Row, in program: borrowing Program, _ state: borrowing State) {
        guard let baseline = baseline(of: state) else { return }
        let old = baseline.counts[program.source]
        let isSameCount = old == nil || old === count(of: program)
        let before = baseline.figures[row.id]
        row.isNew = isSameCount && before == nil
        row.changes = Row.Column.allCases.map { column in
            guard isSameCount || !column.isTotal, let figure = row.figure(column) else { return nil }
            if row.isNew { return column.isTotal ? figure : nil }
            return before?[column.rawValue].map { figure - $0 }
        }
    }

    static func handleBaseline(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .baseline: makeBaseline(&state)
        case .back where baseline(of: state) != nil && !state.filter.isActive: endBaseline(&state)
        default: return nil
        }
        return []
    }

    static func makeBaseline(_ state: inout State) {
        let programs = state.programs.indices.filter { state.programs[$0].wasReached }
        guard !programs.isEmpty else { return state.notify(state.emptyReason) }
        var baseline = Baseline<Row.ID>(time: state.shownWall)
        for programIndex in programs {
            guard let count = count(of: state.programs[programIndex]) else {
                return state.notify("still counting: try again in a moment")
            }
            baseline.counts[state.programs[programIndex].source] = count
            for row in rows(of: programIndex, state) {
                baseline.figures[row.id] = Row.Column.allCases.map(row.figure)
            }
        }
        show(baseline, &state)
        let clock = ClockText.seconds(baseline.time, offset: state.options.clockOffset)
        state.notify("columns show the change since \(clock): = begins anew, Esc ends it")
    }

    static func endBaseline(_ state: inout State) {
        state.notify(baseline(of: state) == nil ? "there is no baseline; = sets it" : "columns show figures again")
        show(nil, &state)
    }

    private static func show(_ baseline: Baseline<Row.ID>?, _ state: inout State) {
        state.soughtBaseline = nil
        setBaseline(baseline, &state)
        forgetRows(&state)
        state.updateViewport()
    }
}

extension State {
    /// The time of day of the shown moment, in nanoseconds since 1970.
    fileprivate var shownWall: UInt64 { frozenAt ?? wall }

    /// Performs `:baseline`: makes the shown moment the baseline, or another one, which is shown until its figures are
    /// counted.
    mutating func perform(baseline words: CommandWords) throws(Typing.Problem) -> [Effect] {
        guard let type = view.type as? any ComparedView.Type, !words.rest.isEmpty else { return handle(.baseline) }
        guard words.rest != "off" else {
            type.endBaseline(&self)
            return []
        }
        let position = replayPosition
        let effects = try seek(words)
        guard case .replay(_, .seek(let moment))? = effects.last else { return effects }
        let pause = position?.isPlaying == true ? replay(.togglePlaying) : []
        soughtBaseline = (moment, position?.time ?? .max, !pause.isEmpty)
        return pause + effects
    }

    /// Makes the shown moment the baseline if `:baseline` sought it and its figures are counted; returns to the moment
    /// before, and plays on if it played.
    mutating func takeSoughtBaseline() -> [Effect] {
        guard let sought = soughtBaseline, let position = replayPosition,
            position.time == min(max(sought.moment, position.range.lowerBound), position.range.upperBound),
            let type = view.type as? any ComparedView.Type,
            !programs.contains(where: { $0.wasReached && $0.insight.hasFigureWork })
        else { return [] }
        type.makeBaseline(&self)
        return replay(.seek(sought.back)) + (sought.wasPlaying ? replay(.togglePlaying) : [])
    }
}

extension Painter {
    /// Draws the line that tells the baseline's moment.
    mutating func paintBaseline<View: ComparedView>(_ view: View.Type, _ state: borrowing State) {
        guard let baseline = view.baseline(of: state) else { return }
        let age = state.shownWall.subtractingClamped(baseline.time)
        let ahead = baseline.time.subtractingClamped(state.shownWall)
        var text = "\(glyphs.change) since \(ClockText.seconds(baseline.time, offset: state.options.clockOffset)) ("
        text += ahead > age ? "\(DurationText.coarse(ahead)) later)" : "\(DurationText.coarse(age)) ago)"
        let isCountedAnew = state.programs.contains {
            guard let old = baseline.counts[$0.source], let count = view.count(of: $0) else { return false }
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
