// SPDX-License-Identifier: MIT

/// Times of day as text, in UTC plus the caller's offset in seconds; `wall` is nanoseconds since 1970.
package enum ClockText {
    /// Returns hours and minutes: `12:04`.
    package static func minutes(_ wall: UInt64, offset: Int) -> String {
        let day = secondOfDay(wall, offset)
        return "\(pad(day / 3_600)):\(pad(day / 60 % 60))"
    }

    /// Returns hours to seconds: `12:04:31`.
    package static func seconds(_ wall: UInt64, offset: Int) -> String {
        minutes(wall, offset: offset) + ":" + pad(secondOfDay(wall, offset) % 60)
    }

    /// Returns hours to milliseconds: `12:04:31.102`.
    package static func milliseconds(_ wall: UInt64, offset: Int) -> String {
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
