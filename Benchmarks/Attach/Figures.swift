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

    static func say(_ name: String, _ value: Double, _ unit: String, limit: Double) {
        let words = [name, String(format: "%.3g", value), unit, "limit", String(format: "%.3g", limit)]
        answer((words + [value <= limit ? "ok" : "MISS"]).joined(separator: " "))
    }

    static func withFolder<Result>(_ body: (String) -> Result) -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/chainview-bench-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return body(folder)
    }

    static func socket(_ folder: String, _ program: Role) -> String { "unix:\(folder)/\(program.pid).sock" }

    // MARK: A viewer that is stopped

    /// Compares a program that makes 200,000 events a second with one like it that has a stopped viewer, in turns.
    private static func stoppedViewer() {
        withFolder { folder in
            let programs = [Role(["--program", folder]), Role(["--program", folder])]
            defer { for program in programs { program.end() } }
            for program in programs {
                program.ask("nodes", 10_000)
                program.ask("calibrate", 200_000)
            }
            let viewer = Role(["--viewer", folder, socket(folder, programs[1])])
            defer { viewer.end() }
            programs[1].ask("load", 500)
            viewer.signal(SIGSTOP)
            let stopped = seconds()
            var ratios: [Double] = []
            for round in 0..<20 {
                var rate = [0.0, 0.0]
                for index in round % 2 == 0 ? [0, 1] : [1, 0] {
                    let words = programs[index].ask("load", 500)
                    rate[index] = (Double(words[1]) ?? 0) / (Double(words[3]) ?? 1)
                }
                ratios.append(rate[0] / rate[1] - 1)
            }
            let duration = seconds() - stopped
            viewer.signal(SIGCONT)
            let resumed = seconds()
            let truth = programs[1].ask("digest")
            while viewer.ask("digest") != truth, seconds() - resumed < 60 { usleep(5_000) }
            say("attach.stopped.slowdown", median(ratios) * 100, "%", limit: 5)
            say("attach.stopped.catch-up", seconds() - resumed, "s", limit: 1)
            answer("attach.stopped.for", String(format: "%.3g", duration), "s")
        }
    }

    // MARK: Attaching to many nodes

    /// Measures from the viewer's start until its forest has all nodes, while the program runs: medians of five.
    private static func liveness() {
        for (nodes, limit) in [(100_000, 0.25), (1_000_000, 3)] {
            let rounds = (0..<5).map { _ in attach(to: nodes) }
            let name = "attach.live.\(nodes)"
            say("\(name).state", median(rounds.map(\.time)), "s", limit: limit)
            say("\(name).growth", median(rounds.map(\.growth)), "MiB", limit: 64)
            // Over a load of four seconds, of which attaching is a part. The first figure is by the clock, and includes
            // the sharing of processors with the viewer; the second is by the processor time of the program's thread.
            say("\(name).slowdown", median(rounds.map(\.slowdown)) * 100, "%", limit: 5)
            say("\(name).slowdown.processor", median(rounds.map(\.processor)) * 100, "%", limit: 5)
        }
    }

    private static func attach(to nodes: Int) -> (time: Double, growth: Double, slowdown: Double, processor: Double) {
        withFolder { folder in
            let program = Role(["--program", folder])
            defer { program.end() }
            program.ask("nodes", nodes)
            program.ask("calibrate", 50_000)
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
            func slowdown(by index: Int) -> Double {
                let rates = [alone, loaded].map { (Double($0[1]) ?? 0) / (Double($0[index]) ?? 1) }
                return rates[0] / rates[1] - 1
            }
            return (time, growth, slowdown(by: 3), slowdown(by: 2))
        }
    }

    /// Measures `chainview attach` on a terminal, from its start to the frame that counts all nodes.
    private static func firstScreen() {
        for (nodes, limit) in [(100_000, 0.25), (1_000_000, 3)] {
            withFolder { folder in
                let program = Role(["--program", folder])
                defer { program.end() }
                program.ask("nodes", nodes)
                let times = (0..<5).map { _ in
                    let start = seconds()
                    let terminal = attach(folder, program)
                    wait(terminal, "all \(nodes) nodes") { counts(nodes, in: $0) }
                    let time = seconds() - start
                    terminal.send("q")
                    _ = try? terminal.waitForExit()
                    return time
                }
                say("attach.screen.\(nodes)", median(times), "s", limit: limit)
            }
        }
    }

    /// Measures from the key that confirms a cancellation to the next row that is *cancelled*.
    private static func cancelKey() {
        withFolder { folder in
            let program = Role(["--program", folder])
            defer { program.end() }
            program.ask("nodes", 100_000)
            let terminal = attach(folder, program)
            wait(terminal, "all nodes") { counts(100_000, in: $0) }
            let times = (0..<11).map { round in
                // To the next chain of five.
                if round > 0 { terminal.send("jjjjj") }
                terminal.send("c")
                wait(terminal, "the question") { $0.contains("cancel them") || $0.contains("y ") && $0.contains("n ") }
                let cancelled = { (screen: VirtualScreen) in
                    screen.text.components(separatedBy: "cancelled").count - 1
                }
                let before = cancelled(terminal.screen)
                let start = seconds()
                terminal.send("y")
                wait(terminal, "a cancelled row") { cancelled($0) > before }
                return (seconds() - start) * 1_000
            }
            say("attach.cancel.100000", median(times), "ms", limit: 50)
            terminal.send("q")
            _ = try? terminal.waitForExit()
        }
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
