import ChainEvents
import ChainModel
import ChainSystem
import SeededNumbers
import Testing

@testable import ChainInspector

@Suite struct BatchSubscriptionTests {
    /// A subscriber that applies its batches to a forest and keeps their parts.
    private struct Viewer {
        let subscription: BatchSubscription
        var forest = ChainForest(process: Bench.process)
        var sequences: [UInt64] = []
        var marks: [Resync] = []
        var events: [ChainEvent] = []

        init(_ subscription: BatchSubscription) { self.subscription = subscription }

        /// Reads up to `limit` batches.
        mutating func read(atMost limit: Int = .max) {
            var count = 0
            while count < limit, let batch = subscription.next() {
                forest.apply(batch)
                sequences.append(batch.sequence)
                if let mark = batch.resync { marks.append(mark) }
                events += batch.events
                count += 1
            }
        }
    }

    /// Records random events of nodes, the same for the same seed.
    struct Lives {
        var random: SeededGenerator
        var made: UInt64 = 0
        var live: [UInt64] = []

        mutating func step(_ bench: Bench) {
            func record(_ record: EventRecord, _ text: String? = nil) { bench.recorder.record(record, text: text) }
            if live.isEmpty || random.next() % 3 == 0 {
                // Not in the order of creation, because threads take ids in blocks.
                made += 1
                let id = NodeID(made.isMultiple(of: 2) ? made : 10_000 - made)
                let other = random.next() % 2 == 0 ? live.randomElement(using: &random) : nil
                record(
                    EventRecord(
                        .created, node: id, other: NodeID(other ?? 0),
                        site: CallSite(fileID: "Lives.swift", line: UInt(random.next() % 5 + 1)), detail: 16,
                        flags: other != nil && random.next() % 2 == 0 ? .hasParent : []),
                    random.next() % 2 == 0 ? "label \(made)" : nil)
                live.append(id.rawValue)
                return
            }
            let index = Int(random.next() % UInt64(live.count))
            let id = NodeID(live[index])
            switch random.next() % 8 {
            case 0: record(EventRecord(.queued, node: id, detail: 3))
            case 1: record(EventRecord(.started, node: id))
            case 2: record(EventRecord(.ended, node: id))
            case 3: record(EventRecord(.cancelRequested, node: id, flags: .byViewer), "somebody")
            case 4: record(EventRecord(.linked, node: id, other: NodeID(live[0]), detail: 2))
            case 5:
                record(EventRecord(.fulfilled, node: id, flags: .handlerEnded))
                live.remove(at: index)
            case 6:
                record(EventRecord(.rejected, node: id), "error \(id)")
                live.remove(at: index)
            default:
                record(EventRecord(.released, node: id))
                live.remove(at: index)
            }
        }
    }

    /// Returns a forest with all batches of the bench applied.
    private func whole(_ bench: Bench) -> ChainForest {
        var forest = ChainForest(process: Bench.process)
        for batch in bench.batches { forest.apply(batch) }
        return forest
    }

    private func options(chunk: Int) -> CollectorOptions {
        var options = CollectorOptions()
        options.chunkLimit = chunk
        options.resyncInterval = 0
        return options
    }

