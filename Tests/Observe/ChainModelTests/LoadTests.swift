import ChainEvents
import EventScripts
import SeededNumbers
import Testing

@testable import ChainModel

/// Loads of executors. `expectConsistent` checks them in other suites, too, with the forest's other counts.
struct LoadTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func aQueueIsCountedWhileNodesWait() {
        var script = ScriptedForest()
        for node in 1...3 as ClosedRange<UInt64> {
            script.make(node, .work, at: node * Self.second)
            script.record(.queued, node, at: node * Self.second, detail: 4)
        }
        #expect(script.forest.load(of: 4).queuedCount == 3)
        #expect(script.forest.load(of: 4).oldestQueued == Self.second)
        script.record(.started, 1, at: 4 * Self.second)
        script.record(.cancelled, 2, at: 4 * Self.second)
        #expect(script.forest.load(of: 4).queuedCount == 1)
        #expect(script.forest.load(of: 4).runningCount == 1)
        #expect(script.forest.load(of: 4).oldestQueued == 3 * Self.second)
        script.record(.started, 3, at: 5 * Self.second)
        script.record(.fulfilled, 1, at: 6 * Self.second, flags: .handlerEnded)
        script.record(.fulfilled, 3, at: 6 * Self.second, flags: .handlerEnded)
        #expect(script.forest.load(of: 4) == ExecutorLoad())
        #expect(script.forest.load(of: 9) == ExecutorLoad())
        script.forest.expectConsistent()
    }

    /// Another thread may report the start before the node is reported as queued.
    @Test func aRunningNodeIsCountedWhereItWasQueued() {
        var script = ScriptedForest()
        script.make(1, .work, at: 1)
        script.record(.started, 1, at: 3, thread: 2)
        script.record(.queued, 1, at: 2, detail: 2)
        #expect(script.forest.load(of: 2).runningCount == 1)
        #expect(script.forest.load(of: 0).runningCount == 0)
        script.forest.expectConsistent()
    }

    @Test(arguments: Seeds.upTo(10)) func agesKeepTheOldest(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (ages, waiting) = (QueueAges(), [UInt64]())
        for step in 0..<3_000 as Range<UInt64> {
            let isGrowing = step / 700 % 2 == 0
            if waiting.isEmpty || generator.next() % 10 < (isGrowing ? 7 : 2) {
                let jitter = generator.next() % 5 == 0 ? generator.next() % (10 * Self.second) : 0
                let time = 20 * Self.second + step * 30_000_000 - jitter
                ages.add(time)
                waiting.append(time)
            } else {
                // Mostly the first, as in a queue.
                let index = generator.next() % 4 == 0 ? Int(generator.next() % UInt64(waiting.count)) : 0
                ages.remove(waiting.remove(at: index))
            }
            #expect(ages.oldest == waiting.min().map { $0 / QueueAges.grain * QueueAges.grain })
            #expect(ages.isConsistent, "step \(step)")
        }
    }

    /// Late entries leave as few empty entries behind as others.
    @Test func lateEntriesLeaveNoHoles() {
        var ages = QueueAges()
        let time = { (step: Int) in UInt64(1_000 + step) * QueueAges.grain }
        for step in 0..<200 { ages.add(time(step)) }
        for step in 0..<90 { ages.remove(time(step)) }
        // The first entry comes again, and those behind the gap are removed out of order.
        ages.add(time(0))
        #expect(ages.isConsistent && ages.oldest == time(0))
        for step in 100..<200 { ages.remove(time(step)) }
        #expect(ages.isConsistent && ages.oldest == time(0))
        ages.remove(time(0))
        #expect(ages.isConsistent && ages.oldest == time(90))
    }

    @Test func rootsAreFoundByTheirNumber() {
        var script = ScriptedForest()
        for node in 1...2_000 as ClosedRange<UInt64> { script.make(node, at: (node * 7_919) % 2_003) }
        let roots = script.forest.roots
        for (number, root) in roots.enumerated() where number % 37 == 0 {
            #expect(roots[roots.index(at: number)] == root)
            #expect(script.forest.rootNumber(of: root) == number)
        }
        #expect(roots.index(at: 2_000) == roots.endIndex)
        #expect(roots.number(of: roots.endIndex) == 2_000)
    }

    @Test func holdersAreBounded() {
        var script = ScriptedForest()
        script.make(1, at: 1)
        for node in 2...9 as ClosedRange<UInt64> {
            script.make(node, at: node)
            script.adopt(node, 1, at: node + 10)
        }
        let holders = script.forest.holders(of: script.index(1), limit: 3)
        #expect(holders.map { script.forest.id(of: $0.node) } == [NodeID(2), NodeID(3), NodeID(4)])
        #expect(holders == Array(script.forest.links(of: script.index(1)).prefix(3)))
    }
}

// SPDX-License-Identifier: MIT
