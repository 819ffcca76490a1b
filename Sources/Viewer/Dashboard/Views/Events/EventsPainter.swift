// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// The column spans of the view of events at one width.
///
/// Columns are left out below these widths: the program (110), the thread (84), the delta (70), the text (60), the time
/// (40). With a single program, its column is left out at any width.
struct EventColumns: Equatable {
    var time = ColumnSpan(), delta = ColumnSpan(), program = ColumnSpan(), thread = ColumnSpan(), word = ColumnSpan()
    var node = ColumnSpan(), text = ColumnSpan()

    init(width: Int, showsPrograms: Bool) {
        // One column at the left is for the mark of the selection, one at the right for the scroll bar.
        let spans = ColumnLayout.spans(
            from: 2, to: width - 1,
            [
                width >= 40 ? .fixed(12) : nil,
                width >= 70 ? .fixed(DurationText.width + 1) : nil,
                width >= 110 && showsPrograms ? .fixed(min(16, width / 10)) : nil,
                width >= 84 ? .fixed(min(16, max(9, width / 10))) : nil,
                .fixed(EventText.wordWidth),
                width >= 60 ? .share(twentieths: 9, least: 16) : .rest,
                width >= 60 ? .rest : nil,
            ])
        (time, delta, program, thread) = (spans[0], spans[1], spans[2], spans[3])
        (word, node, text) = (spans[4], spans[5], spans[6])
    }
}

extension EventsView {
    func drawRows(_ context: ViewContext, into painter: inout Painter) { painter.paintEvents(self, context) }
}

extension Painter {
    fileprivate mutating func paintEvents(_ view: EventsView, _ context: ViewContext) {
        let area = layout.content
        let columns = EventColumns(width: area.columns, showsPrograms: context.showsPrograms)
        paintEventHeads(columns, view, context)
        let rows = view.cursor.window(height: area.rows)
        guard !rows.isEmpty else { return paintNoEvents(view, context) }
        // The filter that dims rows; nil if no filter does.
        let dimming = context.filter.isActive && context.filter.dims ? view.indexFilter : nil
        for (line, index) in rows.enumerated() {
            let entry = view.index.entries[index]
            // A row may be dropped between a batch and the next tick.
            guard let shown = view.row(of: entry, context) else { continue }
            // The program is never bound to a name, because copying its parts costs as much as the row.
            let row = area.row + line
            let isDimmed =
                context.programs[entry.programIndex].connection.disconnection != nil
                || dimming.map { !view.isMatch(entry, $0, context) } ?? false
            write(
                context.programs[entry.programIndex].timeText(
                    entry.time &- context.programs[entry.programIndex].wallOffset,
                    clockOffset: context.options.clockOffset, hasMilliseconds: true),
                row: row, in: columns.time, style: Style.number.dimmed)
            if index > 0 {
                paintDelta(entry.time &- min(entry.time, view.index.entries[index - 1].time), columns, row: row)
            }
            if columns.program.isShown {
                write(context.programs[entry.programIndex].shownName, row: row, in: columns.program, style: .dim)
            }
            switch shown {
            case .note(let note): paintNote(note, columns, row: row)
            case .event(let event, let text):
                let isOfSelected =
                    context.selection?.id == event.node
                    && context.selection?.source == context.programs[entry.programIndex].source
                if isOfSelected { frame.write(glyphs.dot, row: row, column: 0, style: .key) }
                paint(event, text, in: context.programs[entry.programIndex].forest, columns, row: row) {
                    isDimmed ? .dim : $0
                }
            }
            if entry == view.selected { markSelected(row: row) }
        }
    }

    /// Draws the time since the row before; times under 0.1 ms are left blank.
    private mutating func paintDelta(_ delta: UInt64, _ columns: EventColumns, row: Int) {
        let isLong = delta >= 1_000_000_000
        let text = delta < 100_000 ? "" : "+" + DurationText.settled(delta)
        write(text, row: row, in: columns.delta, style: isLong ? .number : Style.number.dimmed, isRightAligned: true)
    }

    private mutating func paint(
        _ event: ChainEvent, _ text: String?, in forest: borrowing ChainForest, _ columns: EventColumns, row: Int,
        _ style: (Style) -> Style
    ) {
        if event.thread != 0 {
            writeThread(
                forest.threads[event.thread] ?? "\(event.thread)", row: row, in: columns.thread, style: style(.thread))
        }
        write(EventText.word(event.kind), row: row, in: columns.word, style: style(EventText.style(event.kind)))
        let id = "\(event.node)"
        var column = columns.node.start
        let end = column + columns.node.width
        if let node = forest.index(of: event.node) {
            let role = forest.state(of: node).role
            frame.write(glyphs.state(role), row: row, column: column, style: style(Style(role)))
            column += 2
            // The id is left out if the name would get fewer than 8 columns beside it.
            let room = columns.node.width - 3 - id.count
            let name = NodeText.name(of: node, in: forest)
            column += frame.write(
                name, row: row, column: column, maxColumns: room >= 8 ? room : columns.node.width - 2,
                style: style(.label), ellipsis: glyphs.ellipsis)
            if room >= 8 { frame.write(id, row: row, column: column + 1, maxColumns: end - column - 1, style: .dim) }
        } else {
            frame.write(id, row: row, column: column + 2, maxColumns: end - column - 2, style: .dim)
        }
        let (words, wordStyle) = EventText.detail(of: event, text: text, in: forest)
        write(words, row: row, in: columns.text, style: style(wordStyle))
    }

