import ChainSystem

/// The reason why a program cannot be attached to, or is not any more.
public struct AttachError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons, which a viewer handles differently.
    public enum Kind: Hashable, Sendable {
        /// No program has that name or number.
        case notFound
        /// Several programs have that name.
        case ambiguous
        /// The program refuses this viewer, or the token's file cannot be used.
        case refused
        /// The program has its limit of viewers.
        case busy
        /// The program ended, or does not listen.
        case gone
        /// The other side speaks another version, or another protocol.
        case version
        /// A folder, a socket or a file belongs to another user, or is open to others.
        case foreign
        /// The program does not answer.
        case timedOut
        /// The system refused something else.
        case system
    }

    /// The kind of reason.
    public let kind: Kind
    /// One sentence on the problem and its remedy, without a full stop. Safe to print: texts of programs and `ssh` are
    /// quoted without control characters, and shortened.
    public let description: String

    /// Makes a reason.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = AttachError.printable(description)
    }

    /// Returns the reason that a process is stopped.
    static func stopped(_ name: String, _ process: Int32) -> AttachError {
        AttachError(
            .timedOut,
            "\(name) does not answer: process \(process) is stopped; continue it (kill -CONT \(process), or in its "
                + "debugger)")
    }

    /// Returns the reason that the system refused a step.
    static func system(_ what: String, _ error: SystemError = SystemError()) -> AttachError {
        switch error.code {
        case EMFILE, ENFILE:
            AttachError(.system, "There is no descriptor left to \(what): raise the limit (ulimit -n)")
        default: AttachError(.system, "The system does not \(what): \(error)")
        }
    }

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
