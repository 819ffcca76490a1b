import Foundation
import TerminalHarness
import TestWaits

/// The outcome of a command.
struct Outcome {
    var status: Int32
    var output: String
    var errors: String
    var lineCount: Int { output.split(separator: "\n", omittingEmptySubsequences: false).count - 1 }
}

/// Runs chainview without a terminal.
enum Shell {
    struct NeverEnds: Error { var words: String }

    /// Writes an executable script. By another process, because a child that another test forks meanwhile would hold the
    /// file open for writing until it execs, and such a file cannot be executed (ETXTBSY).
    static func write(_ script: String, to path: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "printf %s \"$1\" > \"$0\" && chmod 700 \"$0\"", path, script]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NeverEnds(words: "writing \(path)") }
    }

    /// Copies a program to run the copy; by another process, for the same reason.
    static func copy(program: String, to path: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = [program, path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NeverEnds(words: "copying to \(path)") }
    }

    /// Runs `chainview WORDS` by a shell, so that the words may hold redirections. Ends after a time limit.
    ///
    /// - Parameter prefix: a command that runs the command line in its arguments, such as `env`.
    static func run(
        _ words: String, by prefix: String = "", setting: [String: String] = [:], directory: String? = nil
    ) throws -> Outcome {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(prefix) \"$0\" \(words)", builtProduct("chainview")]
        process.environment = PseudoTerminal.standardEnvironment.merging(setting) { $1 }
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, errors)
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        // Read while it runs, because a pipe holds 64 KiB only.
        let texts = [output, errors].map { pipe in Reading(pipe.fileHandleForReading) }
        guard ended.waitForSignal() else {
            process.terminate()
            throw NeverEnds(words: words)
        }
        return Outcome(status: process.terminationStatus, output: texts[0].text(), errors: texts[1].text())
    }
}

/// The whole content of a pipe, read on its own thread.
private final class Reading: @unchecked Sendable {
    // Sendable: `data` is written before `isDone` is signalled, and read only after that.
    private var data = Data()
    private let isDone = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
        Thread { [self] in
            data = handle.readDataToEndOfFile()
            // Not left to the release of the pipe, which comes late: Foundation misses the end of a process beyond 1,024
            // open files.
            try? handle.close()
            isDone.signal()
        }
        .start()
    }

    func text() -> String {
        isDone.wait()
        return String(decoding: data, as: UTF8.self)
    }
}

// SPDX-License-Identifier: MIT
