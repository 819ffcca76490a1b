import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

@Suite struct PlacementTests {
    @Test func underTheParentElseTheFirstLinkElseTheCreatorElseRoot() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, at: 11)
        script.make(3, by: 2, at: 12)
        script.make(4, at: 13)
        #expect(script.treeParent(2) == 1)
        #expect(script.treeParent(3) == 2)
        #expect(script.roots == [1, 4])
        script.member(4, 2, at: 14)
        #expect(script.treeParent(2) == 1, "a parent goes before links")
        script.member(4, 3, at: 15)
        #expect(script.treeParent(3) == 4, "a link goes before the creator")
        script.make(5, .all, at: 16)
        script.member(5, 3, at: 17)
        #expect(script.treeParent(3) == 4, "the first link counts")
        script.member(5, 3, at: 9)
        #expect(script.treeParent(3) == 5, "first by time, not by arrival")
        #expect(script.forest.creator(of: script.index(3)) == script.index(2))
        script.forest.expectConsistent()
    }

    @Test func aRootMovesUnderItsCombinatorWithItsSubtree() {
        var script = ScriptedForest()
        script.make(1, .all, at: 10)
        script.make(2, at: 11)
        script.then(3, on: 2, at: 12)
        script.record(.rejected, 3, at: 13)
        #expect(script.roots == [1, 2])
        _ = script.forest.consumeChanges()
        script.member(1, 2, at: 14)
        #expect(script.roots == [1])
        #expect(script.forest.root(of: script.index(3)) == script.index(1))
        let chain = script.forest.chain(of: script.index(2))
        #expect(chain.nodeCount == 3)
        #expect(chain.firstRejected == script.index(3))
        let moved = script.forest.consumeChanges().nodes.first { $0.index == script.index(2) }
        #expect(moved?.changes.contains(.moved) == true)
        script.forest.expectConsistent()
    }

    @Test func siblingsStandByTimeAndIDAndALateOneIsInserted() {
        var script = ScriptedForest()
        script.make(1, at: 1)
        for (id, time) in [(5, 50), (3, 30), (9, 30), (4, 40), (2, 60), (6, 20)] as [(UInt64, UInt64)] {
            script.then(id, on: 1, at: time)
        }
        #expect(script.children(1) == [6, 3, 9, 4, 5, 2])
        script.make(20, at: 0)
        script.make(21, at: 1)
        #expect(script.roots == [20, 1, 21])
        script.forest.expectConsistent()
    }

    @Test func aNodeCannotStandBelowItself() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, at: 11)
        script.adopt(2, 1, at: 12)
        script.adopt(2, 2, at: 13)
        #expect(script.roots == [1])
        #expect(script.treeParent(2) == 1)
        #expect(script.forest.links(of: script.index(2)).map(\.role) == [.follows])
        #expect(script.forest.links(of: script.index(1)).map(\.role) == [.followedBy])
        script.forest.expectConsistent()
    }

    @Test func aCycleIsCutAtItsLatestLinkInAnyOrder() {
        let links: [(UInt64, UInt64, UInt64)] = [(1, 2, 20), (2, 3, 30), (3, 1, 40)]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            var script = ScriptedForest()
            for id in 1...3 as ClosedRange<UInt64> { script.make(id, at: id) }
            for index in order { script.adopt(links[index].0, links[index].1, at: links[index].2) }
            #expect(script.roots == [1], "\(order)")
            #expect(script.treeParent(2) == 1)
            #expect(script.treeParent(3) == 2)
            script.forest.expectConsistent("\(order)")
        }
    }

    @Test func anOnlyLinkStaysAtItsParentsIndent() {
        var script = ScriptedForest()
        script.make(1, at: 1)
        script.then(2, on: 1, at: 2)
        script.then(3, on: 2, at: 3)
        script.make(4, by: 3, at: 4)
        #expect(!script.forest.indentsChildren(of: script.index(1)))
        #expect(script.forest.indentsChildren(of: script.index(3)))
        #expect(script.forest.depth(of: script.index(3)) == 0)
        #expect(script.forest.depth(of: script.index(4)) == 1)
        script.then(5, on: 1, at: 5)
        #expect(script.forest.indentsChildren(of: script.index(1)))
        #expect(script.forest.depth(of: script.index(4)) == 2)
        #expect(
            script.forest.dump() == """
                pending promise #1
                  waiting then #2
                  waiting then #3
                    pending promise #4
                  waiting then #5

                """)
    }

    @Test func whatANodeWaitsFor() {
        var script = ScriptedForest()
        script.make(1, .pending, at: 1)
        script.then(2, on: 1, at: 2)
        #expect(script.blocker(1) == Blocker(reason: .resolver))
        #expect(script.blocker(2) == Blocker(reason: .parent, node: script.index(1)))
        script.record(.fulfilled, 1, at: 3)
        #expect(script.blocker(1) == Blocker(reason: .settled))
        #expect(script.blocker(2) == Blocker(reason: .aboutToRun))
        script.record(.queued, 2, at: 4)
        #expect(script.blocker(2) == Blocker(reason: .queued))
        script.record(.started, 2, at: 5)
        #expect(script.blocker(2) == Blocker(reason: .running))
        script.make(3, .pending, by: 2, at: 6)
        script.make(4, .pending, by: 2, at: 6)
        script.make(5, .all, by: 2, at: 7)
        script.member(5, 3, at: 8)
        script.member(5, 4, at: 8)
        script.record(.ended, 2, at: 9)
        script.adopt(2, 5, at: 9)
        #expect(script.blocker(2) == Blocker(reason: .follows, node: script.index(5)))
        #expect(script.blocker(5) == Blocker(reason: .member, node: script.index(3)))
        script.record(.fulfilled, 3, at: 10)
        #expect(script.blocker(5) == Blocker(reason: .member, node: script.index(4)))
        script.record(.fulfilled, 4, at: 10)
        #expect(script.blocker(5) == Blocker(reason: .aboutToSettle))
        script.make(6, .delay, at: 11)
        #expect(script.blocker(6) == Blocker(reason: .timer))
    }
}

// SPDX-License-Identifier: MIT
