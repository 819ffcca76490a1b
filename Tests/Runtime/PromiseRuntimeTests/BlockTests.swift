import ChainEvents
import Foundation
import PromiseRuntime
import Testing

/// Blocked workers are detected, reported and compensated (TheRules, E2), by a clock that the test controls.
@Suite struct BlockTests {
    /// The time, and the processor time of each thread of a pool, as the test sets them.
    private final class Clocks: Sendable {
        let now = Box<UInt64>(1)
        let used = Box<[Int: UInt64]>([:])
        let isWaiting = Box(true)
        // Runs once in the next check, between its look at the workers and its verdict.
        let inCheck = Box<(@Sendable () -> Void)?>(nil)

        var probe: ThreadProbe {
            ThreadProbe(
                now: {
                    self.inCheck.replace(nil)?()
                    return self.now.value
                },
                cpuTime: { thread in self.used.value[thread.index, default: 1] },
                isWaiting: { _ in self.isWaiting.value })
        }

        func advance(milliseconds: UInt64) { now.change { $0 += milliseconds * 1_000_000 } }
        func use(milliseconds: UInt64, on thread: Int) {
            used.change { $0[thread, default: 1] += milliseconds * 1_000_000 }
        }
    }

    /// A pool of one worker, which is in a job until the test ends it.
    private struct Blocked {
        let clocks = Clocks()
        let pool: PoolExecutor
        let reported = Log<BlockedWorker>()
        let resume = Latch()
        let ended = Latch()

        init(extraLimit: Int = 64, _ job: (PoolExecutor, @escaping @Sendable () -> Void) -> Void) throws {
            pool = PoolExecutor(
                name: "watched", width: 1,
                policy: PoolPolicy(extraLimit: extraLimit, isWatched: false, probe: clocks.probe))
            let reported = reported
            pool.onBlocked = { reported.add($0) }
            let (begun, resume, ended) = (Latch(), resume, ended)
            job(pool) {
                begun.open()
                _ = try? resume.wait("the test")
                ended.open()
            }
            try begun.wait("the job that blocks")
        }

        init(extraLimit: Int = 64) throws { try self.init(extraLimit: extraLimit) { $0.execute($1) } }

        /// Checks now, and every 10 ms for `milliseconds`; the worker uses `using` ms of processor time in each.
        func check(milliseconds: UInt64, using: UInt64 = 0) {
            pool.checkBlocks()
            for _ in 0..<milliseconds / 10 {
                clocks.advance(milliseconds: 10)
                clocks.use(milliseconds: using, on: 0)
                pool.checkBlocks()
            }
        }

        func end() throws {
            resume.open()
            try ended.wait("the end of the job that blocked")
        }
    }