    /// And no node is known by its id alone.
    @Test func liveNodesComeFirstWithAllThatTheyLeadTo() {
        let bench = Bench(collector: options(chunk: 4))
        func make(_ node: UInt64, under parent: UInt64 = 0) {
            bench.recorder.record(
                EventRecord(
                    .created, node: NodeID(node), other: NodeID(parent), flags: parent == 0 ? [] : .hasParent),
                text: nil)
        }
        for node in 1...1_000 as ClosedRange<UInt64> {
            make(node, under: node == 500 ? 499 : 0)
            bench.record(.fulfilled, node)
        }
        make(1_001, under: 500)
        make(1_002)
        bench.recorder.record(EventRecord(.linked, node: NodeID(1_002), other: NodeID(30), detail: 2), text: nil)
        bench.collector.collectNow()
        var viewer = Viewer(bench.collector.subscribe(mailboxLimit: 1_000, onReady: {}))
        #expect(viewer.subscription.next()?.stateNodeCount == 1_002)
        viewer.read(atMost: 3)
        #expect([499, 500, 1_001, 30, 1_002].allSatisfy { viewer.forest.index(of: NodeID($0)) != nil })
        #expect(viewer.forest.totals.counts.liveCount == 2 && viewer.forest.totals.counts[.unknown] == 0)
        #expect(viewer.forest.totals.counts.nodeCount < 20)
        // A new node does not wait for the settled ones, and what has settled is no longer live.
        make(1_003, under: 900)
        bench.record(.fulfilled, 1_001)
        bench.collector.collectNow()
        viewer.read(atMost: 2)
        let new = viewer.forest.index(of: NodeID(1_003)).map { viewer.forest.state(of: $0) }
        #expect(new == .pending && viewer.forest.index(of: NodeID(900)) != nil)
        #expect(viewer.forest.totals.counts.liveCount == 2 && viewer.forest.totals.counts[.unknown] == 0)
        viewer.read()
        #expect(viewer.forest.dump(facts: true) == whole(bench).dump(facts: true))
    }

    /// A node that settles and is evicted before the walk comes to it is not taken for lost.
    @Test func whatEndsWhileTheStateIsRepeatedIsKnown() {
        var options = options(chunk: 1)
        (options.forest.settledNodeLimit, options.forest.settledLeafLimit) = (0, 0)
        let bench = Bench(collector: options)
        for node in 1...20 as ClosedRange<UInt64> { bench.record(.created, node) }
        bench.collector.collectNow()
        var viewer = Viewer(bench.collector.subscribe(mailboxLimit: 1_000, onReady: {}))
        viewer.read()
        viewer.subscription.requestState()
        viewer.read(atMost: 3)
        for node in 10...20 as ClosedRange<UInt64> { bench.record(.fulfilled, node) }
        bench.collector.collectNow()
        #expect(bench.collector.withState { $0.forest.totals.counts.nodeCount } == 9)
        viewer.read()
        #expect(viewer.marks.count == 4 && viewer.subscription.lostCount == 0)
        #expect(viewer.forest.totals.counts.liveCount == 9 && viewer.forest.totals.counts[.unknown] == 0)
        #expect(viewer.forest.totals.counts[.fulfilled] == 11)
    }

    @Test func aSubscriberThatIsAlwaysLateGetsTheState() {
        let bench = Bench(collector: options(chunk: 1_000))
        var viewer = Viewer(bench.collector.subscribe(mailboxLimit: 10, onReady: {}))
        viewer.read()
        for node in 1...1_000 as ClosedRange<UInt64> {
            bench.record(.created, node)
            bench.collector.collectNow()
            // Five batches of cost 2 fit, so it reads all that it was sent, and never finds the mailbox empty.
            if node.isMultiple(of: 20) { viewer.read(atMost: 5) }
        }
        #expect(viewer.marks.count > 2)
    }

    /// A viewer that asks again and again, and reads nothing, would fill its mailbox with the walks of all requests.
    @Test func requestsOfTheStateThatWaitAreMerged() {
        let bench = Bench(collector: options(chunk: 1_000))
        var viewer = Viewer(bench.collector.subscribe(mailboxLimit: 100_000, onReady: {}))
        viewer.read()
        bench.record(.created, 1)
        let published = bench.batches.count
        for _ in 0..<1_000 { bench.collector.resync([viewer.subscription]) }
        #expect(bench.batches.count - published < 10)
        // The events of the request, the walk, and then one state.
        viewer.read()
        #expect(viewer.marks.count == 6)
        // The next request is answered.
        bench.collector.resync([viewer.subscription])
        viewer.read()
        #expect(viewer.marks.count > 6)
    }

    /// A recording begins with it, and would begin when the machine was started.
    @Test func theStateBeforeTheFirstPassHasATime() {
        let clock = StillClock()
        clock.advance(by: 5_000_000_000)
        let bench = Bench(clock: clock)
        let subscription = bench.collector.subscribe(mailboxLimit: 10, onReady: {})
        var times: [UInt64] = []
        while let batch = subscription.next() { times.append(batch.time) }
        bench.collector.collectNow()
        bench.record(.created, 1)
        bench.collector.collectNow()
        while let batch = subscription.next() { times.append(batch.time) }
        #expect(times.count > 2 && times.allSatisfy { $0 >= 5_000_000_000 }, "\(times)")
    }

