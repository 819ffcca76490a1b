import ChainEvents
import ChainSystem
import Foundation
import TerminalHarness
import TestWaits
import Testing

@testable import ChainOutside

/// A running `OutsideProbe`, and what it says of itself. Ends with this object.
final class Probe {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// The words of each line.
    private(set) var lines: [[String]] = []

    let pid: Int32

    /// Starts the probe in a mode, and waits until it has done what the mode is about.
    init(_ mode: String, _ count: Int = 1) throws {
        process.executableURL = URL(fileURLWithPath: builtProduct("OutsideProbe"))
        process.arguments = [mode, "\(count)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        pid = process.processIdentifier
        var text = ""
        while !text.hasSuffix("end\n"), case let part = output.fileHandleForReading.availableData, !part.isEmpty {
            text += String(decoding: part, as: UTF8.self)
        }
        let all = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        try #require(all.last == ["end"])
        try #require(all.first == ["ready", "\(all.count - 2)"])
        lines = Array(all.dropFirst().dropLast())
    }

    deinit {
        end()
        process.waitUntilExit()
    }

    /// Ends the probe, and does not wait for that.
    func end() {
        // The id of a process that has ended may be another's.
        if process.isRunning { kill(pid, SIGKILL) }
    }

    /// Returns the words of the lines that begin with a word, without it.
    func lines(_ kind: String) -> [[String]] { lines.filter { $0[0] == kind }.map { Array($0.dropFirst()) } }

    /// Stops all threads, and waits until they are stopped.
    func stop() {
        kill(pid, SIGSTOP)
        let isStopped = wait {
            ThreadFiles.ids(of: pid).allSatisfy { thread in
                ProcFile.text("/proc/\(pid)/task/\(thread)/stat").map { $0.contains(") T ") } ?? true
            }
        }
        #expect(isStopped)
    }

    func goOn() { kill(pid, SIGCONT) }
}

/// Whether tasks of other processes may be read here.
enum Right {
    static let problem: String? = {
        do {
            let probe = try Probe("idle", 1)
            _ = try OutsideProcess(probe.pid)
            return nil
        } catch { return "\(error)" }
    }()

    /// Why tests are skipped.
    static var reason: Comment { "Tasks of other processes cannot be read here: \(problem ?? "")" }
}

extension OutsideReader {
    /// Makes a pass over all memory, and follows what it finds.
    @discardableResult
    func scanAll() -> Changes {
        beginScan()
        var changes = Changes()
        while scan != nil { changes = advanceScan(limit: 64 << 20, now: SystemTime.monotonic) }
        return changes
    }

    /// Makes a pass over all memory, and looks at tasks and threads.
    func refresh() -> Surroundings {
        scanAll()
        return lookAgain()
    }

    /// Looks at tasks and threads.
    func lookAgain() -> Surroundings {
        let now = SystemTime.monotonic
        _ = look(now: now)
        return surroundings(now: now)
    }

    /// Returns the node of the task at an address in hexadecimal digits.
    func node(_ address: String) -> NodeID? { UInt64(address, radix: 16).flatMap { followed[$0]?.node } }
}

func number(_ hexadecimal: String) -> UInt64 { UInt64(hexadecimal, radix: 16) ?? 0 }

// SPDX-License-Identifier: MIT
