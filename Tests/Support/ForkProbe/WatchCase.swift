import ChainInspector
import Foundation
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Uses promises for two seconds unrecorded and two seconds recorded, and compares how often the watch for blocked
/// workers woke: on a busy machine it wakes less often in both. Then blocks all workers, unrecorded, with the jobs that they wait for behind them in the queue.
func watchCase() throws {
    let unrecorded = wakesASecond()
    var options = InspectorOptions()
    options.collection = .manual
    let inspector = try Inspector.start(options: options)
    // For two seconds, because the watch may have begun its last long sleep before.
    let recorded = wakesASecond()
    expect(recorded >= 3 * unrecorded, "the watch woke \(recorded) times a second recorded, \(unrecorded) unrecorded")
    inspector.stop()

    let unblock = DispatchSemaphore(value: 0)
    let width = PoolExecutor.shared.width
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<width {
        PoolExecutor.shared.execute {
            unblock.wait()
            ended.signal()
        }
    }
    for _ in 0..<width { PoolExecutor.shared.execute { unblock.signal() } }
    // The alarm ends a wait for ever.
    for _ in 0..<width { ended.wait() }
    write(1, "over\n", 5)
}

/// Runs short chains with pauses of five milliseconds for at least two seconds. Returns how often the watch woke in a
/// second of that time.
private func wakesASecond() -> Double {
    let (begin, before) = (ContinuousClock.now, max(0, wakeCount()))
    usePromises(until: begin + .seconds(2))
    return Double(wakeCount() - before) / ((ContinuousClock.now - begin) / .seconds(1))
}

private func usePromises(until end: ContinuousClock.Instant) {
    let ended = DispatchSemaphore(value: 0)
    Promise.repeat(pause: .milliseconds(5)) {
        Promise { ContinuousClock.now }.map { $0 }
    } until: { now in
        now >= end
    }.done { _ in ended.signal() }
    ended.wait()
}

/// Returns how often the watch's thread has gone to sleep so far, or -1 without such a thread.
private func wakeCount() -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    for task in tasks {
        guard let status = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8),
            status.hasPrefix("Name:\tchain-watch\n")
        else { continue }
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line.flatMap { Int($0.split(separator: "\t")[1]) } ?? -1
    }
    return -1
}

// SPDX-License-Identifier: MIT
