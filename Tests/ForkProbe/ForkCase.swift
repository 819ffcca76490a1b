import ChainInspector
import Foundation
import PromiseRuntime
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Of one thread, so that the child of a fork may do anything: it records nothing into what it inherited, and may start
/// an inspector of its own.
func forkCase() throws {
    var options = InspectorOptions()
    options.collectsByHand = true
    let runtime = ChainRuntime(executor: ManualExecutor())
    let inspector = try Inspector.start(runtime: runtime, options: options)
    let (promise, resolver) = runtime.run { Promise<Int>.pending(label: "made before") }
    inspector.collectNow()
    let made = inspector.eventCounts.madeCount
    expect(made > 0 && inspector.eventCounts.deliveredCount == made, "the parent's beginning is recorded")

    let child = forkProcess()
    if child == 0 {
        resolver.fulfill(1)
        let late = runtime.run { Promise<Int>.pending(label: "made in the child") }
        inspector.collectNow()
        expect(inspector.eventCounts.madeCount == 0, "the child records nothing")
        inspector.stop()
        let own = try Inspector.start(runtime: runtime, options: options)
        expect(own !== inspector && own.info.pid == getpid() && own.info.key != inspector.info.key, "one of its own")
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

    var status: Int32 = -1
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    expect(status == 0, "the child's end: \(status)")
    inspector.collectNow()
    expect(inspector.eventCounts.madeCount == made && promise.result == nil, "the parent has nothing of the child's")
    resolver.fulfill(3)
    inspector.collectNow()
    expect(inspector.eventCounts.madeCount > made && inspector.eventCounts.lostInRings == 0, "the parent goes on")
    print("parent: ok")
}

/// Forks again and again while two threads do nothing but start and stop inspectors: each child starts its own at once.
func forksCase() throws {
    let childsOwn = ChainRuntime(executor: ManualExecutor())
    // Once before: a child of several threads had better not set up the language's own runtime.
    try Inspector.start(runtime: childsOwn, options: byHand).stop()
    for _ in 0..<2 {
        let thread = Thread {
            let runtime = ChainRuntime(executor: ManualExecutor())
            while true { try? Inspector.start(runtime: runtime, options: byHand).stop() }
        }
        thread.start()
    }
    for round in 0..<100 {
        let child = forkProcess()
        if child == 0 {
            alarm(60)
            guard let own = try? Inspector.start(runtime: childsOwn, options: byHand) else { _exit(2) }
            own.stop()
            _exit(0)
        }
        var status: Int32 = -1
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        expect(status == 0, "the end of child \(round): \(status)")
    }
    print("forks: ok")
    exit(0)
}

/// Forks again and again while another thread starts and stops an inspector that listens: no fork waits for a start for
/// ever, nor a start for a fork.
func listeningForksCase(folder: String) throws {
    var options = InspectorOptions()
    options.endpoints = [.unix]
    options.socketFolder = folder
    let runtime = ChainRuntime(executor: ManualExecutor())
    // Once before: a child of several threads had better not set up the language's own runtime.
    try Inspector.start(runtime: runtime, options: options).stop()
    let (roundCount, startCount) = (Counter(), Counter())
    let thread = Thread { [options] in
        while !roundCount.isOver {
            guard let inspector = try? Inspector.start(runtime: runtime, options: options) else { continue }
            if inspector.attachFailures.isEmpty { startCount.increase() }
            inspector.stop()
        }
        startCount.end()
    }
    thread.start()
    var childCount = 0
    // A fast machine forks before the other thread has begun.
    while childCount < 300 || startCount.value < 100 {
        let status = forkAndWait()
        expect(status == 0, "the end of child \(childCount): \(status)")
        childCount += 1
    }
    roundCount.end()
    while !startCount.isOver { sched_yield() }
    print("listening forks: ok")
    exit(0)
}

private func forkAndWait() -> Int32 {
    let child = forkProcess()
    if child == 0 { _exit(0) }
    var status: Int32 = -1
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
}

/// Counts on one thread what another one looks at.
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
    options.collectsByHand = true
    return options
}
