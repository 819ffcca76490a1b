// SPDX-License-Identifier: MIT

import Calibration
import Foundation
import TerminalHarness

/// The cost of the real dashboard on a terminal while little happens.
extension Figures {
    /// Measures while everything has settled, so that only the header changes, once a second.
    static func stillScreen() {
        withFolder { folder in
            let program = Role(["--program", folder])
            defer { program.end() }
            program.ask("load", 50)
            let terminal = attach(folder, program)
            wait(terminal, "the program") { $0.text(row: 0).contains("live") }
            // Settled chains move down and fold within some seconds, and the rate of events falls to 0.
            watch(terminal, seconds: 15)
            report("screen.still", terminal, seconds: 15, bytes: 60, processor: 0.05)
            terminal.send("q")
            _ = try? terminal.waitForExit()
        }
    }

    /// Measures with 1,000 nodes, of which 10 run, at 10 frames a second.
    static func calmScreen() {
        withFolder { folder in
            let program = Role(["--program", folder])
            defer { program.end() }
            program.ask("nodes", 990)
            program.ask("run", 10)
            let terminal = attach(folder, program)
            wait(terminal, "the program") { $0.text(row: 0).contains("10 running") }
            terminal.send(":rate 10\r")
            watch(terminal, seconds: 8)
            report("screen.calm", terminal, seconds: 20, bytes: 2_000, processor: 0.2)
            terminal.send("q")
            _ = try? terminal.waitForExit()
        }
    }

    /// Measures in five rounds. What a second takes of a processor is compared in milliseconds.
    private static func report(
        _ name: String, _ terminal: PseudoTerminal, seconds duration: Double, bytes: Double, processor: Double
    ) {
        let pace = Pace(5, to: .sort) { _ in watch(terminal, seconds: duration / 5) }
        say("\(name).bytes", pace.median { $0.bytes }, "B/s", limit: bytes)
        pace.say("\(name).processor", "%") { $0.share * 100 }
        pace.compare("\(name).processor", limit: processor) { $0.share * 1_000 }
    }

    /// Returns how many bytes a dashboard writes in a second, and its share of a processor.
    @discardableResult
    private static func watch(_ terminal: PseudoTerminal, seconds duration: Double) -> (bytes: Double, share: Double) {
        let start = seconds()
        let (bytes, time) = (terminal.received.count, processorTime(of: terminal.processID))
        while seconds() - start < duration {
            usleep(100_000)
            try? terminal.waitUntilQuiet(.milliseconds(1), timeout: .milliseconds(50))
        }
        let elapsed = seconds() - start
        return (
            Double(terminal.received.count - bytes) / elapsed,
            (processorTime(of: terminal.processID) - time) / elapsed
        )
    }

    /// Returns the processor time of all threads of a process, in seconds; threads that have ended are not counted.
    private static func processorTime(of process: pid_t) -> Double {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.reduce(0) { sum, thread in
            let text = (try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/schedstat", encoding: .utf8)) ?? ""
            return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
        }
    }
}
