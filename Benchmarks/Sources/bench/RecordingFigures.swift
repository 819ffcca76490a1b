import ChainInspector
import PromiseRuntime
import Synchronization
import Workloads

/// What it costs a program that an inspector records it, on the thread where the promises are: the same work with and
/// without, in turns. The inspector's own thread collects meanwhile; what one turn tells fits into the ring all the same,
/// since a lost event is cheaper.
let recordingFigures = [
    Figure(name: "promise.event.recorded", limit: 25) { recordedFurther(1_500) { settleChain(of: 500) } },
    Figure(name: "promise.node.registered", limit: 150) { recordedFurther(1_000) { makeAndRelease(1_000) } },
    // Others are recorded, these are not.
    Figure(name: "promise.event.left-out", limit: 5) { recordedFurther(1_500, others) { settleChain(of: 500) } },
    Figure(name: "promise.node.left-out", limit: 50) { recordedFurther(1_000, others) { makeAndRelease(1_000) } },
    // Scopes of asynchronous code: what `withChain` adds to its body.
    Figure(name: "scope.unrecorded", limit: 100) { scopes(20_000, in: ChainRuntime.shared) / 20_000 },
    Figure(name: "scope.recorded", limit: 1_500) { recordedScopes(500) },
]

/// All that the work here does not make.
private let others = RecordingFilter(except: [.module("Workloads")])

/// Nanoseconds that recording adds, for each of `count`.
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

/// Three events a link: queued, started, fulfilled. Nothing is made or released meanwhile.
private func settleChain(of length: Int) -> Double {
    let (nodes, resolver) = Workloads.keptChain(length)
    return withExtendedLifetime(nodes) { nanosecondsEach(1) { resolver.fulfill(0) } }
}

/// Created, fulfilled and released, registered in between.
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

/// Nanoseconds of so many scopes, one after another in one task.
private func scopes(_ count: Int, in runtime: ChainRuntime) -> Double {
    let nanoseconds = Atomic<Int64>(0)
    waitFor {
        let duration = await runtime.run {
            let begin = ContinuousClock.now
            for _ in 0..<count { await withChain("order") {} }
            return ContinuousClock.now - begin
        }
        nanoseconds.store(Int64(duration / .nanoseconds(1)), ordering: .relaxed)
    }
    return Double(nanoseconds.load(ordering: .relaxed))
}
