import Foundation
import PromiseRuntime
import Testing

/// TheRules, P4 under several threads, and the order of timers.
@Suite(.nothingLeft) struct OrderTests {
    @Test("P4 on a serial queue no job overtakes one that another thread queued before")
    func servingDoesNotOvertake() throws {
        let executor = DispatchExecutor(label: "order")
        let seen = Log<Int>()
        let (started, settled, done) = (Latch(), Latch(), Latch(2))
        let (promise, resolver) = Promise<Int>.pending(on: executor)
        promise.done { _ in
            seen.add(1)
            done.open()
        }
        executor.execute {
            started.open()
            try? settled.wait("the settling by another thread")
            promise.done { _ in
                seen.add(2)
                done.open()
            }
        }
        try started.wait()
        Thread {
            resolver.fulfill(0)
            settled.open()
        }.start()
        try done.wait()
        #expect(seen.entries == [1, 2])
    }

    @Test(
        "P4 each thread's handlers run in the order in which it registered them, also while it is being settled",
        arguments: 0..<20)
    func registeringWhileSettling(_ round: Int) throws {
        let count = 200
        let executor = DispatchExecutor(label: "order")
        let seen = Log<(thread: Int, index: Int)>()
        let done = Latch(3 * count)
        let (promise, resolver) = Promise<Int>.pending(on: executor)
        try onThreads(4) { thread in
            if thread == 3 { return resolver.fulfill(0) }
            for index in 0..<count {
                promise.done { _ in
                    seen.add((thread, index))
                    done.open()
                }
            }
        }
        try done.wait()
        for thread in 0..<3 {
            #expect(seen.entries.filter { $0.thread == thread }.map(\.index) == Array(0..<count))
        }
    }

    @Test("X3 clean-up that is attached after the cancellation runs, too; ignore passes the cancellation on")
    func lateCleanUp() throws {
        let (promise, resolver) = Promise<Int>.pending()
        promise.cancel("late")
        let seen = Log<String>()
        let after = promise.anyway { seen.add("anyway \($0)") }.ignore { seen.add("ignore \($0)") }
        #expect(try error(of: after) is PromiseCancelledError)
        #expect(seen.entries == ["anyway", "ignore"].map { "\($0) failure(cancelled by program: late)" })
        resolver.fulfill(1)
    }

    @Test("R1 timers leave the heap by deadline, then in the order of setting, and never before they are due")
    func timersInOrder() {
        var heap = TimerHeap()
        let seen = Log<Int>()
        let timers = (0..<300).map { index in HeapTimer { seen.add(index) } }
        for (index, timer) in timers.enumerated() { _ = heap.insert(timer, deadline: UInt64(index * 7919 % 10)) }
        for index in stride(from: 0, to: 300, by: 3) { timers[index].cancel() }
        for now in UInt64(0)..<10 {
            while let timer = heap.popFirst(dueBy: now) { timer.fire() }
            #expect(seen.entries.filter { $0 * 7919 % 10 > now } == [])
        }
        let expected = (0..<300).filter { $0 % 3 != 0 }.sorted { ($0 * 7919 % 10, $0) < ($1 * 7919 % 10, $1) }
        #expect(seen.entries == expected && heap.nextDeadline == nil)
    }
}

// SPDX-License-Identifier: MIT
