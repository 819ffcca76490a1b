import ChainEvents
import ChainModel
import ChainSystem
import Foundation
import PromiseRuntime
import SeededNumbers
import Synchronization
import Testing

@testable import ChainInspector

/// Under overload memory stays within its limits, each event is counted as delivered or lost, and the final state is
/// right. (`make bench ARGS=attach` runs longer, and measures times.)
@Suite struct OverloadTests {
    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Fetches batches on a thread of its own until the subscription ends.
    private final class Viewer: Sendable {
        let subscription: BatchSubscription
        private let eventCount = Atomic(0)
        private let isOver = Atomic(false)

        init(_ collector: Collector, mailboxLimit: Int) {
            subscription = collector.subscribe(mailboxLimit: mailboxLimit, onReady: {})
            // The first state, which is empty.
            while subscription.next() != nil {}
        }

        func run() {
            while true {
                // Loaded first, so that all batches from before the end are read.
                let isLast = isOver.load(ordering: .acquiring)
                while let batch = subscription.next() { eventCount.add(batch.events.count, ordering: .relaxed) }
                if isLast { return }
                sched_yield()
            }
        }

        func stop() { isOver.store(true, ordering: .releasing) }

        /// The numbers of events that this viewer received, and that its mailbox dropped.
        var counts: (received: UInt64, lost: UInt64) {
            (UInt64(eventCount.load(ordering: .relaxed)), subscription.lostCount)
        }
    }

    @Test(arguments: [64, 4096])
    func everyEventIsDeliveredOrCountedAsLost(ringCapacity: Int) throws {
        var options = RecorderOptions()
        options.ringCapacity = ringCapacity
        options.ringByteLimit = 6 * (ringCapacity * RingSlot.size / 4096 + 1) * RingPool.byteCountOfAThread
        let bench = Bench(recorder: options)
        let byteLimit = options.ringByteLimit
        let collecting = try #require(CollectorThread(bench.collector))
        let (viewer, patient) = (
            Viewer(bench.collector, mailboxLimit: 2_000), Viewer(bench.collector, mailboxLimit: .max)
        )
        let viewing = [startThread { viewer.run() }, startThread { patient.run() }]
        let (busyCount, eventCount) = (2, Seeds.rounds(100_000))
        let isWithin = Lock(true)
        let checkMemory: @Sendable () -> Void = {
            if !bench.isWithin(byteLimit) { isWithin.withLock { $0 = false } }
        }
        let busy = (0..<busyCount).map { thread in
            startThread {
                for number in 0..<eventCount {
                    let text = number % 50 == 0 ? "some text that takes several slots of a ring, which has few" : nil
                    bench.record(.settledAgain, UInt64(1 + thread), text: text)
                    if number % 1000 == 0 { checkMemory() }
                }
            }
        }
        for join in busy { join() }
        // Then threads that come and go, more at a time than there are rings.
        let (waves, width) = (Seeds.rounds(125), 8)
        for _ in 0..<waves {
            let threads = (0..<width).map { _ in startThread { for _ in 0..<5 { bench.record(.settledAgain, 9) } } }
            for join in threads { join() }
            checkMemory()
        }
        collecting.stop()
        let made = UInt64(busyCount * eventCount + waves * width * 5)
        #expect(bench.recorder.counts.made == made)
        bench.collector.collectNow()
        bench.collector.collectNow()
        viewer.stop()
        patient.stop()
        for join in viewing { join() }
        let loss = bench.counts
        #expect(loss.madeCount == made && loss.madeCount == loss.deliveredCount + loss.lostInRings)
        #expect(loss.deliveredCount > 0)
        #expect(patient.counts.received == loss.deliveredCount && patient.counts.lost == 0)
        // After a loss the viewer gets the state, with events that count neither as received nor as lost.
        #expect(viewer.counts.received + viewer.counts.lost <= loss.deliveredCount)
        #expect(isWithin.withLock { $0 }, "more memory than the limit allows")
        // Rings of ended threads are free again.
        #expect(bench.recorder.pool.footprint.activeCount == 0)
        viewer.subscription.dispose()
        patient.subscription.dispose()
    }

    /// An observer blocks the collecting thread while nodes are made and earlier ones settle.
    @Test func aStalledCollectorLosesEventsButNotTheState() throws {
        var options = InspectorOptions.alone
        options.ringCapacity = 256
        let runtime = ChainRuntime(executor: InlineExecutor.shared)
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let (isStalled, mayContinue) = (Flag(), Flag())
        let observing = inspector.batches.subscribe(onNext: { batch in
            guard !batch.events.isEmpty, !mayContinue.isSet else { return }
            isStalled.set()
            while !mayContinue.isSet { sched_yield() }
        })
        let viewer = inspector.subscribe(mailboxLimit: 1_000)
        let early = runtime.run { (0..<100).map { _ in Promise<Int>.pending() } }
        #expect(wait { isStalled.isSet })
        let before = inspector.collector.recorder.counts
        let late = runtime.run {
            let late = (0..<100).map { _ in Promise<Int>.pending() }
            for number in 0..<2_000 { _ = Promise<Int>.resolve(number).map { $0 } }
            for pair in early.prefix(60) { pair.resolver.fulfill(1) }
            return late
        }
        let counts = inspector.collector.recorder.counts
        #expect(counts.made - before.made >= 2_000 * 6 + 60 && counts.lost > before.lost)
        mayContinue.set()
        let alive = Set((early.dropFirst(60) + late).map(\.promise.id))
        let forest = Lock(ChainForest(process: inspector.info.key))
        let isRight = wait {
            forest.withLock { forest in
                while let batch = viewer.next() { forest.apply(batch) }
                return forest.totals.counts.liveCount == alive.count
                    && alive.allSatisfy { forest.index(of: $0).map { forest.node($0).isLive } ?? false }
            }
        }
        #expect(isRight, "the viewer's forest has \(forest.withLock { $0.totals.counts.liveCount }) alive")
        #expect(forest.withLock { $0.totals.counts[.running] + $0.totals.counts[.queued] } == 0)
        let loss = inspector.eventCounts
        #expect(loss.lostInRings > 0 && loss.madeCount == loss.deliveredCount + loss.lostInRings)
        observing.dispose()
        for pair in early + late { pair.resolver.fulfill(1) }
    }
}

extension Bench {
    /// Returns whether the rings take at most this many bytes.
    fileprivate func isWithin(_ byteLimit: Int) -> Bool {
        recorder.pool.footprint.byteCount <= byteLimit
    }
}

// SPDX-License-Identifier: MIT
