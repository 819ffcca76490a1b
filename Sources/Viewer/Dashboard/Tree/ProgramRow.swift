// SPDX-License-Identifier: MIT

import ChainEvents
import ChainText
import Frames

/// The painter of a program's own row: its connection, its name, its counts, and a note.
struct ProgramPainter {
    let row: Int
    let columns: Columns
    let program: Program
    /// Nanoseconds since 1970.
    let wall: UInt64

    private struct Part {
        var text: String
        var style: Style
        /// The rank; parts with lower ranks get room first.
        var rank: Int
    }

    func paint(into painter: inout Painter) {
        let glyphs = painter.glyphs
        painter.frame.write(glyphs.link(of: program), row: row, column: Columns.glyph, style: linkStyle)
        painter.write(ProgramText.shortWord(program), row: row, in: columns.word, style: linkStyle)
        let (note, style) = note(glyphs)
        // The columns for thread, wait and run are empty in a program's row. So the name and counts extend over these
        // columns, to the age or the note, whichever comes first. Without a note, a name and counts that need the room
        // extend to the end of the row.
        let following = [columns.total, note.isEmpty ? ColumnSpan() : columns.value].filter {
            $0.isShown && $0.start > columns.node.start
        }
        var end = following.map { $0.start - 1 }.min() ?? columns.end
        let width = parts(glyphs).reduce(2 + TextWidth.of(glyphs.safe(program.shownName))) {
            $0 + 2 + TextWidth.of($1.text)
        }
        let needsAll = note.isEmpty && columns.node.start + width > end
        if needsAll { end = columns.end }
        paintNode(into: &painter, end: end)
        let isAgeCovered = needsAll && columns.total.start > columns.node.start
        if let age, !isAgeCovered {
            painter.write(age, row: row, in: columns.total, style: .number, isRightAligned: true)
        }
        painter.write(note, row: row, in: columns.value, style: style)
    }

    private var linkStyle: Style {
        switch program.connection {
        case .live: program.reading == nil ? .running : .dim
        case .lost: .warning
        case .ended, .absent, .replay: .dim
        }
    }

    private var age: String? {
        guard program.connection.isLive, let start = program.info?.startTime, start > 0 else { return nil }
        return DurationText.coarse(wall &- min(wall, start))
    }

    private func paintNode(into painter: inout Painter, end: Int) {
        let glyphs = painter.glyphs
        var column = columns.node.start
        if program.outline.rowCount > 0 {
            let marker = program.isFolded ? glyphs.folded : glyphs.unfolded
            painter.frame.write(marker, row: row, column: column, style: .guide)
        }
        column += 2
        let name = glyphs.safe(program.shownName)
        let nameWidth = min(glyphs.width(of: name), max(12, (end - column) / 2))
        let shown = partsThatFit(parts(glyphs), into: end - column - nameWidth, glyphs.charset)
        column += painter.frame.write(
            name, row: row, column: column, maxColumns: min(nameWidth, end - column), style: .label.bold,
            ellipsis: glyphs.ellipsis)
        for part in shown {
            column += 2
            column += painter.frame.write(
                part.text, row: row, column: column, maxColumns: end - column, style: part.style)
        }
    }

    /// Returns the parts that fit, in their order. The lowest ranks get room first; a part that is too wide is skipped.
    private func partsThatFit(_ parts: [Part], into room: Int, _ charset: Charset) -> [Part] {
        var rest = room
        var ranks: Set<Int> = []
        for part in parts.sorted(by: { $0.rank < $1.rank }) {
            let width = 2 + TextWidth.of(part.text, charset: charset)
            guard width <= rest else { continue }
            rest -= width
            ranks.insert(part.rank)
        }
        return parts.filter { ranks.contains($0.rank) }
    }

