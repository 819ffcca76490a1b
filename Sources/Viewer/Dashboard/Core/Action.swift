// SPDX-License-Identifier: MIT

import ChainEvents
import Frames

/// Everything that can happen to a dashboard.
package enum Action: Sendable {
    /// A source tries to connect to its program, which is shown as `name` until it is connected. `attempt` counts from
    /// 1; `lastFailure` is one sentence on the previous attempt.
    case connecting(SourceID, name: String, attempt: Int, lastFailure: String?)
    /// A source is connected. A program with the same key as before continues; a program with another key is a new run.
    /// The new run replaces the old run; if the picture is frozen, it does so when the picture resumes.
    case connected(SourceID, ProcessDescription)
    /// The program has been unreachable or silent since `since`, for a reason in one sentence. `attempt` is the number
    /// of attempts. `nextAttempt` is the time of the next attempt, or 0 if the connection is open and the program is
    /// silent. `since` and `nextAttempt` are nanoseconds since 1970. `hasStopped`: the program has said goodbye. The
    /// rows stay on the screen, marked stale.
    case reconnecting(
        SourceID, since: UInt64, reason: String, attempt: Int, nextAttempt: UInt64, hasStopped: Bool = false)
    /// A batch of events arrived.
    case received(SourceID, EventBatch)
    /// A recording, or the past of a live program, is shown at another moment. The first step is
    /// ``ReplayStep/isFresh``. From then on ``tick(wall:monotonic:)`` carries the moment that is shown: as a time of
    /// day, and by the first program's clock.
    case replayed(SourceID, ReplayStep)
    /// Replaces the counts in the time strip with the counts of the recording that is shown. Their times are those of
    /// its first program's clock.
    case series(ReplaySeries)
    /// Replaces the marks with the marks of the recording that is shown. Their times are those of its first program's
    /// clock.
    case marks([ReplayMark])
    /// The present time, for the live programs while their past is shown; ``tick(wall:monotonic:)`` then carries the
    /// moment that is shown.
    case tickLive(wall: UInt64, monotonic: UInt64)
    /// The live programs are shown again instead of their past.
    case returnedToNow
    /// Replaces the list of the recordings that are being made of live programs, with their progress.
    case recording([RecordingStatus])
    /// The program answered a command.
    case replied(SourceID, CommandReply)
    /// The source ended, for the reason in a short phrase.
    case ended(SourceID, String)
    /// The time: nanoseconds since 1970, and nanoseconds of a clock that never goes back. Dispatched at
    /// ``State/Options/refreshRate``, and once a second while ``State/isIdle``. A program's time is computed from both
    /// clocks, its ``ChainEvents/ProcessDescription/wallOffset`` and its batches. Where the offset is 0, because the
    /// program's clock has no relation to the time of day, `monotonic` is the program's time.
    case tick(wall: UInt64, monotonic: UInt64)
    /// Does a slice of background work; the next tick draws the result. A slice takes some 2 ms at most; with several
    /// programs, a slice of the views' statistics may take longer. Dispatched once between two ticks, and repeatedly as
    /// long as ``State/hasWork``. If this action is never dispatched, ticks do the work.
    case work
    /// The screen has another size.
    case resized(Size)
    /// A key went down.
    case key(KeyPress)
    /// Characters were typed faster than they were taken. Equals a ``key(_:)`` for each while ``State/isTyping``, but a
    /// filter is applied once.
    case typed(String)
    /// The mouse was pressed, dragged or released, or its wheel turned.
    case mouse(Mouse)
    /// Text was pasted. If a line is being typed, the text is inserted into that line; otherwise it is refused with a
    /// message.
    case pasted(String)
    /// Performs an intent that no key or click asked for.
    case perform(Intent)
    /// Applies settings and makes them the defaults that `:reset` returns to.
    case restore(ViewSettings)
    /// Applies settings of an earlier session; a message then lists the settings that differ from the defaults.
    case resume(ViewSettings)
    /// Shows a warning on the status line, such as why an editor did not start.
    case report(String)
    /// Shows the message of an effect that succeeded, such as where a file was saved.
    case message(String)
}

/// A side effect that the owner of a dashboard has to perform for it.
package enum Effect: Hashable, Sendable {
    /// Send a command to a source's program; answer with ``Action/replied(_:_:)``.
    case send(SourceID, ViewerCommand)
    /// Ask the program for its whole state, because batches were dropped while the picture was frozen. The state comes
    /// as batches.
    case requestSnapshot(SourceID)
    /// Move in the recording of a source, or in the past of all live programs. Moments are those of the clock of the
    /// source's program. Answer with ``Action/replayed(_:_:)`` for each recorded program, or at the end of the past
    /// with ``Action/returnedToNow``.
    case replay(SourceID, ReplayCommand)
    /// Record a live program into the file at `path`. Without a path, end the program's running recording; if none
    /// runs, begin a recording and choose its name. Answer with ``Action/recording(_:)``, and ``Action/message(_:)`` or
    /// ``Action/report(_:)``.
    case record(SourceID, path: String?)
    /// Put the text into the clipboard.
    case copy(String)
    /// Write a file; an existing file is replaced only if `overwrites`. The path is as the user typed it. Answer with
    /// ``Action/message(_:)`` and the whole path, or with ``Action/report(_:)``.
    case save(path: String, content: String, overwrites: Bool)
    /// Leave the screen, open the file at the line in `$EDITOR`, and come back; answer with ``Action/report(_:)`` if
    /// that fails.
    case openEditor(CodeLocation)
    /// Show or hide the output of the program that was started with the dashboard; answer with ``Action/report(_:)`` if
    /// no program was started.
    case toggleOutput
    /// Ring the terminal's bell.
    case bell
    /// Run the configured alert command, if there is one, because a node began to match an alert.
    case alert(AlertNotice)
    /// Draw every cell again.
    case redraw
    /// Leave the screen and stop, as `^Z` does.
    case suspend
    /// End with exit code 0.
    case quit
}
