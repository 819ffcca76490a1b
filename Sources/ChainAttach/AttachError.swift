import ChainSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why a program cannot be attached to, or not any more.
public struct AttachError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons, which differ in what a viewer does about them.
    public enum Kind: Hashable, Sendable {
        /// There is nothing of that name or number to attach to.
        case notFound
        /// Several programs go by that name.
        case ambiguous
        /// The program does not let this viewer in, or a file that proves who one is cannot be used.
        case refused
        /// The program has no room for one viewer more.
        case busy
        /// It was there and is not any more, or nobody listens.
        case gone
        /// The other side speaks another version, or something else altogether.
        case version
        /// A folder, a socket or a file is not this user's own, or is open to others.
        case foreign
        /// It is there and does not answer.
        case timedOut
        /// The system refused something else.
        case system
    }

    /// What kind of reason it is.
    public let kind: Kind
    /// One sentence on what is wrong and what to do, without a full stop. Safe to print: what a program or `ssh` said
    /// is quoted without control characters, and shortened.
    public let description: String

    /// Gives a reason.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = AttachError.printable(description)
    }

    /// Says that a program is stopped.
    static func stopped(_ name: String, _ process: Int32) -> AttachError {
        AttachError(
            .timedOut,
            "\(name) does not answer: process \(process) is stopped; continue it (kill -CONT \(process), or in its "
                + "debugger)")
    }

    /// Says what the system refused, and why.
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
