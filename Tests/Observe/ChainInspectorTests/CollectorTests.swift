import ChainEvents
import ChainModel
import ChainSystem
import Testing

@testable import ChainInspector

@Suite struct CollectorTests {
    @Test func publishesOnlyAHeartbeatWithoutEvents() {
        let clock = StillClock()
        let bench = Bench(clock: clock)
        bench.record(.queued, 1)
        bench.collector.collectNow()
        bench.collector.collectNow()
        #expect(bench.batches.count == 1)
        clock.advance(by: 999_999_999)
        bench.collector.collectNow()
        #expect(bench.batches.count == 1)
        clock.advance(by: 1)
        bench.collector.collectNow()
        bench.collector.collectNow()
        #expect(bench.batches.count == 2)
        #expect(bench.batches[1].events.isEmpty && bench.batches[1].time == 1_000_001_000)
    }

    @Test func whatListensLimitsALongInterval() {
        var options = CollectorOptions()
        options.interval = 10_000_000_000
        let bench = Bench(clock: StillClock(), collector: options)
        #expect(bench.collector.readInterval == 10_000_000_000)
        let recorder = bench.collector.subscribe(mailboxLimit: 1_000, isPrompt: false, onReady: {})
        #expect(bench.collector.readInterval == 100_000_000)
        let viewer = bench.collector.subscribe(mailboxLimit: 1_000, onReady: {})
        #expect(bench.collector.readInterval == 1_000_000_000)
        viewer.dispose()
        recorder.dispose()
        #expect(bench.collector.readInterval == 10_000_000_000)
    }

    @Test func numbersBatchesAndKeepsThemSmall() {
        var options = CollectorOptions()
        options.batchLimit = 10
        let bench = Bench(collector: options)
        for node in 1...95 as ClosedRange<UInt64> { bench.record(.queued, node) }
        bench.collector.collectNow()
        #expect(bench.batches.map(\.sequence) == Array(1...10))
        #expect(bench.batches.map(\.events.count) == Array(repeating: 10, count: 9) + [5])
        #expect(bench.events.map(\.node.rawValue) == Array(1...95))
        #expect(zip(bench.batches, bench.batches.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(bench.batches.last?.loss == EventCounts(madeCount: 95, deliveredCount: 95))
    }

    @Test func mergesThreadsByTime() {
        let clock = StillClock()
        let bench = Bench(clock: clock)
        let turn = Lock(0)
        let threads = (0..<3).map { number in
            startThread {
                for step in 0..<30 where step % 3 == number {
                    _ = wait { turn.withLock { $0 } == step }
                    clock.advance(by: 5)
                    bench.record(.queued, UInt64(step + 1))
                    turn.withLock { $0 += 1 }
                }
            }
        }
        for join in threads { join() }
        bench.collector.collectNow()
        #expect(bench.events.map(\.node.rawValue) == Array(1...30))
        #expect(bench.events.map(\.time) == Array(stride(from: 1_005, through: 1_150, by: 5)))
        #expect(Set(bench.events.map(\.thread)).count == 3)
    }

    @Test func sendsNamesOnceAndCallSitesByFileAndLine() {
        let bench = Bench()
        func make(_ node: UInt64, _ site: CallSite) {
            bench.recorder.record(EventRecord(.created, node: NodeID(node), site: site), text: nil)
        }
        // The same file in another literal is the same file.
        let copy = Array("A/B.swift\0".utf8)
        copy.withUnsafeBufferPointer { copy in
            make(1, CallSite(fileID: "A/B.swift", line: 1))
            make(2, CallSite(fileID: "A/B.swift", line: 2))
            make(3, CallSite(filePointer: copy.baseAddress, line: 1))
            bench.collector.collectNow()
        }
        make(4, CallSite(fileID: "A/B.swift", line: 2))
        bench.recorder.record(EventRecord(.queued, node: NodeID(4), detail: 9), text: nil)
        bench.recorder.record(EventRecord(.queued, node: NodeID(5), detail: 9), text: nil)
        bench.collector.collectNow()
        let sites = bench.events.prefix(4).map(\.site)
        #expect(sites == [sites[0], sites[1], sites[0], sites[1]] && sites[0] != sites[1])
        #expect(bench.batches[0].sites.count == 2 && bench.batches[1].sites.isEmpty)
        #expect(bench.batches[1].executors == [9: "executor-9"])
    }

    @Test func keepsTheNamesOfALimitedNumberOfThreads() {
        var names = NameTables()
        for thread in 1...UInt32(5 * NameTables.keptThreadCount) { names.learn(thread: thread, name: "t\(thread)") }
        #expect(names.threads.count <= 2 * NameTables.keptThreadCount)
        #expect(names.threads[UInt32(5 * NameTables.keptThreadCount)] == "t\(5 * NameTables.keptThreadCount)")
        // Each time that names were dropped, threads that still run are named anew.
        #expect(names.threadEpoch == 4)
    }

    @Test func aThreadWithoutANameDoesNotGetThatOfAnEndedOne() {
        var names = NameTables()
        var forest = ChainForest(process: Bench.process)
        var seen: [String?] = []
        for (number, name) in ["", "db", "", "", "io"].enumerated() {
            names.learn(thread: 7, name: name)
            var batch = EventBatch(process: Bench.process, sequence: UInt64(number + 1), time: 1)
            names.moveNew(to: &batch)
            #expect(batch.threads.isEmpty == [0, 3].contains(number))
            forest.apply(batch)
            seen.append(forest.threads[7])
        }
        #expect(seen == [nil, "db", nil, nil, "io"])
    }

