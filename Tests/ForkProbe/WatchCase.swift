import ChainInspector
import Foundation
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Uses promises for two seconds unrecorded and two seconds recorded, and checks how often the watch for blocked
/// workers woke. Then blocks all workers, unrecorded, with the jobs that they wait for behind them in the queue.
func watchCase() throws {
    usePromises(seconds: 2)
    let unrecorded = wakeCount()
    expect(unrecorded <= 25, "unrecorded, the watch woke \(unrecorded) times in two seconds")
    var options = InspectorOptions()
    options.collectsByHand = true
    let inspector = try Inspector.start(options: options)
    // For two seconds, because the watch may have begun its last long sleep before.
    usePromises(seconds: 2)
    let recorded = wakeCount() - unrecorded
    expect(recorded >= 50, "recorded, it woke \(recorded) times in two seconds")
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

/// Runs short chains with pauses of five milliseconds.
private func usePromises(seconds: Int) {
    let ended = DispatchSemaphore(value: 0)
    Promise.repeat(pause: .milliseconds(5)) {
        Promise { ContinuousClock.now }.map { $0 }
    } until: { [end = ContinuousClock.now + .seconds(seconds)] now in
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
