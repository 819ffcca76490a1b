import ChainAttach
import ChainSystem
import Foundation
import Frames

/// The exit codes of chainview: those of sysexits.h, and 1.
enum ExitStatus: Int32 {
    /// Something matched: `watch --fail`.
    case matched = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case gone = 69
    case defect = 70
    case inputOutput = 74
    case refused = 77
}

/// The reason why chainview ends: one sentence that says what is wrong and what to do, and an exit code.
struct Failure: Error, CustomStringConvertible {
    var status: ExitStatus
    var message: String

    var description: String { message }

    /// Prints the message on standard error and ends the process.
    func exit() -> Never {
        Streams.printError(message)
        Foundation.exit(status.rawValue)
    }
}

extension Failure {
    /// The failure to attach to a program.
    init(_ error: AttachError) {
        let status: ExitStatus =
            switch error.kind {
            case .notFound: .noInput
            case .ambiguous: .usage
            case .refused, .foreign: .refused
            case .gone, .busy, .timedOut: .gone
            case .version: .badData
            case .system: .inputOutput
            }
        let end = error.description.last.map { ".?!".contains($0) } ?? true ? "" : "."
        self.init(status: status, message: error.description + end)
    }
}

extension Failure {
    /// The failure to write a file that a user named, by the system's error; `EEXIST` is a file that is there.
    init(notWritten path: String, _ code: Int32) {
        let shown = DisplayText.shown(path)
        self =
            code == EEXIST
            ? Failure(
                status: .usage, message: "\(shown) exists: choose another name, or write --overwrite to replace it.")
            : Failure(status: .inputOutput, message: "\(shown) cannot be written (\(DisplayText.system(code))).")
    }
}

/// Texts of other programs and of the system in messages.
enum DisplayText {
    /// Returns a text on one line, without control sequences.
    static func shown(_ text: String) -> String { SafeText.line(text, charset: .unicode) }

    /// Returns the system's description of an error.
    static func system(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
}

/// Signals of this process.
enum Signals {
    /// The signals that are also for a program that chainview has started.
    static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]

    /// Unblocks all signals. A process inherits a blocked mask if a thread of Swift or Dispatch started it.
    static func resetMask() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Runs `body` on a new thread that blocks all signals: they are for the main thread.
    static func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
        precondition(SystemThread.detached(name, body), "the system has no thread left for \(name)")
    }

    /// Ends the process by the signal, so that the parent process sees the signal.
    static func raiseAgain(_ signal: Int32) -> Never {
        Foundation.signal(signal, SIG_DFL)
        resetMask()
        raise(signal)
        Foundation.exit(128 + signal)
    }
}