    private mutating func paintNote(_ note: EventsInsight.Note, _ columns: EventColumns, row: Int) {
        let words = EventText.words(for: note).title
        let style: Style = if case .snapshot = note { .dim } else { .warning }
        let start = columns.thread.isShown ? columns.thread.start : columns.word.start
        write(words, row: row, column: start, end: layout.content.columns - 1, style: style)
    }

    // MARK: Headers

    private mutating func paintEventHeads(_ columns: EventColumns, _ view: EventsView, _ context: ViewContext) {
        let row = layout.content.row - 1
        write("time", row: row, in: columns.time, style: .title)
        write("delta", row: row, in: columns.delta, style: .title, isRightAligned: true)
        write("program", row: row, in: columns.program, style: .title)
        write("thread", row: row, in: columns.thread, style: .title)
        write("event", row: row, in: columns.word, style: .title)
        write("node", row: row, in: columns.node, style: .title)
        let end = layout.content.columns - 1
        let room = end - columns.node.start - 6
        guard let parts = headCandidates(view, context).first(where: { width(of: $0) <= room }) else { return }
        var column = end - width(of: parts)
        if column >= columns.text.start + 6 { write("text", row: row, in: columns.text, style: .title) }
        for (index, part) in parts.enumerated() {
            if index > 0 { column += frame.write(" \(glyphs.dot) ", row: row, column: column, style: .guide) }
            column += frame.write(part.text, row: row, column: column, style: part.style)
        }
    }

    private typealias Part = (text: String, style: Style)

    private func width(of parts: [Part]) -> Int {
        parts.reduce(3 * max(0, parts.count - 1)) { $0 + glyphs.width(of: $1.text) }
    }

    /// Returns the right part of the header line in several forms, the preferred form first.
    private func headCandidates(_ view: EventsView, _ context: ViewContext) -> [[Part]] {
        let scope = view.scope.map { scope -> Part in
            let name = context.find(scope).map {
                NodeText.name(of: $0.node, in: context.programs[$0.programIndex].forest)
            }
            let shown = glyphs.cut(name ?? "\(scope.id ?? .none)", to: 20)
            return ("only \(shown)", .match)
        }
        let follows: Part =
            context.isFrozen ? ("frozen", .warning) : view.isFollowing ? ("following", .key) : ("G follows", .dim)
        let kept = view.keptRows(context).reduce(0) { $0 + $1.count }
        let total = context.programs.reduce(0) { $0 &+ Int(clamping: $1.insight.events.end) }
        let unit = context.programs.contains { $0.insight.events.hasNotes } ? "row" : "event"
        let shown = view.index.entries.count
        let isPart = view.indexFilter?.restricts ?? false
        let grouped = CountText.grouped
        let matching = isPart ? "\(grouped(shown))\(view.isIncomplete(context) ? " so far" : "") of " : ""
        let long =
            kept < total
            ? "\(matching)the last \(grouped(kept)) of \(grouped(total))"
            : matching + "\(grouped(total)) \(unit)\(total == 1 ? "" : "s")"
        let short = matching + (kept < total ? "\(grouped(kept)) of \(CountText.short(total))" : grouped(total))
        let level = view.level
        let levelPart: Part? = level == .all ? nil : (text: level.words, style: Style.match)
        let head = [scope, levelPart, follows].compactMap { $0 }
        return [
            head + [(long, .dim)], head + [(short, .dim)], head, [levelPart, follows].compactMap { $0 },
            [follows, (short, .dim)], [follows],
        ]
    }

    private mutating func paintNoEvents(_ view: EventsView, _ context: ViewContext) {
        let text: String
        if context.programs.isEmpty {
            text = "waiting for a program"
        } else if view.isIncomplete(context) {
            text = "looking for events"
        } else if context.filter.isActive, !context.filter.dims {
            text = context.nothingMatches
        } else if view.level != .all {
            text = "no kept event is one of “\(view.level.words)”; V shows others"
        } else if view.scope != nil {
            text = "no kept event is of this chain; a shows all"
        } else {
            text = "no events yet: they appear here as the program makes them"
        }
        paintMessage(text)
    }
}
