import Foundation
import TerminalHarness

/// A run of AttachProbe, killed when it is released.
final class Probe {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    static var path: String { builtProduct("AttachProbe") }

    /// Starts it, with the folder of sockets as its own.
    init(_ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.environment = ["XDG_RUNTIME_DIR": folder.base, "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
            .merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    var pid: Int32 { process.processIdentifier }

    /// What it says up to its first line's end, or to its own.
    func firstLine() -> String {
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Kills it the hard way.
    func kill9() {
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }
}
