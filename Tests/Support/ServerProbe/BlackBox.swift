import CFork
import ChainInspector
import Foundation
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Starts a flight recorder, with a black box or without, makes chains, and ends the process before they are collected.
///
/// - Parameter how: `kill`, `trap` or `exit`; `kill-plain`: without a black box; `kill-recorded`: after all events but
///   the last were collected; `kill-forked`: after a child was forked.
func recordBlackBox(_ folder: String, how: String) throws {
    var options = options(folder)
    var flight = InspectorOptions.FlightRecorder()
    flight.isBlackBox = !how.hasSuffix("-plain")
    options.flightRecorder = flight
    // Only `dumpFlightRecording` collects.
    options.collection = .manual
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    let inspector = try Inspector.start(name: "a probe/1", runtime: runtime, options: options)
    let (order, resolver) = runtime.run { Promise<Int>.pending(label: "order 17") }
    try inspector.dumpFlightRecording(to: folder + "/first.chain")
    say(inspector.flightRecordingPath ?? "none")
    nonisolated(unsafe) var charges: [Promise<Int>] = []  // one thread at a time, by the semaphore
    // On another thread, which has a ring of its own; and texts that take several slots.
    let ended = DispatchSemaphore(value: 0)
    let late = Thread {
        runtime.run {
            for number in 100..<600 {
                let (_, resolver) = Promise<Int>.pending(label: "order \(number)")
                resolver.fulfill(number)
            }
            charges.append(order.map(label: "charge order 17 " + String(repeating: "x", count: 300)) { $0 })
        }
        ended.signal()
    }
    late.start()
    ended.wait()
    if how == "kill-forked" {
        let child = fork_process()
        if child == 0 {
            alarm(60)
            // Releases the parent's inspector, and with it the rings that both processes have mapped.
            options.flightRecorder = nil
            _ = try? Inspector.start(name: "child", runtime: runtime, options: options)
            _ = runtime.run { Promise<Int>.pending(label: "of the child") }
            _exit(0)
        }
        _ = wait_for_child(child)
    }
    if how == "kill-recorded" { try inspector.dumpFlightRecording(to: folder + "/second.chain") }
    let kept = runtime.run { Promise<Int>.pending(label: "order 18") }
    switch how {
    case "exit": exit(0)
    case "trap": fatalError("trapped")
    default: kill(getpid(), SIGKILL)
    }
    withExtendedLifetime((resolver, kept, charges)) {}
}

// SPDX-License-Identifier: MIT
