import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames
import SeededNumbers
import Testing

@testable import Dashboard

/// The view of events keeps the last events up to a limit, and shows what a naive filter over all of them finds.
@Suite struct EventsRingTests {
    /// Returns a batch of `count` events of node 1, each with a text of `textBytes` bytes.
    private static func batch(_ sequence: UInt64, _ count: Int, textBytes: Int = 0) -> EventBatch {
        var batch = EventBatch(process: Script.process.key, sequence: sequence, time: sequence * 1_000_000)
        let text = String(repeating: "x", count: textBytes)
        for index in 0..<count {
            if textBytes > 0 { batch.texts.append(text) }
            batch.events.append(
                ChainEvent(
                    time: (sequence - 1) * 1_000_000 + UInt64(index), .settledAgain, node: NodeID(1),
                    text: textBytes > 0 ? UInt32(index + 1) : 0))
        }
        batch.loss.madeCount = sequence * UInt64(count)
        return batch
    }

    /// Returns how many events are kept, whether they are shown or not.
    private static func keptCount(_ ring: EventsInsight) -> Int {
        ring.batches[ring.head...].reduce(0) { $0 + $1.events.count }
    }

    @Test(arguments: [1, 7, 5_000, 60_000, 200_000]) func theRingIsBounded(_ size: Int) {
        var ring = EventsInsight()
        let forest = ChainForest(process: Script.process.key)
        let total = size == 1 ? 120_000 : max(200_000, size * 3)
        for number in 1...(total / size) { ring.ingest(Self.batch(UInt64(number), size), in: forest) }
        let ingested = UInt64(total / size * size)
        #expect(ring.end == ingested)
        #expect(ring.rows(limit: EventsInsight.limit) == ingested - UInt64(EventsInsight.limit)..<ingested)
        #expect(ring.rows(limit: 10) == ingested - 10..<ingested)
        #expect(Self.keptCount(ring) >= EventsInsight.limit)
        #expect(Self.keptCount(ring) < EventsInsight.limit + min(size, EventsInsight.limit))
        var numbers: [UInt64] = []
        ring.forEach(in: ring.rows(limit: EventsInsight.limit)) { number, time, event in
            #expect(event?.time == time)
            numbers.append(number)
        }
        #expect(numbers == Array(ring.rows(limit: EventsInsight.limit)))
        for number in [numbers[0], numbers[numbers.count / 2], ingested - 1] { #expect(ring.row(number) != nil) }
        #expect(ring.row(ingested) == nil)
        if ingested > 150_000 { #expect(ring.row(0) == nil) }
    }

    @Test func textsAreBounded() {
        var ring = EventsInsight()
        let forest = ChainForest(process: Script.process.key)
        for number in 1...400 as ClosedRange<UInt64> {
            ring.ingest(Self.batch(number, 100, textBytes: 480), in: forest)
        }
        #expect(Self.keptCount(ring) == 40_000)
        #expect(ring.textByteCount <= EventsInsight.textByteLimit)
        guard case .event(_, let old)? = ring.row(0), case .event(_, let new)? = ring.row(ring.end - 1) else {
            return #expect(Bool(false), "rows are missing")
        }
        #expect(old == nil)
        #expect(new?.utf8.count == 480)
    }

    @Test func aStormLeavesTheLastEvents() {
        var screen = Screen(120, 40)
        var first = Script()
        first.make(1, .promise, "storm")
        screen.feed(first)
        screen.type("6")
        let (size, count) = (20_000, 1_000_000)
        for number in 1...(count / size) {
            screen.act(.received(SourceID(0), Self.batch(UInt64(number + 1), size)))
            screen.tick(Double(number))
            let ring = screen.state.programs[0].insight.events
            #expect(Self.keptCount(ring) < EventsInsight.limit + size)
            #expect(screen.state.events.index.entries.count <= EventsInsight.limit)
        }
        for step in 0..<20 { screen.tick(100 + Double(step)) }
        let kept = UInt64(count + 1 - EventsInsight.limit)..<UInt64(count + 1)
        #expect(screen.state.events.index.entries.map(\.number) == Array(kept))
        #expect(screen.text.contains("the last 50,000 of 1,000,001"))
        #expect(!screen.state.events.isIncomplete(screen.seen))
    }

    /// An idle loop ticks once a second only, and a renewal of the index takes many ticks.
    @Test func theLoopIsNotIdleBeforeTheIndexIsRenewed() {
        var screen = Screen(120, 40)
        var first = Script()
        first.make(1, .promise, "storm", external: true)
        screen.feed(first)
        screen.act(.received(SourceID(0), Self.batch(2, 20_000)))
        screen.type("6/needle<Enter>")
        for step in 0..<10 { screen.tick(10 + Double(step)) }
        #expect(screen.state.events.index.entries.isEmpty)
        var last = Script(sequence: 3, time: 20)
        last.fulfill(1, "needle")
        screen.feed(last)
        screen.type("p")
        var tickCount = 0
        while !screen.state.isIdle, tickCount < 200 {
            tickCount += 1
            screen.tick(screen.milliseconds + 33)
        }
        #expect(tickCount < 50)
        #expect(screen.state.events.index.entries.count == 20_002)
    }

    @Test func aFloodIsIndexedUpToTheShareOfItsProgram() {
        var screen = Screen(120, 40)
        screen.act(.connected(SourceID(1), Script.billing))
        screen.type("6")
        screen.tick(1)
        screen.act(.received(SourceID(0), Self.batch(1, 20_000)))
        screen.act(.resized(Size(columns: 120, rows: 41)))
        #expect(screen.state.events.index.entries.count == EventsView.budget / 2)
    }

    @Test func nothingIsIndexedForAClosedView() {
        var screen = Screen(120, 40)
        screen.act(.received(SourceID(0), Self.batch(1, 1_000)))
        screen.tick(2)
        #expect(screen.state.events.index.entries.isEmpty)
    }

    // MARK: Against a naive filter

    private struct Recorded {
        var time: UInt64
        var programIndex: Int
        var number: Int
        var event: ChainEvent
    }

    @Test(arguments: 0..<8 as Range<UInt64>) func itShowsWhatANaiveFilterFinds(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var screen = Screen(100, 30)
        screen.act(.connected(SourceID(1), Script.billing))
        screen.type("6")
        let programs = [Script.process, Script.billing]
        var recorded: [Recorded] = []
        var counts = [0, 0]
        let kinds: [EventKind] = [.queued, .started, .ended, .fulfilled, .rejected, .skipped, .linked, .adopted]
        let words = ["quick", "brown", "queued", "fox", "rejected"]
        var moment = 100.0
        for round in 1...60 as ClosedRange<UInt64> {
            let programIndex = Int.random(in: 0...1, using: &random)
            let lead = programs[0].wallOffset - programs[programIndex].wallOffset
            moment += 40
            var batch = EventBatch(
                process: programs[programIndex].key, sequence: round, time: UInt64(moment * 1_000_000) + lead)
            for thread in 1...3 as ClosedRange<UInt32> {
                // Events of one thread are in order; those of a thread that is drained later may be older.
                var time = UInt64((moment - .random(in: 1...60, using: &random)) * 1_000_000) + lead
                for _ in 0..<Int.random(in: 0...12, using: &random) {
                    time += .random(in: 0...2_000_000, using: &random)
                    let node = NodeID(.random(in: 1...40, using: &random))
                    var kind = kinds.randomElement(using: &random)!
                    if screen.state.programs[programIndex].forest.index(of: node) == nil { kind = .created }
                    batch.texts.append(words.randomElement(using: &random)!)
                    let other = kind == .linked || kind == .adopted || Bool.random(using: &random)
                    batch.events.append(
                        ChainEvent(
                            time: time, kind, node: node,
                            other: other ? NodeID(.random(in: 1...40, using: &random)) : .none,
                            text: UInt32(batch.texts.count), thread: thread,
                            detail: kind == .created ? UInt16(NodeKind.then.rawValue) : 1))
                }
            }
            for event in batch.events {
                recorded.append(
                    Recorded(
                        time: event.time &+ programs[programIndex].wallOffset, programIndex: programIndex,
                        number: counts[programIndex], event: event
                    ))
                counts[programIndex] += 1
            }
            screen.act(.received(SourceID(programIndex), batch))
            screen.tick(moment)
            guard round % 10 == 0 else { continue }
            if screen.state.filter.isActive { screen.type("<Esc>") }
            let text = ["", "queued", "fox", "rej"].randomElement(using: &random)!
            if !text.isEmpty { screen.type("/\(text)<Enter>") }
            if Bool.random(using: &random) {
                screen.type("k")
                screen.type("a")
            }
            // Nodes have changed, so other events may match: the index is renewed each 250 ms.
            for _ in 0..<4 {
                moment += 300
                screen.tick(moment)
            }
            #expect(screen.state.events.index.entries == expected(recorded, text, screen))
        }
    }

    /// Returns whether a text is in a node; or whether it names a node that this node is live under.
    private func matches(_ text: String, _ node: NodeIndex, in forest: ChainForest) -> Bool {
        let view = forest.node(node)
        let texts: [String?] = [
            forest.label(of: node) ?? forest.site(of: node)?.description, forest.summary(of: node), view.kind.word,
            view.state.word,
        ]
        if texts.contains(where: { $0?.contains(text) ?? false }) { return true }
        guard (try? Query(text))?.isOfNames == true, view.state.isLive, let above = forest.treeParent(of: node) else {
            return false
        }
        return matches(text, above, in: forest)
    }

    /// Returns the rows that the text of the filter and the scope leave, found without an index.
    private func expected(_ recorded: [Recorded], _ text: String, _ screen: Screen) -> [EventIndex.Entry] {
        let scope = screen.state.events.scope
        return recorded.filter { recorded in
            let program = screen.state.programs[recorded.programIndex]
            let forest = program.forest
            let node = forest.index(of: recorded.event.node)!
            if let scope {
                guard scope.source == program.source, let root = forest.index(of: scope.id!) else { return false }
                if forest.root(of: node) != forest.root(of: root) { return false }
            }
            return text.isEmpty || EventText.word(recorded.event.kind).contains(text) || matches(text, node, in: forest)
        }
        .map { EventIndex.Entry(time: $0.time, programIndex: $0.programIndex, number: UInt64($0.number)) }
        .sorted()
    }
}

// SPDX-License-Identifier: MIT
