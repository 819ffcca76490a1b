import ChainInspector
import Foundation
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Of one thread, so that the child of a fork may do anything: it records nothing into what it inherited, and may start an
/// inspector of its own.
func forkCase() throws {
    var options = InspectorOptions()
    options.collectsByHand = true
    let runtime = Runtime(executor: ManualExecutor())
    let inspector = try Inspector.start(runtime: runtime, options: options)
    let (promise, resolver) = runtime.run { Promise<Int>.pending(label: "made before") }
    inspector.collectNow()
    let made = inspector.loss.madeCount
    expect(made > 0 && inspector.loss.deliveredCount == made, "the parent's beginning is recorded")

    let child = forkProcess()
    if child == 0 {
        resolver.fulfill(1)
        let late = runtime.run { Promise<Int>.pending(label: "made in the child") }
        inspector.collectNow()
        expect(inspector.loss.madeCount == 0, "the child records nothing")
        inspector.stop()
        let own = try Inspector.start(runtime: runtime, options: options)
        expect(own !== inspector && own.info.pid == getpid() && own.info.key != inspector.info.key, "one of its own")
        late.resolver.fulfill(2)
        own.collectNow()
        expect(
            own.loss.madeCount > 0 && own.dump(settled: true).contains("fulfilled"), "the child's own inspector records"
        )
        own.stop()
        print("child: ok")
        exit(0)
    }

    var status: Int32 = -1
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    expect(status == 0, "the child's end: \(status)")
    inspector.collectNow()
    expect(inspector.loss.madeCount == made && promise.result == nil, "the parent has nothing of the child's")
    resolver.fulfill(3)
    inspector.collectNow()
    expect(inspector.loss.madeCount > made && inspector.loss.lostInRings == 0, "the parent goes on")
    print("parent: ok")
}

/// Forks again and again while two threads do nothing but start and stop inspectors: each child starts its own at once.
func forksCase() throws {
    let childsOwn = Runtime(executor: ManualExecutor())
    // Once before: a child of several threads had better not set up the language's own runtime.
    try Inspector.start(runtime: childsOwn, options: byHand).stop()
    for _ in 0..<2 {
        let thread = Thread {
            let runtime = Runtime(executor: ManualExecutor())
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

private var byHand: InspectorOptions {
    var options = InspectorOptions()
    options.collectsByHand = true
    return options
}
