import Foundation
import TerminalHarness
import TestWaits
import Testing

/// A private folder of sockets for one test.
final class Place {
    private let folder = ScratchFolder()
    var path: String { folder.path }
    /// Further variables of the environment.
    var setting: [String: String] = [:]
    /// The environment that makes programs and viewers use the folder.
    var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": path, "TMPDIR": path, "XDG_CONFIG_HOME": path + "/config",
            "XDG_STATE_HOME": path + "/state",
            // The programs of other tests are not looked for.
            "CHAINVIEW_PROC": "",
        ].merging(setting) { $1 }
    }

    /// Starts a program that can be attached to.
    func probe(_ name: String = "shop", _ arguments: String...) throws -> Probe {
        try Probe(name, arguments, in: self)
    }

    /// Runs `chainview WORDS` without a terminal.
    func run(_ words: String, by prefix: String = "") throws -> Outcome {
        try Shell.run(words, by: prefix, setting: environment, directory: path)
    }

    /// Repeats `chainview WORDS` until it prints a text, and returns the last outcome. Also for commands with `--for`,
    /// because on a busy machine that time may be over before anything is reached.
    @discardableResult
    func run(_ words: String, untilItPrints text: String) throws -> Outcome {
        var outcome = try run(words)
        if try wait(until: {
            if outcome.output.contains(text) { return true }
            outcome = try run(words)
            return false
        }) {
            return outcome
        }
        throw HarnessError(description: "chainview \(words) did not print \(text): \(outcome)")
    }

    /// Starts `chainview ARGUMENTS` on a terminal.
    func view(
        _ arguments: String..., columns: Int = 120, rows: Int = 40, setting: [String: String] = [:], waits: Bool = true
    ) throws -> Viewer {
        try Viewer(
            arguments, columns: columns, rows: rows, setting: environment.merging(setting) { $1 }, directory: path,
            waits: waits)
    }

    /// Makes a FIFO for commands to a program without standard input.
    func fifo() throws -> String {
        let path = path + "/commands"
        guard mkfifo(path, 0o600) == 0 else { throw HarnessError(description: "no FIFO: \(errno)") }
        return path
    }
}

/// An inspected program in a process of its own, driven by commands.
final class Probe {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var read = ""
    private let place: Place
    private let name: String

    var pid: Int32 { process.processIdentifier }

    init(_ name: String, _ arguments: [String], in place: Place, setting: [String: String] = [:]) throws {
        self.place = place
        self.name = name
        process.executableURL = URL(fileURLWithPath: builtProduct("CommandProbe"))
        process.arguments = [name] + arguments
        process.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }.merging(setting) {
            $1
        }
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try wait(for: "ready")
    }

    deinit {
        // The id of a process that has ended may be another's, and that of one that was not started is 0: this group's.
        if process.isRunning { kill(pid, SIGKILL) }
        process.waitUntilExit()
    }

    /// Sends a command, waits until it is done, and returns the answer.
    @discardableResult
    func tell(_ command: String) throws -> String {
        input.fileHandleForWriting.write(Data((command + "\n").utf8))
        return try wait(for: "ok")
    }

    /// Ends the program by a signal, and waits for its end.
    func end(by signal: Int32) {
        if process.isRunning { kill(pid, signal) }
        process.waitUntilExit()
    }

    /// Waits until the program prints a word on a line of its own; returns what it printed.
    @discardableResult
    private func wait(for word: String) throws -> String {
        let file = output.fileHandleForReading.fileDescriptor
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !read.contains(word + "\n") {
            var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard TestWaits.wait(until: { poll(&entry, 1, 100) > 0 }) else {
                throw HarnessError(description: "\(name) did not print \(word)")
            }
            let count = Foundation.read(file, &buffer, buffer.count)
            guard count > 0 else { throw HarnessError(description: "\(name) has ended; it printed \(read)") }
            read += String(decoding: buffer[..<count], as: UTF8.self)
        }
        defer { read = "" }
        return read
    }
}

// SPDX-License-Identifier: MIT
