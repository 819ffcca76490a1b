import ChainEvents
import SeededNumbers
import Testing

@testable import ChainModel

/// A program may tell anything: nothing of it stops a viewer, and its limits hold.
struct HostileTests {
    /// Events and nodes without sense: ids and times at the edges of their range, nodes that are their own parents,
    /// rings, times that go back, settlements of nobody.
    struct Nonsense {
        private var generator: SeededGenerator
        private let idCount: Int

        init(seed: UInt64, idCount: Int) {
            generator = SeededGenerator(seed: seed)
            self.idCount = idCount
        }

        private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        private mutating func id() -> NodeID {
            let edges: [UInt64] = [0, .max, .max - 1, .max - 255, .max - 256, 1 << 63]
            return NodeID(pick(20) == 0 ? edges[pick(edges.count)] : UInt64(pick(idCount)))
        }

        private mutating func time() -> UInt64 {
            let edges: [UInt64] = [0, 1, .max, .max - 1, 1 << 48, 1 << 63]
            return pick(20) == 0 ? edges[pick(edges.count)] : UInt64(pick(500))
        }

        mutating func batch() -> EventBatch {
            var batch = EventBatch(process: .test, sequence: time(), time: time())
            batch.texts = ["a", "b"]
            for _ in 0..<pick(4) { batch.nodes.append(node()) }
            for _ in 0..<pick(30) {
                let kind = EventKind.allCases[pick(EventKind.allCases.count)]
                batch.events.append(
                    ChainEvent(
                        time: time(), kind, node: id(), other: id(), text: UInt32(pick(4)), thread: UInt32(pick(3)),
                        detail: UInt16(pick(70)), flags: EventFlags(rawValue: UInt8(pick(32)))))
            }
            switch pick(6) {
            case 0: batch.resync = .begin(epoch: UInt64(pick(3)))
            case 1: batch.resync = .end(epoch: UInt64(pick(3)))
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
            (node.cancelRequested, node.cancelRequestedAt) = (pick(2) == 0, time())
            node.members = (0..<pick(4)).map { _ in id() }
            node.memberTimes = (0..<pick(4)).map { _ in time() }
            node.summary = pick(3) == 0 ? "c" : nil
            return node
        }
    }

    @Test(arguments: Seeds.upTo(27))
    func nonsenseIsFoldedWithinTheLimits(seed: UInt64) {
        let limits = [
            ForestLimits(),
            ForestLimits(
                settledNodeLimit: 12, settledLeafLimit: 4, ageLimit: 100, chainNodeLimit: 10, nodeLimit: 40,
                changeLimit: 16),
            ForestLimits(
                settledNodeLimit: 0, settledLeafLimit: 0, ageLimit: 0, chainNodeLimit: 0, nodeLimit: 20, changeLimit: 1),
        ][Int(seed % 3)]
        var nonsense = Nonsense(seed: seed, idCount: [8, 48, 200][Int(seed / 3 % 3)])
        var forest = ChainForest(process: .test, limits: limits)
        for _ in 0..<10 {
            forest.apply(nonsense.batch())
            forest.expectConsistent("seed \(seed)")
            #expect(forest.totals.nodeCount <= limits.nodeLimit)
            forest.retain(now: forest.now, budget: 50)
            forest.expectConsistent("seed \(seed), retained")
            _ = forest.consumeChanges()
        }
        var late = ChainForest(process: .test)
        var batch = EventBatch(process: .test, sequence: 1, time: forest.now)
        batch.nodes = forest.snapshot(limit: .max).nodes
        late.apply(batch)
        late.expectConsistent("seed \(seed), late")
    }

    /// A node that is known by being named alone is as old as the earliest time at which it was, whatever came first.
    @Test func whoIsOnlyNamedIsAsOldAsItsEarliestMention() {
        var script = Script()
        script.tell(.started, 1, at: 90)
        var batch = EventBatch(process: .test, sequence: 1, time: 100)
        var snapshot = NodeSnapshot(id: NodeID(1), kind: .work)
        snapshot.creator = NodeID(2)
        batch.nodes = [snapshot]
        script.forest.apply(batch)
        #expect(script.node(2).created == 90)
        script.make(1, .work, creator: 2, at: 20)
        #expect(script.node(2).created == 20)
        script.forest.expectConsistent()
    }

    @Test func namesThatNobodyUsesDoNotPileUp() {
        var script = Script()
        script.tell(.started, 1, at: 5, thread: 7)
        for round in 0..<2 as Range<UInt32> {
            var batch = EventBatch(process: .test, sequence: 2, time: 10)
            batch.threads = [7: "worker"]
            batch.sites = [9: CodeLocation(fileID: "A/B.swift", line: 1)]
            batch.events = [ChainEvent(time: 6, .created, node: NodeID(2), site: 9, detail: 5)]
            for number in 0..<UInt32(ChainForest.threadNameLimit) { batch.threads[100 + number + round << 20] = "gone" }
            for number in 0..<UInt32(ChainForest.siteLimit) {
                batch.sites[100 + number + round << 20] = CodeLocation(fileID: "", line: 1)
            }
            script.forest.apply(batch)
            #expect(script.forest.threads == [7: "worker"])
            #expect(script.forest.sites.count == 1)
            #expect(script.forest.site(of: script.index(2))?.fileID == "A/B.swift")
        }
    }
}
