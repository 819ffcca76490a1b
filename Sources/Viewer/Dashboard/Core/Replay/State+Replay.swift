// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRows
import ChainText
import Frames

// A dashboard that shows a recording, or the past of live programs. Its time is that of the recording: each tick
// carries the time of day of the shown moment.
extension State {
    /// Whether a recording, or the past of live programs, is shown.
    package var isReplaying: Bool { replayPosition != nil }

    /// The position of the recording or past that is shown; nil for live programs.
    var replayPosition: ReplayPosition? { replayedProgram?.connection.replay }

    /// The first program that is shown at a moment of a recording; the moments of all programs are those of its clock.
    var replayedProgram: Program? {
        world.programs.firstIndex { $0.connection.replay != nil }.map { world.programs[$0] }
    }

    /// Applies a step to another moment of a recording.
    mutating func replay(_ source: SourceID, _ step: ReplayStep) {
        if step.position.isPast, lookingBack == nil { lookBack() }
        let programIndex = world.addedProgramIndex(for: source, name: step.process.name)
        let isFresh = step.isFresh || world.programs[programIndex].info?.key != step.process.key
        if isFresh {
            // If the run is the same, it keeps its initial folds: call sites that the user has added to them since the
            // run began are for later runs.
            let isSameRun = world.programs[programIndex].info?.key == step.process.key
            let initialFolds = isSameRun ? world.programs[programIndex].initialFolds : self.initialFolds
            world.programs[programIndex].keepChoices()
            world.programs[programIndex].begin(step.process, options)
            world.programs[programIndex].apply(settings)
            world.programs[programIndex].initialFolds = initialFolds
        }
        var position = step.position
        position.behind = distance(behind: source, position)
        world.programs[programIndex].show(position)
        for batch in step.batches { world.programs[programIndex].receive(batch, frozenLimit: .max) }
        // The events of a jump did not happen within the present second, so they do not count in the rate.
        if isFresh {
            world.programs[programIndex].rate = RateMeter()
            world.programs[programIndex].stateArrival.finish()
        }
        applyForestChanges()
        if isFresh {
            world.programs[programIndex].restoreChoices()
        } else {
            world.programs[programIndex].restoreArrivals()
        }
        if isFresh { updateRowsAnew() } else { updateViewport() }
    }

    /// Makes the rows of all views anew. With a new forest the numbers of events, threads and warnings and the counts
    /// of call sites start again. So they may equal the numbers from which the old rows were made.
    mutating func updateRowsAnew() {
        forgetRows()
        // The call sites are counted before the rows are made, because the rows show the counts.
        updateInsightDemand()
        updateViewport()
    }

    /// What is applied to a program with a new forest.
    var settings: ProgramSettings {
        ProgramSettings(filter: filter, alerts: alerts.all, initialFolds: initialFolds, order: tree.order)
    }

    /// Passes a command on to the recording that is shown, or to the past of live programs; refuses the command if
    /// there is neither. Gives up a sought baseline.
    mutating func replay(_ command: ReplayCommand) -> [Effect] {
        soughtBaseline = nil
        if let source = replayedProgram?.source { return [.replay(source, command)] }
        guard options.keepsHistory else {
            return refuse("only a recording has other moments: chainview record makes one, chainview replay shows it")
        }
        guard let programIndex = world.programs.indices.first(where: { world.programs[$0].wasReached }) else {
            return refuse("there is no past yet")
        }
        let source = world.programs[programIndex].source
        switch command {
        // A frozen picture is marked at the moment that it shows.
        case .mark(let name, nil) where isFrozen:
            return [.replay(source, .mark(name, at: world.programs[programIndex].shownNow))]
        case .mark, .unmark: return [.replay(source, command)]
        // The past is looked at from the present, so a frozen picture resumes first.
        default: return (isFrozen ? toggleFreeze() : []) + [.replay(source, command)]
        }
    }

    /// Returns the command of a key for recordings; nil for other intents.
    static func replayCommand(of intent: Intent) -> ReplayCommand? {
        switch intent {
        case .play: .togglePlaying
        case .playFaster: .faster
        case .playSlower: .slower
        case .nextEvent: .nextEvent
        case .previousEvent: .previousEvent
        case .nextNotable: .nextNotable
        case .previousNotable: .previousNotable
        case .mark: .mark(nil)
        case .now: .seek(.max)
        case .secondOn: .move(1_000_000_000)
        case .secondBack: .move(-1_000_000_000)
        default: nil
        }
    }

