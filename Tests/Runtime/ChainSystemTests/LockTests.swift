import ChainSystem
import Testing

struct LockTests {
    @Test func oneThreadAtATimeHoldsTheLock() throws {
        let count = Lock(0)
        let threads = try (0..<4).map { number in
            try #require(
                SystemThread("lock-\(number)") {
                    for _ in 0..<10_000 { count.withLock { $0 += 1 } }
                })
        }
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test func aCopySharesTheState() {
        let first = Lock("a")
        let second = first
        second.withLock { $0 += "b" }
        #expect(first.withLock { $0 } == "ab")
    }

    @Test func anErrorUnlocks() {
        struct Failure: Error {}
        let lock = Lock(1)
        #expect(throws: Failure.self) { try lock.withLock { _ in throw Failure() } }
        #expect(lock.withLock { $0 } == 1)
    }

    @Test func aForkHandlerReachesTheState() {
        let lock = Lock(1)
        lock.lockForFork()
        lock.whileForking { $0 = 2 }
        lock.unlockAfterFork()
        #expect(lock.withLock { $0 } == 2)
    }

    @Test func aConditionWakesAWaitingThread() throws {
        final class Box: @unchecked Sendable {
            // Sendable, because `value` is used with the condition's mutex held only.
            var value = 0
        }
        let condition = Condition()
        let box = Box()
        let thread = try #require(
            SystemThread("condition") {
                condition.withLock {
                    box.value = 1
                    condition.signal()
                    while box.value == 1 { condition.wait() }
                    box.value = 3
                }
            })
        condition.withLock {
            while box.value == 0 { condition.wait() }
            box.value = 2
            condition.broadcast()
        }
        thread.join()
        #expect(condition.withLock { box.value } == 3)
        // A wait with a limit ends without a signal.
        condition.withLock { condition.wait(nanoseconds: 1) }
    }
}

// SPDX-License-Identifier: MIT
