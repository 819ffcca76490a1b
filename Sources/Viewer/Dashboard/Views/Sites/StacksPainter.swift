// SPDX-License-Identifier: MIT

import ChainInsight
import ChainText
import Frames

/// The column spans of the page of stacks at one width.
struct StackColumns {
    var count = ColumnSpan(), oldest = ColumnSpan(), change = ColumnSpan(), rate = ColumnSpan()
    var flag = ColumnSpan(), function = ColumnSpan(), program = ColumnSpan()

    init(width: Int, hasPrograms: Bool) {
        // The mark of the selection is at the left, the scroll bar at the right.
        let spans = ColumnLayout.spans(
            from: 2, to: width - 1,
            [
                .fixed(5),
                // The sign of an age that is the least takes two cells in ASCII.
                width >= 40 ? .fixed(DurationText.width + 2) : nil,
                .fixed(6),
                width >= 72 ? .fixed(6) : nil,
                width >= 56 ? .fixed(StackText.growing.count) : nil,
                .rest,
                width >= 96 && hasPrograms ? .fixed(12) : nil,
            ])
        (count, oldest, change, rate) = (spans[0], spans[1], spans[2], spans[3])
        (flag, function, program) = (spans[4], spans[5], spans[6])
    }
}

/// The texts of the page of stacks.
enum StackText {
    static let growing = "growing"

    static func age(of row: StackRow, _ glyphs: Glyphs) -> String {
        let sign = row.isAgeLeast ? glyphs.charset == .ascii ? ">=" : "≥" : ""
        return row.age.map { sign + DurationText.coarse($0) } ?? ""
    }

    /// Returns a change of counts a minute with its sign, with one decimal below ten; empty below 0.1.
    static func rate(_ perMinute: Double) -> String {
        let tenths = Int((min(perMinute.magnitude, 1e15) * 10).rounded())
        guard tenths > 0 else { return "" }
        let size = tenths < 100 && tenths % 10 > 0 ? "\(tenths / 10).\(tenths % 10)" : CountText.short(tenths / 10)
        return (perMinute < 0 ? "-" : "+") + size
    }

    /// Returns since when the growth is counted: the times of the first and of the last program, if they differ. Nil
    /// before the first complete reading.
    static func since(_ context: ViewContext) -> String? {
        var times: [(wall: UInt64, text: String)] = []
        for index in context.programs.indices {
            let program = context.programs[index]
            guard let since = program.insight.stacks.growth.since else { continue }
            let text = program.timeText(since, clockOffset: context.options.clockOffset)
            times.append((since &+ program.wallOffset, text))
        }
        guard let first = times.min(by: { $0.wall < $1.wall }), let last = times.max(by: { $0.wall < $1.wall }) else {
            return nil
        }
        return first.text == last.text ? first.text : "\(first.text) to \(last.text), by program"
    }

    /// Returns the line above the rows: since when the growth is counted, and what the rows cover.
    static func head(_ rows: [StackRow], _ context: ViewContext) -> String {
        var text = since(context).map { "growth since \($0)" } ?? "growth is counted once all frames are read"
        guard !rows.isEmpty else { return text }
        let taskCount = rows.reduce(0) { $0 + $1.entry.stack.count }
        text += "; \(CountText.counted(taskCount, "task")) in \(CountText.counted(rows.count, "stack"))"
        let unknownCount = context.programs.indices.reduce(0) { sum, index in
            let stacks = context.programs[index].insight.stacks
            return sum + stacks.suspendedCount - stacks.entries.reduce(0) { $0 + $1.stack.count }
        }
        return text + (unknownCount > 0 ? "; \(CountText.grouped(unknownCount)) more without known frames" : "")
    }

    /// Returns the sentence in place of the rows.
    static func empty(_ context: ViewContext) -> String {
        let reached = context.programs.filter(\.wasReached)
        guard !reached.isEmpty else { return "waiting for a program" }
        if context.filter.isActive, reached.contains(where: { !$0.insight.stacks.entries.isEmpty }) {
            return context.nothingMatches
        }
        let isRefused = reached.allSatisfy(\.frameReader.isRefused)
        guard reached.contains(where: { $0.insight.stacks.suspendedCount > 0 }) else {
            let isNew = reached.contains { $0.connection.isLive && ($0.reading != nil || !$0.stateArrival.hasBegun) }
            if isNew { return "reading tasks" + context.options.glyphs.ellipsis }
            guard isRefused else { return "no task is suspended" }
            return reached.count == 1 ? "this program shows no tasks" : "these programs show no tasks"
        }
        if reached.contains(where: { $0.connection.replay != nil }) { return "no frames of tasks were recorded" }
        if isRefused { return "where tasks are suspended is not known: the program does not send it" }
        if context.isFrozen { return "frozen before the frames of tasks were read; p resumes" }
        let isReading = reached.contains { $0.connection.isLive && !$0.frameReader.isComplete }
        return isReading
            ? "reading frames" + context.options.glyphs.ellipsis : "the frames of suspended tasks are not known"
    }
}

