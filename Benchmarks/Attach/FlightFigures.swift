// SPDX-License-Identifier: MIT

import Calibration
import Foundation

extension Figures {
    /// Compares two programs that make 200,000 events a second, each with a viewer, one of them with a flight recorder,
    /// in turns; then measures the memory of both.
    static func flightRecorder() {
        withFolder { folder in
            let programs = [Role(["--program", folder]), Role(["--program", folder, "flight"])]
            defer { for program in programs { program.end() } }
            for program in programs {
                program.ask("nodes", 10_000)
                program.ask("spins", spins)
            }
            let viewers = programs.map { Role(["--viewer", folder, socket(folder, $0)]) }
            defer { for viewer in viewers { viewer.end() } }
            for program in programs { program.ask("load", 2_000) }
            let ratios = slowdowns(of: programs, rounds: 40)
            say("flight.rate", rate(of: programs[1]), "events/s of a processor")
            say("flight.cost", median(ratios) * 100, "%", limit: 3)
            say("flight.cost.quartile", ratios.sorted()[30] * 100, "%")

            var sizes: [[Double]] = []
            for (index, program) in programs.enumerated() {
                program.ask("load", 30_000)
                let (before, ticks) = (resident(program), flightTicks(program))
                let words = program.ask("load", 60_000)
                sizes.append([before, resident(program)])
                guard index == 1 else { continue }
                // Divided by the load's processor time, not by the clock: the events of a second of it are as many on a
                // busy machine.
                let time = Double(flightTicks(program) - ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
                say("flight.thread", time / (Double(words[2]) ?? 1) * 100, "%", limit: 6)
            }
            say("flight.growth", sizes[1][1] - sizes[1][0], "MiB/min", limit: 4)
            say("flight.growth.without", sizes[0][1] - sizes[0][0], "MiB/min")
            say("flight.memory", sizes[1][1] - sizes[0][1], "MiB", limit: 64)
        }
    }

    /// Returns the events for each second of processor time of the program's thread.
    private static func rate(of program: Role) -> Double {
        let before = Double(program.ask("events")[1]) ?? 0
        let cpu = Double(program.ask("load", 2_000)[2]) ?? 1
        return ((Double(program.ask("events")[1]) ?? 0) - before) / cpu
    }

    /// Returns the processor time of the flight recorder's thread, in clock ticks.
    private static func flightTicks(_ program: Role) -> Int {
        let folder = "/proc/\(program.pid)/task"
        for task in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let text = (try? String(contentsOfFile: "\(folder)/\(task)/stat", encoding: .utf8)) ?? ""
            guard text.contains("(chain-flight)") else { continue }
            let fields = text.split(separator: " ")
            return (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0)
        }
        return 0
    }

    /// Returns the resident memory in MiB.
    private static func resident(_ program: Role) -> Double { Double(memory("VmRSS", of: program.pid)) / 1024 }
}
