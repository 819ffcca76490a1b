import ChainEvents
import Frames

/// Everything that can happen to a dashboard.
public enum Action: Sendable {
    /// There is a program to look at; a new one replaces what was shown.
    case connected(ProcessInfo)
    /// It said something.
    case received(EventBatch)
    /// It answered a command.
    case replied(CommandReply)
    /// It is gone; one short phrase says why.
    case ended(String)
    /// Time goes on: nanoseconds since 1970, and nanoseconds of the program's clock. Some 10 to 30 times a second.
    case tick(wall: UInt64, process: UInt64)
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
    /// Something that an effect has to say on the status line, such as why an editor did not start.
    case report(String)
}

/// What the owner of a dashboard has to do for it.
public enum Effect: Hashable, Sendable {
    /// Hand a request to the program; answer with ``Action/replied(_:)``.
    case send(Command)
    /// Batches were dropped while frozen: ask the program for all that is alive (its answer comes as batches).
    case requestSnapshot
    /// Put the text into the clipboard.
    case copy(String)
    /// Leave the screen, open the file at the line in `$EDITOR`, and come back; ``Action/report(_:)`` if it fails.
    case openEditor(Site)
    /// Draw every cell again.
    case redraw
    /// Leave the screen and stop, as `^Z` does.
    case suspend
    /// End with exit code 0.
    case quit
}
