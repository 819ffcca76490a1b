/// Durations as they stand in a column: at most seven cells, and never two forms that differ in width from one tenth of
/// a second to the next.
enum DurationText {
    /// The widest text that ``settled(_:)`` and ``running(_:)`` give.
    static let width = 7

    private static let millisecond: UInt64 = 1_000_000
    private static let second: UInt64 = 1_000_000_000

    /// A duration that will not change any more, in nanoseconds: three digits say enough.
    static func settled(_ duration: UInt64) -> String {
        switch duration {
        case ..<(10 * millisecond): return decimal(duration, unit: millisecond, digits: 1) + "ms"
        case ..<second: return "\(duration / millisecond)ms"
        case ..<(10 * second): return decimal(duration, unit: second, digits: 2) + "s"
        case ..<(60 * second): return decimal(duration, unit: second, digits: 1) + "s"
        default: return long(duration)
        }
    }

    /// A duration that still grows, in nanoseconds: tenths under ten seconds, else whole seconds.
    static func running(_ duration: UInt64) -> String {
        switch duration {
        case ..<(10 * second): return decimal(duration, unit: second, digits: 1) + "s"
        case ..<(60 * second): return "\(duration / second)s"
        default: return long(duration)
        }
    }

    /// A duration in whole seconds, minutes, hours or days: how long ago something was.
    static func coarse(_ duration: UInt64) -> String {
        duration < 60 * second ? "\(duration / second)s" : long(duration)
    }

    /// What ``running(_:)`` shows changes only when this number does.
    static func step(_ duration: UInt64) -> UInt64 {
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

    /// One digit after the point, two or three: truncated, so that a clock never shows a moment that has not come yet.
    static func decimal(_ duration: UInt64, unit: UInt64, digits: Int) -> String {
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

/// Counts and rates for the header.
enum CountText {
    /// A count with a comma at each thousand: `12,408`.
    static func grouped(_ count: Int) -> String {
        var digits = Array(String(count.magnitude))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return (count < 0 ? "-" : "") + String(digits)
    }

    /// A rate in few cells: `0`, `87`, `1.2k`, `48k`, `1.3M`.
    static func short(_ count: Int) -> String {
        switch count {
        case ..<1_000: return "\(count)"
        case ..<10_000: return "\(count / 1_000).\(count % 1_000 / 100)k"
        case ..<1_000_000: return "\(count / 1_000)k"
        case ..<10_000_000: return "\(count / 1_000_000).\(count % 1_000_000 / 100_000)M"
        default: return "\(count / 1_000_000)M"
        }
    }
}

/// Times of day, in UTC plus an offset that the caller knows: this target has no clock and no calendar.
enum ClockText {
    /// `12:04`.
    static func minutes(_ wall: UInt64, offset: Int) -> String {
        let day = secondOfDay(wall, offset)
        return "\(pad(day / 3_600)):\(pad(day / 60 % 60))"
    }

    /// `12:04:31`.
    static func seconds(_ wall: UInt64, offset: Int) -> String {
        minutes(wall, offset: offset) + ":" + pad(secondOfDay(wall, offset) % 60)
    }

    /// `12:04:31.102`.
    static func milliseconds(_ wall: UInt64, offset: Int) -> String {
        let thousandths = Int(wall / 1_000_000 % 1_000)
        let filler = thousandths < 10 ? "00" : thousandths < 100 ? "0" : ""
        return seconds(wall, offset: offset) + ".\(filler)\(thousandths)"
    }

    private static func secondOfDay(_ wall: UInt64, _ offset: Int) -> Int {
        let seconds = (Int(clamping: wall / 1_000_000_000) + offset) % 86_400
        return seconds < 0 ? seconds + 86_400 : seconds
    }

    private static func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
