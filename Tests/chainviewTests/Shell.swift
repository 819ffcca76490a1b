import Foundation
import TerminalHarness

/// What came of a command.
struct Outcome {
    var status: Int32
    var output: String
    var errors: String
    var lineCount: Int { output.split(separator: "\n", omittingEmptySubsequences: false).count - 1 }
}

/// Runs chainview without a terminal.
enum Shell {
    struct NeverEnds: Error { var words: String }

    /// Runs `chainview WORDS`, put to a shell, so that what is redirected can be said; bounded.
    static func run(_ words: String, setting: [String: String] = [:], directory: String? = nil) throws -> Outcome {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\"$0\" \(words)", builtProduct("chainview")]
        process.environment = PseudoTerminal.standardEnvironment.merging(setting) { $1 }
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, errors)
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        // Read while it runs: a pipe holds 64 KiB.
        let texts = [output, errors].map { pipe in Reading(pipe.fileHandleForReading) }
        guard ended.wait(timeout: .now() + 120) == .success else {
            process.terminate()
            throw NeverEnds(words: words)
        }
        return Outcome(status: process.terminationStatus, output: texts[0].text(), errors: texts[1].text())
    }
}

/// All that comes out of a pipe, read on a thread of its own.
private final class Reading: @unchecked Sendable {
    // Sendable: `data` is written by the thread before `isDone` is signalled and read after that alone.
    private var data = Data()
    private let isDone = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
        Thread { [self] in
            data = handle.readDataToEndOfFile()
            isDone.signal()
        }
        .start()
    }

    func text() -> String {
        isDone.wait()
        return String(decoding: data, as: UTF8.self)
    }
}