    @Test func observersMayCollectAndRecordInsideADelivery() {
        let bench = Bench()
        let inner = Lock<[UInt64]>([])
        _ = bench.collector.batches.subscribe(onNext: { [weak bench] batch in
            inner.withLock { $0 += batch.events.map(\.node.rawValue) }
            guard let bench, batch.sequence < 5 else { return }
            bench.record(.queued, 100 + batch.sequence)
            bench.collector.collectNow()
        })
        bench.record(.queued, 1)
        bench.collector.collectNow()
        #expect(inner.withLock { $0 } == [1, 101, 102, 103, 104])
        #expect(bench.batches.map(\.sequence) == [1, 2, 3, 4, 5])
    }

    @Test func publishesEverythingBeforeTheEndAlsoIfAnObserverClosesIt() {
        var options = CollectorOptions()
        options.batchLimit = 10
        let bench = Bench(collector: options)
        let isOver = Lock(false)
        _ = bench.collector.batches.subscribe(
            onNext: { [weak bench] batch in if batch.sequence == 2 { bench?.collector.close() } },
            onCompleted: { isOver.withLock { $0 = true } })
        for node in 1...95 as ClosedRange<UInt64> { bench.record(.queued, node) }
        bench.collector.collectNow()
        #expect(bench.events.map(\.node.rawValue) == Array(1...95))
        #expect(isOver.withLock { $0 })
    }

    @Test func aStalledCollectorLosesEventsAndNothingElse() {
        var recorderOptions = RecorderOptions()
        recorderOptions.ringCapacity = 64
        let clock = StillClock()
        let bench = Bench(clock: clock, recorder: recorderOptions)
        var forest = ChainForest(process: Bench.process)
        for node in 1...40 as ClosedRange<UInt64> { bench.record(.created, node) }
        bench.collector.collectNow()
        clock.advance(by: 5_000_000_000)
        // Nodes are made and settled without a collection.
        for node in 100...400 as ClosedRange<UInt64> { bench.record(.created, node) }
        for node in 1...39 as ClosedRange<UInt64> { bench.record(.fulfilled, node) }
        bench.runtime.setLive([NodeID(40), NodeID(400)])
        clock.advance(by: 1)
        bench.collector.collectNow()
        for batch in bench.batches { forest.apply(batch) }
        #expect(bench.counts == EventCounts(madeCount: 380, deliveredCount: 104, lostInRings: 276))
        #expect(forest.totals.counts.liveCount == 2)
        #expect(forest.index(of: NodeID(400)).map { forest.node($0).isLive } == true)
    }

    @Test func aHalfFullRingWakesTheCollectorLongBeforeTheInterval() throws {
        var options = CollectorOptions()
        options.interval = 3_600_000_000_000
        var recorderOptions = RecorderOptions()
        recorderOptions.ringCapacity = 64
        let bench = Bench(recorder: recorderOptions, collector: options)
        let thread = try #require(CollectorThread(bench.collector))
        bench.record(.queued, 1)
        // The thread collects once at its start, at any moment; then half a ring wakes it again.
        for round in 0..<20 as Range<UInt64> {
            for step in 0..<33 as Range<UInt64> { bench.record(.queued, 2 + round * 33 + step) }
            let isRead = wait { bench.counts.deliveredCount + bench.counts.lostInRings > (round + 1) * 33 - 32 }
            #expect(isRead)
        }
        thread.stop()
        bench.collector.collectNow()
        #expect(bench.counts.madeCount == 661)
        #expect(bench.counts.deliveredCount + bench.counts.lostInRings == 661)
    }

    @Test func reportsLiveNodesAfterALoss() {
        let clock = StillClock()
        var options = RecorderOptions()
        options.ringCapacity = 16
        let bench = Bench(clock: clock, recorder: options)
        bench.runtime.setLive([NodeID(3), NodeID(4), NodeID(21)])
        for node in 1...20 as ClosedRange<UInt64> { bench.record(.created, node) }
        clock.advance(by: 10)
        bench.collector.collectNow()
        #expect(bench.counts.lostInRings == 4)
        let marks = bench.batches.compactMap(\.resync)
        #expect(marks == [.begin(epoch: 1_010), .end(epoch: 1_010)])
        let begin = bench.batches.firstIndex { $0.resync == .begin(epoch: 1_010) }!
        #expect(bench.batches[...begin].allSatisfy { $0.nodes.isEmpty })
        #expect(Set(bench.batches.flatMap(\.nodes).map(\.id.rawValue)) == [3, 4, 21])
        // Without another loss there is no other resync.
        bench.collector.collectNow()
        #expect(bench.batches.compactMap(\.resync).count == 2)
    }

    @Test func doesNotResyncMoreOftenThanTheInterval() {
        let clock = StillClock()
        var options = RecorderOptions()
        options.ringCapacity = 16
        let bench = Bench(clock: clock, recorder: options)
        func overflow() {
            for node in 1...20 as ClosedRange<UInt64> { bench.record(.queued, node) }
            bench.collector.collectNow()
        }
        overflow()
        overflow()
        clock.advance(by: 249_999_999)
        overflow()
        #expect(bench.batches.compactMap(\.resync).count == 2)
        clock.advance(by: 1)
        bench.collector.collectNow()
        #expect(bench.batches.compactMap(\.resync).count == 4)
    }
}

// SPDX-License-Identifier: MIT
