import ChainEvents
import ChainText

// A dashboard that shows a recording. Its time is that of the recording: ticks bring the time of day of the moment that
// is shown.
extension State {
    /// Whether a recording is shown.
    public var isReplaying: Bool { replayPosition != nil }

    var replayPosition: ReplayPosition? { replayedProgram?.connection.replay }

    /// The first program that is shown at a moment: moments are named by its clock.
    var replayedProgram: Program? {
        programs.firstIndex { $0.connection.replay != nil }.map { programs[$0] }
    }

    /// Applies what leads to another moment of a recording.
    mutating func replay(_ source: SourceID, _ step: ReplayStep) {
        if step.position.isPast, lookingBack == nil { lookBack() }
        let programIndex = addedProgramIndex(for: source, name: step.process.name)
        let isFresh = step.isFresh || programs[programIndex].info?.key != step.process.key
        if isFresh {
            programs[programIndex].keepChoices()
            programs[programIndex].begin(step.process, options)
            applySettings(to: programIndex)
        }
        var position = step.position
        position.behind = distance(behind: source, position)
        programs[programIndex].show(position)
        for batch in step.batches { programs[programIndex].receive(batch, frozenLimit: .max) }
        // What led there did not happen in this second.
        if isFresh { programs[programIndex].rate = RateMeter() }
        follow()
        if isFresh {
            programs[programIndex].restoreChoices()
            divideTags()
        } else if programs[programIndex].restoreArrivals() {
            divideTags()
        }
        updateViewport()
    }

    /// Gives a program that begins anew what the user has set.
    mutating func applySettings(to programIndex: Int) {
        programs[programIndex].setFilter(filter)
        programs[programIndex].alertWatches.removeAll()
        // What is past does not ring.
        if lookingBack == nil { for alert in alerts { programs[programIndex].setAlert(alert) } }
        programs[programIndex].setInitialFolds(initialFolds)
        programs[programIndex].setOrder(order)
    }

    /// Asks for another moment, where a recording is shown.
    mutating func replay(_ command: ReplayCommand) -> [Effect] {
        if let source = replayedProgram?.source { return [.replay(source, command)] }
        guard options.keepsHistory else {
            return refuse("only a recording has other moments: chainview record makes one, chainview replay shows it")
        }
        guard let programIndex = programs.indices.first(where: { programs[$0].isReached }) else {
            return refuse("there is no past yet")
        }
        // A picture that stands still is left for the past of now.
        return (isFrozen ? toggleFreeze() : []) + [.replay(programs[programIndex].source, command)]
    }

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

    /// `:at`. A moment goes before a mark with such a name, which the list of marks leads to.
    mutating func seek(_ words: CommandWords) throws(Typing.Problem) -> [Effect] {
        let isMoment = ReplayTime.isMoment(words.rest)
        if replayPosition ?? presentPosition != nil, !isMoment,
            let mark = timeStrip.marks.first(where: { $0.name == words.rest })
        {
            return replay(.seek(mark.time))
        }
        let word = try words.one("say when: " + ReplayTime.forms)
        guard let position = replayPosition ?? presentPosition else {
            throw Typing.Problem(text: "only a recording has other moments", range: word.range)
        }
        guard isMoment, let process = (replayedProgram ?? programs.first { $0.isReached })?.info,
            let moment = ReplayMoment.time(word.text, at: position, of: process, clockOffset: options.clockOffset)
        else {
            throw Typing.Problem(text: "no moment: " + ReplayTime.forms, range: word.range)
        }
        return replay(.seek(moment))
    }
}

/// Moments of a recording as typed.
public enum ReplayMoment {
    /// What can be typed.
    public static let forms = ReplayTime.forms

