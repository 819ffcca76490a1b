// SPDX-License-Identifier: MIT

import Calibration
import ChainInspector
import Foundation
import PromiseRuntime
import Synchronization
import Workloads

/// The cost of recording on the thread that uses promises: the same work with and without an inspector, in turns. The
/// inspector's own thread collects meanwhile. The events of one turn fit into the ring, because a lost event would be
/// cheaper than a recorded one.
let recordingFigures = [
    Figure(name: "promise.event.recorded", peer: .allocations, limit: 1.3) {
        recordedFurther(1_500) { settleChain(of: 500) }
    },
    Figure(name: "promise.node.registered", peer: .allocations, limit: 6.5) {
        recordedFurther(1_000) { makeAndRelease(1_000) }
    },
    // The filter leaves these chains out, and would record others.
    Figure(name: "promise.event.left-out", peer: .allocations, limit: 0.12) {
        recordedFurther(1_500, others) { settleChain(of: 500) }
    },
    Figure(name: "promise.node.left-out", peer: .allocations, limit: 1.4) {
        recordedFurther(1_000, others) { makeAndRelease(1_000) }
    },
    // Scopes of asynchronous code: the cost that `withChain` adds to its body.
    Figure(name: "scope.unrecorded", peer: .allocations, limit: 2.2) {
        scopes(20_000, in: ChainRuntime.shared) / 20_000
    },
    Figure(name: "scope.recorded", peer: .allocations, limit: 85) { recordedScopes(500) },
]

/// Records everything but the chains that the work here makes.
private let others = RecordingFilter(except: [.module("Workloads")])

/// Returns the nanoseconds that recording adds for each of `count` units.
private func recordedFurther(
    _ count: Int, _ filter: RecordingFilter = RecordingFilter(), _ work: () -> Double
) -> Double {
    let (plain, recorded) = (
        ChainRuntime(executor: InlineExecutor.shared), ChainRuntime(executor: InlineExecutor.shared)
    )
    var options = InspectorOptions()
    options.recording = filter
    guard let inspector = try? Inspector.start(runtime: recorded, options: options) else {
        fatalError("a new runtime is recorded by none")
    }
    defer { inspector.stop() }
    let differences = (0..<51).map { _ in
        inspector.collectNow()
        return recorded.run(work) - plain.run(work)
    }
    precondition(inspector.eventCounts.lostCount == 0, "events were lost: nothing is measured")
    return median(differences) / Double(count)
}

/// Makes three events a link: queued, started, fulfilled. No promise is made or released meanwhile.
private func settleChain(of length: Int) -> Double {
    let (nodes, resolver) = Workloads.keptChain(length)
    return withExtendedLifetime(nodes) { nanosecondsEach(1) { resolver.fulfill(0) } }
}

/// Makes nodes that are created, registered, fulfilled and released.
private func makeAndRelease(_ count: Int) -> Double { nanosecondsEach(1) { Workloads.nodes(count) } }

private func recordedScopes(_ count: Int) -> Double {
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    guard let inspector = try? Inspector.start(runtime: runtime, options: InspectorOptions()) else {
        fatalError("a new runtime is recorded by none")
    }
    defer { inspector.stop() }
    let turns = (0..<51).map { _ in
        inspector.collectNow()
        return scopes(count, in: runtime)
    }
    precondition(inspector.eventCounts.lostCount == 0, "events were lost: nothing is measured")
    return median(turns) / Double(count)
}

/// Returns the nanoseconds of `count` scopes, one after another in one task, which none of them suspends: it stays on its
/// thread.
private func scopes(_ count: Int, in runtime: ChainRuntime) -> Double {
    let duration = Atomic<UInt64>(0)
    waitFor {
        await runtime.run {
            let (thread, start) = (pthread_self(), nanoseconds())
            for _ in 0..<count { await withChain("order") {} }
            duration.store(nanoseconds() - start, ordering: .relaxed)
            precondition(pthread_equal(thread, pthread_self()) != 0, "a scope has suspended its task")
        }
    }
    return Double(duration.load(ordering: .relaxed))
}
