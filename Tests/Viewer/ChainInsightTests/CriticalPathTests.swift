import ChainEvents
import ChainModel
import EventScripts
import SeededNumbers
import Testing
import ThreadTime

@testable import ChainInsight

/// Which nodes decide when a chain settles.
@Suite struct CriticalPathTests {
    /// Returns the nodes on the critical path to a node.
    private static func path(to node: UInt64, _ script: ScriptedForest) -> Set<UInt64> {
        let forest = script.forest
        guard let tail = forest.index(of: NodeID(node)) else { return [] }
        return Set(CriticalPath(to: tail, in: forest).nodes.map { forest.id(of: $0).rawValue })
    }

    /// Returns an order: its handler waits for three checks of 10, 30 and 20 ms, the slowest in two steps; then it is
    /// paid.
    private static func order(kind: NodeKind) -> ScriptedForest {
        var script = ScriptedForest()
        script.make(1, .work, "order")
        script.queue(1)
        script.start(1)
        script.at(1)
        script.make(2, kind)
        for node in 3...5 as ClosedRange<UInt64> {
            script.make(node, .work)
            script.member(2, node)
        }
        script.make(6, .then, under: 4)
        script.member(2, 6)
        script.adopt(1, 2)
        for (node, time) in [(3, 10.0), (4, 15), (5, 20), (6, 30)] as [(UInt64, Double)] {
            script.at(time)
            script.fulfill(node)
            if kind == .race, node == 3 { script.fulfill(2) }
        }
        if kind != .race { script.fulfill(2) }
        script.fulfill(1)
        script.make(7, .then, "pay", under: 1)
        script.queue(7)
        script.at(40)
        script.fulfill(7)
        return script
    }

    @Test func theSlowestMemberDecides() {
        #expect(Self.path(to: 7, Self.order(kind: .all)) == [7, 1, 2, 6, 4])
    }

    @Test func theWinnerOfARaceDecides() {
        #expect(Self.path(to: 7, Self.order(kind: .race)) == [7, 1, 2, 3])
    }

    /// Returns a combinator 2 with the members 3, 4 and 5, of which 3 is rejected at 10 ms. At 20 ms, 4 is settled.
    private static func someRejected(_ kind: NodeKind, then settle: (inout ScriptedForest) -> Void) -> ScriptedForest {
        var script = ScriptedForest()
        script.make(2, kind)
        for node in 3...5 as ClosedRange<UInt64> {
            script.make(node, .work)
            script.member(2, node)
        }
        script.at(10)
        script.reject(3)
        script.at(20)
        settle(&script)
        return script
    }

    /// Here the race is one of cold chains, for which rejected members do not count while another may be fulfilled.
    @Test(arguments: [.any, .race] as [NodeKind]) func theFirstFulfilledMemberDecides(_ kind: NodeKind) {
        let fulfilled = Self.someRejected(kind) { script in
            script.fulfill(4)
            script.fulfill(2)
        }
        #expect(Self.path(to: 2, fulfilled) == [2, 4])
        let rejected = Self.someRejected(kind) { script in
            script.reject(4)
            script.at(30)
            script.reject(5)
            script.reject(2)
        }
        #expect(Self.path(to: 2, rejected) == [2, 5], "the last rejection decides")
        let live = Self.someRejected(kind) { $0.reject(4) }
        #expect(Self.path(to: 2, live) == [2, 5], "it waits for the live member")
    }

    @Test func theFirstRejectionDecidesARaceOfPromises() {
        let race = Self.someRejected(.race) { script in
            script.reject(4)
            script.reject(2)
        }
        #expect(Self.path(to: 2, race) == [2, 3], "a member is live")
    }

    @Test func aLiveNodeIsDecidedByWhatItWaitsFor() {
        var script = ScriptedForest()
        script.make(1, .all)
        script.make(2, .work)
        script.make(3, .work)
        script.member(1, 2)
        script.member(1, 3)
        script.make(4, .then, under: 1)
        script.at(10)
        script.fulfill(2)
        #expect(Self.path(to: 4, script) == [4, 1, 3])
    }

