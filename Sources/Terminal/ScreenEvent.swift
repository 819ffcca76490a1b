import Frames

/// What a ``Screen`` has to tell.
public enum ScreenEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(KeyPress)
    /// The mouse did something.
    case mouse(Mouse)
    /// Text was pasted: up to 64 KiB of it, control characters and all. (Terminals that do not tell of it send keys.)
    case pasted(String)
    /// The terminal has another size; the next paint writes everything.
    case resized(Size)
    /// Somebody sent SIGINT. (`^C` that is typed is a key.)
    case interrupted
    /// Somebody sent SIGTERM, SIGHUP or SIGQUIT: close, and raise it again.
    case terminate(signal: Int32)
    /// The process was stopped and goes on; the next paint writes everything.
    case resumed
    /// ``ScreenWaker/wake()`` was called, once or more.
    case wake
}

/// How a screen is to be opened.
public struct ScreenOptions: Hashable, Sendable {
    /// At most so many colours; `none` for `NO_COLOR` and `--no-color`, which the caller reads.
    public var colorLimit = ColorDepth.ansi256
    /// Whether clicks and the wheel are wanted; they keep the terminal's own selection from working without Shift.
    public var wantsMouse = true
    /// Whether what the program prints is kept off the screen and shown after the close.
    public var capturesOutput = true
    /// How many bytes of that are kept: the first quarter and the last three; how many were cut is said.
    public var captureLimit = 256 * 1024

    /// All colours, the mouse, output captured.
    public init() {}
}

/// Why there is no screen (any more): one sentence that says what is wrong and what to do.
public struct ScreenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for who has to choose an exit code.
    public enum Reason: Hashable, Sendable {
        /// There is no terminal that a screen could be shown on.
        case noTerminal
        /// `TERM` is not set, not known, or names a terminal that cannot place its cursor.
        case unsuitableTerminal
        /// Another screen of this process is open.
        case inUse
        /// A system call failed.
        case system
        /// The terminal was closed, or no longer takes output.
        case gone
    }

    /// What went wrong.
    public let reason: Reason
    /// The sentence.
    public let description: String
}
