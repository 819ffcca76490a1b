// SPDX-License-Identifier: MIT

// What observing tasks costs a program, one figure a line: NAME VALUE UNIT, and NAME/unobserved RATIO x limit LIMIT ok|MISS.
// The program is this executable again, with and without an observing inspector in turn; a figure is the median of the
// pairs, and the ratio is that of the processor time with and without.
//
//     tasks.create  more processor time for each task that is made
//     tasks.switch  more processor time, of one processor, with 100,000 tasks and 200,000 switches a second
import Calibration
import ChainInspector
import ChainTasks
import Foundation

/// Returns the processor time of the process, the collecting thread's included, in seconds.
func processorTime() -> Double { Double(nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)) / 1e9 }

func wallTime() -> Double { Double(nanoseconds(of: CLOCK_MONOTONIC)) / 1e9 }

/// Makes 100,000 tasks that stay suspended, then switches 200,000 times a second for two seconds; prints the processor
/// time of either. Switches do a little work each, as a handler does.
func program(observes: Bool) async throws {
    let inspector = observes ? try Inspector.start(name: "bench", tasks: true) : nil
    if let failure = TaskObservation.failure { fatalError(failure) }
    let begin = processorTime()
    let (stream, ready) = AsyncStream<Void>.makeStream()
    for _ in 0..<100_000 {
        Task {
            ready.yield()
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
    }
    var left = 100_000
    for await _ in stream {
        left -= 1
        if left == 0 { break }
    }
    let made = processorTime()
    let start = wallTime()
    let rounds = 200
    for round in 0..<rounds {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { for _ in 0..<100 { await Task.yield() } }
            }
        }
        // 2,000 switches in 10 ms.
        let due = start + Double(round + 1) * 0.01
        let rest = due - wallTime()
        if rest > 0 { try await Task.sleep(for: .seconds(rest)) }
    }
    print(made - begin, processorTime() - made)
    fflush(nil)
    _ = inspector
    exit(0)
}

/// Runs this executable in a mode; returns the two processor times that it prints.
func measured(_ mode: String) -> [Double] {
    let process = Process()
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL!.resolvingSymlinksInPath()
    process.arguments = [mode]
    process.standardOutput = output
    do { try process.run() } catch { fatalError("\(error)") }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
}

func figures() {
    let pairs = (0..<9).map { _ in (off: measured("--off"), on: measured("--on")) }
    say("tasks.create", median(pairs.map { ($0.on[0] - $0.off[0]) / 100_000 * 1e9 }), "ns")
    say("tasks.create/unobserved", median(pairs.map { $0.on[0] / $0.off[0] }), "x")
    // Of one processor, for two seconds.
    say("tasks.switch", median(pairs.map { ($0.on[1] - $0.off[1]) / 2 * 100 }), "%")
    say("tasks.switch/unobserved", median(pairs.map { $0.on[1] / $0.off[1] }), "x", limit: 1.6)
}

switch CommandLine.arguments.dropFirst().first {
case "--on": try await program(observes: true)
case "--off": try await program(observes: false)
case let wanted?: if "tasks".hasPrefix(wanted) || wanted.hasPrefix("tasks") { figures() }
case nil: figures()
}
