import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// Why chains failed: grouped by cause, bounded, and kept longer than the nodes.
@Suite struct FailureTableTests {
    /// Makes a chain whose second step fails, and evicts it.
    private func fail(_ root: UInt64, _ error: String, _ script: inout ScriptedForest, _ table: inout FailureTable) {
        script.make(root, .promise, "order \(root)", site: 1)
        script.make(root + 1, .map, "charge \(root)", under: root, site: 2)
        script.make(root + 2, .map, under: root + 1, site: 3)
        script.fulfill(root)
        script.record(.rejected, root + 1, text: error)
        script.record(.skipped, root + 2, flags: .error)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        script.forest.evictSettled(now: script.time)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
    }

    private static func forest() -> ScriptedForest {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 0))
        script.name(sites: [2: CodeLocation(fileID: "Shop/Order.swift", line: 42)])
        _ = script.forest.consumeChanges()
        return script
    }

    @Test func failuresAreGroupedByCauseAndOutliveTheirNodes() throws {
        var (script, table) = (Self.forest(), FailureTable())
        for number in 0..<6 as Range<UInt64> {
            script.time = 1_000 * (number + 1)
            fail(number * 10 + 1, number % 3 == 0 ? "no stock" : "declined", &script, &table)
        }
        #expect(script.forest.totals.nodeCount == 0)
        let groups = table.groups.sorted { $0.count < $1.count }
        #expect(groups.map(\.cause.error) == ["no stock", "declined"] && groups.map(\.count) == [2, 4])
        let last = try #require(groups.last)
        #expect(last.cause.site?.line == 42 && last.cause.kind == .map && last.label == "charge")
        #expect(last.first == 2_000 && last.last == 6_000 && !last.isAbandoned && table.omittedCount == 0)
    }

    /// A state comes in parts: a node that was rejected before the `catch` under it.
    @Test func halfAStateHasNoFailures() {
        var (script, table) = (ScriptedForest(), FailureTable())
        func part(_ sequence: UInt64, _ resync: Resync, _ id: UInt64, under parent: UInt64, _ settlement: Settlement) {
            var node = NodeSnapshot(id: NodeID(id), kind: parent == 0 ? .promise : .catch)
            (node.parent, node.created, node.settled, node.settlement) = (NodeID(parent), id, 10, settlement)
            var batch = EventBatch(process: ScriptedForest.process, sequence: sequence, time: 20)
            (batch.nodes, batch.resync) = ([node], resync)
            script.forest.apply(batch)
            table.update(with: script.forest.consumeChanges(), of: script.forest)
        }
        part(1, .begin(epoch: 20), 1, under: 0, .rejected)
        #expect(table.groups.isEmpty)
        part(2, .end(epoch: 20), 2, under: 1, .fulfilled)
        #expect(table.groups.isEmpty)
        part(3, .begin(epoch: 30), 3, under: 0, .rejected)
        part(4, .end(epoch: 30), 4, under: 0, .fulfilled)
        #expect(table.groups.map(\.count) == [1])
    }

    @Test func aChainCountsOnceAndARecoveredChainDoesNot() {
        // Changes are too many to list.
        var script = ScriptedForest(limits: ForestLimits(changeLimit: 0))
        script.make(1, .promise, site: 1)
        script.record(.rejected, 1, text: "late")
        script.make(2, .promise, site: 1)
        script.make(3, .catch, under: 2, site: 2)
        script.record(.rejected, 2, text: "late")
        script.fulfill(3)
        var table = FailureTable()
        for _ in 0..<3 {
            script.record(.settledAgain, 1)
            table.update(with: script.forest.consumeChanges(), of: script.forest)
        }
        #expect(table.groups.map(\.count) == [1])
    }

    @Test func thereAreAThousandGroupsAtMost() {
        var (script, table) = (Self.forest(), FailureTable())
        for number in 0..<1_100 as Range<UInt64> { fail(number * 10 + 1, "no item \(number)", &script, &table) }
        #expect(table.groups.count == FailureTable.groupLimit && table.omittedCount == 100)
        #expect(table.queueStatistics.count == 1_000 && table.queueStatistics.limit == 1_000)
    }
}

// SPDX-License-Identifier: MIT