    /// Performs `:at`. The argument may have blanks, as a mark's name may. A text that is a moment never means a mark
    /// of that name; such a mark is reached from the list of marks.
    mutating func seek(_ words: CommandWords) throws(Typing.Problem) -> [Effect] {
        let text = words.rest
        guard !text.isEmpty else { throw words.missing("say when: " + ReplayTime.forms) }
        let range = words.argumentStart..<words.argumentStart + text.count
        guard let position = replayPosition ?? presentPosition else {
            throw Typing.Problem(text: "only a recording has other moments", range: range)
        }
        let isMoment = ReplayTime.isMoment(text)
        if !isMoment, let mark = timeStrip.marks.first(where: { $0.name == text }) { return replay(.seek(mark.time)) }
        if !isReplaying, ReplayTime.isSinceStart(text) {
            throw Typing.Problem(
                text: "a live program has no beginning here: say -\(text) or a time of day", range: range)
        }
        // The past has grown since its end was last read, and its end is the present.
        if position.isPast, text.lowercased() == "end" { return replay(.seek(.max)) }
        guard isMoment, let process = (replayedProgram ?? world.programs.first { $0.wasReached })?.info,
            let moment = ReplayMoment.time(text, at: position, of: process, clockOffset: options.clockOffset)
        else {
            throw Typing.Problem(text: "no moment and no mark of that name: " + ReplayTime.forms, range: range)
        }
        return replay(.seek(moment))
    }
}

/// What the user has set for all programs.
struct ProgramSettings {
    let filter: Filter
    let alerts: [Alert]
    let initialFolds: InitialFolds
    let order: TreeOrder
}

extension Program {
    /// Applies what the user has set to a new forest.
    mutating func apply(_ settings: ProgramSettings) {
        setFilter(settings.filter)
        alertWatches.removeAll()
        // Alerts do not ring for the past of live programs.
        if connection.replay?.isPast != true { for alert in settings.alerts { setAlert(alert) } }
        setInitialFolds(settings.initialFolds)
        setOrder(settings.order)
    }
}

/// The parser of typed moments of a recording, for use outside the dashboard.
package enum ReplayMoment {
    /// The forms that can be typed, for messages; the commands take the names of marks, too.
    package static let forms = ReplayTime.forms + ", or the name of a mark"

    /// Returns the moment that a text means, in nanoseconds of the program's clock; nil if it means none.
    ///
    /// - Parameter clockOffset: seconds to add to UTC for times of day.
    package static func time(
        _ text: String, at position: ReplayPosition, of process: ProcessDescription, clockOffset: Int
    ) -> UInt64? {
        let offset = process.wallOffset &+ UInt64(bitPattern: Int64(clockOffset) * 1_000_000_000)
        return ReplayTime.moment(text, at: position, wallOffset: offset)
    }
}

/// Parsing and formatting of moments of a recording.
enum ReplayTime {
    static let forms = "12:04:31.2, 90s from the beginning, +5s, -5s, start or end"
    private static let second: UInt64 = 1_000_000_000

    /// Returns the moment that a text means, in nanoseconds of the program's clock; nil if it means none.
    ///
    /// - Parameter wallOffset: the offset to add to a moment to get the time of day that the user sees, in nanoseconds.
    static func moment(_ text: String, at position: ReplayPosition, wallOffset: UInt64) -> UInt64? {
        let range = position.range
        switch text.lowercased() {
        case "start": return range.lowerBound
        case "end": return range.upperBound
        default: break
        }
        if text.contains(":") { return timeOfDay(text).map { nearest($0, to: position, wallOffset) } }
        let sign = text.first.flatMap { "+-".contains($0) ? $0 : nil }
        guard let length = length(sign == nil ? text : String(text.dropFirst())) else { return nil }
        switch sign {
        case "+": return position.time.addingClamped(length)
        case "-": return position.time.subtractingClamped(length)
        default: return range.lowerBound.addingClamped(length)
        }
    }

    /// Returns whether a text means a moment in any recording.
    static func isMoment(_ text: String) -> Bool {
        moment(text, at: ReplayPosition(time: 0, range: 0...0), wallOffset: 0) != nil
    }

    /// Returns whether a text means a moment by its distance from the beginning of a recording.
    static func isSinceStart(_ text: String) -> Bool { length(text) != nil }

