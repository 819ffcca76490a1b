// SPDX-License-Identifier: MIT

import ChainEvents
import ChainText

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
