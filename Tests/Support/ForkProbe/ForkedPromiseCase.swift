import CFork
import ChainInspector
import Foundation
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Forks 50 times while other threads use the shared runtime in every way. Each child makes promises of its own on the
/// pool, with timers and on threads, then starts an inspector of its own.
func forkedPromisesCase() throws {
    var options = InspectorOptions()
    options.collection = .manual
    // Once before the forks: a child that sets up Swift's runtime may wait for ever for a lock of another thread.
    usePromises("the parent's first")
    let inspector = try Inspector.start(options: options)
    usePromises("the parent's")
    inspector.collectNow()
    let (kept, resolver) = Promise<Int>.pending(label: "the parent's")
    for _ in 0..<3 {
        Thread { while true { usePromises("beside the forks") } }.start()
    }
    for round in 0..<50 {
        let child = fork_process()
        if child == 0 {
            alarm(30)
            // Not listed, because another thread of the parent may have held a promise's lock, which stays locked here.
            expect(ChainRuntime.shared.liveNodeCount == 0, "the parent's promises are not listed in the child")
            usePromises("of a child, unrecorded")
            expect(inspector.eventCounts.madeCount == 0, "the child records nothing")
            expect(misuseHere() == .mainThread, "the thread that forked is the child's main thread")
            guard let own = try? Inspector.start(options: options) else { _exit(2) }
            usePromises("of a child, recorded")
            own.collectNow()
            expect(own.eventCounts.madeCount > 0, "the child's own inspector records")
            own.stop()
            _exit(0)
        }
        let status = wait_for_child(child)
        expect(status == 0, "the end of child \(round): \(status)")
    }
    expect(ChainRuntime.shared.liveNode(kept.id) === kept, "the parent lists its own promise")
    resolver.fulfill(0)
    print("promises: ok")
    exit(0)
}

/// Forks 100 times while other threads read and replace the hooks of a runtime that is neither shared nor recorded. Each
/// child drops a promise of that runtime with an unhandled error.
func forkedHooksCase() {
    struct Lost: Error {}
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    func dropError() { runtime.run { _ = Promise<Int>.reject(Lost()) } }
    // Once before the forks: a child that sets up Swift's runtime may wait for ever for a lock of another thread.
    runtime.onUnhandled = { _ in }
    dropError()
    for _ in 0..<3 {
        Thread {
            while true {
                runtime.onUnhandled = { _ in }
                _ = runtime.onUnhandled
            }
        }.start()
    }
    for round in 0..<100 {
        let child = fork_process()
        if child == 0 {
            alarm(30)
            runtime.onUnhandled = { _ in _exit(0) }
            dropError()
            _exit(1)
        }
        let status = wait_for_child(child)
        expect(status == 0, "the end of child \(round): \(status)")
    }
    print("hooks: ok")
    exit(0)
}

/// Makes promises on the pool, with a timer, on a thread and inline, and waits for them on this thread.
private func usePromises(_ label: String) {
    var ends: [Int32] = [-1, -1]
    expect(pipe(&ends) == 0, "a pipe")
    let write = ends[1]
    let members = (0..<4).map { index in
        Promise(label: label) { index }
            .map { $0 + 1 }
            .delay(.microseconds(200))
            .map(on: ThreadExecutor.shared) { $0 + 1 }
            .map(on: InlineExecutor.shared) { $0 + 1 }
    }
    let answer = Promise.all(members).timeout(.seconds(60)).map { $0.reduce(0, +) }
    answer.anyway(on: InlineExecutor.shared) { result in
        var byte = UInt8(truncatingIfNeeded: (try? result.get()) ?? 255)
        _ = Foundation.write(write, &byte, 1)
    }
    var byte: UInt8 = 0
    while read(ends[0], &byte, 1) < 0, errno == EINTR {}
    expect(byte == 18, "the sum \(label): \(byte)")
    close(ends[0])
    close(ends[1])
}

/// Returns the reason why this thread must not block, or nil if it may.
private func misuseHere() -> RefusedWaitError.Reason? {
    let (promise, resolver) = Promise<Int>.pending()
    defer { resolver.fulfill(1) }
    do {
        _ = try promise.get(timeout: .milliseconds(1))
        return nil
    } catch { return (error as? RefusedWaitError)?.reason }
}

// SPDX-License-Identifier: MIT
