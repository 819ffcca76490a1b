// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation
import Synchronization

/// A program that chainview has started, in its own process group.
final class ChildProgram: Sendable {
    /// The last component of the name that the program was started by.
    let name: String
    let pid: pid_t
    private let ending = Mutex<ProgramEnding?>(nil)
    private let hasEnded = Semaphore()
    private let observers = Mutex<[@Sendable () -> Void]>([])

    /// Returns the path of an executable file: the name itself if it has a slash, and otherwise the first match in the
    /// folders of `PATH`.
    ///
    /// - Throws: ``Failure`` if there is no such file.
    static func find(_ name: String, path: String?) throws -> String {
        let candidates =
            name.contains("/")
            ? [name] : (path ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        var foundFile = false
        for candidate in candidates where !name.isEmpty {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            if access(candidate, X_OK) == 0 { return candidate }
            foundFile = true
        }
        let shown = DisplayText.shown(name)
        throw Failure(
            status: .noInput,
            message: foundFile
                ? "\(shown) is not executable. If it is a program, run `chmod +x` on it."
                : name.contains("/")
                    ? "there is no program \(shown)." : "there is no program \(shown) in any folder of PATH.")
    }

    /// Starts a program in a process group of its own, so that the program gets each signal once: from this process.
    /// The program cannot read from a terminal. A thread waits for the program's end.
    ///
    /// - Parameters:
    ///   - output: the program's standard output and standard error; this process closes its own descriptors of them.
    ///   - environment: variables to add to the environment of this process.
    init(
        _ name: String, at path: String, arguments: [String], environment: [String: String],
        output: (standard: Int32, error: Int32)
    ) throws {
        self.name = String(name.split(separator: "/").last ?? "")
        pid = try Self.spawn(path, [name] + arguments, environment, output)
        Signals.startThread("chainview.wait") { [self] in awaitEnd() }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ added: [String: String], _ output: (standard: Int32, error: Int32)
    ) throws -> pid_t {
        defer {
            close(output.standard)
            close(output.error)
        }
        var start = ProgramStart(path, arguments: arguments)
        // A program that reads from the terminal would take keys away from the dashboard.
        start.hasNoInput = isatty(STDIN_FILENO) != 0
        start.descriptors = [(output.standard, STDOUT_FILENO), (output.error, STDERR_FILENO)]
        // Default actions, because the program would otherwise ignore the signals that chainview ignores.
        start.defaultSignals = Signals.passedOn + [SIGPIPE, SIGXFSZ, SIGCHLD, SIGTTIN, SIGTTOU, SIGWINCH]
        start.addToEnvironment(added)
        do throws(SystemError) {
            return try start.run()
        } catch {
            throw Failure(notStarted: arguments[0], error.code)
        }
    }

    private func awaitEnd() {
        var info = siginfo_t()
        // Waits without reaping. The program is reaped under the lock, so that `send` never signals another process
        // with the same pid.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        ending.withLock { $0 = .wait(for: pid) }
        let ended = observers.withLock { observers in
            defer { observers = [] }
            return observers
        }
        for observer in ended { observer() }
        hasEnded.signal()
    }

    /// How the program ended; nil while it runs.
    var endingSoFar: ProgramEnding? { ending.withLock { $0 } }

    /// Waits for the program's end.
    func waitForEnd() -> ProgramEnding {
        hasEnded.wait()
        hasEnded.signal()
        return endingSoFar ?? .unknown
    }

    /// Calls `body` on another thread when the program ends, or at once if it has ended.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let isOver = ending.withLock { ending in
            // Appended under the lock, because the ending is set under the same lock before the observers are called.
            if ending == nil { observers.withLock { $0.append(body) } }
            return ending != nil
        }
        if isOver { body() }
    }

    /// Sends a signal to the program's process group; does nothing once the program has ended.
    func send(_ signal: Int32) {
        ending.withLock { ending in
            if ending == nil { kill(-pid, signal) }
        }
    }
}

extension ProgramStart {
    /// Describes a command line of the user, with texts of an observed program as variables. The texts are made safe
    /// for a terminal.
    init(commandLine: String, texts: [String: String]) {
        self.init("/bin/sh", arguments: ["sh", "-c", commandLine])
        addToEnvironment(texts.mapValues { AlertCommand.safe($0) })
    }

    /// Sets the environment to the environment of this process, with variables added.
    mutating func addToEnvironment(_ added: [String: String]) {
        environment = ProcessInfo.processInfo.environment.merging(added) { $1 }.map { "\($0)=\($1)" }
    }
}

extension ProgramEnding {
    /// The ending in words that follow the program's name.
    var words: String {
        switch self {
        case .exited(0): "has ended"
        case .exited(let code): "has ended with code \(code)"
        case .signalled(let signal): "was ended by signal \(signal)"
        case .unknown: "has ended; its exit code is unknown"
        }
    }
}

extension Failure {
    /// Makes the failure to start a program.
    init(notStarted name: String, _ code: Int32) {
        // The system has no process, memory or descriptor left, which is no fault of the program.
        let isShortage = [EAGAIN, ENOMEM, EMFILE, ENFILE].contains(code)
        self.init(
            status: isShortage ? .inputOutput : .noInput,
            message: "\(name) cannot be started (\(DisplayText.system(code))).")
    }
}