    @Test(arguments: Seeds.upTo(16))
    func stateAndLaterBatchesGiveTheWholeForest(seed: UInt64) {
        let clock = StillClock()
        let bench = Bench(clock: clock, collector: options(chunk: Int(seed % 9) + 1))
        var lives = Lives(random: SeededGenerator(seed: seed))
        var viewers: [Viewer] = []
        for _ in 0..<400 {
            lives.step(bench)
            clock.advance(by: lives.random.next() % 50)
            if lives.random.next() % 4 == 0 { bench.collector.collectNow() }
            if lives.random.next() % 50 == 0 {
                viewers.append(Viewer(bench.collector.subscribe(mailboxLimit: 1_000_000, onReady: {})))
            }
            for index in viewers.indices where lives.random.next() % 3 == 0 { viewers[index].read(atMost: 2) }
        }
        bench.collector.collectNow()
        let expected = whole(bench).dump(facts: true)
        #expect(expected == bench.collector.withState { $0.forest.dump(facts: true) })
        #expect(!viewers.isEmpty)
        for index in viewers.indices {
            viewers[index].read()
            #expect(viewers[index].forest.dump(facts: true) == expected)
            #expect(viewers[index].sequences == Array(1...UInt64(viewers[index].sequences.count)))
            #expect(viewers[index].marks.count == 2)
            #expect(viewers[index].subscription.lostCount == 0)
        }
    }

    @Test func anEarlySubscriberGetsEachEventOnce() {
        let bench = Bench(collector: options(chunk: 10))
        var viewer = Viewer(bench.collector.subscribe(mailboxLimit: 10_000, onReady: {}))
        viewer.read()
        var lives = Lives(random: SeededGenerator(seed: 3))
        for _ in 0..<500 {
            lives.step(bench)
            if lives.random.next() % 7 == 0 { bench.collector.collectNow() }
        }
        bench.collector.collectNow()
        viewer.read()
        #expect(viewer.events == bench.events)
    }

    @Test(arguments: Seeds.upTo(8))
    func aSlowSubscriberLosesEventsAndGetsThePresentState(seed: UInt64) {
        let clock = StillClock()
        let bench = Bench(clock: clock, collector: options(chunk: 8))
        var viewer = Viewer(bench.collector.subscribe(mailboxLimit: 30, onReady: {}))
        var lives = Lives(random: SeededGenerator(seed: seed))
        for round in 0..<400 {
            lives.step(bench)
            clock.advance(by: 10)
            if lives.random.next() % 3 == 0 { bench.collector.collectNow() }
            // It reads now and then, but too little.
            if round % 40 == 0 { viewer.read(atMost: 3) }
        }
        bench.collector.collectNow()
        viewer.read()
        #expect(viewer.subscription.lostCount > 0)
        #expect(viewer.forest.loss.lostAtClient == viewer.subscription.lostCount)
        #expect(viewer.forest.dump(facts: true) == whole(bench).dump(facts: true))
    }

    /// Waits are in no snapshot of a node.
    @Test func aWaitThatBeginsWhileTheStateIsSentArrives() {
        let bench = Bench(collector: options(chunk: 1))
        for node in 1...3 as ClosedRange<UInt64> { bench.record(.created, node) }
        bench.collector.collectNow()
        var viewer = Viewer(bench.collector.subscribe(mailboxLimit: 1_000, onReady: {}))
        viewer.read(atMost: 2)
        bench.recorder.record(EventRecord(.awaited, node: NodeID(3), other: NodeID(1)), text: nil)
        bench.recorder.record(EventRecord(.awaitMisused, node: NodeID(2), other: NodeID(1)), text: nil)
        bench.collector.collectNow()
        viewer.read()
        let waits = bench.collector.withState { $0.forest.waits.map(\.node) }
        #expect(waits == [NodeID(3)] && viewer.forest.waits.map(\.node) == waits)
        #expect(viewer.forest.dump(facts: true) == whole(bench).dump(facts: true))
    }

