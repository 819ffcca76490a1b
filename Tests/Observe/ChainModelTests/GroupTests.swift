import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// Separate chains: tasks that are roots, although another task made them in its group.
@Suite struct GroupTests {
    /// Returns a forest with a server (1), and requests in its group: 2 with 3 under it, 4, and 5 in a group of 3.
    private func server() -> ScriptedForest {
        var script = ScriptedForest()
        script.make(1, .task, at: 10)
        add(2, of: 1, at: 20, to: &script)
        script.record(.created, 3, 2, at: 21, detail: UInt16(NodeKind.task.rawValue))
        add(4, of: 1, at: 22, to: &script)
        add(5, of: 3, at: 23, to: &script)
        return script
    }

    private func add(_ node: UInt64, of owner: UInt64, at time: UInt64, to script: inout ScriptedForest) {
        script.record(
            .created, node, owner, at: time, detail: UInt16(NodeKind.task.rawValue), flags: .separateChain)
    }

    private func members(under node: UInt64, _ script: ScriptedForest) -> [UInt64] {
        script.forest.separateChains(inGroupsUnder: [script.index(node)]).map { script.forest.id(of: $0).rawValue }
            .sorted()
    }

    @Test func aSeparateChainIsARootWithALink() {
        let script = server()
        #expect(script.forest.roots.map { script.forest.id(of: $0).rawValue } == [1, 2, 4, 5])
        #expect(script.forest.totals.chainCount == 4)
        #expect(script.forest.isSeparate(script.index(2)) && !script.forest.isSeparate(script.index(3)))
        #expect(script.forest.creator(of: script.index(2)) == script.index(1))
        #expect(script.forest.treeParent(of: script.index(2)) == nil)
        #expect(script.forest.treeParent(of: script.index(3)) == script.index(2))
        let group = script.forest.groupMembers(of: script.index(1), limit: 1)
        #expect(group.count == 2 && group.liveCount == 2 && group.newest == [script.index(4)])
    }

    @Test func theGroupsOfAChainAreFoundAtAnyDepth() {
        var script = server()
        #expect(members(under: 1, script) == [2, 4, 5])
        #expect(members(under: 2, script) == [5] && members(under: 4, script).isEmpty)
        script.record(.fulfilled, 4, at: 30)
        #expect(members(under: 1, script) == [2, 5], "what has ended is left out")
        script.record(.fulfilled, 2, at: 31)
        #expect(members(under: 1, script) == [2, 5], "its chain goes on")
    }

    @Test func nothingMovesASeparateChain() {
        var script = server()
        script.make(9, .all, at: 30)
        script.member(9, 2, at: 31)
        #expect(script.forest.treeParent(of: script.index(2)) == nil)
        add(2, of: 1, at: 20, to: &script)
        #expect(script.forest.treeParent(of: script.index(2)) == nil)
        #expect(script.forest.separateChains(inGroupsUnder: [script.index(1)]).count == 3)
    }

    @Test func itIsTheSameWhateverIsKnownFirst() {
        let whole = server()
        var late = ScriptedForest()
        add(5, of: 3, at: 23, to: &late)
        late.record(.resumed, 2, at: 40, thread: 1)
        add(4, of: 1, at: 22, to: &late)
        add(2, of: 1, at: 20, to: &late)
        late.record(.created, 3, 2, at: 21, detail: UInt16(NodeKind.task.rawValue))
        late.make(1, .task, at: 10)
        var other = whole
        other.record(.resumed, 2, at: 40, thread: 1)
        #expect(late.forest.dump(facts: true) == other.forest.dump(facts: true))
    }

    @Test func aLateViewerSeesTheSameChains() {
        let script = server()
        var late = ChainForest(process: ScriptedForest.process)
        var batch = EventBatch(process: ScriptedForest.process, sequence: 1, time: 50)
        batch.nodes = script.forest.snapshot(limit: 100).nodes.reversed()
        late.apply(batch)
        #expect(late.dump(facts: true) == script.forest.dump(facts: true))
        #expect(late.isSeparate(late.index(of: NodeID(5))!))
    }

    @Test func anEvictedChainLeavesItsGroup() {
        var script = server()
        for node in [4, 5] as [UInt64] { script.record(.fulfilled, node, at: 30) }
        script.forest.evictSettled(now: .max, budget: 100)
        #expect(script.forest.data.separateCount == 1)
        #expect(script.forest.groupMembers(of: script.index(1), limit: 9).count == 1)
    }
}

// SPDX-License-Identifier: MIT
