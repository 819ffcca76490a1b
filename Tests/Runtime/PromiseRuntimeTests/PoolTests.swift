import Foundation
import PromiseRuntime
import Testing

@Suite struct PoolTests {
    /// Jobs of a pool, each on its own thread and blocked until ``end()``. `cooperating` ones announce that they block.
    private struct BlockedJobs {
        let resume = DispatchSemaphore(value: 0)
        let ended: Latch
        let count: Int

        init(on pool: PoolExecutor, _ count: Int, cooperating: Bool) throws {
            self.count = count
            let reached = Latch(count)
            let (resume, ended) = (resume, Latch(count))
            self.ended = ended
            for _ in 0..<count {
                pool.execute {
                    if cooperating {
                        PoolExecutor.blocking {
                            reached.open()
                            resume.wait()
                        }
                    } else {
                        reached.open()
                        resume.wait()
                    }
                    ended.open()
                }
            }
            try reached.wait("the blocked jobs")
        }

        func end() throws {
            for _ in 0..<count { resume.signal() }
            try ended.wait("the end of the blocked jobs")
        }
    }

    // MARK: E2: announced blocks

    @Test(arguments: [1, 2]) func e2ABlockingWorkerIsCompensated(width: Int) throws {
        let pool = PoolExecutor(name: "blocking", width: width, policy: PoolPolicy(isWatched: false))
        let blocked = try BlockedJobs(on: pool, width, cooperating: true)
        #expect(pool.threadCounts.blocked == width)
        let ran = Latch(20)
        for _ in 0..<20 { pool.execute { ran.open() } }
        try ran.wait("what came while all workers blocked")
        try blocked.end()
        #expect(pool.threadCounts.blocked == 0)
    }

    @Test func e2TheOnlyJobOfAWorkerThatBlocksIsStolen() throws {
        let pool = PoolExecutor(name: "only", width: 1, policy: PoolPolicy(isWatched: false))
        let (ran, ended) = (Latch(), Latch())
        pool.execute {
            pool.execute { ran.open() }
            PoolExecutor.blocking { _ = try? ran.wait("the job that waits behind") }
            ended.open()
        }
        try ended.wait()
    }

    @Test func e2JobsSubmittedByABlockingJobAreRunByOthers() throws {
        let pool = PoolExecutor(name: "inside", width: 1, policy: PoolPolicy(isWatched: false))
        let ended = Latch()
        pool.execute {
            let ran = Latch()
            PoolExecutor.blocking {
                pool.execute { ran.open() }
                _ = try? ran.wait("what was submitted inside")
            }
            ended.open()
        }
        try ended.wait()
    }

    @Test func e2BlockingMayBeNested() throws {
        let pool = PoolExecutor(name: "nested", width: 1, policy: PoolPolicy(isWatched: false))
        let counts = Log<Int>()
        let ended = Latch()
        pool.execute {
            PoolExecutor.blocking {
                PoolExecutor.blocking { counts.add(pool.threadCounts.blocked) }
                counts.add(pool.threadCounts.blocked)
            }
            counts.add(pool.threadCounts.blocked)
            ended.open()
        }
        try ended.wait()
        #expect(counts.entries == [1, 1, 0])
    }

    @Test func e2OutsideAPoolBlockingOnlyRunsItsBody() {
        #expect(PoolExecutor.blocking { 1 } == 1)
        #expect(throws: Failure("why")) { try PoolExecutor.blocking { throw Failure("why") } }
    }

    @Test func e2CompensationHasALimit() throws {
        let pool = PoolExecutor(name: "limit", width: 1, policy: PoolPolicy(extraLimit: 2, isWatched: false))
        let blocked = try BlockedJobs(on: pool, 3, cooperating: true)
        let ran = Latch(10)
        for _ in 0..<10 { pool.execute { ran.open() } }
        #expect(pool.threadCounts.live == 3, "one, and two that compensate")
        try blocked.end()
        try ran.wait("what had no thread to run on")
        #expect(pool.threadCounts.live <= 3)
    }

