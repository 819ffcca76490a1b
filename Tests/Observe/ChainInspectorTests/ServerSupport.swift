import Foundation
import PromiseRuntime
import TerminalHarness
import TestWaits
import Testing

@testable import ChainInspector

extension InspectorOptions {
    /// Options of an inspector that does not listen.
    static var alone: InspectorOptions {
        var options = InspectorOptions()
        options.endpoints = []
        return options
    }
}

extension ScratchFolder {
    /// The sorted paths of everything in the folder, relative to it.
    var files: [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
    }

    /// Returns options of an inspector with its sockets in this folder. It waits 90 seconds for greetings, because a
    /// test's thread may get no processor for seconds.
    func options(_ endpoints: [InspectorEndpoint] = [.unix]) -> InspectorOptions {
        var options = InspectorOptions()
        options.endpoints = endpoints
        options.socketFolder = path + "/s"
        options.adjustServer = { $0.handshakeLimit = 90_000_000_000 }
        return options
    }
}

extension Inspector {
    /// The number of connections, as of the server's last turn.
    var connectionCount: Int { server.withLock { $0 }?.connectionCounts.all ?? 0 }
    /// The number of connections in the handshake, as of the server's last turn.
    var handshakeCount: Int { server.withLock { $0 }?.connectionCounts.inHandshake ?? 0 }
}

/// A run of `ServerProbe`, which an alarm ends at the latest.
final class ProbeRun {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private var unread = Data()

    init(_ arguments: [String], environment: [String: String] = [:], program: String? = nil) throws {
        process.executableURL = URL(fileURLWithPath: program ?? builtProduct("ServerProbe"))
        process.arguments = arguments
        // Swift's backtracer can hang after a trap under ThreadSanitizer. It holds the pipes open, and the process's end is
        // never noticed; the wait thread of exit tests then spins on it.
        let quiet = ["SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }
        process.environment = ProcessInfo.processInfo.environment.merging(quiet) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    var pid: pid_t { process.processIdentifier }

    /// Returns the next line of the output; empty at its end.
    func line() -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread = Data(unread[(end + 1)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return "" }
            unread += more
        }
    }

    /// Closes the probe's input, waits for its end, and returns the rest of its output, its errors and its status.
    func end() -> (output: String, errors: String, status: Int32) {
        try? input.fileHandleForWriting.close()
        let rest = unread + toEnd(of: output)
        let texts = [rest, toEnd(of: errors)].map { String(decoding: $0, as: UTF8.self) }
        guard hasEnded else { return (texts[0], texts[1], -1) }
        process.waitUntilExit()
        return (texts[0], texts[1], process.terminationStatus)
    }

    /// False after a wait for output in vain.
    private var hasEnded = true

    /// Reads to the end of a pipe. Kills the probe if nothing comes for a long time.
    private func toEnd(of pipe: Pipe) -> Data {
        var data = Data()
        while hasEnded {
            var entry = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard TestWaits.wait(until: { poll(&entry, 1, 100) > 0 }) else {
                hasEnded = false
                let facts = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? "it is gone"
                Issue.record("The output of \(process.arguments ?? []) does not end: \(facts)")
                if process.isRunning { Foundation.kill(pid, SIGKILL) }
                break
            }
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { break }
            data += more
        }
        return data
    }

    func kill() {
        // The id of a process that has ended may be another's, and that of one that was not started is 0: this group's.
        if process.isRunning { Foundation.kill(pid, SIGKILL) }
        process.waitUntilExit()
    }
}

/// A user other than the tests' own, or nil if the tests may not switch users.
let otherUser: uid_t? = geteuid() == 0 ? 65534 : nil

// SPDX-License-Identifier: MIT
