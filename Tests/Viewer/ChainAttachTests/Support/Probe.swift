import Foundation
import TerminalHarness

/// A run of AttachProbe, killed when it is released.
final class Probe {
    let process = Process()
    let input = Pipe()
    let output = Pipe()

    static var path: String { builtProduct("AttachProbe") }

    /// Starts AttachProbe or another program, with `folder` as its folder of sockets.
    init(
        _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:], program: String? = nil
    ) throws {
        process.executableURL = URL(fileURLWithPath: program ?? Self.path)
        process.arguments = arguments
        process.environment = [
            "XDG_RUNTIME_DIR": folder.base, "TMPDIR": folder.base, "PATH": "/usr/bin:/bin",
            // Other tests' programs are not looked for.
            "CHAINVIEW_PROC": "", "SWIFT_BACKTRACE": "enable=no",
        ]
        .merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        // The id of a process that has ended may be another's, and that of one that was not started is 0: this group's.
        if process.isRunning { kill(pid, SIGKILL) }
        process.waitUntilExit()
    }

    var pid: Int32 { process.processIdentifier }

    /// Returns the next line of the output, or what is left of it at its end.
    func nextLine() -> String {
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Kills the program by SIGKILL, and waits for its end.
    func kill9() {
        if process.isRunning { kill(pid, SIGKILL) }
        process.waitUntilExit()
    }
}

// SPDX-License-Identifier: MIT
