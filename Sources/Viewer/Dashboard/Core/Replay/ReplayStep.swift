// SPDX-License-Identifier: MIT

import ChainEvents

/// A step to another moment of a recording: the batches to apply and the new position.
package struct ReplayStep: Sendable {
    /// The program that was recorded.
    package var process: ProcessDescription
    /// Whether the batches are applied to an empty forest; if not, they are applied to the forest of the previous
    /// moment.
    package var isFresh: Bool
    /// The batches to apply, in order; empty if only ``position`` changes.
    package var batches: [EventBatch]
    /// The position after the step.
    package var position: ReplayPosition

    /// Makes a step.
    package init(process: ProcessDescription, isFresh: Bool, batches: [EventBatch], position: ReplayPosition) {
        self.process = process
        self.isFresh = isFresh
        self.batches = batches
        self.position = position
    }
}

/// The moment of a recording that is shown, and how the recording plays.
package struct ReplayPosition: Hashable, Sendable {
    /// The moment, in nanoseconds of the program's clock.
    package var time: UInt64
    /// The first and the last moment that can be shown, in nanoseconds of the program's clock.
    package var range: ClosedRange<UInt64>
    /// Whether the moment advances by itself.
    package var isPlaying: Bool
    /// The speed of playing: 1 as recorded, 2 twice as fast.
    package var speed: Double
    /// Whether the recording is the past of a live program. ``Action/returnedToNow`` then shows the live program again.
    package var isPast: Bool
    /// The time from the moment to the live program's present, in nanoseconds; 0 unless ``isPast``.
    var behind: UInt64 = 0

    /// Makes a position.
    package init(
        time: UInt64, range: ClosedRange<UInt64>, isPlaying: Bool = false, speed: Double = 1, isPast: Bool = false
    ) {
        self.isPast = isPast
        self.time = time
        self.range = range
        self.isPlaying = isPlaying
        self.speed = speed
    }
}

extension ReplayPosition {
    /// The reason why nothing can be cancelled while this moment is shown.
    var whyNotCancel: String {
        isPast
            ? "nothing can be cancelled while looking back: End returns to now"
            : "this is a recording: what is over cannot be cancelled"
    }
}

/// The progress of a recording that is being made of a live program.
package struct RecordingStatus: Hashable, Sendable {
    /// The program's source.
    package var source: SourceID
    /// The recording's time, events, bytes and losses, for the header.
    package var text: String

    /// Whether it was asked to end, and is still being written.
    package var isStopping: Bool

    /// Makes a status.
    package init(source: SourceID, text: String, isStopping: Bool = false) {
        (self.source, self.text, self.isStopping) = (source, text, isStopping)
    }
}

/// A command of the user to a recording, or to the past of live programs. A moment is in nanoseconds of the program's
/// clock.
package enum ReplayCommand: Hashable, Sendable {
    /// Plays or pauses; at the end, plays from the beginning.
    case togglePlaying
    /// Sets the next higher or the next lower speed.
    case faster, slower
    /// Pauses and moves to the next or the previous event.
    case nextEvent, previousEvent
    /// Pauses and moves to the next or the previous rejection, warning or mark.
    case nextNotable, previousNotable
    /// Moves forward by this many nanoseconds, or back if negative.
    case move(Int64)
    /// Moves to a moment, or to the nearest moment in the range.
    case seek(UInt64)
    /// Moves to a moment with the next tick; a later `scrub` before that tick replaces this `scrub`.
    case scrub(UInt64)
    /// Names a moment, or the shown moment if `at` is nil. Without a name, the mark gets the first name of `mark 1`,
    /// `mark 2` and so on that is free. An existing mark of the same name moves to the moment.
    case mark(String?, at: UInt64? = nil)
    /// Removes the mark of this name.
    case unmark(String)
}
