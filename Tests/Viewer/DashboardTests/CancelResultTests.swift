import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// The message after a cancellation: what became of the nodes in question, counted by their events.
@Suite struct CancelResultTests {
    /// Returns a screen with the question whether to cancel a chain of four live nodes.
    private static func asked() -> Screen {
        var screen = Screen(120, 20)
        var script = Script(time: 10)
        script.make(1, .promise, "order 1")
        for id in 2...4 as ClosedRange<UInt64> { script.make(id, .then, "step \(id)", under: 1) }
        screen.feed(script)
        screen.type("c")
        return screen
    }

    private static let accepted = Action.replied(SourceID(0), CommandReply(command: 1, outcome: .accepted(count: 1)))

    @Test func saysHowManyWereCancelledAndHadSettled() {
        var screen = Self.asked()
        // Node 4 settles before the question is answered, but its event comes after the answer.
        var late = Script(sequence: 2, time: 11)
        late.fulfill(4)
        screen.tick(500)
        screen.type("y")
        screen.act(Self.accepted)
        #expect(screen.message == "asked the program to cancel order 1")
        for id in 1...3 as ClosedRange<UInt64> { late.cancel(id, "cancelled by the dashboard") }
        screen.feed(late)
        screen.tick(600)
        #expect(screen.message == "3 cancelled, 1 had settled")
        #expect(screen.state.cancellations.isEmpty)
    }

    /// They are cancelled with the nodes that the dialog names.
    @Test func nodesThatWereMadeSinceTheQuestionAreCounted() {
        var screen = Self.asked()
        var script = Script(sequence: 2, time: 100)
        script.fulfill(4)
        for id in 5...9 as ClosedRange<UInt64> { script.make(id, .then, "step \(id)", under: 1) }
        screen.feed(script)
        screen.type("y")
        screen.act(Self.accepted)
        var late = Script(sequence: 3, time: 200)
        for id in [1, 2, 3, 5, 6, 7, 8, 9] as [UInt64] { late.cancel(id, "cancelled by the dashboard") }
        screen.feed(late)
        screen.tick(600)
        #expect(screen.message == "8 cancelled, 1 had settled")
    }

    @Test func saysWhatIsStillPendingAfterAWhile() {
        var screen = Self.asked()
        screen.type("y")
        screen.act(Self.accepted)
        var script = Script(sequence: 2, time: 100)
        script.cancel(1, "cancelled by the dashboard")
        screen.feed(script)
        #expect(screen.message == "asked the program to cancel order 1")
        #expect(!screen.state.isIdle)
        screen.tick(4_000)
        #expect(screen.message == "1 cancelled, 3 still pending")
    }

    @Test func aClockThatIsSetBackDoesNotHoldTheCount() {
        var screen = Self.asked()
        screen.type("y")
        screen.act(Self.accepted)
        screen.tickSetBack(100)
        #expect(screen.state.cancellations.all.count == 1)
        screen.tickSetBack(3_200)
        #expect(screen.message == "0 cancelled, 4 still pending" && screen.state.cancellations.isEmpty)
    }

    /// Another run's nodes have the same ids.
    @Test func theNextRunIsNotCounted() {
        var screen = Self.asked()
        screen.type("y")
        screen.act(Self.accepted)
        let next = ProcessDescription(
            key: ProcessKey(rawValue: 43), pid: 4343, name: "checkout", wallOffset: Script.process.wallOffset)
        screen.act(.connected(SourceID(0), next))
        var script = Script(time: 100, of: next)
        for id in 1...4 as ClosedRange<UInt64> {
            script.make(id, .work, "other \(id)")
            script.cancel(id, "cancelled by the dashboard")
        }
        screen.feed(script)
        screen.tick(200)
        #expect(screen.message == "0 cancelled, 4 no longer kept")
    }

    @Test func aRefusedCancellationIsNotCounted() {
        var screen = Self.asked()
        screen.type("y")
        screen.act(.replied(SourceID(0), CommandReply(command: 1, outcome: .refused("not allowed"))))
        screen.tick(9_000)
        #expect(screen.state.cancellations.isEmpty)
        #expect(screen.message?.contains("pending") != true)
    }

    @Test func whileFrozenTheDialogSaysSinceWhen() {
        var screen = Screen(120, 20)
        var script = Script(time: 10)
        script.make(1, .promise, "order 1")
        screen.feed(script)
        screen.type("p")
        screen.tick(60_010)
        screen.type("c")
        #expect(screen.text.contains("frozen 1m00s ago: some may have settled since"))
        #expect(screen.text.contains(" y  cancel ") && screen.text.contains(" n  keep "))
        screen.type("y")
        #expect(screen.message == "asked the program to cancel order 1; the picture is frozen, p resumes")
        var late = Script(sequence: 2, time: 60_020)
        late.cancel(1, "cancelled by the dashboard")
        screen.feed(late)
        screen.tick(70_000)
        #expect(screen.state.cancellations.all.count == 1)
        screen.type("p")
        screen.tick(70_040)
        #expect(screen.message == "1 cancelled")
    }

    /// They are counted a part each tick, also while the past is shown.
    @Test func manyNodesAreCountedWhileLookingBack() {
        var screen = Screen(120, 20, options: .init(keepsHistory: true))
        var script = Script(time: 10)
        script.make(1, .promise, "order 1")
        for id in 2...2_500 as ClosedRange<UInt64> { script.make(id, .then, "step \(id)", under: 1) }
        screen.feed(script)
        screen.tick(60_000)
        screen.type("gcy")
        #expect(screen.state.cancellations.all.count == 1)
        LookingBackTests.lookBack(&screen)
        var end = Script(sequence: 2, time: 61_000)
        for id in 1...2_500 as ClosedRange<UInt64> { end.cancel(id, "cancelled by the dashboard") }
        screen.act(.received(SourceID(0), end.batch))
        for live in [61.5, 61.6] { LookingBackTests.tick(&screen, shown: 40, live: live) }
        #expect(screen.message == "2,500 cancelled", "\(screen.message ?? "")")
    }

    @Test func readOnlyIsInTheHeader() {
        let screen = GoldenTests.checkout(120, 20, options: State.Options(isReadOnly: true))
        #expect(screen.frame.rowText(0).contains("read-only"))
        #expect(!GoldenTests.checkout(120, 20).frame.rowText(0).contains("read-only"))
    }
}

// SPDX-License-Identifier: MIT