    /// The texts after the name; each is shown whole or not at all.
    private func parts(_ glyphs: Glyphs) -> [Part] {
        var parts: [Part] = []
        if let info = program.info { parts.append(Part(text: "\(info.pid)", style: .dim, rank: 6)) }
        guard program.hasCounts else { return parts }
        let load = program.shownLoad(wall: wall)
        let isClockStopped = program.isClockStopped
        func add(_ text: String, _ style: Style, rank: Int) {
            parts.append(Part(text: text, style: style, rank: rank))
        }
        add(
            "\(CountText.grouped(load.inFlight)) in flight", isClockStopped || load.inFlight == 0 ? .dim : .normal,
            rank: 1)
        if load.running > 0 {
            add("\(CountText.grouped(load.running)) running", isClockStopped ? .dim : .running, rank: 4)
        }
        if load.queued > 0 { add("\(CountText.grouped(load.queued)) queued", isClockStopped ? .dim : .queued, rank: 5) }
        if let failedLastMinute = program.failedLastMinute, failedLastMinute > 0 {
            add("\(CountText.grouped(failedLastMinute)) failed/min", .rejected, rank: 2)
        }
        if let oldest = load.oldestText(glyphs) { add("oldest \(oldest)", .number, rank: 3) }
        add(load.chainWords, .dim, rank: 7)
        let elsewhere = program.outline.elsewhereCount
        if elsewhere > 0 { add("\(CountText.grouped(elsewhere)) under callers", .dim, rank: 8) }
        return parts
    }

    /// Returns the text of the value column: the state of a connection that is not live, or a restart. Otherwise, the
    /// text has the lost events, and whether the program is read-only.
    private func note(_ glyphs: Glyphs) -> (text: String, style: Style) {
        switch program.connection {
        case .absent(let attempt, let failure): return (ProgramText.connecting(to: nil, attempt, failure), .dim)
        case .ended(let reason): return (reason, .dim)
        case .lost(let disconnection):
            let ago = DurationText.coarse(wall &- min(wall, disconnection.since))
            let retry = ProgramText.retry(disconnection, wall: wall, glyphs)
            return ("\(ago)\(disconnection.isSilence ? "" : " ago") \(glyphs.dot) \(retry)", .warning)
        case .replay(let position): return (ReplayTime.words(position), .dim)
        case .live: break
        }
        if let restart = ProgramText.restart(of: program, wall: wall) { return (restart, .warning) }
        var notes: [String] = []
        if let reading = program.reading { notes.append(ProgramText.words(reading)) }
        if program.lostCount > 0 { notes.append("\(CountText.grouped(program.lostCount)) lost") }
        if let limits = program.info.flatMap({ ProgramText.limits(of: $0) }) { notes.append(limits) }
        return (notes.joined(separator: " \(glyphs.dot) "), program.lostCount > 0 ? .warning : .dim)
    }
}

enum ProgramText {
    /// Returns what a viewer cannot do with a program, in a few words; nil if it can do everything.
    static func limits(of process: ProcessDescription) -> String? {
        process.isReadFromOutside ? "read from outside" : process.isReadOnly ? "read-only" : nil
    }

    /// Returns the state of a program's connection in one word, for a column.
    static func shortWord(_ program: Program) -> String {
        switch program.connection {
        case .live: program.reading == nil ? "live" : "reading"
        case .lost(let disconnection):
            disconnection.isSilence ? "silent" : disconnection.hasStopped ? "stopped" : "lost"
        case .ended: "ended"
        case .absent: "absent"
        case .replay(let position): position.isPast ? "past" : "replay"
        }
    }

    /// Returns the state of a program's connection for the header: `live`, `reading state 14,336 of 19,016`,
    /// `lost 12s ago`, `stopped 12s ago`, `no events for 12s`.
    static func word(_ program: Program, wall: UInt64) -> String {
        switch program.connection {
        case .live: program.reading.map(words) ?? shortWord(program)
        case .lost(let disconnection):
            disconnection.isSilence
                ? "no events for \(age(of: disconnection, wall))"
                : "\(shortWord(program)) \(age(of: disconnection, wall)) ago"
        case .absent(let attempt, _): "connecting" + (attempt > 1 ? " (attempt \(attempt))" : "")
        case .replay(let position): ReplayTime.words(position)
        case .ended: shortWord(program)
        }
    }

