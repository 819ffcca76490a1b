// SPDX-License-Identifier: MIT

import Frames

/// Durations as text. The texts for a column take at most ``width`` cells, and have so few digits that a duration that
/// still grows does not flicker.
package enum DurationText {
    /// The number of cells of the widest text.
    package static let width = 7

    private static let millisecond: UInt64 = 1_000_000
    private static let second: UInt64 = 1_000_000_000

    /// Returns a final duration, given in nanoseconds, with two or three digits below a minute.
    package static func settled(_ duration: UInt64) -> String {
        switch duration {
        case ..<(10 * millisecond): return decimal(duration, unit: millisecond, digits: 1) + "ms"
        case ..<second: return "\(duration / millisecond)ms"
        case ..<(10 * second): return decimal(duration, unit: second, digits: 2) + "s"
        case ..<(60 * second): return decimal(duration, unit: second, digits: 1) + "s"
        default: return long(duration)
        }
    }

    /// Returns a duration that still grows, given in nanoseconds. The smallest unit is a tenth of a second below ten
    /// seconds, and a second below an hour. It is a minute below a day, then an hour.
    package static func running(_ duration: UInt64) -> String {
        switch duration {
        case ..<(10 * second): return decimal(duration, unit: second, digits: 1) + "s"
        case ..<(60 * second): return "\(duration / second)s"
        default: return long(duration)
        }
    }

    /// Returns the text of a duration, if it is a lower bound with a sign: `≥ 12s`. Fits in ``width`` cells, as the text
    /// does.
    package static func atLeast(_ text: String, _ glyphs: Glyphs, if isLowerBound: Bool = true) -> String {
        guard isLowerBound, !text.isEmpty else { return text }
        let texts = ["\(glyphs.atLeast) ", glyphs.atLeast, ">"].map { $0 + text }
        return texts.first { $0.count <= width } ?? text
    }

    /// Returns an age, given in nanoseconds, in whole seconds, minutes, hours or days.
    package static func coarse(_ duration: UInt64) -> String {
        duration < 60 * second ? "\(duration / second)s" : long(duration)
    }

    /// Returns a duration down to at least the unit that `resolution` needs (hours, minutes or seconds), both in
    /// nanoseconds. With a resolution of ten minutes, a text is for example `1d02h05m`. May be wider than ``width``.
    package static func exact(_ duration: UInt64, resolution: UInt64) -> String {
        let seconds = duration / second
        guard seconds >= 3_600 else { return coarse(duration) }
        var text = seconds < 86_400 ? "" : "\(seconds / 86_400)d"
        text += text.isEmpty ? "\(seconds / 3_600)h" : "\(twoDigits(seconds / 3_600 % 24))h"
        if seconds < 86_400 || resolution < 3_600 * second { text += "\(twoDigits(seconds / 60 % 60))m" }
        return resolution < 60 * second ? text + "\(twoDigits(seconds % 60))s" : text
    }

    /// Returns a number that changes whenever the text of ``running(_:)`` changes. From an hour on, the number changes
    /// each second, but the text changes less often.
    package static func step(_ duration: UInt64) -> UInt64 {
        duration < 10 * second ? duration / (100 * millisecond) : 100 + duration / second
    }

    private static func long(_ duration: UInt64) -> String {
        let seconds = duration / second
        switch seconds {
        case ..<3_600: return "\(seconds / 60)m\(twoDigits(seconds % 60))s"
        case ..<86_400: return "\(seconds / 3_600)h\(twoDigits(seconds / 60 % 60))m"
        case ..<(1_000 * 86_400): return "\(seconds / 86_400)d\(twoDigits(seconds / 3_600 % 24))h"
        default: return ">999d"
        }
    }

    /// Returns a duration in `unit`, with one, two or three digits after the point; truncated, so that a clock never
    /// shows a moment that is still to come.
    package static func decimal(_ duration: UInt64, unit: UInt64, digits: Int) -> String {
        let (whole, rest) = duration.quotientAndRemainder(dividingBy: unit)
        switch digits {
        case 1: return "\(whole).\(rest * 10 / unit)"
        case 2: return "\(whole).\(twoDigits(rest * 100 / unit))"
        default:
            let part = rest * 1_000 / unit
            return "\(whole).\(part < 100 ? "0" : "")\(twoDigits(part))"
        }
    }

    private static func twoDigits(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
