import ChainEvents
import EventScripts
import SeededNumbers
import Testing

@testable import ChainModel

/// Counts of a node's children, and its continuation.
@Suite struct ChildrenTests {
    @Test func manyChildrenAreCountedByState() {
        var limits = ForestLimits()
        limits.settledLeafLimit = 40
        var script = ScriptedForest(limits: limits)
        var generator = SeededGenerator(seed: 7)
        script.make(1, at: 1)
        var live: [UInt64] = []
        for id in UInt64(2)..<600 {
            if id % 3 == 0 { script.then(id, on: 1, at: id) } else { script.make(id, by: 1, at: id) }
            live.append(id)
            if id > 300 {
                let some = live.remove(at: Int.random(in: live.indices, using: &generator))
                script.record(.fulfilled, some, at: 1_000 + id)
            }
            if id % 20 == 0 {
                script.forest.evictSettled(now: 1_000 + id)
                script.forest.expectConsistent("after \(id)")
            }
        }
        #expect(script.forest.childCounts(of: script.index(1)) != nil)
        for some in live { script.record(.fulfilled, some, at: 9_000) }
        script.forest.limits.settledLeafLimit = 0
        script.forest.evictSettled(now: 9_001, budget: 100_000)
        script.forest.expectConsistent()
    }

    @Test func moreOperationsThanTwoBytesCount() {
        var script = ScriptedForest()
        script.make(1, at: 1)
        let count: UInt64 = 70_000
        for id in 2..<(2 + count) { script.then(id, on: 1, at: id) }
        script.forest.expectConsistent("all")
        script.forest.limits.settledLeafLimit = 0
        for id in 2..<(1 + count) { script.record(.fulfilled, id, at: count + id) }
        script.forest.evictSettled(now: 3 * count, budget: .max / 2)
        #expect(script.forest.continuation(of: script.index(1)) == script.index(1 + count))
        script.forest.expectConsistent("one")
    }

    @Test func theWayOutOfALineIsLimited() {
        var script = ScriptedForest()
        script.make(1, at: 1)
        script.make(2, by: 1, at: 2)
        for id in 3...1_000 as ClosedRange<UInt64> { script.then(id, on: id - 1, at: id) }
        let end = script.index(1_000)
        #expect(script.forest.outer(of: end) == script.index(1))
        var steps = 1_000
        let outer = script.forest.outer(of: end, steps: &steps)
        #expect(outer == script.index(1) && steps == 2)
        steps = 997
        let none = script.forest.outer(of: end, steps: &steps)
        #expect(none == nil && steps == 0)
    }

    @Test func aParentReportedLateMakesAContinuation() {
        var script = ScriptedForest()
        script.make(1, at: 1)
        script.make(2, by: 1, at: 2)
        #expect(script.forest.continuation(of: script.index(1)) == nil)
        _ = script.forest.consumeChanges()
        script.then(2, on: 1, at: 2)
        #expect(script.forest.continuation(of: script.index(1)) == script.index(2))
        let changes = script.forest.consumeChanges()
        #expect(changes.nodes.contains { $0.index == script.index(2) && $0.changes.contains(.moved) })
        #expect(changes.nodes.contains { $0.index == script.index(1) && $0.changes.contains(.continuation) })
    }
}

// SPDX-License-Identifier: MIT
