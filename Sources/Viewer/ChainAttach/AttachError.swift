// SPDX-License-Identifier: MIT

import ChainSystem

/// The reason why attaching to a program failed, or why the connection to it ended.
package struct AttachError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons, which a viewer handles differently.
    package enum Kind: Hashable, Sendable {
        /// No process or socket matches the target, or the process does not listen.
        case notFound
        /// Several programs match the name.
        case ambiguous
        /// The program or its socket refuses this viewer, the token's file is missing, unreadable or empty, or a TCP
        /// target is not on this machine.
        case refused
        /// The program has reached one of its limits of connections.
        case busy
        /// The program ended, stopped its inspector, or closed the connection.
        case gone
        /// The other side speaks another version or another protocol, or sent the batches of another program.
        case version
        /// A folder, socket, file or listening program belongs to another user, or a folder or file is open to others.
        /// Or a folder or file is a link, or the file at the path is of the wrong kind, for example no socket.
        case foreign
        /// The program does not answer in time, or is stopped.
        case timedOut
        /// The system refused a step, a path is too long, or `ssh` failed.
        case system
    }

    /// The kind of reason.
    package let kind: Kind
    /// One sentence, without a full stop, on the problem and, if there is one, its remedy. Safe to print: control
    /// characters are replaced by U+FFFD, and the text is cut to 500 scalars.
    package let description: String

    /// Makes an error; `description` may contain texts of programs and `ssh`, because it is made safe to print.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = AttachError.printable(description)
    }

    /// Returns the error for a program with a stopped process. `subject` begins the sentence.
    static func stopped(_ subject: String, _ process: Int32) -> AttachError {
        AttachError(
            .timedOut,
            "\(subject) does not answer: process \(process) is stopped; continue it (kill -CONT \(process), or in its "
                + "debugger)")
    }

    /// Returns the error for a step that the system refused. `step` is an infinitive, such as "open a socket".
    static func system(_ step: String, _ error: SystemError = SystemError()) -> AttachError {
        switch error.code {
        case EMFILE, ENFILE:
            AttachError(.system, "There is no descriptor left to \(step): raise the limit (ulimit -n)")
        default: AttachError(.system, "The system refused to \(step): \(error)")
        }
    }

    /// The greatest length of a description, in scalars.
    private static let lengthLimit = 500

    private static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(lengthLimit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                scalars.append("\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