    /// Returns how much of a state has been read: `reading state 14,336 of 19,016`, `reading memory, 62 of 200 MB`.
    static func words(_ reading: StateArrival.Reading) -> String {
        if let memory = reading.memory, !reading.isRepeated {
            let (done, total) = (memory.done / 1_000_000, memory.total / 1_000_000)
            return
                "reading memory, \(CountText.grouped(Int(clamping: done))) of \(CountText.grouped(Int(clamping: total))) MB"
        }
        let verb = reading.isRepeated ? "rereading" : "reading"
        guard let total = reading.total else { return "\(verb) state, \(CountText.grouped(reading.count)) nodes" }
        // Nodes with many members come in several snapshots, and new nodes come meanwhile.
        return "\(verb) state \(CountText.grouped(min(reading.count, total))) of \(CountText.grouped(total))"
    }

    private static func age(of disconnection: Connection.Disconnection, _ wall: UInt64) -> String {
        DurationText.coarse(wall &- min(wall, disconnection.since))
    }

    /// Returns when the next attempt is, and the reason of a disconnection: `retry in 2s: connection refused`. For a
    /// silent program, returns the reason alone; for a stopped one, what it said and that its next run is awaited.
    static func retry(_ disconnection: Connection.Disconnection, wall: UInt64, _ glyphs: Glyphs) -> String {
        if disconnection.isSilence { return disconnection.reason }
        if disconnection.hasStopped { return "\(disconnection.reason); awaiting its next run" }
        // The time is rounded up, because the last second before the attempt is to show as 1s.
        let rest = disconnection.nextAttempt > wall ? (disconnection.nextAttempt - wall).addingClamped(999_999_999) : 0
        let retry = rest >= 1_000_000_000 ? "retry in \(DurationText.coarse(rest))" : "trying again"
        return disconnection.reason.isEmpty ? retry : "\(retry): \(disconnection.reason)"
    }

    /// Returns `connecting to checkout (attempt 3: no such program)`.
    static func connecting(to name: String?, _ attempt: Int, _ failure: String?) -> String {
        var text = "connecting" + (name.map { " to \($0)" } ?? "")
        if let failure, !failure.isEmpty {
            text += " (attempt \(attempt): \(failure))"
        } else if attempt > 1 {
            text += " (attempt \(attempt))"
        }
        return text
    }

    /// Returns `restarted 12s ago` for a minute after a restart; else nil.
    static func restart(of program: Program, wall: UInt64) -> String? {
        guard let restart = program.restart, restart.isShown(at: wall) else { return nil }
        return "restarted \(DurationText.coarse(wall &- min(wall, restart.time))) ago"
    }

    /// Returns a program as one line of text, for the clipboard.
    static func line(_ program: Program) -> String {
        var text = NodeText.safe(program.shownName)
        if let info = program.info { text += " \(info.pid)" }
        text += " " + (program.reading.map(words) ?? shortWord(program))
        guard program.hasCounts else { return text }
        let load = program.load
        return text + ": \(load.inFlight) in flight, \(load.running) running, \(load.queued) queued, "
            + (program.failedLastMinute.map { "\($0) failed/min, " } ?? "")
            + load.chainWords + (load.hasUnknownFailures ? "" : ", \(load.failedCount) failed")
    }
}

extension Glyphs {
    /// Returns the glyph of the state of a program's connection.
    func link(of program: Program) -> String {
        program.reading == nil ? connection(program.connection) : waiting
    }

    /// Returns the glyph of a connection's state.
    func connection(_ connection: Connection) -> String {
        switch connection {
        case .live: live
        case .lost(let disconnection): disconnection.hasStopped ? pending : lost
        case .ended: pending
        case .absent: waiting
        case .replay(let position): position.isPlaying ? live : frozen
        }
    }
}
