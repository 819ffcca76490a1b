import ChainEvents
import ChainModel
import Testing

@testable import ChainRows
@testable import Dashboard

/// The queues of a dashboard have limits, and what it shows is right when they are reached.
struct QueueTests {
    /// Returns a script that makes and fulfils a chain of four nodes for each id. Each chain folds twice.
    private func storm(_ ids: Range<UInt64>, sequence: UInt64, at milliseconds: Double) -> Script {
        var script = Script(sequence: sequence, time: milliseconds)
        for chain in ids {
            let first = chain * 10
            script.make(first + 1, .promise, "order", external: true)
            script.make(first + 2, .then, "check", under: first + 1)
            script.make(first + 3, .work, "look-up", by: first + 2)
            script.make(first + 4, .map, under: first + 3)
            script.fulfill(first + 3)
            script.fulfill(first + 4)
            script.fulfill(first + 2)
            script.fulfill(first + 1)
        }
        return script
    }

    private func isFolded(_ id: UInt64, _ screen: Screen) -> Bool {
        let forest = screen.state.forest!
        return screen.state.outline.isFolded(forest.index(of: NodeID(id))!, in: forest)
    }

    private func expectBounded(_ state: State, _ comment: Comment) {
        for queue in state.queueStatistics {
            #expect(queue.count <= queue.limit && queue.highWaterMark <= queue.limit, "\(queue), \(comment)")
        }
    }

    @Test func aStormOfFinishedNodesDoesNotGrowTheQueues() {
        var options = State.Options()
        options.limits.settledNodeLimit = 400
        options.queueLimit = 64
        var screen = Screen(100, 20, options: options)
        for step in 0..<20 as Range<UInt64> {
            screen.feed(storm(step * 600..<(step + 1) * 600, sequence: step + 1, at: Double(step) * 33))
            expectBounded(screen.state, "step \(step)")
        }
        // Nodes that are evicted early leave their entries behind, so a queue was full.
        let marks = screen.state.queueStatistics.map { ($0.name, $0.highWaterMark) }
        #expect(marks.contains { $0.0 == "settled chains to archive" && $0.1 >= 64 })
        // At rest the queues are empty.
        for moment in stride(from: 1_000.0, through: 12_000, by: 100) { screen.tick(moment) }
        #expect(screen.state.queueStatistics.first { $0.name.hasSuffix("to archive") }?.count == 0)
        #expect(screen.state.outline.foldDeadlines.isEmpty)
    }

    /// Each of 20 live chains has a finished part. Each part folds.
    @Test func finishedNodesOfManyChainsFold() {
        var screen = Screen(100, 60)
        var script = Script(time: 10)
        for chain in 1...20 as ClosedRange<UInt64> {
            let first = chain * 10
            script.make(first + 1, .promise, "order", external: true)
            script.make(first + 2, .then, "check", by: first + 1)
            script.make(first + 3, .work, "look-up", by: first + 2)
            script.start(first + 2)
            script.end(first + 2)
            script.adopt(first + 2, first + 3)
            script.fulfill(first + 3)
            script.fulfill(first + 2)
            // Twenty nodes that settle at once.
            for other in 0..<20 { script.make(10_000 + first * 20 + UInt64(other), .work, by: first + 2) }
            for other in 0..<20 { script.fulfill(10_000 + first * 20 + UInt64(other)) }
        }
        screen.feed(script)
        expectBounded(screen.state, "fed")
        screen.type("*")
        screen.type("_")
        for moment in stride(from: 100.0, through: 3_000, by: 100) { screen.tick(moment) }
        expectBounded(screen.state, "ticked")
        for chain in 1...20 as ClosedRange<UInt64> { #expect(isFolded(chain * 10 + 2, screen)) }
    }

    /// A line of nodes that have settled by the time they arrive is made inside a finished node of a folded chain. Then
    /// a live node follows, farther away than finished nodes are searched.
    @Test func aLiveNodeAtTheEndOfALongLineIsNotInAFoldedNode() {
        var screen = Screen(100, 60)
        var script = Script(time: 10)
        script.make(11, .promise, "order", external: true)
        script.make(12, .work, "check", by: 11)
        script.make(13, .work, "look-up", by: 12)
        script.fulfill(13)
        script.fulfill(12)
        screen.feed(script)
        for moment in stride(from: 100.0, through: 3_000, by: 100) { screen.tick(moment) }
        #expect(isFolded(12, screen))
        screen.go(to: 11)
        screen.type("h")
        var line = Script(sequence: 2, time: 3_010)
        for node in 14..<1_014 as Range<UInt64> {
            line.make(node, .then, under: node - 1)
            line.fulfill(node)
        }
        screen.feed(line)
        var end = Script(sequence: 3, time: 3_020)
        end.make(1_014, .then, under: 1_013)
        screen.feed(end)
        #expect(!isFolded(12, screen))
    }

    /// Changes that the sorted tree has not applied yet are listed once for each chain that exists.
    @Test func aSortedTreeKeepsUpWithAStorm() {
        var options = State.Options()
        options.limits.settledNodeLimit = 200
        options.queueLimit = 64
        var screen = Screen(100, 20, options: options)
        screen.type("ss")
        for step in 0..<30 as Range<UInt64> {
            screen.feed(storm(step * 100..<(step + 1) * 100, sequence: step + 1, at: Double(step) * 20))
            expectBounded(screen.state, "step \(step)")
        }
        for moment in stride(from: 1_000.0, through: 12_000, by: 100) { screen.tick(moment) }
        #expect(screen.state.outline.outdatedCount == 0)
    }

    @Test func aFloodOfNodesIsEvictedAsFastAsItComes() {
        var options = State.Options()
        options.limits.settledNodeLimit = 1_000
        var screen = Screen(100, 20, options: options)
        for step in 0..<10 as Range<UInt64> {
            screen.feed(storm(step * 3_000..<(step + 1) * 3_000, sequence: step + 1, at: Double(step) * 33))
        }
        #expect(screen.state.forest!.totals.nodeCount <= 1_000 + 12_000)
    }
}

// SPDX-License-Identifier: MIT