    @Test func aParentDecidesWhereTheDependencyBeganAfterIt() {
        var script = ScriptedForest()
        script.make(1, .work)
        script.make(9, .work, "begun long before")
        script.at(10)
        script.fulfill(1)
        script.make(2, .then, under: 1)
        script.queue(2)
        script.start(2)
        script.make(3, .work, "made by the handler")
        script.adopt(2, 3)
        script.at(20)
        script.fulfill(3)
        script.fulfill(2)
        script.make(4, .then, under: 2)
        script.queue(4)
        script.start(4)
        script.adopt(4, 9)
        script.at(50)
        script.fulfill(9)
        script.fulfill(4)
        #expect(Self.path(to: 2, script) == [2, 3, 1])
        #expect(Self.path(to: 4, script) == [4, 9], "9 began before 2 settled, so 2 did not hold it up")
    }

    @Test func everyAttemptOfARetryDecides() {
        var script = ScriptedForest()
        script.make(1, .retry)
        for node in 2...4 as ClosedRange<UInt64> {
            script.make(node, node == 3 ? .delay : .attempt)
            script.member(1, node)
            script.at(Double(node) * 10)
            if node == 2 { script.reject(node) } else { script.fulfill(node) }
        }
        script.fulfill(1)
        #expect(Self.path(to: 1, script) == [1, 4, 3, 2])
    }

    /// Returns a retry, node 1, with attempts from node 2 on, which overlap, and their times.
    private static func overlappingAttempts(
        _ count: UInt64, _ random: inout SeededGenerator
    ) -> (script: ScriptedForest, times: [(created: UInt64, settled: UInt64)]) {
        var script = ScriptedForest()
        script.make(1, .retry, at: 1)
        var times: [(created: UInt64, settled: UInt64)] = []
        for number in 0..<count {
            let created = 10 + number * 10
            let settled = created + UInt64.random(in: 1...40, using: &random)
            script.make(2 + number, .attempt, at: created)
            script.member(1, 2 + number, at: created)
            script.fulfill(2 + number, at: settled)
            times.append((created, settled))
        }
        script.fulfill(1, at: 1_000_000)
        return (script, times)
    }

    @Test(arguments: Seeds.upTo(5)) func eachStepOfALongRetryIsTheLastThatSettledBefore(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (script, times) = Self.overlappingAttempts(1_000, &random)
        // The node waits for the first of the attempts that settled last.
        let latest = times.map(\.settled).max()
        var step = times.firstIndex { $0.settled == latest }
        var expected: Set<UInt64> = [1]
        while let current = step {
            expected.insert(UInt64(current) + 2)
            step = nil
            for (index, time) in times.enumerated() where !expected.contains(UInt64(index) + 2) {
                guard time.settled <= times[current].created else { continue }
                if time.settled >= step.map({ times[$0].settled }) ?? 0 { step = index }
            }
        }
        #expect(expected.count > 100)
        #expect(Self.path(to: 1, script) == expected)
    }

    @Test func fourTimesTheAttemptsCostAboutFourTimesAsMuch() {
        func cost(_ script: ScriptedForest, times: Int) -> Duration {
            threadTime {
                for _ in 0..<times { #expect(Self.path(to: 1, script).count > 10) }
            }
        }
        var random = SeededGenerator(seed: 1)
        let short = Self.overlappingAttempts(250, &random).script
        let long = Self.overlappingAttempts(1_000, &random).script
        let shortCost = (0..<3).map { _ in cost(short, times: 16) }.min()!
        let longCost = (0..<3).map { _ in cost(long, times: 4) }.min()!
        #expect(longCost < shortCost * 2)
    }

    /// The settlement of an old node is rounded, that of the younger one that it follows is exact.
    @Test func anOldNodeIsDecidedByAYoungerOne() {
        for shift in 0..<100 as Range<UInt64> {
            var script = ScriptedForest()
            script.make(1, .work)
            script.time = 40 * 3_600_000_000_000 + shift * 7_919
            script.make(2, .work, by: 1)
            script.adopt(1, 2)
            script.fulfill(2, at: script.time + 1_000)
            script.fulfill(1, at: script.time + 2_000)
            #expect(Self.path(to: 1, script) == [1, 2], "shift \(shift)")
        }
    }

    @Test func cyclesEnd() {
        var script = ScriptedForest()
        script.make(1, .promise)
        script.make(2, .then, under: 1)
        script.adopt(1, 2)
        #expect(Self.path(to: 1, script) == [1, 2])
    }
}

// SPDX-License-Identifier: MIT
