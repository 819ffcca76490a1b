import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

@Suite struct NodeStateTests {
    @Test func aLinkWaitsIsQueuedRunsAndSettles() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, at: 20)
        #expect(script.state(1) == .pending)
        #expect(script.state(2) == .waiting)
        script.record(.fulfilled, 1, at: 30)
        #expect(script.state(1) == .fulfilled)
        #expect(script.state(2) == .waiting, "the word comes from the node's own facts")
        script.record(.queued, 2, at: 31, detail: 4)
        #expect(script.state(2) == .queued)
        #expect(script.node(2).activity == .queued)
        script.record(.started, 2, at: 33, thread: 9)
        #expect(script.state(2) == .running)
        #expect(script.node(2).thread == 9)
        #expect(script.node(2).executor == 4)
        script.record(.fulfilled, 2, at: 40, flags: .handlerEnded)
        #expect(script.state(2) == .fulfilled)
        #expect(script.node(2).activity == .none)
        #expect(script.node(2).marks == [])
    }

    static let settlements: [(EventKind, EventFlags, NodeState)] = [
        (.fulfilled, [], .fulfilled), (.rejected, [], .rejected), (.cancelled, [], .cancelled),
        (.skipped, [], .skipped),
        (.skipped, .error, .skipped), (.abandoned, [], .abandoned), (.released, [], .unknown),
    ]

    @Test(arguments: settlements)
    func eachSettlementHasItsState(kind: EventKind, flags: EventFlags, word: NodeState) {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(kind, 1, at: 20, flags: flags)
        #expect(script.state(1) == word)
        #expect(script.forest.totals.counts[word] == 1)
        #expect(script.forest.totals.liveChainCount == 0)
    }

    @Test func aHigherRankWinsWhateverCameFirst() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.released, 1, at: 50)
        script.record(.rejected, 1, at: 30, text: "no")
        #expect(script.state(1) == .rejected)
        #expect(script.node(1).settled == 30)
        #expect(script.forest.summary(of: script.index(1)) == "no")
    }

    @Test func aCallbackNodeIsPendingAfterItsHandler() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, .callback, at: 11)
        script.record(.started, 2, at: 20)
        script.record(.ended, 2, at: 25)
        #expect(script.state(2) == .pending)
    }

    @Test func aCombinatorIsPendingOnceItHasMembers() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.make(2, .race, at: 11)
        #expect(script.state(2) == .pending)
        script.member(2, 1, at: 12)
        #expect(script.state(2) == .pending)
    }

    @Test func aPlannedCombinatorWaitsUntilItsMembersAreStarted() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, .all, at: 11)
        script.make(3, .chain, at: 12)
        script.member(2, 3, at: 13)
        #expect(script.state(2) == .waiting)
        #expect(script.state(3) == .waiting)
        script.record(.ended, 2, at: 20)
        script.record(.fulfilled, 3, at: 21)
        #expect(script.state(2) == .pending)
        #expect(script.state(3) == .fulfilled)
    }

    @Test func aThreadThatWaitsChangesNoState() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.awaited, 1, at: 11)
        script.record(.awaitMisused, 1, at: 12, text: "refused")
        script.record(.awaitEnded, 1, at: 13)
        #expect(script.state(1) == .pending)
        #expect(script.node(1).marks == [.hasMisusedAwait])
        #expect(script.forest.summary(of: script.index(1)) == nil)
    }

    /// `NodeMark` lists every mark that a node can have.
    @Test func everyMarkIsInTheTable() {
        #expect(NodeMarks(rawValue: .max).list == NodeMark.allCases)
        let whole = NodeMark.allCases.reduce(into: NodeMarks()) { $0.insert(NodeMarks($1)) }
        #expect(
            whole.rawValue == UInt16(1) << NodeMark.allCases.count - 1 && Set(NodeMark.allCases.map(\.name)).count == 10
        )
        #expect(NodeMark.hasMisusedAwait.name == "hasMisusedAwait")
        // Every bit that a record can hold, settled and live.
        var marks: NodeMarks = []
        for settlement in [Settlement.pending, .cancelled] {
            var record = NodeRecord(id: 1, created: 1)
            (record.bits, record.handlerFlags) = (NodeBits(rawValue: .max), HandlerFlags(rawValue: .max))
            record.bits.subtract([.createdKnown, .released])
            // A suspended task is on no thread.
            record.handlerFlags.remove(.isSuspended)
            (record.started, record.settlement) = (1, settlement)
            record.state = record.derivedState
            marks.formUnion(record.marks)
            record.bits.insert(.released)
            marks.formUnion(record.marks)
        }
        #expect(marks == whole)
    }

    @Test func marksAreSet() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.started, 1, at: 11)
        script.record(.cancelRequested, 1, at: 12, text: "viewer", flags: .byViewer)
        #expect(script.node(1).marks == [.cancelRequested, .byViewer])
        #expect(script.forest.canceller(of: script.index(1)) == "viewer")
        script.record(.cancelled, 1, at: 13)
        #expect(script.node(1).marks == [.stillOnThread, .byViewer])
        script.record(.ended, 1, at: 20)
        script.record(.settledAgain, 1, at: 21)
        script.record(.unhandled, 1, at: 22, text: "gone")
        script.record(.released, 1, at: 23)
        #expect(script.node(1).marks == [.byViewer, .settledAgain, .unhandled, .released])
        #expect(script.state(1) == .cancelled)
    }

    @Test func theFirstRequestNamesTheCancellerInAnyOrder() {
        let requests: [(at: UInt64, text: String?)] = [(12, nil), (12, "first"), (14, "second")]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            var script = ScriptedForest()
            script.make(1, at: 10)
            for request in order {
                script.record(.cancelRequested, 1, at: requests[request].at, text: requests[request].text)
            }
            #expect(script.forest.canceller(of: script.index(1)) == "first", "order \(order)")
        }
        for order in [[0, 2], [2, 0]] {
            var script = ScriptedForest()
            script.make(1, at: 10)
            for request in order {
                script.record(.cancelRequested, 1, at: requests[request].at, text: requests[request].text)
            }
            #expect(script.forest.canceller(of: script.index(1)) == nil, "order \(order)")
        }
    }

    @Test func aReferencedNodeIsUnknownUntilReported() {
        var script = ScriptedForest()
        script.then(2, on: 1, at: 20)
        #expect(script.state(1) == .unknown)
        #expect(script.node(1).marks == .seenLate)
        #expect(script.treeParent(2) == 1)
        script.record(.fulfilled, 1, at: 30)
        #expect(script.state(1) == .fulfilled)
        #expect(script.node(1).marks == .seenLate)
        script.make(1, at: 5)
        #expect(script.node(1).marks == [])
        #expect(script.node(1).created == 5)
    }

    @Test func aCreationReportedLateIsNoCreationTime() {
        var script = ScriptedForest()
        script.then(2, on: 1, at: 20)
        for (node, time) in [(1, 30), (3, 40)] as [(UInt64, UInt64)] {
            script.record(
                .created, node, at: time, text: "late", detail: UInt16(NodeKind.pending.rawValue), flags: .late)
            #expect(script.state(node) == .pending && script.node(node).marks == .seenLate)
            #expect(script.forest.label(of: script.index(node)) == "late" && script.node(node).kind == .pending)
        }
        // The earliest time at which it was seen.
        #expect(script.node(1).created == 20 && script.node(3).created == 40)
        script.record(.started, 3, at: 35)
        #expect(script.node(3).created == 35)
        script.make(1, at: 25)
        #expect(script.node(1).created == 25 && script.node(1).marks == [])
    }

    @Test func aViewersMarkComesAndGoes() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        _ = script.forest.consumeChanges()
        script.forest.markCancelRequested([NodeID(1), NodeID(99)])
        #expect(script.node(1).marks == .cancelRequested)
        let entries = script.forest.consumeChanges().nodes
        #expect(entries.map(\.changes) == [.facts] && entries.map(\.traits) == [[.unfinished, .root, .isLeaf]])
        script.forest.unmarkCancelRequested([NodeID(1)])
        #expect(script.node(1).marks == [])
        #expect(script.forest.index(of: NodeID(99)) == nil)
    }
}

// SPDX-License-Identifier: MIT
