// SPDX-License-Identifier: MIT

import ChainEvents
import ChainText

/// The stretch of time on the screen: linear, in nanoseconds since 1970, so that all programs share it.
struct TimeAxis: Hashable {
    /// The moment at which the first column begins.
    var left: UInt64
    /// Nanoseconds for each column.
    var scale: UInt64
    var columns: Int

    var right: UInt64 { left.addingClamped(scale.multipliedClamped(by: UInt64(max(0, columns)))) }

    /// Returns the column of a moment; it may be negative, or beyond the last column.
    func column(of time: UInt64) -> Int {
        time >= left
            ? Int(clamping: (time - left) / scale)
            : -1 - Int(clamping: min(UInt64(Int.max) - 1, (left - time - 1) / scale))
    }

    // MARK: Scales

    /// The scales that zooming selects: 1, 2, 5, 10, … microseconds per column, up to some hours.
    static let scales: [UInt64] = {
        var scales: [UInt64] = []
        var decade: UInt64 = 1_000
        while decade <= 10_000_000_000_000 {
            scales += [decade, 2 * decade, 5 * decade]
            decade *= 10
        }
        return scales
    }()

    /// Returns the scale at which a duration fills `columns` columns, but at least a microsecond per column. With
    /// `inSteps`, the scale is rounded up by a tenth at most, so that the scale of a growing duration changes rarely.
    static func scale(filling duration: UInt64, columns: Int, inSteps: Bool = false) -> UInt64 {
        let columns = UInt64(max(1, columns))
        let exact = max(scales[0], duration / columns + (duration % columns == 0 ? 0 : 1))
        guard inSteps else { return exact }
        var unit: UInt64 = 1
        while exact / unit >= 100 { unit *= 10 }
        let leading = exact / unit
        let step = unit * (leading < 20 ? 1 : leading < 50 ? 2 : 5)
        let rest = exact % step
        return rest == 0 ? exact : (exact - rest).addingClamped(step)
    }

    // MARK: Ticks

    private static let second: UInt64 = 1_000_000_000

    /// Distances of ticks: 1, 2, 5, 10, … microseconds up to 20 seconds, then parts and multiples of minutes, hours and
    /// days.
    private static let distances: [UInt64] = {
        let short = scales.filter { $0 <= 20 * second }
        let long: [UInt64] = [30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 864_000, 8_640_000]
        return short + long.map { $0 * second }
    }()

    /// Returns the shortest distance at which ticks are at least `columnsApart` columns apart; if there is none, the
    /// longest distance.
    func tickDistance(columnsApart: Int) -> UInt64 {
        Self.distances.first { $0 >= scale.multipliedClamped(by: UInt64(columnsApart)) }
            ?? Self.distances[Self.distances.count - 1]
    }

    /// Returns the moments of the ticks on the screen, at most 500; ticks are multiples of `distance` after `origin`.
    func ticks(every distance: UInt64, from origin: UInt64) -> [UInt64] {
        let skipped = left > origin ? (left - origin - 1) / distance + 1 : 0
        var tick = origin &+ skipped &* distance
        var ticks: [UInt64] = []
        while tick < right, tick >= left, ticks.count < 500 {
            ticks.append(tick)
            tick = tick.addingClamped(distance)
        }
        return ticks
    }

    /// Returns the label of a tick, given its time since the origin, with as many digits or units as `distance` needs:
    /// labels of neighbouring ticks differ.
    static func label(_ duration: UInt64, distance: UInt64) -> String {
        let millisecond: UInt64 = 1_000_000
        if duration == 0 { return "0" }
        if distance >= second {
            return DurationText.exact(duration, resolution: distance)
        }
        if duration >= second, distance >= millisecond {
            let digits = distance >= 100 * millisecond ? 1 : distance >= 10 * millisecond ? 2 : 3
            return DurationText.decimal(duration, unit: second, digits: digits) + "s"
        }
        if distance >= millisecond { return "\(duration / millisecond)ms" }
        let digits = distance >= 100_000 ? 1 : distance >= 10_000 ? 2 : 3
        return DurationText.decimal(duration, unit: millisecond, digits: digits) + "ms"
    }
}
