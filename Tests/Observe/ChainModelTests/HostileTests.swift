import ChainEvents
import EventScripts
import SeededNumbers
import Testing

@testable import ChainModel

/// No event of a hostile program crashes a viewer, and the limits hold.
struct HostileTests {
    @Test(arguments: Seeds.upTo(27))
    func hostileEventsStayWithinTheLimits(seed: UInt64) {
        let limits = [
            ForestLimits(),
            ForestLimits(
                settledNodeLimit: 12, settledLeafLimit: 4, ageLimit: 100, chainNodeLimit: 10, nodeLimit: 40,
                changeLimit: 16),
            ForestLimits(
                settledNodeLimit: 0, settledLeafLimit: 0, ageLimit: 0, chainNodeLimit: 0, nodeLimit: 20, changeLimit: 1),
        ][Int(seed % 3)]
        var events = HostileEvents(seed: seed, idCount: [8, 48, 200][Int(seed / 3 % 3)], lastExecutor: 70)
        var forest = ChainForest(process: .test, limits: limits)
        for _ in 0..<10 {
            forest.apply(events.batch(.test))
            forest.expectConsistent("seed \(seed)")
            #expect(forest.totals.nodeCount <= limits.nodeLimit)
            forest.evictSettled(now: forest.now, budget: 50)
            forest.expectConsistent("seed \(seed), retained")
            _ = forest.consumeChanges()
        }
        var late = ChainForest(process: .test)
        var batch = EventBatch(process: .test, sequence: 1, time: forest.now)
        batch.nodes = forest.snapshot(limit: .max).nodes
        late.apply(batch)
        late.expectConsistent("seed \(seed), late")
    }

    /// A node that only other events name is as old as the earliest of these, in whatever order they come.
    @Test func aReferencedNodeIsAsOldAsItsEarliestReference() {
        var script = ScriptedForest()
        script.record(.started, 1, at: 90)
        var batch = EventBatch(process: .test, sequence: 1, time: 100)
        var snapshot = NodeSnapshot(id: NodeID(1), kind: .work)
        snapshot.creator = NodeID(2)
        batch.nodes = [snapshot]
        script.forest.apply(batch)
        #expect(script.node(2).created == 90)
        script.make(1, .work, by: 2, at: 20)
        #expect(script.node(2).created == 20)
        script.forest.expectConsistent()
    }

    @Test func unusedNamesAreDropped() {
        var script = ScriptedForest()
        script.record(.started, 1, at: 5, thread: 7)
        for round in 0..<2 as Range<UInt32> {
            var batch = EventBatch(process: .test, sequence: 2, time: 10)
            batch.threads = [7: "worker"]
            batch.sites = [9: CodeLocation(fileID: "A/B.swift", line: 1)]
            batch.events = [ChainEvent(time: 6, .created, node: NodeID(2), site: 9, detail: 5)]
            for number in 0..<UInt32(ForestData.threadNameLimit) { batch.threads[100 + number + round << 20] = "gone" }
            for number in 0..<UInt32(ForestData.siteLimit) {
                batch.sites[100 + number + round << 20] = CodeLocation(fileID: "", line: 1)
            }
            script.forest.apply(batch)
            #expect(script.forest.threads == [7: "worker"])
            #expect(script.forest.sites.count == 1)
            #expect(script.forest.site(of: script.index(2))?.fileID == "A/B.swift")
        }
    }
}

// SPDX-License-Identifier: MIT
