import CFork
import ChainInspector
import Foundation
import PromiseRuntime
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Forks while the program has one thread, so that the child may do anything. The child records nothing with the
/// inspector that it inherited, and can start one of its own.
func forkCase() throws {
    var options = InspectorOptions()
    options.collection = .manual
    let runtime = ChainRuntime(executor: ManualExecutor())
    let inspector = try Inspector.start(runtime: runtime, options: options)
    let (promise, resolver) = runtime.run { Promise<Int>.pending(label: "made before") }
    inspector.collectNow()
    let made = inspector.eventCounts.madeCount
    expect(made > 0 && inspector.eventCounts.deliveredCount == made, "events before the fork are recorded")

    let child = fork_process()
    if child == 0 {
        resolver.fulfill(1)
        let late = runtime.run { Promise<Int>.pending(label: "made in the child") }
        inspector.collectNow()
        expect(inspector.eventCounts.madeCount == 0, "the child records nothing")
        inspector.stop()
        let own = try Inspector.start(runtime: runtime, options: options)
        expect(own !== inspector && own.info.pid == getpid() && own.info.key != inspector.info.key, "a new inspector")
        late.resolver.fulfill(2)
        own.collectNow()
        expect(
            own.eventCounts.madeCount > 0 && own.dump(settled: true).contains("fulfilled"),
            "the child's own inspector records"
        )
        own.stop()
        print("child: ok")
        exit(0)
    }

    let status = wait_for_child(child)
    expect(status == 0, "the child's end: \(status)")
    inspector.collectNow()
    expect(inspector.eventCounts.madeCount == made && promise.result == nil, "the parent records nothing of the child")
    resolver.fulfill(3)
    inspector.collectNow()
    expect(inspector.eventCounts.madeCount > made && inspector.eventCounts.lostInRings == 0, "the parent goes on")
    print("parent: ok")
}

/// Forks a hundred times while two threads start and stop inspectors: each child starts an inspector at once.
func forksCase() throws {
    let childsOwn = ChainRuntime(executor: ManualExecutor())
    // Once before the forks: a child that sets up Swift's runtime may wait for ever for a lock of another thread.
    try Inspector.start(runtime: childsOwn, options: byHand).stop()
    for _ in 0..<2 {
        let thread = Thread {
            let runtime = ChainRuntime(executor: ManualExecutor())
            while true { try? Inspector.start(runtime: runtime, options: byHand).stop() }
        }
        thread.start()
    }
    for round in 0..<100 {
        let child = fork_process()
        if child == 0 {
            alarm(60)
            guard let own = try? Inspector.start(runtime: childsOwn, options: byHand) else { _exit(2) }
            own.stop()
            _exit(0)
        }
        let status = wait_for_child(child)
        expect(status == 0, "the end of child \(round): \(status)")
    }
    print("forks: ok")
    exit(0)
}

/// Forks at least 300 times while another thread starts and stops an inspector that listens. No fork waits for ever for
/// a start, nor a start for a fork.
func listeningForksCase(folder: String) throws {
    var options = InspectorOptions()
    options.endpoints = [.unix]
    options.socketFolder = folder
    let runtime = ChainRuntime(executor: ManualExecutor())
    // Once before the forks: a child that sets up Swift's runtime may wait for ever for a lock of another thread.
    try Inspector.start(runtime: runtime, options: options).stop()
    let (forks, starts) = (Counter(), Counter())
    let thread = Thread { [options] in
        while !forks.isOver {
            guard let inspector = try? Inspector.start(runtime: runtime, options: options) else { continue }
            if inspector.endpointErrors.isEmpty { starts.increase() }
            inspector.stop()
        }
        starts.end()
    }
    thread.start()
    var childCount = 0
    // A fast machine could fork 300 times before the other thread has begun.
    while childCount < 300 || starts.value < 100 {
        let status = forkAndWait()
        expect(status == 0, "the end of child \(childCount): \(status)")
        childCount += 1
    }
    forks.end()
    while !starts.isOver { sched_yield() }
    print("listening forks: ok")
    exit(0)
}

/// Forks a child that ends at once, and returns its status.
private func forkAndWait() -> Int32 {
    let child = fork_process()
    if child == 0 { _exit(0) }
    return wait_for_child(child)
}

/// A count and an end mark that one thread sets and another reads.
private final class Counter: Sendable {
    private let count = Atomic(0)
    private let hasEnded = Atomic(false)

    func increase() { count.add(1, ordering: .relaxed) }
    func end() { hasEnded.store(true, ordering: .releasing) }
    var value: Int { count.load(ordering: .relaxed) }
    var isOver: Bool { hasEnded.load(ordering: .acquiring) }
}

private var byHand: InspectorOptions {
    var options = InspectorOptions()
    options.collection = .manual
    return options
}

// SPDX-License-Identifier: MIT
