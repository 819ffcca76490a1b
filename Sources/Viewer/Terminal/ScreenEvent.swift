// SPDX-License-Identifier: MIT

import Frames

/// An event of a ``Screen``.
package enum ScreenEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(KeyPress)
    /// A mouse action.
    case mouse(Mouse)
    /// Text was pasted: up to 64 KiB, including control characters. (Terminals without bracketed paste send keys.)
    case pasted(String)
    /// The terminal's size changed; the next paint writes everything.
    case resized(Size)
    /// SIGINT was sent. (A typed `^C` is a key.)
    case interrupted
    /// SIGTERM, SIGHUP or SIGQUIT was sent: close the screen and raise the signal again.
    case terminate(signal: Int32)
    /// The process was stopped and continues; the next paint writes everything.
    case resumed
    /// ``ScreenWaker/wake()`` was called, once or more.
    case wake
}

/// Options for opening a screen.
package struct ScreenOptions: Hashable, Sendable {
    /// The maximum number of colours; `none` for `NO_COLOR` and `--no-color`, which the caller reads.
    package var colorLimit = ColorDepth.ansi256
    /// Whether clicks and the wheel are reported. The terminal's own selection then needs Shift.
    package var wantsMouse = true
    /// Whether output that the program prints is captured and shown after the screen is closed.
    package var capturesOutput = true
    /// The maximum number of bytes of captured output that are kept. A quarter of the limit keeps the first output, and
    /// three quarters keep the last. The number of dropped bytes is shown.
    package var captureLimit = 256 * 1024

    /// Makes options with all colours, the mouse, and output captured.
    package init() {}
}

/// The error of a screen that cannot be opened, or cannot be used any more: one sentence with the problem and, if there
/// is one, a remedy.
package struct ScreenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of problem, by which a caller chooses an exit code.
    package enum Reason: Hashable, Sendable {
        /// There is no terminal that a screen could be shown on.
        case noTerminal
        /// `TERM` is not set, not known, or names a terminal that cannot place its cursor.
        case unsuitableTerminal
        /// Another screen of this process is open.
        case inUse
        /// A system call failed.
        case system
        /// The terminal or the screen was closed, or the terminal no longer takes output.
        case gone
    }

    /// The kind of problem.
    package let reason: Reason
    /// The sentence, for the user.
    package let description: String
}
