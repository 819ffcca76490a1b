// SPDX-License-Identifier: MIT

import ChainSystem
import Dashboard
import Foundation
import Frames

/// The command that the configuration names for alerts.
///
/// The command line is the user's own. Texts of the observed program are passed as environment variables, never as a
/// part of the command line.
final class AlertCommand {
    private let command: String
    private var running: [pid_t] = []

    /// The maximum number of commands that run at the same time; while that many run, an alert runs no command.
    private static let limit = 4
    /// The maximum number of characters of a program's text; a longer text is cut.
    private static let textLimit = 1_000

    /// The names of the variables, for the documentation.
    static let variables =
        "$CHAINVIEW_QUERY, $CHAINVIEW_COUNT, and of the first node that matched $CHAINVIEW_PROGRAM, $CHAINVIEW_PID, "
        + "$CHAINVIEW_ID, $CHAINVIEW_LABEL, $CHAINVIEW_KIND, $CHAINVIEW_STATE, $CHAINVIEW_SITE, $CHAINVIEW_SUMMARY and "
        + "$CHAINVIEW_CHAIN"

    init(_ command: String) { self.command = command }

    /// Starts the command without waiting for its end, unless the limit of commands is reached. Returns one sentence if
    /// starting it fails.
    func run(_ notice: AlertNotice) -> String? {
        running.removeAll { ProgramEnding.ofEnded($0) != nil }
        guard running.count < Self.limit else { return nil }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { return "cannot start the alert command: \(SystemError(code: errno))" }
        defer { close(null) }
        var start = ProgramStart(commandLine: command, texts: notice.variables)
        start.descriptors = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { (null, $0) }
        do throws(SystemError) {
            running.append(try start.runAsInvokingUser())
            return nil
        } catch { return "cannot start the alert command: \(error)" }
    }

    /// Returns a text as one line without control characters, cut if it is long.
    static func safe(_ text: String) -> String {
        SafeText.line(String(text.prefix(textLimit)), charset: .unicode)
    }
}
