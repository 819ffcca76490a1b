import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

@Suite struct RenameTests {
    private func label(_ script: ScriptedForest, _ node: UInt64 = 1) -> String? {
        script.forest.label(of: script.index(node))
    }

    @Test func theLatestNameHoldsInAnyOrder() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            var script = ScriptedForest()
            for index in order {
                switch index {
                case 0: script.make(1, .span, "GET", at: 10)
                // Both at one time, as with a virtual clock: the count decides.
                case 1: script.record(.renamed, 1, at: 20, text: "GET /order", detail: 1)
                default: script.record(.renamed, 1, at: 20, text: "GET /*", detail: 2)
                }
            }
            #expect(label(script) == "GET /*", "\(order)")
            #expect(script.node(1).kind == .span)
            #expect(script.node(1).created == 10)
        }
    }

    @Test func namesWithTheSameCountHaveAnOrder() {
        for names in [["a", "b"], ["b", "a"]] {
            var script = ScriptedForest()
            script.make(1, .span, at: 10)
            for name in names { script.record(.renamed, 1, at: 20, text: name, detail: .max) }
            #expect(label(script) == "b")
        }
    }

    /// The detail of an event has 16 bits.
    @Test func greatCountsAreInTheOtherField() {
        let renamings = [(65_535, 0, "c"), (65_535, 70_000, "b"), (65_535, 70_001, "a")] as [(UInt16, UInt64, String)]
        for order in [renamings, renamings.reversed()] {
            var script = ScriptedForest()
            script.make(1, .span, at: 10)
            for (detail, other, name) in order { script.record(.renamed, 1, other, at: 20, text: name, detail: detail) }
            #expect(label(script) == "a")
            #expect(script.forest.snapshot(limit: 10).nodes.first?.renameCount == 70_001)
            #expect(script.forest.totals.nodeCount == 1)
        }
    }

    @Test func aNameWithoutTextOrCountChangesNothing() {
        var script = ScriptedForest()
        script.make(1, .span, "GET", at: 10)
        script.record(.renamed, 1, at: 20, detail: 1)
        script.record(.renamed, 1, at: 20, text: "POST")
        #expect(label(script) == "GET")
    }

    @Test func aNewNameIsAChangeOfTheDescription() {
        var script = ScriptedForest()
        script.make(1, .span, "GET", at: 10)
        _ = script.forest.consumeChanges()
        script.record(.renamed, 1, at: 20, text: "GET /order", detail: 2)
        let changes = script.forest.consumeChanges().nodes
        #expect(changes.count == 1 && changes[0].changes.isSuperset(of: [.facts, .description]))
        script.record(.renamed, 1, at: 25, text: "late", detail: 1)
        #expect(label(script) == "GET /order")
    }

    /// A viewer that attaches later gets the name, and older events do not undo it.
    @Test func snapshotsHaveTheNameAndItsCount() throws {
        var script = ScriptedForest()
        script.make(1, .span, "GET", at: 10)
        script.record(.renamed, 1, at: 30, text: "GET /order/{id}", detail: 2)
        let snapshot = try #require(script.forest.snapshot(limit: 10).nodes.first)
        #expect(snapshot.label == "GET /order/{id}" && snapshot.renameCount == 2)
        for hasCreation in [false, true] {
            var late = ScriptedForest()
            if hasCreation { late.make(1, .span, "GET", at: 10) }
            var batch = EventBatch(process: ScriptedForest.process, sequence: 1, time: 40)
            batch.nodes = [snapshot]
            late.forest.apply(batch)
            late.record(.renamed, 1, at: 20, text: "GET /order", detail: 1)
            #expect(label(late) == "GET /order/{id}")
            late.record(.renamed, 1, at: 50, text: "POST", detail: 3)
            #expect(label(late) == "POST")
        }
    }

    /// The side record of a node, which holds the count, is freed only when it is empty.
    @Test func aNodeThatMovesKeepsItsName() {
        var script = ScriptedForest()
        script.make(1, .span, "GET", at: 10)
        script.record(.renamed, 1, at: 20, text: "new", detail: 2)
        script.make(2, .all, at: 5)
        script.member(2, 1, at: 30)
        script.make(1, .span, "GET", by: 2, at: 10)
        script.record(.renamed, 1, at: 25, text: "old", detail: 1)
        #expect(label(script) == "new")
    }

    @Test func unusedLabelsAreFreed() {
        var script = ScriptedForest()
        script.make(1, .span, "GET", at: 10)
        let count = script.forest.data.texts.count
        for number in 1..<100 as Range<UInt16> {
            script.record(.renamed, 1, at: 20, text: "name \(number)", detail: number)
        }
        #expect(script.forest.data.texts.count == count)
    }
}

// SPDX-License-Identifier: MIT
