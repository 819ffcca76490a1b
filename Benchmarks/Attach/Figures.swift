// SPDX-License-Identifier: MIT

import Calibration
import Foundation
import TerminalHarness

/// The figures of attaching: runs them, and prints each on a line.
enum Figures {
    private static let all: [(name: String, measure: @Sendable () -> Void)] = [
        ("attach.stopped", { stoppedViewer() }), ("flight.cost", { flightRecorder() }), ("attach.live", { liveness() }),
        ("attach.screen", { firstScreen() }),
        ("attach.cancel", { cancelKey() }), ("screen.still", { stillScreen() }), ("screen.calm", { calmScreen() }),
    ]

    static func run(wanted: [String]) {
        for figure in all
        where wanted.isEmpty || wanted.contains(where: { figure.name.hasPrefix($0) || $0.hasPrefix(figure.name) }) {
            figure.measure()
        }
    }

    static func withFolder<Result>(_ body: (String) -> Result) -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/chainview-bench-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return body(folder)
    }

    static func socket(_ folder: String, _ program: Role) -> String { "unix:\(folder)/\(program.pid).sock" }

    /// The work of a chain with which one thread makes some 200,000 events a second where a step takes 1.2 ns. The work,
    /// not the rate, is fixed: what events cost beside it is the same share on a slower machine.
    static let spins = 88_000

    /// Runs two programs in turns; returns how much slower the second one was in each turn, by the time in which its
    /// thread ran or was blocked.
    static func slowdowns(of programs: [Role], rounds: Int) -> [Double] {
        (0..<rounds).map { round in
            var rate = [0.0, 0.0]
            for index in round % 2 == 0 ? [0, 1] : [1, 0] {
                let words = programs[index].ask("load", 500)
                rate[index] = (Double(words[1]) ?? 0) / (Double(words[3]) ?? 1)
            }
            return rate[0] / rate[1] - 1
        }
    }

    // MARK: A viewer that is stopped

    /// Compares a program that makes 200,000 events a second with one like it that has a stopped viewer, in turns; then
    /// how long the viewer takes to catch up with how long a new viewer takes. Both are latencies, thus by the clock.
    private static func stoppedViewer() {
        withFolder { folder in
            let programs = [Role(["--program", folder]), Role(["--program", folder])]
            defer { for program in programs { program.end() } }
            for program in programs {
                program.ask("nodes", 10_000)
                program.ask("spins", spins)
            }
            func makeViewer() -> Role { Role(["--viewer", folder, socket(folder, programs[1])]) }
            let viewer = makeViewer()
            defer { viewer.end() }
            programs[1].ask("load", 500)
            var ratios: [Double] = []
            let pairs = (0..<3).map { _ in
                viewer.signal(SIGSTOP)
                ratios += slowdowns(of: programs, rounds: 8)
                viewer.signal(SIGCONT)
                let caughtUp = secondsUntilEqual(programs[1]) { viewer }
                var newViewer: Role?
                defer { newViewer?.end() }
                let attached = secondsUntilEqual(programs[1]) {
                    newViewer = newViewer ?? makeViewer()
                    return newViewer!
                }
                return (caughtUp, attached)
            }
            say("attach.stopped.slowdown", median(ratios) * 100, "%", limit: 5)
            Pace(to: "new", pairs).say("attach.stopped.catch-up", "s", limit: 2.5) { $0 }
        }
    }

    /// Returns the time until a viewer has the same live nodes as the program.
    private static func secondsUntilEqual(_ program: Role, _ viewer: () -> Role) -> Double {
        let start = seconds()
        let truth = program.ask("digest")
        while viewer().ask("digest") != truth, seconds() - start < 60 { usleep(5_000) }
        return seconds() - start
    }

    // MARK: Attaching to many nodes

    /// The time, by the clock, of a process that reads at random: the peer of latencies in which a process starts and takes
    /// up a large state.
    private static func secondsOfProcess() -> Double {
        let start = seconds()
        Role(["--reads"]).end()
        return seconds() - start
    }

    /// Measures from the viewer's start until its forest has all nodes, while the program runs: medians of five.
    private static func liveness() {
        for (nodes, limit) in [(100_000, 2.0), (1_000_000, 20)] {
            let name = "attach.live.\(nodes)"
            let rounds = (0..<5).map { _ in attach(to: nodes) }
            let pace = Pace(to: "process", rounds.map { ($0, $0.process) })
            pace.say("\(name).state", "s", limit: limit) { $0.time }
            say("\(name).growth", pace.median { $0.growth }, "MiB", limit: 64)
            // Over a load of four seconds, of which attaching is a part: by the time in which the program's thread ran or
            // was blocked, and by its processor time.
            say("\(name).slowdown", pace.median { $0.slowdown } * 100, "%", limit: 5)
            say("\(name).slowdown.processor", pace.median { $0.processor } * 100, "%", limit: 5)
        }
    }

    private struct Attachment {
        var time: Double, process: Double, growth: Double, slowdown: Double, processor: Double
    }

    private static func attach(to nodes: Int) -> Attachment {
        withFolder { folder in
            let program = Role(["--program", folder])
            defer { program.end() }
            program.ask("nodes", nodes)
            program.ask("spins", spins * 4)
            let alone = program.ask("load", 2_000)
            let before = memory("VmRSS", of: program.pid)
            resetPeak(of: program.pid)
            program.say("load 4000")
            usleep(200_000)
            let start = seconds()
            let viewer = Role(["--viewer", folder, socket(folder, program)])
            defer { viewer.end() }
            var count = 0
            while count < nodes, seconds() - start < 60 {
                count = Int(viewer.ask("live")[1]) ?? 0
                // Asked rarely, so that the answers take no processor from the program.
                if count < nodes { usleep(10_000) }
            }
            let time = seconds() - start
            let loaded = program.answer()
            let growth = Double(memory("VmHWM", of: program.pid) - before) / 1024
            // The peer is measured beside the same load, but not within the one whose slowdown counts.
            program.say("load 1000")
            let process = secondsOfProcess()
            _ = program.answer()
            func slowdown(by index: Int) -> Double {
                let rates = [alone, loaded].map { (Double($0[1]) ?? 0) / (Double($0[index]) ?? 1) }
                return rates[0] / rates[1] - 1
            }
            return Attachment(
                time: time, process: process, growth: growth, slowdown: slowdown(by: 3), processor: slowdown(by: 2))
        }
    }

    /// Measures `chainview attach` on a terminal, from its start to the frame that counts all nodes.
    private static func firstScreen() {
        for (nodes, limit) in [(100_000, 2.0), (1_000_000, 20)] {
            withFolder { folder in
                let program = Role(["--program", folder])
                defer { program.end() }
                program.ask("nodes", nodes)
                let pairs = (0..<5).map { _ in
                    let start = seconds()
                    let terminal = attach(folder, program)
                    wait(terminal, "all \(nodes) nodes") { counts(nodes, in: $0) }
                    let time = seconds() - start
                    terminal.send("q")
                    _ = try? terminal.waitForExit()
                    return (time, secondsOfProcess())
                }
                Pace(to: "process", pairs).say("attach.screen.\(nodes)", "s", limit: limit) { $0 }
            }
        }
    }

    /// Measures from the key that confirms a cancellation to the next row that is *cancelled*, beside the time from a
    /// settlement in the program to its row: the way back, with the same waits for the collector and for a frame.
    private static func cancelKey() {
        withFolder { folder in
            let program = Role(["--program", folder])
            defer { program.end() }
            program.ask("nodes", 100_000)
            let terminal = attach(folder, program)
            wait(terminal, "all nodes") { counts(100_000, in: $0) }
            let pairs = (0..<5).map { round in
                // To the next chain of five.
                if round > 0 { terminal.send("jjjjj") }
                terminal.send("c")
                wait(terminal, "the question") { $0.contains("cancel them") || $0.contains("y ") && $0.contains("n ") }
                let cancelled = milliseconds(terminal, untilMore: "cancelled") { terminal.send("y") }
                // The lowest chain on the screen, so that those that are cancelled next stay in their place.
                let order = terminal.screen.text.matches(of: /pending .*order (\d+)/).last?.1 ?? "0"
                return (cancelled, milliseconds(terminal, untilMore: "fulfilled") { program.ask("settle", order) })
            }
            Pace(to: "settled", pairs).say("attach.cancel.100000", "ms", limit: 3) { $0 }
            terminal.send("q")
            _ = try? terminal.waitForExit()
        }
    }

    /// Returns the time from `act` until the screen has a word once more.
    private static func milliseconds(_ terminal: PseudoTerminal, untilMore word: String, _ act: () -> Void) -> Double {
        let count = { (screen: VirtualScreen) in screen.text.components(separatedBy: word).count }
        let before = count(terminal.screen)
        let start = seconds()
        act()
        wait(terminal, "one more row that is \(word)") { count($0) > before }
        return (seconds() - start) * 1_000
    }

    static func attach(_ folder: String, _ program: Role) -> PseudoTerminal {
        let path = Bundle.main.executableURL!.resolvingSymlinksInPath().deletingLastPathComponent()
        do {
            return try PseudoTerminal(
                path.appendingPathComponent("chainview").path, ["attach", socket(folder, program)], columns: 200,
                rows: 60)
        } catch { fatalError("\(error)") }
    }

    static func wait(_ terminal: PseudoTerminal, _ what: String, _ test: @escaping (VirtualScreen) -> Bool) {
        do { try terminal.waitUntil(what) { test($0) } } catch { fatalError("\(error)") }
    }

    /// Whether the header shows that many nodes in flight.
    private static func counts(_ nodes: Int, in screen: VirtualScreen) -> Bool {
        let text = String(String(nodes).reversed())
        let groups = stride(from: 0, to: text.count, by: 3).map { String(text.dropFirst($0).prefix(3)) }
        let grouped = String(groups.joined(separator: ",").reversed())
        let short = nodes < 1_000_000 ? "\(nodes / 1_000)k" : "\(nodes / 1_000_000).0M"
        let top = screen.text(row: 0)
        return top.contains("\(grouped) in flight") || top.contains("\(short) in flight")
    }
}
