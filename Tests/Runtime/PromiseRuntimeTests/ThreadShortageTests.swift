import Foundation
import TestWaits
import Testing

@testable import PromiseRuntime

/// A pool on a system that has no thread left (TheRules, C4, E2).
@Suite struct ThreadShortageTests {
    /// Makes a pool that asks `hasThread` before each start, with the number of the start.
    private func pool(width: Int, _ hasThread: @escaping @Sendable (Int) -> Bool) -> PoolExecutor {
        let starts = Box(0)
        return PoolExecutor(
            name: "short", width: width,
            policy: PoolPolicy(
                isWatched: false,
                hasThread: {
                    starts.change { $0 += 1 }
                    return hasThread(starts.value)
                }))
    }

    /// The thread that fails to start counts as searching for work, so submitters meanwhile wake no other.
    @Test func e2AJobThatCameWhileAThreadFailedToStartRuns() throws {
        let (failing, goOn) = (Latch(), Latch())
        let pool = pool(width: 2) { number in
            if number == 2 {
                failing.open()
                _ = try? goOn.wait("the test")
            }
            return number == 1
        }
        let (begun, resume, second, third) = (Latch(), Latch(), Latch(), Latch())
        pool.execute {
            begun.open()
            _ = try? resume.wait("the test")
        }
        try begun.wait("the first job")
        Thread { pool.execute { second.open() } }.start()
        try failing.wait("the start of the second thread")
        resume.open()
        try second.wait("the second job, on the first thread")
        try eventually("sleep") { pool.threadCounts.sleeping == 1 }
        pool.execute { third.open() }
        goOn.open()
        try third.wait("the job that no thread was woken for")
    }

    @Test func c4AWaitIsRefusedIfThereIsNoThreadForWhatItWaitsFor() throws {
        let pool = pool(width: 1) { $0 == 1 }
        let waiting = Promise(on: pool) { try Promise(on: pool) { 4 }.get(timeout: waitLimit) }
        #expect((try error(of: waiting) as? RefusedWaitError)?.reason == .exhaustedPool("short"))
    }

    @Test func e2TheOnlyThreadIsTriedAgain() throws {
        let pool = pool(width: 1) { $0 > 2 }
        let ran = Latch()
        pool.execute { ran.open() }
        try ran.wait("the job, at the third attempt")
    }

    @Test func e2AShortageThatIsOverIsForgotten() throws {
        let isShort = Box(true)
        let pool = pool(width: 1) { $0 == 1 || !isShort.value }
        let (begun, resume, ended) = (Latch(), Latch(), Latch(2))
        pool.execute {
            begun.open()
            PoolExecutor.blocking { _ = try? resume.wait("the test") }
            ended.open()
        }
        try begun.wait("the first job")
        try eventually("the block") { pool.threadCounts.blocked == 1 }
        pool.execute {
            resume.open()
            ended.open()
        }
        // A thread that is being tried counts until it turns out not to start.
        try eventually("no second thread") { pool.threadCounts.live == 1 }
        isShort.value = false
        pool.checkBlocks()
        try ended.wait("the job behind the one that blocks, on a thread of its own")
    }

    /// A pool that counted as watched without a thread would stay unwatched: its workers would not ask again.
    @Test func e2IfTheWatchGetsNoThreadNoPoolCountsAsWatched() {
        let watch = BlockMonitor.Watch()
        let pools = (1...2).map { number in
            PoolCore(identity: ExecutorIdentity(name: "unwatched \(number)"), width: 1, policy: PoolPolicy())
        }
        // Without the pools' locks, because no other thread has the pools.
        for pool in pools { #expect(pool.watch()) }
        watch.insert(pools[0]) {
            // Another pool is added while the thread fails to start.
            watch.insert(pools[1]) {
                Issue.record("a second thread is started")
                return false
            }
            return false
        }
        for pool in pools { #expect(pool.watch(), "its next worker asks for the watch again") }
    }
}

// SPDX-License-Identifier: MIT