    @Test func aSlowSubscriberKeepsNoNodeThatTheCollectorEvicted() {
        let clock = StillClock()
        var options = options(chunk: 8)
        options.forest.settledNodeLimit = 0
        options.forest.settledLeafLimit = 0
        options.forest.ageLimit = 1
        let bench = Bench(clock: clock, collector: options)
        var viewer = Viewer(bench.collector.subscribe(mailboxLimit: 30, onReady: {}))
        for node in 1...20 as ClosedRange<UInt64> { bench.record(.created, node) }
        bench.collector.collectNow()
        viewer.read()
        #expect(viewer.forest.totals.counts.liveCount == 20)
        clock.advance(by: 1_000)
        for node in 2...20 as ClosedRange<UInt64> {
            bench.record(.fulfilled, node)
            bench.record(.released, node)
            clock.advance(by: 1_000)
            bench.collector.collectNow()
        }
        clock.advance(by: 1_000)
        bench.collector.collectNow()
        #expect(bench.collector.withState { $0.forest.totals.counts.nodeCount } == 1)
        viewer.read()
        #expect(viewer.subscription.lostCount > 0)
        #expect(viewer.forest.totals.counts.liveCount == 1)
        #expect(viewer.forest.index(of: NodeID(1)).map { viewer.forest.node($0).isLive } == true)
    }

    @Test func aLossInTheRingsIsRepairedForEverySubscriber() {
        let clock = StillClock()
        var recorder = RecorderOptions()
        recorder.ringCapacity = 16
        let bench = Bench(clock: clock, recorder: recorder, collector: options(chunk: 2))
        for node in 1...6 as ClosedRange<UInt64> { bench.record(.created, node) }
        bench.collector.collectNow()
        var early = Viewer(bench.collector.subscribe(mailboxLimit: 1_000, onReady: {}))
        early.read()
        // A subscriber that gets the state while the walk over the registry begins and ends.
        var middle = Viewer(bench.collector.subscribe(mailboxLimit: 1_000, onReady: {}))
        middle.read(atMost: 3)
        clock.advance(by: 10)
        for _ in 0..<16 { bench.record(.queued, 1) }
        for node in 2...5 as ClosedRange<UInt64> { bench.record(.fulfilled, node) }
        bench.runtime.setLive([NodeID(1), NodeID(6), NodeID(7)])
        clock.advance(by: 10)
        bench.collector.collectNow()
        early.read()
        middle.read()
        var late = Viewer(bench.collector.subscribe(mailboxLimit: 1_000, onReady: {}))
        late.read()
        let own = bench.collector.withState { $0.forest.dump(facts: true) }
        for forest in [early.forest, middle.forest, late.forest] {
            #expect(forest.dump(facts: true) == own)
            #expect(forest.totals.counts.liveCount == 3)
            #expect(forest.totals.counts[.unknown] == 4)
        }
    }

    @Test func callsOnReadyForTheFirstBatchAndForTheEnd() {
        let ready = Lock(0)
        let bench = Bench()
        let subscription = bench.collector.subscribe(mailboxLimit: 10, onReady: { ready.withLock { $0 += 1 } })
        #expect(ready.withLock { $0 } == 1)
        while subscription.next() != nil {}
        bench.record(.created, 1)
        bench.collector.collectNow()
        bench.record(.fulfilled, 1)
        bench.collector.collectNow()
        #expect(ready.withLock { $0 } == 2)
        #expect(subscription.next()?.events.map(\.kind) == [.created])
        #expect(!subscription.isEnded)
        bench.collector.close()
        #expect(ready.withLock { $0 } > 2)
        #expect(subscription.next()?.events.map(\.kind) == [.fulfilled])
        #expect(subscription.next() == nil)
        #expect(subscription.isEnded)
    }

    @Test func givesNothingAfterItsDisposal() {
        let bench = Bench()
        let subscription = bench.collector.subscribe(mailboxLimit: 10, onReady: {})
        subscription.dispose()
        subscription.dispose()
        bench.record(.created, 1)
        bench.collector.collectNow()
        #expect(subscription.next() == nil)
        #expect(bench.collector.withState { $0.subscriptions.isEmpty })
    }
}

// SPDX-License-Identifier: MIT