extension SitesView {
    func stackColumns(_ context: ViewContext) -> StackColumns {
        StackColumns(width: context.layout.content.columns, hasPrograms: context.showsPrograms)
    }

    func stackDetail(in context: ViewContext, width: Int) -> ViewDetail {
        guard let row = stacks.selectedRow else {
            return ViewDetail(title: "details", lines: [DetailLine("nothing is selected", .dim)])
        }
        let program = context.programs[row.programIndex]
        let (stack, glyphs) = (row.entry.stack, context.options.glyphs)
        var text = DetailWriter(width: width, glyphs: glyphs)
        if row.isGrowing {
            text.wrap("growing: the count never fell in the last minute, as far as it was counted", style: .warning)
        }
        let cancelled = stack.cancelledCount > 0 ? ", \(CountText.grouped(stack.cancelledCount)) of them cancelled" : ""
        text.field("tasks", CountText.grouped(stack.count) + cancelled)
        if let node = program.forest.index(of: row.entry.oldest) {
            let age = StackText.age(of: row, glyphs)
            text.addNode(
                "oldest", "\(row.entry.oldest)" + (age.isEmpty ? "" : ", suspended for \(age)"),
                program.forest.state(of: node), link: context.rowID(of: node, in: row.programIndex))
        }
        if context.showsPrograms { text.field("program", row.program) }
        if let change = row.entry.change, let since = program.insight.stacks.growth.since {
            let total = change.total < 0 ? CountText.grouped(change.total) : "+" + CountText.grouped(change.total)
            let rate = change.perMinute.map(StackText.rate) ?? ""
            let clock = program.timeText(since, clockOffset: context.options.clockOffset)
            text.field("growth", "\(total) since \(clock)" + (rate.isEmpty ? "" : ", lately \(rate) a minute"))
        }
        text.gap()
        guard !row.isOthers else {
            text.wrap(Self.othersWords, style: .dim)
            return ViewDetail(title: row.name, lines: text.lines)
        }
        text.add(DetailLine("suspended in", .title))
        for (index, function) in row.functions.enumerated() {
            text.wrap(String(function), style: index == 0 ? .label : .normal)
        }
        text.gap()
        text.wrap("Enter shows these tasks in the tree, by a filter for the whole stack.", style: .dim)
        return ViewDetail(title: "stack", lines: text.lines)
    }
}

extension Painter {
    mutating func paintStacks(_ view: SitesView, _ context: ViewContext) {
        let area = layout.content
        let columns = view.stackColumns(context)
        paintHeads(columns, view.stacks.sort, row: area.row - 1)
        write(
            StackText.head(view.stacks.rows, context), row: area.row, column: 2, end: area.columns - 1, style: .status)
        let page = view.stacks
        if page.rows.isEmpty { return paintMessage(StackText.empty(context)) }
        let (top, height) = (area.row + view.topLineCount(context), view.height(in: context))
        for index in page.cursor.window(height: height) {
            paint(page.rows[index], columns, line: top + index - page.cursor.top)
        }
        if let line = page.cursor.line(height: height) { markSelected(row: top + line) }
    }

    private mutating func paintHeads(_ columns: StackColumns, _ sort: StackSort, row: Int) {
        let heads: [(String, ColumnSpan, StackSort.Column?)] = [
            ("count", columns.count, .count), ("oldest", columns.oldest, .oldest),
            (glyphs.change, columns.change, .growth), (glyphs.change + "/min", columns.rate, nil),
        ]
        for (title, span, column) in heads {
            let isSorted = column == sort.column
            write(title, row: row, in: span, style: isSorted ? .title.bold : .title, isRightAligned: true)
            guard isSorted, span.isShown else { continue }
            frame.write(
                sort.isInverted ? glyphs.ascending : glyphs.descending, row: row, column: span.start + span.width,
                style: .key)
        }
        write("suspended in", row: row, in: columns.function, style: .title)
        write("program", row: row, in: columns.program, style: .title)
    }

    private mutating func paint(_ row: StackRow, _ columns: StackColumns, line: Int) {
        func figure(_ text: String?, _ span: ColumnSpan, _ style: Style) {
            guard let text else { return }
            write(
                text.isEmpty ? glyphs.dot : text, row: line, in: span, style: text.isEmpty ? .guide : style,
                isRightAligned: true)
        }
        let change = row.entry.change
        let growth: Style = row.isGrowing ? .warning : .number
        figure(CountText.short(row.entry.stack.count), columns.count, row.isGrowing ? .warning.bold : .pending)
        figure(row.age.map { _ in StackText.age(of: row, glyphs) }, columns.oldest, .number)
        figure(change.map { FigureText.change(Double($0.total), .count) }, columns.change, growth)
        figure(change?.perMinute.map(StackText.rate), columns.rate, growth)
        if row.isGrowing { write(StackText.growing, row: line, in: columns.flag, style: .warning) }
        write(row.name, row: line, in: columns.function, style: row.isOthers ? .dim : .label)
        write(row.program, row: line, in: columns.program, style: .thread)
    }
}
