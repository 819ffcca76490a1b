import ChainEvents
import ChainInsight
import ChainModel
import Frames
import SeededNumbers
import Testing

@testable import Dashboard

/// A program may say anything: numbers at the edges of their range end no dashboard, whatever it shows.
struct HostileTests {
    /// Batches without sense. Most ids and times are small, so that they have to do with each other.
    private struct Nonsense {
        var generator: SeededGenerator

        mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        mutating func edge() -> UInt64 {
            let edges: [UInt64] = [
                0, 1, .max, .max - 1, .max / 2, .max / 2 + 1, UInt64(Int64.max), 1 << 32, 1 << 48, .max >> 2, .max >> 3,
                UInt64(UInt32.max), 1 << 61, 1 << 62,
            ]
            return edges[pick(edges.count)]
        }

        mutating func id() -> NodeID { NodeID(pick(12) == 0 ? edge() : UInt64(pick(60))) }
        mutating func time() -> UInt64 { pick(6) == 0 ? edge() : UInt64(pick(5_000)) * 1_000_000 }
        mutating func number() -> UInt32 { pick(6) == 0 ? UInt32(truncatingIfNeeded: edge()) : UInt32(pick(5)) }

        mutating func info(_ key: UInt64) -> ProcessDescription {
            let wallOffset = pick(3) == 0 ? edge() : Script.process.wallOffset
            return ProcessDescription(
                key: ProcessKey(rawValue: key), pid: [.max, .min, 0, 7][pick(4)],
                name: pick(2) == 0 ? "" : "pro\u{1b}[2J",
                wallOffset: wallOffset, startTime: edge(), isReadOnly: pick(4) == 0)
        }

        mutating func batch(_ key: UInt64) -> EventBatch {
            var batch = EventBatch(process: ProcessKey(rawValue: key), sequence: edge(), time: time())
            batch.texts = ["a", "b\u{7}"]
            for _ in 0..<pick(4) { batch.threads[number()] = "worker \(pick(3))" }
            for _ in 0..<pick(4) { batch.sites[number()] = CodeLocation(fileID: "Shop/Order.swift", line: number()) }
            for _ in 0..<pick(3) { batch.executors[ExecutorID(truncatingIfNeeded: edge())] = "pool" }
            for _ in 0..<pick(6) { batch.nodes.append(node()) }
            for _ in 0..<pick(50) {
                let kind = EventKind.allCases[pick(EventKind.allCases.count)]
                batch.events.append(
                    ChainEvent(
                        time: time(), kind, node: id(), other: id(), site: number(), text: number(), thread: number(),
                        detail: pick(5) == 0 ? .max : UInt16(pick(70)), flags: EventFlags(rawValue: UInt8(pick(64)))))
            }
            if pick(3) == 0 {
                batch.loss = EventCounts(
                    madeCount: edge(), deliveredCount: edge(), lostInRings: edge(), lostAtClient: edge())
            }
            switch pick(6) {
            case 0: batch.resync = .begin(epoch: time())
            case 1: batch.resync = .end(epoch: time())
            default: break
            }
            return batch
        }

        private mutating func node() -> NodeSnapshot {
            var node = NodeSnapshot(id: id(), kind: NodeKind.allCases[pick(NodeKind.allCases.count)])
            if pick(2) == 0 { node.parent = id() }
            if pick(2) == 0 { node.creator = id() }
            if pick(3) == 0 { (node.adopted, node.adoptedAt) = (id(), time()) }
            if pick(2) == 0 { (node.created, node.seen) = (time(), time()) }
            if pick(2) == 0 { (node.queued, node.started, node.ended) = (time(), time(), time()) }
            (node.settlement, node.settled) = (Settlement(rawValue: UInt8(pick(8))) ?? .pending, time())
            (node.site, node.thread, node.executor) = (number(), number(), ExecutorID(truncatingIfNeeded: number()))
            (node.cancelRequested, node.cancelRequestedAt) = (pick(2) == 0, time())
            node.members = (0..<pick(4)).map { _ in id() }
            node.memberTimes = (0..<pick(4)).map { _ in time() }
            node.flags = SnapshotFlags(rawValue: UInt8(pick(64)))
            node.summary = pick(3) == 0 ? "c" : nil
            return node
        }
    }

