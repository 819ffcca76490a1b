import ChainAttach
import Foundation
import Frames

/// The exit codes of sysexits.h that chainview uses.
enum ExitStatus: Int32 {
    case usage = 64
    case badData = 65
    case noInput = 66
    case gone = 69
    case defect = 70
    case inputOutput = 74
    case refused = 77
}

/// Why chainview ends: one sentence that says what is wrong and what to do, and an exit code.
struct Failure: Error, CustomStringConvertible {
    var status: ExitStatus
    var message: String

    var description: String { message }

    /// Says it on standard error and ends the process.
    func exit() -> Never {
        Streams.complain(message)
        Foundation.exit(status.rawValue)
    }
}

extension Failure {
    /// Says why a program cannot be attached to.
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

/// Texts of others in sentences.
enum DisplayText {
    /// A text on one line, with nothing in it that a terminal would obey.
    static func shown(_ text: String) -> String { SafeText.line(text, charset: .unicode) }

    /// What the system says of an error.
    static func system(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
}

/// Signals of this process.
enum Signals {
    /// Those that are meant for a program that was started here as much as for chainview.
    static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]

    /// Started from a thread of Swift's or Dispatch's, a program inherits a blocked signal mask.
    static func resetMask() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Runs `body` on a new thread that takes no signals: they are for the first one.
    static func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        // Inherited by the thread.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let thread = Thread(block: body)
        thread.name = name
        thread.start()
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Ends the process as the signal would have ended it: who started chainview sees what happened.
    static func raiseAgain(_ signal: Int32) -> Never {
        Foundation.signal(signal, SIG_DFL)
        resetMask()
        raise(signal)
        Foundation.exit(128 + signal)
    }
}
