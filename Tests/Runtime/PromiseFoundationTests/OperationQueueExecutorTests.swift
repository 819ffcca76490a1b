import Foundation
import PromiseFoundation
import PromiseRuntime
import TestWaits
import Testing

@Suite struct OperationQueueExecutorTests {
    private func executor(width: Int) -> OperationQueueExecutor {
        let queue = OperationQueue()
        queue.name = "test operations"
        queue.maxConcurrentOperationCount = width
        return OperationQueueExecutor(queue)
    }

    @Test(arguments: [1, 4]) func e1RunsAChain(width: Int) throws {
        let executor = executor(width: width)
        #expect(executor.identity.name == "test operations" && executor.isSerial == (width == 1))
        let sum = Promise<Int>(on: executor) { 1 }.map { $0 + 1 }.then { Promise<Int>.resolve($0 * 10, on: executor) }
        #expect(try value(of: sum) == 20)
    }

    @Test func c4AWaitInAnyWorkOfASerialQueueIsRefused() throws {
        let executor = executor(width: 1)
        let promise = Promise<Int>.resolve(1, on: executor).map { $0 + 1 }
        let reason = Box<RefusedWaitError.Reason?>(nil)
        let done = Latch()
        executor.queue.addOperation {
            do { _ = try Promise<Int>.resolve(1, on: executor).map { $0 }.get(timeout: waitLimit) } catch {
                reason.change { $0 = (error as? RefusedWaitError)?.reason }
            }
            done.open()
        }
        try done.wait()
        #expect(reason.value == .serialExecutor("test operations"))
        #expect(!executor.isServedHere)
        #expect(try value(of: promise) == 2)
    }

    @Test func p4ASerialQueueKeepsTheOrder() throws {
        let executor = executor(width: 1)
        let order = Box<[Int]>([])
        let done = Latch()
        let (promise, resolver) = Promise<Int>.pending(on: executor)
        for index in 0..<200 { promise.done { _ in order.change { $0.append(index) } } }
        promise.done { _ in done.open() }
        resolver.fulfill(1)
        try done.wait()
        #expect(order.value == Array(0..<200))
    }

    @Test func p4TheOrderHoldsIfFulfilAndCancelRace() throws {
        let executor = executor(width: 1)
        for _ in 0..<500 {
            let (promise, resolver) = Promise<Int>.pending(on: executor)
            let order = Box<[Int]>([])
            let done = Latch(8)
            for index in 0..<8 {
                promise.anyway { _ in
                    order.change { $0.append(index) }
                    done.open()
                }
            }
            let cancelled = Latch()
            Thread.detachNewThread {
                promise.cancel()
                cancelled.open()
            }
            resolver.fulfill(1)
            try done.wait("the handlers")
            try cancelled.wait("the cancellation")
            try #require(order.value == Array(0..<8))
        }
    }

    @Test func e3ManyMembersRunAFewAtATime() throws {
        let executor = executor(width: 2)
        let (running, most) = (Box(0), Box(0))
        let members = (0..<2_000).map { index in
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
        #expect(try value(of: Promise.all(members)).count == 2_000)
        #expect((1...2).contains(most.value))
    }

    @Test func s2CancelledOperationsAbandonTheirPromises() throws {
        let executor = executor(width: 1)
        executor.queue.isSuspended = true
        let ran = Box(false)
        let promise = Promise<Int>(on: executor) {
            ran.change { $0 = true }
            return 1
        }
        executor.queue.cancelAllOperations()
        executor.queue.isSuspended = false
        #expect(throws: PromiseAbandonedError.self) { try value(of: promise) }
        #expect(!ran.value)
    }
}

// SPDX-License-Identifier: MIT
