import Dashboard
import Foundation
import TerminalHarness

/// One run: a program under load and its viewer, sampled four times a second.
struct Growth {
    /// In seconds.
    let duration: Double
    let load: Load
    /// The view that the viewer shows; nil for its own choice.
    let view: ViewID?

    private struct Sample {
        /// In seconds since the start.
        var time: Double
        /// The resident memory of the program, in megabytes.
        var program: Double
        /// The resident memory of the viewer, in megabytes.
        var viewer: Double
    }

    /// The first words of the figures' names.
    private var prefix: String {
        (["growth"] + (load.isStorm ? ["storm"] : []) + (view.map { [$0.name] } ?? [])).joined(separator: ".")
    }

    /// Between two samples, in seconds.
    private static let interval = 0.25
    /// The allowed growth, in megabytes an hour.
    private static let limit = 1.0
    /// The viewer's share of a core at 200,000 events a second, in percent.
    private static let processorLimit = 10.0
    /// The smallest growth that a run can detect, in megabytes. Memory comes from the system in steps, some of them after the
    /// warm-up; and bounded lists, such as the viewer's 100,000 events, fill in the first minutes.
    private var resolution: Double { duration < 300 ? 4 : 1 }

    /// Runs, prints the figures, and returns whether all limits of memory and queues were kept.
    func run() throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.path + "/chainview-growth-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let program = try ProgramProcess(folder: folder, load)
        defer { program.end() }
        let viewer = try attach("unix:\(folder)/\(program.pid).sock", folder)
        try viewer.waitUntil("the first frame") { $0.contains("live") }

        let start = Clock.seconds
        let first = program.ask()
        let before = processorSeconds(viewer.processID)
        var samples: [Sample] = []
        var warm: (answer: [Double], time: Double)?
        while Clock.seconds - start < duration {
            let next = start + Double(samples.count + 1) * Self.interval
            try viewer.waitUntil("the next sample", timeout: .seconds(30)) { _ in Clock.seconds >= next }
            let time = Clock.seconds - start
            samples.append(
                Sample(time: time, program: resident(program.pid), viewer: resident(viewer.processID)))
            if warm == nil, time > duration / 3 { warm = (program.ask(), time) }
        }
        let last = program.ask()
        let seconds = Clock.seconds - start
        let used = processorSeconds(viewer.processID) - before
        let header = viewer.screen.text(row: 0)
        viewer.send("q")
        _ = try viewer.waitForExit()