    @Test func e2ABlockedWorkerIsReportedOverTheLimitAndOncePerJob() throws {
        let blocked = try Blocked()
        // The first check finds the job, the second reads its processor time, and the 100 ms count from there.
        blocked.check(milliseconds: 100)
        #expect(blocked.reported.entries.isEmpty)
        blocked.check(milliseconds: 10)
        #expect(blocked.reported.count == 1)
        let reported = try #require(blocked.reported.entries.first)
        #expect(reported.node == .none && reported.executor == blocked.pool.identity && reported.isCompensated)
        #expect(
            reported.thread != 0 && reported.duration >= .milliseconds(100) && reported.duration < .milliseconds(120))
        blocked.check(milliseconds: 500)
        #expect(blocked.reported.count == 1)
        try blocked.end()
    }

    @Test func e2AWorkerThatUsesItsProcessorIsNotBlocked() throws {
        let blocked = try Blocked()
        blocked.check(milliseconds: 1_000, using: 3)
        #expect(blocked.reported.entries.isEmpty && blocked.pool.threadCounts.blocked == 0)
        try blocked.end()
    }

    @Test func e2AWorkerThatWaitsForAProcessorIsNotBlocked() throws {
        let blocked = try Blocked()
        blocked.clocks.isWaiting.value = false
        blocked.check(milliseconds: 1_000)
        #expect(blocked.reported.entries.isEmpty)
        blocked.clocks.isWaiting.value = true
        blocked.check(milliseconds: 10)
        #expect(blocked.reported.count == 1)
        try blocked.end()
    }

    @Test func e2AWorkerThatMovedOnDuringACheckCountsAgain() throws {
        let blocked = try Blocked(extraLimit: 0)
        let (begun, resume, ended) = (Latch(), Latch(), Latch())
        blocked.pool.execute {
            begun.open()
            _ = try? resume.wait("the test")
            ended.open()
        }
        blocked.check(milliseconds: 200)
        #expect(blocked.pool.threadCounts.blocked == 1)
        let first = blocked.resume
        blocked.clocks.inCheck.value = {
            first.open()
            _ = try? begun.wait("the next job")
        }
        blocked.pool.checkBlocks()
        #expect(blocked.pool.threadCounts.blocked == 0)
        resume.open()
        try ended.wait("the end of the next job")
    }

    @Test func e2ABlockedWorkerIsCompensatedUntilItResumes() throws {
        let blocked = try Blocked()
        let ran = Latch(10)
        for _ in 0..<10 { blocked.pool.execute { ran.open() } }
        #expect(blocked.pool.threadCounts.live == 1)
        blocked.check(milliseconds: 200)
        #expect(blocked.pool.threadCounts.blocked == 1)
        try ran.wait("what the blocked worker would have run")
        #expect(blocked.pool.threadCounts.live == 2)
        // It works again, in the same job.
        blocked.check(milliseconds: 10, using: 10)
        #expect(blocked.pool.threadCounts.blocked == 0)
        try blocked.end()
        try eventually("one active worker") {
            blocked.pool.threadCounts.live - blocked.pool.threadCounts.sleeping <= 1
        }
    }

    @Test func e2AWorkerCountsAgainOnceItsJobHasEnded() throws {
        let blocked = try Blocked()
        blocked.check(milliseconds: 200)
        #expect(blocked.pool.threadCounts.blocked == 1)
        try blocked.end()
        try eventually("the worker at rest") {
            blocked.pool.threadCounts.blocked == 0 && blocked.pool.threadCounts.sleeping == 1
        }
        let next = Latch()
        blocked.pool.execute { next.open() }
        try next.wait()
        #expect(blocked.reported.count == 1)
    }

    @Test func e2WithoutThreadsLeftABlockIsReportedAsNotCompensated() throws {
        let blocked = try Blocked(extraLimit: 0)
        let ran = Latch()
        blocked.pool.execute { ran.open() }
        blocked.check(milliseconds: 200)
        #expect(blocked.reported.entries.map(\.isCompensated) == [false])
        #expect(blocked.pool.threadCounts.live == 1)
        try blocked.end()
        try ran.wait("what waited for the blocked worker")
    }

    private final class BlockSink: EventSink {
        let log = Log<(record: EventRecord, text: String?)>()
        func record(_ record: EventRecord, text: String?) {
            if record.kind == .blocked { log.add((record, text)) }
        }
    }

    @Test func e2TheEventNamesTheNodeThatBlocks() throws {
        let (ours, other) = (BlockSink(), BlockSink())
        let runtime = ChainRuntime(sink: ours)
        let stranger = ChainRuntime(sink: other)
        let promise = Box<Promise<Int>?>(nil)
        let blocked = try Blocked { pool, body in
            promise.value = runtime.run {
                Promise<Int>.resolve(1, on: pool).map { value in
                    body()
                    return value
                }
            }
        }
        blocked.check(milliseconds: 200)
        let node = try #require(promise.value)
        #expect(blocked.reported.entries.map(\.node) == [node.id])
        #expect(ours.log.entries.map(\.record.node) == [node.id])
        #expect(ours.log.entries.map(\.record.detail) == [blocked.pool.identity.id])
        #expect(ours.log.entries.first?.text == "blocks a worker of watched for 100 ms without using the processor")
        #expect(other.log.count == 0, "another runtime sees nothing of it (R1)")
        try blocked.end()
        _ = stranger
    }

    @Test func e2TheSystemsProbeDetectsAWaitingThread() throws {
        let pool = PoolExecutor(name: "real", width: 1, policy: PoolPolicy(blockLimit: .milliseconds(20)))
        let (reported, ended) = (Latch(), Latch())
        pool.onBlocked = { _ in reported.open() }
        pool.execute {
            _ = try? reported.wait("the watch")
            ended.open()
        }
        try ended.wait()
    }
}

// SPDX-License-Identifier: MIT
