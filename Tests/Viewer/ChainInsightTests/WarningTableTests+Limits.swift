import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// Warnings of races, cancellations, threads, queues, depths and lost events.
extension WarningTableTests {
    @Test func runningLosersOfARace() {
        var watched = Watched()
        for node in 1...5 as ClosedRange<UInt64> { watched.script.make(node, node == 5 ? .delay : .promise) }
        watched.script.make(6, .race, "mirrors")
        for node in 1...5 as ClosedRange<UInt64> { watched.script.member(6, node) }
        // Another node needs node 3, and node 4 is asked to cancel.
        watched.script.make(7, .then, under: 3)
        watched.pass(100)
        watched.script.fulfill(1)
        watched.script.fulfill(6)
        watched.script.record(.cancelRequested, 4, text: "race")
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.nodes(.raceLoserRunning) == [2])
        #expect(watched.table.warnings(of: .raceLoserRunning)[0].other == NodeID(6))
        watched.script.fulfill(2)
        watched.update()
        #expect(watched.table.count(of: .raceLoserRunning) == 0)
    }

    @Test func ignoredCancellation() {
        var watched = Watched()
        watched.script.make(1, .work)
        watched.script.queue(1)
        watched.script.start(1)
        watched.script.make(2, .then, under: 1)
        watched.options.enabled = [.cancellationIgnored]
        watched.pass(3_000)
        watched.script.forest.markCancelRequested([NodeID(1), NodeID(2)])
        watched.pass(5_000)
        // The program has not confirmed the request.
        #expect(watched.counts == [:])
        watched.script.record(.cancelRequested, 1, text: "me")
        watched.script.record(.cancelRequested, 2, text: "me")
        watched.pass(1_900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.nodes(.cancellationIgnored) == [1])
        watched.script.record(.cancelled, 1)
        watched.update()
        #expect(watched.counts == [:])
    }

    @Test func tooManyThreadsAreCounted() {
        var watched = Watched()
        watched.options.enabled = [.tooManyThreads]
        watched.options[.tooManyThreads] = 3
        for node in 1...4 as ClosedRange<UInt64> {
            watched.script.make(node, .work)
            watched.script.start(node, on: ThreadID(node))
        }
        // Node 5 runs inside another handler on the same thread, and node 6, a task, holds none.
        watched.script.make(5, .work)
        watched.script.start(5, on: 4)
        watched.script.make(6, .task)
        watched.script.start(6, on: 9)
        watched.pass(1_000)
        #expect(watched.table.warnings(of: .tooManyThreads).map(\.amount) == [4])
        watched.script.fulfill(1)
        watched.pass(1_000)
        #expect(watched.counts == [:])
        #expect(watched.table.warnings(of: .tooManyThreads).count == 1)
        watched.pass(601_000)
        #expect(watched.table.warnings(of: .tooManyThreads).isEmpty)
    }

    @Test func longQueueWaits() {
        var watched = Watched()
        watched.script.make(1, .work)
        watched.script.queue(1)
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(700)
        #expect(watched.nodes(.longQueueWait) == [1])
        watched.script.start(1)
        watched.update()
        #expect(watched.counts == [:])
    }

    /// The node at which a slice ended moves up within its chain before the next slice.
    @Test func aSearchGoesOnAtTheDepthOfANodeThatMoved() {
        var script = ScriptedForest()
        script.make(1, .work)
        for node in 2...9 as ClosedRange<UInt64> { script.make(node, .work, by: node - 1) }
        let root = script.index(1)
        var search = DepthSearch(root, in: script.forest)
        var budget = 7
        guard case .unfinished = search.step(script.forest, deeperThan: 8, budget: &budget) else {
            Issue.record("the search has ended within its budget")
            return
        }
        script.make(20, .all, by: 1)
        script.member(20, 8)
        #expect(script.forest.treeParent(of: script.index(8)) == script.index(20))
        budget = 100
        guard case .finished(isDeep: false) = search.step(script.forest, deeperThan: 8, budget: &budget) else {
            Issue.record("the chain is taken for one of over 8 levels")
            return
        }
    }

    @Test func deepChains() {
        var watched = Watched()
        watched.options[.deepChain] = 50
        watched.options.enabled = [.deepChain]
        watched.script.make(1, .promise)
        for node in 2...50 as ClosedRange<UInt64> { watched.script.make(node, .then, under: node - 1) }
        watched.script.make(100, .promise)
        for node in 101...300 as ClosedRange<UInt64> { watched.script.make(node, .then, under: 100) }
        watched.pass(2_000)
        #expect(watched.counts == [:])
        watched.script.make(51, .then, under: 50)
        watched.script.make(52, .then, under: 25)
        watched.script.make(53, .then, under: 1)
        watched.pass(2_000, budget: 20)
        watched.pass(2_000)
        #expect(watched.nodes(.deepChain) == [1])
        #expect(watched.table.warnings(of: .deepChain)[0].amount == 50)
        for node in 1...53 as ClosedRange<UInt64> { watched.script.fulfill(node) }
        watched.pass(1_000)
        #expect(watched.counts == [:])
    }

    /// The handler of each `then` returns the next round, which the `then` follows.
    @Test func aLoopByThenIsNamedWhileItGrows() {
        var watched = Watched()
        watched.options.enabled = [.deepChain]
        for round in 0..<600 as Range<UInt64> {
            let (work, then) = (2 * round + 1, 2 * round + 2)
            watched.script.make(work, .work, by: round == 0 ? 0 : work - 1)
            watched.script.make(then, .then, under: work)
            if round > 0 { watched.script.adopt(work - 1, then) }
            watched.script.fulfill(work)
            watched.script.start(then)
            watched.script.end(then)
            if round == 400 {
                watched.pass(2_000)
                #expect(watched.counts == [:])
            }
        }
        watched.pass(2_000)
        #expect(watched.nodes(.deepChain) == [1])
    }

    /// A search that stands at a node when this is evicted has no result; the next sweep searches again.
    @Test func anInterruptedSearchForDepthIsRepeated() {
        var watched = Watched(limits: ForestLimits(settledNodeLimit: 0, settledLeafLimit: 0))
        watched.options[.deepChain] = 50
        watched.options.enabled = [.deepChain]
        watched.script.make(1, .promise)
        for node in 2...60 as ClosedRange<UInt64> { watched.script.make(node, .work, by: 1) }
        watched.script.make(100, .promise, by: 1)
        for node in 101...160 as ClosedRange<UInt64> { watched.script.make(node, .then, under: node - 1) }
        for node in 2...60 as ClosedRange<UInt64> { watched.script.fulfill(node) }
        for _ in 0..<1_000 where watched.table.sweep?.depth == nil { watched.pass(100, budget: 24) }
        #expect(watched.table.sweep?.depth != nil)
        #expect(watched.script.forest.evictSettled(now: watched.script.time) > 50)
        watched.pass(5_000)
        #expect(watched.nodes(.deepChain) == [1])
    }

    /// Node 2 is rejected because node 1 was abandoned, which an evicted node does not show any more.
    @Test func evictionReportsNoFaultAgain() {
        var watched = Watched(limits: ForestLimits(settledNodeLimit: 0, ageLimit: 1))
        watched.pass(100)
        watched.script.make(1, .pending, "call", external: true)
        watched.script.make(2, .then, under: 1)
        watched.script.record(.abandoned, 1, text: "call")
        watched.script.reject(2)
        watched.script.record(.unhandled, 2)
        watched.pass(100)
        #expect(watched.counts == ["abandoned": 1])
        watched.script.at(1_000_000)
        #expect(watched.script.forest.evictSettled(now: watched.script.time) == 2)
        watched.pass(1_000)
        #expect(watched.counts == ["abandoned": 1])
    }

    @Test func aWarningAboutTheProgramStaysDismissed() {
        var watched = Watched()
        watched.options[.tooManyThreads] = 3
        for node in 1...5 as ClosedRange<UInt64> {
            watched.script.make(node)
            watched.script.start(node, on: UInt32(node))
        }
        watched.pass(2_000)
        #expect(watched.table.warnings(of: .tooManyThreads).count == 1)
        watched.table.dismiss(.init(kind: .tooManyThreads, node: .none))
        watched.script.make(6)
        watched.script.start(6, on: 6)
        watched.pass(2_000)
        #expect(watched.table.warnings(of: .tooManyThreads).isEmpty)
    }

    @Test func lostEventsStayUntilDismissedAndComeBack() {
        var watched = Watched()
        watched.pass(100)
        watched.script.lose(1_204)
        watched.pass(100)
        #expect(watched.table.warnings(of: .lostEvents).map(\.amount) == [1_204])
        watched.script.lose(6)
        watched.pass(100)
        #expect(watched.table.warnings(of: .lostEvents).map(\.amount) == [1_210])
        watched.table.dismiss(.init(kind: .lostEvents, node: .none))
        watched.pass(1_000)
        #expect(watched.counts == [:])
        watched.script.lose(3)
        watched.pass(100)
        #expect(watched.table.warnings(of: .lostEvents).map(\.amount) == [3])
    }
}

// SPDX-License-Identifier: MIT