    @Test func e2ACompensatingWorkerRetiresWhenTheBlockEnds() throws {
        let pool = PoolExecutor(name: "aside", width: 1, policy: PoolPolicy(isWatched: false))
        let blocked = try BlockedJobs(on: pool, 1, cooperating: true)
        // The compensating worker is kept busy past the end of the block.
        let (begun, resume) = (Latch(), Latch())
        pool.execute {
            begun.open()
            _ = try? resume.wait("the test")
        }
        try begun.wait("the compensating worker")
        try blocked.end()
        resume.open()
        try eventually("one active worker") { pool.threadCounts.live - pool.threadCounts.sleeping <= 1 }
        let most = Box(0)
        let (running, ended) = (Box(0), Latch(1_000))
        for _ in 0..<1_000 {
            pool.execute {
                let now = running.change {
                    $0 += 1; return $0
                }
                most.change { $0 = max($0, now) }
                running.change { $0 -= 1 }
                ended.open()
            }
        }
        try ended.wait()
        #expect(most.value == 1, "a pool of one runs one job at a time")
    }

    // MARK: E2: fairness

    @Test func e2OthersRunTheJobsOfABlockedWorker() throws {
        let pool = PoolExecutor(name: "steal", width: 4)
        let (stolen, ended) = (Latch(100), Latch())
        pool.execute {
            for _ in 0..<100 { pool.execute { stolen.open() } }
            // This worker does nothing more: the others have to steal its jobs.
            _ = try? stolen.wait("what the blocked worker made ready")
            ended.open()
        }
        try ended.wait()
    }

    @Test func e2TheOnlyJobOfAWorkerInALongJobIsStolenOnceTheWatchFindsIt() throws {
        let pool = PoolExecutor(name: "busy", width: 2, policy: PoolPolicy(isWatched: false))
        let ran = Box(false)
        let (begun, ended) = (Latch(), Latch())
        pool.execute {
            pool.execute { ran.value = true }
            begun.open()
            // It computes, and does not end before the other job has run.
            while !ran.value { sched_yield() }
            ended.open()
        }
        try begun.wait()
        try eventually("the other job") {
            pool.checkBlocks()
            return ran.value
        }
        try ended.wait()
    }

    @Test(arguments: [1, 3]) func e2EveryJobRunsOnceHoweverManyThreadsSubmit(width: Int) throws {
        let pool = PoolExecutor(name: "once", width: width)
        let counts = (0..<40).map { _ in Box(0) }
        let done = Latch(4 * 40 * 25 * 2)
        try onThreads(4) { _ in
            for _ in 0..<25 {
                for count in counts {
                    pool.execute {
                        count.change { $0 += 1 }
                        pool.execute {
                            count.change { $0 += 1 }
                            done.open()
                        }
                        done.open()
                    }
                }
            }
        }
        try done.wait("the jobs")
        #expect(counts.allSatisfy { $0.value == 4 * 25 * 2 })
    }

    @Test func e3AnEndlessInlineChainKeepsItsWorkerAlone() throws {
        let pool = PoolExecutor(name: "endless", width: 2, policy: PoolPolicy(isWatched: false))
        let (stop, turns) = (Box(false), Box(0))
        @Sendable func turn() {
            turns.change { $0 += 1 }
            if !stop.value { Promise<Int>.resolve(1, on: InlineExecutor.shared).done { _ in turn() } }
        }
        let (ran, ended) = (Latch(11), Latch())
        pool.execute {
            for _ in 0..<11 { pool.execute { ran.open() } }
            turn()
            InlineExecutor.shared.execute { ended.open() }
        }
        try eventually("turns") { turns.value > 1_000 }
        pool.checkBlocks()
        pool.checkBlocks()
        try ran.wait("what waited behind the endless chain")
        stop.value = true
        try ended.wait()
    }

    // MARK: E3: threads

    @Test func e3ThreadsStartOnDemandAndEndWhenIdle() throws {
        let pool = PoolExecutor(
            name: "idle", width: 3, policy: PoolPolicy(idleLimit: .milliseconds(1), isWatched: false))
        #expect(pool.threadCounts.live == 0, "none before the first job")
        for _ in 0..<3 {
            let blocked = try BlockedJobs(on: pool, 3, cooperating: false)
            #expect(pool.threadCounts.live == 3)
            try blocked.end()
            try eventually("the end of idle threads") { pool.threadCounts.live == 0 }
        }
    }

    @Test func e3JobsSubmittedWhileAThreadGoesIdleAreNotLost() throws {
        let pool = PoolExecutor(name: "edge", width: 2, policy: PoolPolicy(idleLimit: .zero, isWatched: false))
        for _ in 0..<2_000 {
            let ran = Latch()
            pool.execute { ran.open() }
            try ran.wait("a job that came as threads ended")
        }
    }
}

// SPDX-License-Identifier: MIT