    /// Parses a time of day, such as `12:04` or `12:04:31.25`, as nanoseconds since midnight.
    private static func timeOfDay(_ text: String) -> UInt64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hours = UInt64(digits: parts[0]), hours < 24,
            let minutes = UInt64(digits: parts[1]), minutes < 60,
            let seconds = parts.count == 3 ? Double(decimal: parts[2]) : 0, seconds < 60
        else { return nil }
        return (hours * 3_600 + minutes * 60) * second + UInt64(seconds * 1e9)
    }

    /// Returns the moment with a time of day, in nanoseconds since midnight. The candidates are that time on the day of
    /// the shown moment, on the day before and on the day after. A recorded candidate is returned, or else the
    /// candidate nearest to what was recorded. Of several recorded candidates, the candidate nearest to the shown
    /// moment is returned.
    private static func nearest(_ time: UInt64, to position: ReplayPosition, _ wallOffset: UInt64) -> UInt64 {
        let day = 86_400 * second
        let shown = position.time &+ wallOffset
        let wanted = (shown - shown % day).addingClamped(time)
        let candidates = [wanted.subtractingClamped(day), wanted, wanted.addingClamped(day)]
        let first = position.range.lowerBound &+ wallOffset
        let last = position.range.upperBound &+ wallOffset
        // The range of a live program says nothing about the past that is kept; a time that is still to come means the
        // present.
        let isLive = position.isPast && position.range.lowerBound == 0
        func unrecorded(_ moment: UInt64) -> UInt64 {
            isLive ? 0 : max(first.subtractingClamped(moment), moment.subtractingClamped(last))
        }
        let nearest = candidates.min {
            (unrecorded($0), distance($0, shown)) < (unrecorded($1), distance($1, shown))
        }
        return (nearest ?? wanted).subtractingClamped(wallOffset)
    }

    private static func distance(_ one: UInt64, _ other: UInt64) -> UInt64 { max(one, other) - min(one, other) }

    /// Parses a duration such as `90s`, `1.5m` or `500ms` as nanoseconds; a number without a unit is seconds.
    private static func length(_ text: String) -> UInt64? {
        let units: [(name: String, size: Double)] = [
            ("ms", 1e6), ("us", 1e3), ("ns", 1), ("s", 1e9), ("m", 60e9), ("h", 3_600e9), ("", 1e9),
        ]
        return Double(decimal: text, units: units, below: 1e18).map { UInt64($0) }
    }

    /// Describes a position for the header: `playing 2x at 12.345s of 2m00.000s`; in the past of live programs
    /// `paused, 12.4s behind`.
    static func words(_ position: ReplayPosition) -> String {
        let state = position.isPlaying ? "playing" : "paused"
        // The moment may have left the past that is kept.
        let passed = position.time.subtractingClamped(position.range.lowerBound)
        let whole = position.range.upperBound - position.range.lowerBound
        let speed =
            position.speed == 1 ? "" : " \(position.speed >= 1 ? "\(Int(position.speed))" : "\(position.speed)")x"
        if position.isPast { return "\(state)\(speed), \(tenths(position.behind)) behind" }
        return "\(state)\(speed) at \(exact(passed)) of \(exact(whole))"
    }

    /// Formats a duration in nanoseconds: `12.4s`, `2m03.4s`.
    private static func tenths(_ time: UInt64) -> String { String(exact(time).dropLast(3)) + "s" }

    /// Formats a duration in nanoseconds: `12.345s`, `2m03.456s`.
    static func exact(_ time: UInt64) -> String {
        let seconds = DurationText.decimal(time % (60 * second), unit: second, digits: 3) + "s"
        guard time >= 60 * second else { return seconds }
        return "\(time / (60 * second))m\(time % (60 * second) < 10 * second ? "0" : "")\(seconds)"
    }
}

extension State {
    // MARK: The time strip

    /// Updates the columns of the time strip to the recording's range and the strip's width.
    mutating func updateTimeStrip(_ layout: Layout) {
        guard let strip = layout.strip, let position = replayPosition else { return }
        timeStrip.update(range: position.range, width: TimeStripLayout(columns: strip.columns).width)
    }

    /// Moves to the moment of the column that is clicked in the strip, or to which the pointer is dragged. Returns nil
    /// for other actions of the mouse.
    mutating func dragTime(_ mouse: Mouse, _ layout: Layout) -> [Effect]? {
        guard let strip = layout.strip, let position = replayPosition else {
            isDraggingStrip = false
            return nil
        }
        switch mouse.action {
        case .press:
            isDraggingStrip = mouse.button == .left && strip.contains(row: mouse.row, column: mouse.column)
            guard isDraggingStrip else { return nil }
        case .drag where isDraggingStrip: break
        case .release where isDraggingStrip:
            isDraggingStrip = false
            return []
        default: return nil
        }
        let columns = TimeStripLayout(columns: strip.columns)
        let column = min(max(0, mouse.column - columns.start), columns.width - 1)
        // A drag back to the shown column is performed, too, because it undoes an earlier drag that is not shown yet.
        let shown = TimeStrip.column(of: position.time, in: position.range, columns.width)
        guard mouse.action == .drag || column != shown else { return [] }
        return replay(.scrub(TimeStrip.moment(of: column, in: position.range, columns.width)))
    }

    // MARK: Marks

    /// Performs `:mark`, `:unmark` or `:marks`.
    mutating func perform(
        marking name: CommandTable.Name, _ words: CommandWords
    ) throws(Typing.Problem) -> [Effect] {
        guard replayPosition ?? presentPosition != nil else {
            throw Typing.Problem(text: "only moments of a recording have marks", range: words.words[0].range)
        }
        switch name {
        case .mark:
            guard words.rest.isEmpty || !ReplayTime.isMoment(words.rest) else {
                throw Typing.Problem(
                    text: "\(words.rest) is a moment itself: choose another name", range: words.words[1].range)
            }
            return replay(.mark(words.rest.isEmpty ? nil : words.rest))
        case .unmark:
            guard !words.rest.isEmpty else { throw words.missing("say which mark; :marks lists them") }
            return replay(.unmark(words.rest))
        default:
            try words.noMore(than: 0)
            listMarks()
            return []
        }
    }
}
