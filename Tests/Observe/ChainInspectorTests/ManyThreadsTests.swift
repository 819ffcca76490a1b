import ChainEvents
import Dispatch
import Synchronization
import Testing

@testable import ChainInspector

/// Programs with many more threads than processors, most of which hardly report.
@Suite struct ManyThreadsTests {
    private final class Signals: Sendable {
        let mayEnd = DispatchSemaphore(value: 0)
        let doneCount = Atomic(0)
    }

    /// Threads that record events and then live on until ``end()``.
    private final class Threads {
        let bench: Bench
        private let signals = Signals()
        private var joins: [() -> Void] = []

        init(_ bench: Bench) { self.bench = bench }

        /// Starts threads that record `eventCount` events each, and returns once they have.
        func start(_ count: Int, eventCount: UInt64) {
            let before = joins.count
            for number in before..<before + count {
                joins.append(
                    startThread { [signals, bench] in
                        for event in 0..<eventCount { bench.record(.queued, UInt64(number + 1) << 32 | event) }
                        signals.doneCount.add(1, ordering: .releasing)
                        signals.mayEnd.wait()
                    })
            }
            #expect(wait { signals.doneCount.load(ordering: .acquiring) == joins.count })
        }

        func end() {
            for _ in joins { signals.mayEnd.signal() }
            for join in joins { join() }
        }
    }

    @Test func threadsThatReportLittleLoseNothing() {
        let bench = Bench()
        let threads = Threads(bench)
        threads.start(400, eventCount: 3)
        bench.collector.collectNow()
        #expect(bench.counts == EventCounts(madeCount: 1_200, deliveredCount: 1_200))
        #expect(bench.recorder.pool.footprint.byteCount < 2 << 20)
        threads.end()
        bench.collector.collectNow()
        #expect(bench.recorder.pool.footprint.activeCount == 0)
    }

    @Test func anIdleThreadGivesBackWhatItsBurstTook() {
        let bench = Bench()
        let threads = Threads(bench)
        for _ in 0..<60 {
            threads.start(1, eventCount: 16_000)
            bench.collector.collectNow()
        }
        threads.start(200, eventCount: 1)
        bench.collector.collectNow()
        let made = 60 * 16_000 + 200 as UInt64
        #expect(bench.counts == EventCounts(madeCount: made, deliveredCount: made))
        threads.end()
    }
}

// SPDX-License-Identifier: MIT
