import Foundation
import PromiseRuntime
import Testing

@Suite struct ThreadExecutorTests {
    @Test func e1EachHandlerHasItsOwnThreadWhileItRuns() throws {
        let executor = ThreadExecutor(name: "own", limit: 8)
        let threads = Log<UInt>()
        let (reached, ended) = (Latch(8), Latch(8))
        let resume = DispatchSemaphore(value: 0)
        for _ in 0..<8 {
            executor.execute {
                threads.add(UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue))
                reached.open()
                resume.wait()
                ended.open()
            }
        }
        try reached.wait("eight handlers that block at the same time")
        #expect(Set(threads.entries).count == 8 && executor.threadCount == 8)
        for _ in 0..<8 { resume.signal() }
        try ended.wait()
        try eventually("the end of the threads") { executor.threadCount == 0 }
    }

    @Test func e3BeyondTheLimitHandlersWaitInOrder() throws {
        let executor = ThreadExecutor(name: "few", limit: 1)
        let log = Log<Int>()
        let (resume, done) = (Latch(), Latch(101))
        executor.execute {
            _ = try? resume.wait("the test")
            done.open()
        }
        for index in 0..<100 {
            executor.execute {
                log.add(index)
                done.open()
            }
        }
        #expect(executor.threadCount == 1 && executor.pendingCount == 100)
        resume.open()
        try done.wait()
        #expect(log.entries == Array(0..<100))
    }

    @Test func e3AllOfManyStartsNoMoreThreadsThanTheLimit() throws {
        let executor = ThreadExecutor(name: "members", limit: 4)
        let (running, most) = (Box(0), Box(0))
        let count = 20_000
        let members = (0..<count).map { index in
            Promise<Int>(on: executor) {
                let now = running.change {
                    $0 += 1
                    return $0
                }
                most.change { $0 = max($0, now) }
                running.change { $0 -= 1 }
                return index
            }
        }
        let sum = Promise.all(members).map { $0.reduce(0, +) }
        #expect(executor.threadCount <= 4)
        #expect(try value(of: sum) == count * (count - 1) / 2)
        #expect((1...4).contains(most.value))
    }

    @Test func e3AChainGoesFromHandlerToHandler() throws {
        let executor = ThreadExecutor(name: "chain", limit: 2)
        let sum = Promise<Int>(on: executor) { 1 }.map { $0 + 1 }.then { Promise<Int>.resolve($0 * 10) }.map { $0 + 1 }
        #expect(try value(of: sum) == 21)
    }

    @Test func s2AForgottenResolverIsAbandonedWhileItsThreadGoesOn() throws {
        let executor = ThreadExecutor(name: "busy", limit: 1)
        let (isQueued, resume, ended) = (Latch(), Latch(), Latch())
        let forgotten = Promise<Int>(on: executor, resolver: { _ in try isQueued.wait("the second handler") })
        executor.execute {
            _ = try? resume.wait("the test")
            ended.open()
        }
        isQueued.open()
        #expect(try error(of: forgotten) is PromiseAbandonedError)
        #expect(executor.threadCount == 1, "the thread runs the second handler")
        resume.open()
        try ended.wait()
    }

    @Test func e3NoHandlerIsLostWhileThreadsStartAndEnd() throws {
        let executor = ThreadExecutor(name: "brief", limit: 3)
        let ran = Box(0)
        try onThreads(4) { _ in
            for _ in 0..<500 {
                executor.execute { ran.change { $0 += 1 } }
                sched_yield()
            }
        }
        try eventually("all handlers") { ran.value == 2_000 }
        try eventually("the end of the threads") { executor.threadCount == 0 }
        #expect(executor.pendingCount == 0)
        // Counted right at rest: a handler without a thread of its own waits.
        let (resume, ended) = (Latch(), Latch(4))
        for _ in 0..<4 {
            executor.execute {
                _ = try? resume.wait("the test")
                ended.open()
            }
        }
        #expect(executor.threadCount == 3 && executor.pendingCount == 1)
        for _ in 0..<4 { resume.open() }
        try ended.wait()
    }
}

// SPDX-License-Identifier: MIT
