// SPDX-License-Identifier: MIT

import ChainText

// The moments of a program's clock as text.
extension Program {
    /// Whether the program's clock has a relation to the time of day. A virtual clock has none.
    var hasTimeOfDay: Bool { wallOffset != 0 }

    /// The moment from which times count if there is no time of day, in nanoseconds of the program's clock: the
    /// beginning of the recording, or the start of a live program's clock, also while its past is shown.
    var beginning: UInt64 { connection.replay.flatMap { $0.isPast ? nil : $0.range.lowerBound } ?? 0 }

    /// Returns a moment of the program's clock as text, to the second or to the millisecond: the time of day, or, if
    /// there is none, the time since the ``beginning``, which is negative for earlier moments, and from an hour on to
    /// the minute.
    ///
    /// - Parameter clockOffset: seconds to add to UTC for times of day.
    func timeText(_ moment: UInt64, clockOffset: Int, hasMilliseconds: Bool = false) -> String {
        guard hasTimeOfDay else {
            let (start, isEarlier) = (beginning, moment < beginning)
            let distance = isEarlier ? start - moment : moment - start
            let text = hasMilliseconds ? ReplayTime.exact(distance) : DurationText.coarse(distance)
            return (isEarlier ? "-" : "") + text
        }
        let wall = moment &+ wallOffset
        return hasMilliseconds
            ? ClockText.milliseconds(wall, offset: clockOffset) : ClockText.seconds(wall, offset: clockOffset)
    }
}

extension [Program] {
    /// The ``Program/beginning`` of the first reached program if no reached program has a time of day; otherwise nil.
    var commonBeginning: UInt64? {
        var first: UInt64?
        // This is a loop, because a closure would copy each program.
        for programIndex in indices where self[programIndex].wasReached {
            guard !self[programIndex].hasTimeOfDay else { return nil }
            first = first ?? self[programIndex].beginning
        }
        return first
    }
}