    /// The moment that a text means, in nanoseconds of the program's clock; nil where it means none.
    ///
    /// - Parameter clockOffset: seconds to add to UTC for times of day.
    public static func time(
        _ text: String, at position: ReplayPosition, of process: ProcessDescription, clockOffset: Int
    ) -> UInt64? {
        let offset = process.wallOffset &+ UInt64(bitPattern: Int64(clockOffset) * 1_000_000_000)
        return ReplayTime.moment(text, at: position, wallOffset: offset)
    }
}

/// Moments of a recording as typed and shown.
enum ReplayTime {
    static let forms = "12:04:31.2, 90s from the beginning, +5s, -5s, start or end"
    private static let second: UInt64 = 1_000_000_000

    /// The moment that a text means, in nanoseconds of the program's clock; nil where it means none.
    ///
    /// - Parameter wallOffset: what to add to a moment to get nanoseconds of the day's time that the user sees.
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

    /// Whether a text means a moment, whichever recording it is of.
    static func isMoment(_ text: String) -> Bool {
        moment(text, at: ReplayPosition(time: 0, range: 0...0), wallOffset: 0) != nil
    }

    /// Nanoseconds since midnight of `12:04` or `12:04:31.25`.
    private static func timeOfDay(_ text: String) -> UInt64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hours = UInt64(parts[0]), let minutes = UInt64(parts[1]), hours < 24,
            minutes < 60, let seconds = parts.count == 3 ? Double(parts[2]) : 0, (0..<60).contains(seconds)
        else { return nil }
        return (hours * 3_600 + minutes * 60) * second + UInt64(seconds * 1e9)
    }

    /// The moment with a time of day that is nearest to the one shown.
    private static func nearest(_ time: UInt64, to position: ReplayPosition, _ wallOffset: UInt64) -> UInt64 {
        let day = 86_400 * second
        let shown = position.time &+ wallOffset
        let wanted = (shown - shown % day).addingClamped(time)
        let candidates = [wanted.subtractingClamped(day), wanted, wanted.addingClamped(day)]
        let nearest = candidates.min { distance($0, shown) < distance($1, shown) } ?? wanted
        return nearest.subtractingClamped(wallOffset)
    }

    private static func distance(_ one: UInt64, _ other: UInt64) -> UInt64 { max(one, other) - min(one, other) }

    /// `90s`, `1.5m`, `500ms`; a bare number is seconds.
    private static func length(_ text: String) -> UInt64? {
        let units: [(String, Double)] = [
            ("ms", 1e6), ("us", 1e3), ("ns", 1), ("s", 1e9), ("m", 60e9), ("h", 3_600e9), ("", 1e9),
        ]
        for (suffix, size) in units where text.hasSuffix(suffix) {
            guard let number = Double(text.dropLast(suffix.count)), number >= 0, number * size < 1e18 else {
                return nil
            }
            return UInt64(number * size)
        }
        return nil
    }

    /// The moment in the header: `12.3s of 2m00s`, and the speed.
    static func words(_ position: ReplayPosition) -> String {
        let state = position.isPlaying ? "playing" : "paused"
        let (passed, whole) = (
            position.time - position.range.lowerBound, position.range.upperBound - position.range.lowerBound
        )
        let speed =
            position.speed == 1 ? "" : " \(position.speed >= 1 ? "\(Int(position.speed))" : "\(position.speed)")x"
        if position.isPast { return "\(state)\(speed), \(tenths(position.behind)) behind" }
        return "\(state)\(speed) at \(exact(passed)) of \(exact(whole))"
    }

    /// `12.4s`, `2m03.4s`.
    private static func tenths(_ time: UInt64) -> String { String(exact(time).dropLast(3)) + "s" }

    /// `12.345s`, `2m03.456s`.
    static func exact(_ time: UInt64) -> String {
        let seconds = DurationText.decimal(time % (60 * second), unit: second, digits: 3) + "s"
        guard time >= 60 * second else { return seconds }
        return "\(time / (60 * second))m\(time % (60 * second) < 10 * second ? "0" : "")\(seconds)"
    }
}
