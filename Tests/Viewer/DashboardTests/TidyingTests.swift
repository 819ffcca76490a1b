import ChainEvents
import ChainRows
import Testing

@testable import Dashboard

/// What has gone well inside a live chain folds by itself.
struct TidyingTests {
    /// Returns a screen with live order 1: check 2 has settled, with look-up 3 and its next step 4 inside; charge 5
    /// runs. Also returns a script for later events.
    private func order(rejected: Bool = false) -> (screen: Screen, script: Script) {
        var script = Script()
        script.make(1, .promise, "order", external: true)
        script.make(2, .then, "check", by: 1)
        script.make(3, .work, "look-up", by: 2)
        script.make(4, .map, "read", under: 3)
        script.make(5, .then, "charge", under: 2)
        script.start(2)
        script.end(2)
        script.adopt(2, 4)
        script.at(100)
        if rejected { script.reject(3, "no") } else { script.fulfill(3, "found") }
        if rejected { script.skip(4, error: true) } else { script.fulfill(4, "found") }
        script.fulfill(2, "found")
        script.start(5)
        var screen = Screen(100, 20)
        screen.feed(script)
        return (screen, Script(sequence: 2, time: 3_000))
    }

    @Test func afterAMomentAFinishedNodeIsOneRow() {
        var (screen, _) = order()
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5])
        screen.tick(1_000)
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5], "not at once")
        screen.tick(1_500)
        #expect(screen.visibleIDs == [1, 2, 5])
        #expect(screen.state.outline.rowCount == 3)
    }

    /// The hold after a tag is by the time of day.
    @Test func aClockThatIsSetBackEndsTheHold() {
        var (screen, _) = order()
        screen.go(to: 5)
        screen.tick(1_000)
        screen.type(" ")
        for moment in stride(from: 1_500.0, to: 6_000, by: 500) { screen.tickSetBack(moment) }
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5], "while nodes are being tagged")
        for moment in stride(from: 6_000.0, to: 9_000, by: 500) { screen.tickSetBack(moment) }
        #expect(screen.visibleIDs == [1, 2, 5])
    }

    /// A selection in a settled chain keeps the chain where it is.
    @Test func aSettledChainStaysWhileItIsSelected() {
        var screen = Screen(100, 20)
        var script = Script(time: 10)
        var end = Script(sequence: 2, time: 20)
        for chain in 0..<3 as Range<UInt64> {
            script.make(chain * 10 + 1, .promise, "order \(chain)")
            script.make(chain * 10 + 2, .then, under: chain * 10 + 1)
            end.fulfill(chain * 10 + 1)
            end.fulfill(chain * 10 + 2)
        }
        screen.feed(script)
        screen.go(to: 12)
        screen.feed(end)
        #expect(!screen.state.isIdle)
        for moment in stride(from: 100.0, to: 9_000, by: 100) { screen.tick(moment) }
        #expect(screen.state.isIdle && screen.visibleIDs.contains(12))
        screen.go(to: 1)
        // An idle loop ticks once a second.
        screen.tick(10_100)
        screen.tick(11_200)
        #expect(screen.state.isIdle && !screen.visibleIDs.contains(12))
    }

    /// The chain revives before a tick, and settles before the next one.
    @Test(arguments: [100.0, 1_000]) func theChainKeptOpenStaysSoAfterItRevived(_ pause: Double) {
        var screen = Screen(100, 20)
        var script = Script(time: 10)
        script.make(1, .promise, "order", external: true)
        script.make(2, .then, "check", under: 1)
        script.fulfill(1)
        script.fulfill(2)
        screen.feed(script)
        for moment in stride(from: 20.0, through: pause, by: 20) { screen.tick(moment) }
        #expect(screen.visibleIDs == [1, 2], "it settled last, and nothing is live")
        var more = Script(sequence: 2, time: pause + 10)
        more.make(3, .then, "charge", under: 2)
        screen.feed(more)
        #expect(screen.visibleIDs == [1, 2, 3])
        var end = Script(sequence: 3, time: pause + 40)
        end.fulfill(3)
        screen.feed(end)
        #expect(screen.visibleIDs == [1, 2, 3])
        for moment in stride(from: pause + 60, through: pause + 3_000, by: 20) { screen.tick(moment) }
        #expect(screen.visibleIDs == [1, 2, 3])
        #expect(screen.state.outline.queueStatistics.allSatisfy { $0.count == 0 })
        // A live chain takes its place.
        var other = Script(sequence: 4, time: pause + 3_100)
        other.make(11, .promise, "next", external: true)
        screen.feed(other)
        for moment in stride(from: pause + 3_100, through: pause + 4_000, by: 20) { screen.tick(moment) }
        #expect(screen.visibleIDs == [11, 1])
    }

    @Test func whatWentWrongStaysInSight() {
        var (screen, _) = order(rejected: true)
        screen.tick(2_000)
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5])
    }

    /// Finished nodes of chains with more than 512 nodes do not fold; those that had folded before open all the same.
    @Test func aNewLiveNodeUnfoldsItInAChainThatHasGrown() {
        var (screen, script) = order()
        screen.tick(1_500)
        #expect(screen.state.outline.rowCount == 3)
        for node in 100...700 as ClosedRange<UInt64> { script.make(node, .work, by: 5) }
        script.make(6, .work, "look again", by: 2)
        screen.feed(script)
        let node = screen.state.programs[0].forest.index(of: NodeID(2))!
        #expect(!screen.state.outline.isFolded(node, in: screen.state.programs[0].forest))
    }

    @Test func aNewLiveNodeInsideUnfoldsIt() {
        var (screen, more) = order()
        screen.tick(2_000)
        more.make(6, .work, "look again", by: 2)
        screen.feed(more)
        #expect(screen.visibleIDs == [1, 2, 3, 4, 6, 5])
    }

    @Test func aFinishedNodeStaysUnfoldedWhileTheSelectionIsInIt() {
        var (screen, _) = order()
        screen.go(to: 4)
        screen.tick(2_000)
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5])
        screen.go(to: 1)
        screen.tick(6_000)
        #expect(screen.visibleIDs == [1, 2, 5])
    }

    @Test func whatTheUserUnfoldedStaysUnfolded() {
        var (screen, _) = order()
        screen.tick(2_000)
        screen.go(to: 2)
        screen.type("l")
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5])
        screen.type("g")
        screen.tick(9_000)
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5])
    }

    @Test func unfoldAllShowsEverything() {
        var (screen, _) = order()
        screen.tick(2_000)
        screen.type("*")
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5])
    }
}

// SPDX-License-Identifier: MIT
