// SPDX-License-Identifier: MIT

import ChainAttach
import ChainSystem
import Foundation
import Frames

/// The exit codes of chainview for anything but success: 1, and codes of sysexits.h.
enum ExitStatus: Int32, CaseIterable {
    case matched = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case gone = 69
    case defect = 70
    case inputOutput = 74
    case refused = 77

    /// What the code means, for help and manual.
    var meaning: String {
        switch self {
        case .matched: "something matched, and `watch` has `--fail`"
        case .usage: "wrong usage, several programs of that name, a file that exists, or a terminal that cannot be used"
        case .badData:
            "the other side speaks another version of the protocol, a file is not a recording or is damaged, or a "
                + "configuration file is invalid"
        case .noInput: "there is no such program, process or file, or the program cannot be started"
        case .gone:
            "the program has ended, is stopped, does not answer, or has its limit of viewers; or a collector cannot be "
                + "reached"
        case .defect: "a defect of chainview"
        case .inputOutput: "input or output failed, or another error of the system"
        case .refused:
            "refused: no access, read-only, no such node, nothing pending under it, or no flight recorder; or a collector "
                + "refuses the spans"
        }
    }
}

/// The reason why chainview ends: a message on the problem and, if there is one, its remedy; and an exit code.
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
    /// Makes the failure for an error of attaching.
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
        let fullStop = error.description.last.map { ".?!".contains($0) } ?? true ? "" : "."
        self.init(status: status, message: Self.uncapitalized(error.description) + fullStop)
    }

    /// Returns a sentence with a small first letter, as all sentences after `chainview:` have.
    static func uncapitalized(_ sentence: String) -> String {
        guard let first = sentence.first, first.isUppercase, sentence.dropFirst().first?.isUppercase == false else {
            return sentence
        }
        return first.lowercased() + sentence.dropFirst()
    }
}

extension Failure {
    /// The system can start no more threads.
    static let noThread = Failure(
        status: .inputOutput,
        message: "the system has no thread left: end other programs, or raise the limits (ulimit -u, ulimit -v).")
}

extension Failure {
    /// Makes the failure to write a file that the user named. `code` is the system's error; `EEXIST` is wrong usage.
    init(notWritten path: String, _ code: Int32) {
        let shown = DisplayText.shown(path)
        self =
            code == EEXIST
            ? Failure(
                status: .usage, message: "\(shown) exists: choose another name, or write --overwrite to replace it.")
            : Failure(status: .inputOutput, message: "\(shown) cannot be written (\(DisplayText.system(code))).")
    }
}

/// Texts of other programs and of the system, made printable for messages.
enum DisplayText {
    /// Returns a text on one line, without control sequences.
    static func shown(_ text: String) -> String { SafeText.line(text, charset: .unicode) }

    /// Returns the lines of a text, each of at most `width` characters unless a word is longer.
    static func wrapped(_ text: some StringProtocol, to width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > width { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines
    }

    /// Returns the system's description of an error.
    static func system(_ code: Int32 = errno) -> String { SystemError(code: code).description }
}

/// Signals of this process.
enum Signals {
    /// The signals that chainview passes on to a program that it has started; SIGHUP is left out if it is ignored. In
    /// the program these signals have their default actions.
    static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT].filter {
        $0 != SIGHUP || !isHangupIgnored
    }

    /// Whether `nohup` or a shell made this process ignore SIGHUP. An ignored SIGHUP has to stay unblocked, because
    /// Linux queues a blocked signal even if it is ignored, and `sigwait` would return it.
    static var isHangupIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Unblocks all signals, and lets SIGCHLD have its default action. A process inherits a blocked mask if a thread of
    /// Swift or Dispatch started it, and an ignored SIGCHLD from daemons; while SIGCHLD is ignored, the system tells no
    /// parent how a child has ended.
    static func resetInherited() {
        signal(SIGCHLD, SIG_DFL)
        resetMask()
    }

    private static func resetMask() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Runs `body` on a new thread that blocks all signals except faults, because signals are for the main thread.
    /// Ends the process if the system has no thread left.
    static func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
        if !SystemThread.detached(name, body) { Failure.noThread.exit() }
    }

    /// Ends the process with the signal, so that the parent process sees the signal.
    static func raiseAgain(_ signal: Int32) -> Never {
        Foundation.signal(signal, SIG_DFL)
        resetMask()
        raise(signal)
        Foundation.exit(128 + signal)
    }
}