        var isOK = true
        let kept = samples.filter { $0.time > duration / 3 }
        for (name, memory) in [("program", \Sample.program), ("viewer", \.viewer)] {
            let slope = slope(of: kept.map { ($0.time, $0[keyPath: memory]) }) * 3_600
            // Less than the smallest detectable growth is none.
            let step = resolution / (duration * 2 / 3) * 3_600
            say("\(prefix).\(name)", slope, "MB/h", limit: Self.limit + step, isOK: slope <= Self.limit + step)
            isOK = isOK && slope <= Self.limit + step
            say("\(prefix).\(name).least", kept.map { $0[keyPath: memory] }.min() ?? 0, "MB")
            say("\(prefix).\(name).most", kept.map { $0[keyPath: memory] }.max() ?? 0, "MB")
        }
        if let warm {
            say("\(prefix).program.heap", (last[2] - warm.answer[2]) / 1e6, "MB since \(Int(warm.time)) s")
        }
        say("\(prefix).rate", (last[0] - first[0]) / seconds, "events/s")
        say("\(prefix).lost.program", last[1] - first[1], "events")
        say("\(prefix).lost", lostCount(in: header), "events")
        // Exceeding it is no failure, because other work on the machine changes it.
        let share = used / seconds * 100
        say("\(prefix).viewer.processor", share, "%", limit: Self.processorLimit, isOK: share <= Self.processorLimit)
        return queues(of: viewer) && isOK
    }

    /// Returns the number of lost events in the viewer's header, which has none where nothing was lost.
    private func lostCount(in header: String) -> Double {
        // "99 events lost", and "ev lost" on a narrow screen.
        let words = header.split(separator: " ")
        guard let index = words.firstIndex(of: "lost"), index > 1 else { return 0 }
        return Double(words[index - 2].filter { $0 != "," }) ?? .nan
    }

    /// Attaches a viewer. Its history, a ring of parts of some 10 MB, moves its memory up and down by that much over a
    /// minute, so that in a short run it is kept at its smallest.
    private func attach(_ target: String, _ folder: String) throws -> PseudoTerminal {
        var options: [String] = []
        if duration < 300 {
            let file = "\(folder)/config.toml"
            try "[history]\nmemory = \"4M\"\n".write(toFile: file, atomically: true, encoding: .utf8)
            options = ["--config", file]
        }
        let path = Bundle.main.executableURL!.resolvingSymlinksInPath().deletingLastPathComponent()
        return try PseudoTerminal(
            path.appendingPathComponent("chainview").path,
            ["attach", target, "--fresh", "--debug-statistics"] + options + (view.map { ["--view", $0.name] } ?? []),
            columns: 160, rows: 60)
    }

    /// Checks that each queue of the viewer kept its limit, by the output of `--debug-statistics`.
    private func queues(of viewer: PseudoTerminal) -> Bool {
        let lines = (0..<60).map { viewer.screen.text(row: $0) }
        guard let head = lines.firstIndex(where: { $0.hasPrefix("queue ") && $0.contains("limit") }) else {
            print("\(prefix).queues: --debug-statistics printed nothing", viewer.screen.text)
            return false
        }
        var isOK = true
        for line in lines[(head + 1)...] {
            let words = line.split(separator: " ")
            let numbers = words.suffix(3).compactMap { Double($0) }
            guard numbers.count == 3 else { continue }
            let name = words.dropLast(3).joined(separator: "-")
            say("\(prefix).queue.\(name)", numbers[1], "entries", limit: numbers[2], isOK: numbers[1] <= numbers[2])
            isOK = isOK && numbers[1] <= numbers[2]
        }
        return isOK
    }

    private func say(_ name: String, _ value: Double, _ unit: String, limit: Double? = nil, isOK: Bool = true) {
        var words = [name, String(format: "%.4g", value), unit]
        if let limit { words += ["limit", String(format: "%.4g", limit), isOK ? "ok" : "MISS"] }
        print(words.joined(separator: " "))
        fflush(nil)
    }

    /// Returns the processor time that a process has used, in seconds.
    private func processorSeconds(_ pid: Int32) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        // The name, in parentheses, may hold blanks.
        let words = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard words.count > 13, let user = Double(words[12]), let system = Double(words[13]) else { return .nan }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Returns the resident memory of a process, in megabytes.
    private func resident(_ pid: Int32) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
    }
}

/// Returns how fast memory grows, per second: the median of the slopes between the least values of eight intervals
/// (Theil and Sen). What is taken for a while and given back, such as an array that is copied while it grows, moves a
/// fitted line by as much as a leak does, but neither the least values nor the median.
func slope(of samples: [(time: Double, value: Double)]) -> Double {
    let count = 8
    guard samples.count >= 2 * count else { return 0 }
    let least = (0..<count).map { interval in
        samples[samples.count * interval / count..<samples.count * (interval + 1) / count]
            .min { $0.value < $1.value }!
    }
    var slopes: [Double] = []
    for (index, early) in least.enumerated() {
        for late in least[(index + 1)...] { slopes.append((late.value - early.value) / (late.time - early.time)) }
    }
    slopes.sort()
    return (slopes[(slopes.count - 1) / 2] + slopes[slopes.count / 2]) / 2
}

/// The program, in a process of its own.
private final class ProgramProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest = Data()

    init(folder: String, _ load: Load) throws {
        process.executableURL = Bundle.main.executableURL!.resolvingSymlinksInPath()
        process.arguments = ["--program", folder] + load.words
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = line()
    }

    var pid: Int32 { process.processIdentifier }

    /// Returns the events made and lost so far, and the bytes of heap in use.
    func ask() -> [Double] {
        input.fileHandleForWriting.write(Data("?\n".utf8))
        return line().split(separator: " ").compactMap { Double($0) }
    }

    func end() {
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    /// Returns the next line of the program's output.
    private func line() -> String {
        while true {
            if let end = rest.firstIndex(of: 10) {
                let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                rest = Data(rest[(end + 1)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { fatalError("the program ended") }
            rest.append(more)
        }
    }
}

// SPDX-License-Identifier: MIT