    private static let keys = [
        "j", "k", "l", "h", "*", "_", "s", "S", "t", "G", "g", "<Enter>", "w", "+", "-", "a", "f", "p", "n", "u", "d",
        "/age>1s<Enter>", "/total>=2s or run>=9h<Enter>", "/wait>0s<Enter>", "/state:pending or x<Enter>", "<Esc>",
    ]

    /// Every view of what was folded, in a usual and in a small size.
    private func look(at screen: inout Screen, _ nonsense: inout Nonsense) {
        for view in ViewID.allCases {
            screen.type("\(view.rawValue)")
            for _ in 0..<2 { screen.type(Self.keys[nonsense.pick(Self.keys.count)]) }
            if nonsense.pick(8) == 0 { screen.act(.resized(Size(columns: 20, rows: 5))) }
            _ = screen.text
            screen.act(.resized(Size(columns: 150, rows: 40)))
            _ = screen.text
        }
    }

    @Test(arguments: UInt64(1)...40)
    func extremeNumbersAreShown(seed: UInt64) {
        var nonsense = Nonsense(generator: SeededGenerator(seed: seed))
        var options = State.Options(glyphs: seed % 4 == 0 ? .ascii : .unicode)
        if seed % 3 == 0 {
            options.limits = ForestLimits(
                settledNodeLimit: 12, settledLeafLimit: 4, ageLimit: 100, chainNodeLimit: 10, nodeLimit: 40,
                changeLimit: 16)
        }
        var screen = Screen(150, 40, options: options, connected: false)
        let programCount = seed % 2 == 0 ? 1 : 2
        for number in 0..<programCount {
            screen.act(.connected(SourceID(number), nonsense.info(UInt64(number) + 1)))
        }
        for step in 0..<6 {
            for number in 0..<programCount {
                screen.act(.received(SourceID(number), nonsense.batch(UInt64(number) + 1)))
            }
            screen.tick(Double(step) * 700)
            look(at: &screen, &nonsense)
            for _ in 0..<4 { screen.act(.work) }
            if nonsense.pick(6) == 0 {
                screen.act(
                    .reconnecting(
                        SourceID(0), since: nonsense.edge(), reason: "it is gone", attempt: nonsense.pick(2) * .max,
                        nextAttempt: nonsense.edge()))
            }
        }
        for queue in screen.state.queueStatistics { #expect(queue.count <= queue.limit, "\(queue)") }
        // The same for `ps` and for a list of programs.
        let forest = screen.state.forest!
        for now in [forest.now, 0, .max] {
            TreeText().write(forest, of: nonsense.info(1), now: now) { _ in }
            TreeJSON().write(forest, of: nonsense.info(1), now: now) { _ in }
        }
        let totals = ProcessTotals(
            chainCount: nonsense.edge(), nodeCount: .max, liveCount: .max, runningCount: nonsense.edge(),
            rejectedCount: .max, viewerCount: .max)
        let listed = [ListedProcess(target: "7", pid: .max, info: nonsense.info(1), totals: totals)]
        for wall in [0, .max, Script.process.wallOffset] {
            #expect(!ProcessTable.text(listed, wall: wall).isEmpty && !ProcessTable.json(listed, wall: wall).isEmpty)
        }
    }

    @Test func countsOfLostEventsDoNotOverflow() {
        var screen = Screen(150, 40)
        var script = Script(time: 10)
        script.make(1, .work)
        for loss in [
            EventCounts(lostInRings: .max, lostAtClient: 0), EventCounts(lostInRings: .max, lostAtClient: .max),
            EventCounts(lostInRings: 3),
        ] {
            var batch = script.batch
            batch.loss = loss
            screen.act(.received(SourceID(0), batch))
            screen.tick(20)
            #expect(screen.text.contains("lost"))
        }
        #expect(screen.state.programs[0].lostCount == .max)
    }
}
