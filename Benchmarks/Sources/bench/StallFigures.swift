// SPDX-License-Identifier: MIT

import CHeap
import Calibration
import ChainInspector
import Dispatch
import PromiseRuntime
import Synchronization
import Workloads

/// Figures of an inspector that gets more events than it can collect, and of one with a blocked collecting thread.
let stallFigures = [
    Figure(name: "attach.rings.unaccounted", limit: 0, unit: "events", runs: 1) { twoThreads(seconds: 10).unaccounted },
    Figure(name: "attach.rings.growth", limit: 48, unit: "MiB", runs: 1) { twoThreads(seconds: 10).growth },
    Figure(name: "attach.threads.unaccounted", limit: 0, unit: "events", runs: 1) { threadsThatComeAndGo(5_000) },
    Figure(name: "attach.stall.slowdown", limit: 5, unit: "%", runs: 1) { slowdownWhileStalled(pairs: 25) },
    Figure(name: "attach.stall.mended", peer: making, limit: 0.5, unit: "ms", runs: 5) { millisecondsToMend() },
]

/// The time, by the clock because a mend is a latency, in which a program makes as many nodes as before a mend.
private let making = Peer("making") {
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    let inspector = inspect(runtime)
    defer { inspector.stop() }
    let start = monotonicNanoseconds()
    runtime.run { Workloads.nodes(200_000) }
    return Double(monotonicNanoseconds() - start) / 1e6
}

private func inspect(_ runtime: ChainRuntime) -> Inspector {
    var options = InspectorOptions()
    options.endpoints = []
    options.retention.settledNodeLimit = 1_000
    options.retention.settledLeafLimit = 1_000
    guard let inspector = try? Inspector.start(runtime: runtime, options: options) else {
        fatalError("a new runtime is recorded by none")
    }
    return inspector
}

/// Returns the events made, minus those delivered and lost. Has to be called at rest.
private func unaccounted(_ inspector: Inspector) -> Double {
    inspector.collectNow()
    let loss = inspector.eventCounts
    return Double(loss.madeCount) - Double(loss.deliveredCount) - Double(loss.lostInRings)
}

/// Records on two threads as fast as they can, while a viewer reads as fast as it can.
private func twoThreads(seconds: UInt64) -> (unaccounted: Double, growth: Double) {
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    let inspector = inspect(runtime)
    defer { inspector.stop() }
    runtime.run { Workloads.nodes(10_000) }
    let before = heap_in_use()
    let end = monotonicNanoseconds() + seconds * 1_000_000_000
    let viewer = inspector.subscribe(mailboxLimit: 50_000)
    onThreads(3) { index in
        while monotonicNanoseconds() < end {
            if index == 2 { while viewer.next() != nil {} } else { runtime.run { Workloads.nodes(1_000) } }
        }
    }
    let growth = Double(Int(heap_in_use()) - Int(before)) / Double(1 << 20)
    viewer.dispose()
    return (unaccounted(inspector), growth)
}

/// Records on `count` short-lived threads; returns the events that are unaccounted for.
private func threadsThatComeAndGo(_ count: Int) -> Double {
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    let inspector = inspect(runtime)
    defer { inspector.stop() }
    for _ in 0..<count / 10 { onThreads(10) { _ in runtime.run { Workloads.nodes(20) } } }
    return unaccounted(inspector)
}

/// Runs `body` while an observer blocks the collecting thread.
private func whileStalled(_ inspector: Inspector, _ runtime: ChainRuntime, _ body: () -> Double) -> Double {
    final class Gate: Sendable {
        let isArmed = Atomic(false)
        let isStalled = Atomic(false)
        let opens = DispatchSemaphore(value: 0)
    }
    let gate = Gate()
    let observing = inspector.batches.subscribe(onNext: { batch in
        // Once, and not on the thread that subscribes.
        guard !batch.events.isEmpty, gate.isArmed.exchange(false, ordering: .relaxed) else { return }
        gate.isStalled.store(true, ordering: .releasing)
        gate.opens.wait()
    })
    gate.isArmed.store(true, ordering: .relaxed)
    while !gate.isStalled.load(ordering: .acquiring) {
        runtime.run { Workloads.nodes(1) }
        pause()
    }
    let result = body()
    gate.opens.signal()
    observing.dispose()
    return result
}

/// Works for some second of the thread's own time, at more than 200,000 events a second: each node makes three
/// events, and has some 10 µs of work.
private func paced() -> Double {
    nanosecondsEach(1) {
        // Carried over and stored, so that the optimiser does not remove the work.
        var hash = lastHash.load(ordering: .relaxed)
        for _ in 0..<100_000 {
            for byte in 0..<9_000 as Range<UInt64> { hash = (hash ^ byte) &* 1_099_511_628_211 }
            lastHash.store(hash, ordering: .relaxed)
            Workloads.nodes(1)
        }
    }
}

private let lastHash = Atomic<UInt64>(14_695_981_039_346_656_037)

private func slowdownWhileStalled(pairs: Int) -> Double {
    let (plain, recorded) = (
        ChainRuntime(executor: InlineExecutor.shared), ChainRuntime(executor: InlineExecutor.shared)
    )
    let inspector = inspect(recorded)
    defer { inspector.stop() }
    let ratios = (0..<pairs).map { number in
        let alone = { plain.run(paced) }
        let stalled = { whileStalled(inspector, recorded) { recorded.run(paced) } }
        // Each of the two is first in every second pair.
        if number % 2 == 0 {
            let first = alone()
            return stalled() / first
        }
        let first = stalled()
        return first / alone()
    }
    return (median(ratios) - 1) * 100
}

/// Returns the time from the end of a stall with lost events until the forest holds exactly the live nodes.
private func millisecondsToMend() -> Double {
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    let inspector = inspect(runtime)
    defer { inspector.stop() }
    let kept = runtime.run { (0..<2_000).map { _ in Promise<Int>.pending() } }
    _ = whileStalled(inspector, runtime) {
        runtime.run { Workloads.nodes(200_000) }
        for pair in kept.prefix(1_500) { pair.resolver.fulfill(0) }
        return 0
    }
    let start = monotonicNanoseconds()
    while !inspector.dump(limit: 1).contains(": 500 nodes alive") { pause() }
    let milliseconds = Double(monotonicNanoseconds() - start) / 1e6
    precondition(inspector.eventCounts.lostInRings > 0, "nothing was lost: nothing is measured")
    for pair in kept { pair.resolver.fulfill(0) }
    return milliseconds
}
