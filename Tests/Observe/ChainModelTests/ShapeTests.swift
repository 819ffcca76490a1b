import ChainEvents
import EventScripts
import Foundation
import SeededNumbers
import Testing

@testable import ChainModel

/// Shapes for which a walk to the root, or along the siblings, for each event would take minutes.
@Suite struct ShapeTests {
    /// The processor time of this thread since the value was made, so that other work on the machine does not count.
    private struct ThreadTime {
        private let begin = now

        private static var now: Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec
        }

        var isUnderAMinute: Bool { Self.now - begin < 60 }
    }

    private func apply(_ events: [ChainEvent]) -> ChainForest {
        var forest = ChainForest(process: .test)
        var batch = EventBatch(process: .test, sequence: 1, time: events.last?.time ?? 0)
        batch.events = events
        forest.apply(batch)
        return forest
    }

    private func link(_ id: UInt64, on parent: UInt64, at time: UInt64) -> ChainEvent {
        ChainEvent(
            time: time, .created, node: NodeID(id), other: NodeID(parent), detail: UInt16(NodeKind.then.rawValue),
            flags: .hasParent)
    }

    private func root(_ id: UInt64, at time: UInt64) -> ChainEvent {
        ChainEvent(time: time, .created, node: NodeID(id), detail: UInt16(NodeKind.promise.rawValue))
    }

    @Test func aChainOfAHundredThousand() {
        let time = ThreadTime()
        defer { #expect(time.isUnderAMinute) }
        let count: UInt64 = 100_000
        var events = [root(1, at: 1)]
        for id in 2...count { events.append(link(id, on: id - 1, at: id)) }
        for id in 1...count { events.append(ChainEvent(time: count + id, .fulfilled, node: NodeID(id))) }
        var forest = apply(events)
        let chain = forest.chain(of: forest.index(of: NodeID(count))!)
        #expect(chain.counts[.fulfilled] == Int(count))
        #expect(forest.depth(of: forest.index(of: NodeID(count))!) == 0)
        #expect(forest.dump().split(separator: "\n").count == Int(count))
        while forest.evictSettled(now: .max / 2) > 0 {}
        #expect(forest.totals.nodeCount == 0)
    }

    @Test func aChainReportedFromItsEnd() {
        let time = ThreadTime()
        defer { #expect(time.isUnderAMinute) }
        let count: UInt64 = 30_000
        var events: [ChainEvent] = []
        for id in (2...count).reversed() { events.append(link(id, on: id - 1, at: id)) }
        events.append(root(1, at: 1))
        let forest = apply(events)
        #expect(forest.roots.count == 1)
        #expect(forest.chain(of: forest.roots.first!).nodeCount == Int(count))
    }

    @Test(arguments: [1, 7])
    func aHundredThousandChildrenInRunsOfSeveralThreads(threads: UInt64) {
        let time = ThreadTime()
        defer { #expect(time.isUnderAMinute) }
        let count: UInt64 = 99_995
        var events = [root(1, at: 1)]
        for thread in 0..<threads {
            for id in stride(from: 2 + thread, through: count, by: Int(threads)) {
                events.append(link(id, on: 1, at: id))
            }
        }
        let forest = apply(events)
        var previous: UInt64 = 0
        var child = forest.firstChild(of: forest.index(of: NodeID(1))!)
        while let current = child {
            let id = forest.id(of: current).rawValue
            if id <= previous { Issue.record("\(id) after \(previous)") }
            previous = id
            child = forest.nextSibling(of: current)
        }
        #expect(forest.childCount(of: forest.index(of: NodeID(1))!) == Int(count) - 1)
    }

    @Test func aHundredThousandMembersAndFollowers() {
        let time = ThreadTime()
        defer { #expect(time.isUnderAMinute) }
        let count: UInt64 = 100_000
        var events = [root(1, at: 1)]
        for id in 2...count { events.append(root(id, at: id)) }
        for id in 2...count {
            events.append(
                ChainEvent(
                    time: count + id, .linked, node: NodeID(1), other: NodeID(id),
                    detail: UInt16(LinkKind.member.rawValue)))
            events.append(ChainEvent(time: count + id, .adopted, node: NodeID(id), other: NodeID(2)))
        }
        for id in 1...count { events.append(ChainEvent(time: 3 * count, .fulfilled, node: NodeID(id))) }
        var forest = apply(events)
        #expect(forest.roots.count == 1)
        #expect(forest.links(of: forest.index(of: NodeID(1))!).count == Int(count) - 1)
        #expect(forest.links(of: forest.index(of: NodeID(2))!).count == Int(count) - 1)
        while forest.evictSettled(now: .max / 2) > 0 {}
        #expect(forest.totals.nodeCount == 0)
        #expect(forest.data.links.count == 0)
    }

    @Test func rootsInAnyOrder() {
        let time = ThreadTime()
        defer { #expect(time.isUnderAMinute) }
        var generator = SeededGenerator(seed: 1)
        let times = (1...50_000 as ClosedRange<UInt64>).shuffled(using: &generator)
        let forest = apply(times.map { root($0, at: $0) })
        #expect(forest.roots.map { forest.id(of: $0).rawValue } == Array(1...50_000))
        #expect(forest.roots.reversed().first.map { forest.id(of: $0).rawValue } == 50_000)
    }

    @Test func aCopyIsAValue() {
        var script = ScriptedForest()
        script.make(1, at: 1)
        script.then(2, on: 1, at: 2)
        let copy = script.forest
        let dump = copy.dump(facts: true)
        script.record(.rejected, 1, at: 3, text: "no")
        script.make(5, at: 4)
        script.adopt(5, 2, at: 5)
        _ = script.forest.consumeChanges()
        #expect(copy.dump(facts: true) == dump)
        #expect(copy.totals.nodeCount == 2)
        #expect(script.forest.totals.nodeCount == 3)
        script.forest.expectConsistent()
        copy.expectConsistent()
    }

    @Test func aCopyHasEveryField() {
        var events = HostileEvents(seed: 3, idCount: 40, lastExecutor: 70)
        var forest = ChainForest(process: .test)
        for _ in 0..<20 { forest.apply(events.batch(.test)) }
        let copy = Mirror(reflecting: ForestData(copying: forest.data)).children
        // Slabs and the table of ids have pages of their own, which other tests compare.
        let paged: Set = ["nodes", "chains", "extras", "links", "childCounts", "ids"]
        for (left, right) in zip(Mirror(reflecting: forest.data).children, copy) where !paged.contains(left.label!) {
            #expect("\(left.value)" == "\(right.value)", "\(left.label!)")
        }
    }

    @Test func tooManyChangesAreEverything() {
        var script = ScriptedForest(limits: ForestLimits(changeLimit: 3))
        #expect(script.forest.consumeChanges().isEverything)
        for id in 1...4 as ClosedRange<UInt64> { script.make(id, at: id) }
        #expect(script.forest.consumeChanges().isEverything)
        script.record(.queued, 2, at: 9)
        let changes = script.forest.consumeChanges()
        #expect(changes.nodes.map(\.index) == [script.index(2)])
        #expect(changes.nodes.first?.changes == [.state, .facts, .chainCounts])
        #expect(changes.nodes.first?.traits == [.unfinished, .root, .isLeaf])
        #expect(changes.nodes.first?.state == .queued)
        #expect(!changes.isEverything)
    }

    /// Extras grow while a node is moved.
    @Test func aHundredThousandMadeByHandlersAndAdopted() {
        var script = ScriptedForest()
        var batch = EventBatch(process: .test, sequence: 1, time: 10)
        for id in stride(from: UInt64(1), to: 100_000, by: 2) {
            var creator = NodeSnapshot(id: NodeID(id), kind: .promise)
            creator.created = id
            var made = NodeSnapshot(id: NodeID(id + 1), kind: .promise)
            made.created = id + 1
            made.creator = NodeID(id)
            made.adopted = NodeID(id + 2)
            made.adoptedAt = id + 1
            batch.nodes += [creator, made]
        }
        script.forest.apply(batch)
        #expect(script.forest.totals.counts.nodeCount == 100_001)
        #expect(script.forest.totals.chainCount == 1)
        #expect(script.forest.origin(of: script.index(99_998)) == NodeID(99_997))
        #expect(script.treeParent(99_999) == 99_998)
    }
}

// SPDX-License-Identifier: MIT
