import ChainEvents
import Frames

/// Everything that can happen to a dashboard.
public enum Action: Sendable {
    /// A source looks for its program, which is shown under `name` until it says who it is. `attempt` counts from 1;
    /// `lastFailure` is one sentence on the attempt before. A source is first heard of by this or by ``connected(_:_:)``.
    case connecting(SourceID, name: String, attempt: Int, lastFailure: String?)
    /// There is a program to look at. One with the key of before goes on; another one is a new run of the program and
    /// replaces what was shown.
    case connected(SourceID, ProcessDescription)
    /// The program cannot be reached since `since`, and it is tried again at `nextAttempt` (nanoseconds since 1970; 0
    /// where it merely stands still); `reason` is one sentence, `attempt` how often it was tried. What was known stays on
    /// the screen, marked stale.
    case reconnecting(SourceID, since: UInt64, reason: String, attempt: Int, nextAttempt: UInt64)
    /// The program said something.
    case received(SourceID, EventBatch)
    /// The program answered a command.
    case replied(SourceID, CommandReply)
    /// The source is over; one short phrase says why.
    case ended(SourceID, String)
    /// Time goes on: nanoseconds since 1970, and nanoseconds of a clock that never goes back. Some 10 to 30 times a
    /// second. A program's own time follows from them, by its ``ChainEvents/ProcessDescription/wallOffset`` and by what it says;
    /// where the offset is 0 (a clock that has nothing to do with the time of day), the second is the program's time.
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
    /// What a key would have said.
    case perform(Intent)
    /// Things are to be shown as they were.
    case recall(ViewSettings)
    /// Something that an effect has to say on the status line, such as why an editor did not start.
    case report(String)
    /// What an effect that went well has to say, such as where a file is.
    case told(String)
}

/// What the owner of a dashboard has to do for it.
public enum Effect: Hashable, Sendable {
    /// Hand a request to a source's program; answer with ``Action/replied(_:_:)``.
    case send(SourceID, ViewerCommand)
    /// Batches were dropped while frozen: ask the program for all that is alive (its answer comes as batches).
    case requestSnapshot(SourceID)
    /// Put the text into the clipboard.
    case copy(String)
    /// Write a file: one that is there stays as it is unless `overwrites`. The path is as the user typed it. Answer with
    /// ``Action/told(_:)`` and the whole path, or with ``Action/report(_:)``.
    case save(path: String, content: String, overwrites: Bool)
    /// Leave the screen, open the file at the line in `$EDITOR`, and come back; ``Action/report(_:)`` if it fails.
    case openEditor(CodeLocation)
    /// Show or hide the output of the program that was started together with the dashboard; ``Action/report(_:)`` if there
    /// is none.
    case toggleOutput
    /// Draw every cell again.
    case redraw
    /// Leave the screen and stop, as `^Z` does.
    case suspend
    /// End with exit code 0.
    case quit
}
