import ChainEvents
import Frames

/// Everything that can happen to a dashboard.
public enum Action: Sendable {
    /// A source tries to connect to its program, which is shown under `name` until then. `attempt` counts from 1;
    /// `lastFailure` is one sentence on the previous attempt. The first action of a source is this or ``connected(_:_:)``.
    case connecting(SourceID, name: String, attempt: Int, lastFailure: String?)
    /// A source is connected. A program with the same key as before continues; one with another key is a new run and
    /// replaces the old one.
    case connected(SourceID, ProcessDescription)
    /// The program cannot be reached since `since`. The next attempt is at `nextAttempt` (nanoseconds since 1970; 0 where
    /// the program is merely silent); `reason` is one sentence, `attempt` the number of attempts. The rows stay on the
    /// screen, marked stale.
    case reconnecting(SourceID, since: UInt64, reason: String, attempt: Int, nextAttempt: UInt64)
    /// A batch of events arrived.
    case received(SourceID, EventBatch)
    /// A recording is shown at another moment. Its first step is fresh, and every tick after it brings the time of day of the
    /// moment that is shown, and that moment.
    case replayed(SourceID, ReplayStep)
    /// The counts of the recording that is shown, for the time strip: by the clock of the first program in it.
    case series(ReplaySeries)
    /// The marks of the recording that is shown, by the same clock.
    case marks([ReplayMark])
    /// Time passes for the live programs while their past is shown; arguments as in ``tick(wall:process:)``, which then brings
    /// the moment that is shown.
    case tickLive(wall: UInt64, process: UInt64)
    /// The past of the live programs is left: they are shown again, as they are now.
    case returnedToNow
    /// The recordings of live programs that run, and how far they are.
    case recording([RecordingStatus])
    /// The program answered a command.
    case replied(SourceID, CommandReply)
    /// The source ended, for a reason in a short phrase.
    case ended(SourceID, String)
    /// The time: nanoseconds since 1970, and nanoseconds of a clock that never goes back. Some 10 to 30 times a second.
    /// A program's own time follows from them, its ``ChainEvents/ProcessDescription/wallOffset`` and its batches; where
    /// the offset is 0 (a clock that has nothing to do with the time of day), the second is the program's time.
    case tick(wall: UInt64, process: UInt64)
    /// Time is left before the next tick: a slice of what takes long, some 2 ms at most. Drawn with the next tick. Worth
    /// dispatching once between two ticks, and again as long as ``State/hasWork``; where it never is, ticks do the work.
    case work
    /// The screen has another size.
    case resized(Size)
    /// A key went down.
    case key(KeyPress)
    /// The mouse did something.
    case mouse(Mouse)
    /// Text was pasted; it counts where text is typed, and nowhere else.
    case pasted(String)
    /// The user wants something, without a key.
    case perform(Intent)
    /// Settings are to be used; `:reset` returns to them.
    case restore(ViewSettings)
    /// Settings of an earlier session are to be used; a message says which differ from the usual ones.
    case resume(ViewSettings)
    /// A warning of an effect for the status line, such as why an editor did not start.
    case report(String)
    /// A message of an effect that succeeded, such as where a file is.
    case message(String)
}

/// What the owner of a dashboard has to do for it.
public enum Effect: Hashable, Sendable {
    /// Hand a request to a source's program; answer with ``Action/replied(_:_:)``.
    case send(SourceID, ViewerCommand)
    /// Batches were dropped while frozen: ask the program for all that is alive (its answer comes as batches).
    case requestSnapshot(SourceID)
    /// Move in the recording that a source is, or in the past of the live programs; answer with ``Action/replayed(_:_:)``, of the
    /// past for each program that has one, or with ``Action/returnedToNow``. Moments are by the clock of the source.
    case replay(SourceID, ReplayCommand)
    /// Record a live program into a file, or one with a name of its own; without a path, end a recording that runs. Answer
    /// with ``Action/recording(_:)``, and ``Action/message(_:)`` or ``Action/report(_:)``.
    case record(SourceID, path: String?)
    /// Put the text into the clipboard.
    case copy(String)
    /// Write a file: one that is there stays as it is unless `overwrites`. The path is as the user typed it. Answer with
    /// ``Action/message(_:)`` and the whole path, or with ``Action/report(_:)``.
    case save(path: String, content: String, overwrites: Bool)
    /// Leave the screen, open the file at the line in `$EDITOR`, and come back; ``Action/report(_:)`` if it fails.
    case openEditor(CodeLocation)
    /// Show or hide the output of the program that was started together with the dashboard; ``Action/report(_:)`` if there
    /// is none.
    case toggleOutput
    /// Ring the terminal's bell.
    case bell
    /// A node came to match an alert: run the command of the configuration, if there is one.
    case alert(AlertNotice)
    /// Draw every cell again.
    case redraw
    /// Leave the screen and stop, as `^Z` does.
    case suspend
    /// End with exit code 0.
    case quit
}
