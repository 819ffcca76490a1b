import Foundation
import TerminalHarness
import TestWaits

/// `chainview record` or `chainview run --record` in a process of its own.
final class Recording {
    let process = Process()
    private let errors = Pipe()
    private let file: String

    convenience init(_ arguments: [String], into name: String, in place: Place) throws {
        try self.init(command: ["record"] + arguments + ["-o", name], into: name, in: place)
    }

    /// Starts `chainview COMMAND` by a shell, after a script of that shell.
    init(command: [String], into name: String, in place: Place, after script: String = "") throws {
        file = place.path + "/" + name
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(script)\nexec \"$0\" \"$@\"", builtProduct("chainview")] + command
        process.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: place.path)
        process.standardError = errors
        try process.run()
    }

    /// Waits until `count` bytes are in the file.
    func wait(for count: Int) throws { try Self.wait(for: count, in: file) }

    /// Waits for the end, and returns what was written to standard error.
    func end() -> String {
        process.waitUntilExit()
        return String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Waits until `count` bytes are in a file.
    static func wait(for count: Int, in file: String) throws {
        let isLong = TestWaits.wait {
            let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
            return (size?.intValue ?? 0) >= count
        }
        if !isLong { throw HarnessError(description: "\(file) has not got \(count) bytes") }
    }
}

extension Place {
    /// Records a program until its state is in the file.
    func record(_ target: String, into name: String) throws {
        let recording = try Recording([target], into: name, in: self)
        // The header, a keyframe, and the state.
        try recording.wait(for: 700)
        kill(recording.process.processIdentifier, SIGINT)
        let errors = recording.end()
        guard recording.process.terminationStatus == 0 else { throw HarnessError(description: errors) }
    }
}

// SPDX-License-Identifier: MIT
