import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// Programs that are not connected yet, that are lost, that come back, and that come back as a new run.
@Suite struct LinkTests {
    private static let one = SourceID(0)

    private static func lose(
        _ screen: inout Screen, at milliseconds: Double, reason: String = "connection reset", attempt: Int = 1,
        of source: SourceID = one
    ) {
        screen.act(
            .reconnecting(
                source, since: Screen.wall(milliseconds), reason: reason, attempt: attempt,
                nextAttempt: Screen.wall(milliseconds) + 2_000_000_000))
    }

    /// A new run of ``Script/process``, 6 s later.
    static let restarted: ProcessDescription = {
        var info = Script.process
        info.key = ProcessKey(rawValue: 43)
        info.pid = 4301
        info.wallOffset += 6_000_000_000
        return info
    }()

    // MARK: Not there yet

    @Test func theNameIsShownWhileConnecting() {
        var screen = Screen(80, 24, connected: false)
        screen.act(.connecting(Self.one, name: "checkout", attempt: 1, lastFailure: nil))
        #expect(screen.text.contains("connecting to checkout"))
        screen.act(.connecting(Self.one, name: "checkout", attempt: 3, lastFailure: "nothing listens at this socket"))
        GoldenTests.check(screen, "connection/connecting-80x24")
        screen.type("c")
        #expect(screen.message == "there is nothing to cancel")
        screen.act(.connected(Self.one, Script.process))
        #expect(screen.text.contains("● live"))
        #expect(screen.text.contains("no chains yet"))
    }

    @Test func aProgramThatWasNeverReachedIsNotLost() {
        var screen = Screen(80, 24, connected: false)
        screen.act(.connecting(Self.one, name: "checkout", attempt: 1, lastFailure: nil))
        Self.lose(&screen, at: 0, reason: "refused", attempt: 2)
        #expect(screen.text.contains("connecting to checkout (attempt 3: refused)"))
    }

    // MARK: Gone

    @Test func keepsTheLastPictureMarkedStale() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("j")
        let rows = screen.visibleIDs
        Self.lose(&screen, at: 4_240)
        screen.tick(16_300)
        #expect(screen.visibleIDs == rows)
        #expect(screen.text.contains("○ lost 12s ago"))
        GoldenTests.check(screen, "connection/lost-120x40")
        screen.act(.resized(Size(columns: 80, rows: 24)))
        GoldenTests.check(screen, "connection/lost-80x24")
        screen.act(.resized(Size(columns: 20, rows: 5)))
        _ = screen.frame
    }

    @Test func theNextAttemptIsShown() {
        var screen = GoldenTests.checkout(120, 40)
        Self.lose(&screen, at: 4_240)
        screen.tick(4_300)
        #expect(screen.frame.rowText(0).contains("lost 0s ago · retry in 2s: connection reset"))
        screen.tick(6_230)
        #expect(screen.frame.rowText(0).contains("lost 1s ago · retry in 1s: connection reset"))
        screen.tick(6_300)
        #expect(screen.frame.rowText(0).contains("lost 2s ago · trying again: connection reset"))
        Self.lose(&screen, at: 4_240, reason: "no such process", attempt: 2)
        #expect(screen.frame.rowText(0).contains("no such process"))
        #expect(
            screen.message == nil || screen.message?.contains("connection reset") == true,
            "only the first loss is a message")
    }

    @Test func aProgramThatStandsStillIsSilentNotLost() {
        var screen = GoldenTests.checkout(120, 40)
        screen.act(
            .reconnecting(
                Self.one, since: Screen.wall(4_240), reason: "The program stands still: it says nothing", attempt: 0,
                nextAttempt: 0))
        #expect(screen.message == "checkout: The program stands still: it says nothing")
        screen.tick(9_300)
        #expect(screen.frame.rowText(0).contains("○ no events for 5s · The program stands still: it says nothing"))
        screen.type("c")
        #expect(screen.message == "the program is stopped or hangs: nothing can be cancelled until it continues")
        screen.act(.connected(Self.one, Script.process))
        #expect(screen.message == "checkout responds again, after 5s")
        #expect(screen.frame.rowText(0).contains("● live"))
    }

    @Test func runningTimesStandStillAtTheLoss() {
        var screen = GoldenTests.checkout(120, 60)
        screen.go(to: 401)
        let line = { (screen: Screen) in screen.frame.rowText(3 + screen.visibleIDs.firstIndex(of: 401)!) }
        // Silence is noticed only after a while.
        screen.tick(7_240)
        #expect(line(screen).contains("3.3s"))
        Self.lose(&screen, at: 4_240)
        #expect(line(screen).contains("0.3s"))
        screen.tick(99_000)
        #expect(line(screen).contains("0.3s"))
        screen.act(.connected(Self.one, Script.process))
        screen.feed(Script(sequence: 9, time: 99_050))
        screen.tick(99_100)
        #expect(line(screen).contains("1m35s"))
    }

    @Test func aLostProgramIsRedrawnOnceASecond() {
        var screen = GoldenTests.checkout(120, 40)
        Self.lose(&screen, at: 4_240)
        screen.tick(30_000)
        #expect(screen.state.isIdle)
        var drawn = 0
        var revision = screen.state.revision
        for step in stride(from: 30_010.0, through: 33_000, by: 10) {
            screen.tick(step)
            if screen.state.revision != revision { drawn += 1 }
            revision = screen.state.revision
        }
        #expect((2...4).contains(drawn), "once a second, not at every tick: \(drawn)")
    }

    @Test func aMessageSaysWhyALostProgramCannotCancel() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("gC")
        #expect(screen.state.context == .confirm)
        Self.lose(&screen, at: 4_240)
        screen.type("y")
        #expect(
            screen.message
                == "nothing was cancelled: the program cannot be reached: nothing can be cancelled until it is back")
        #expect(screen.effects.isEmpty)
        #expect(!screen.text.contains("cancel requested"))
        screen.type("c")
        #expect(screen.message == "the program cannot be reached: nothing can be cancelled until it is back")
        screen.tick(20_000)
        #expect(!screen.frame.rowText(39).contains("cancel"))
    }

    // MARK: Back

    @Test func theSameRunContinues() {
        var screen = GoldenTests.checkout(120, 60)
        screen.go(to: 401)
        screen.type(" k")
        Self.lose(&screen, at: 4_240)
        screen.tick(9_240)
        screen.act(.connected(Self.one, Script.process))
        #expect(screen.message == "checkout is back, after 5s")
        #expect(screen.selectedID == 401)
        #expect(screen.taggedIDs == [401])
        // A snapshot holds the nodes that still exist; the others ended unseen.
        var begin = Script(sequence: 9, time: 9_300)
        begin.resync(.begin(epoch: 9_300_000_001))
        screen.feed(begin)
        var state = Script(sequence: 10, time: 9_310)
        state.make(500, .promise, "order 19")
        state.fulfill(401, "3 × sku-2")
        state.resync(.end(epoch: 9_300_000_001))
        screen.feed(state)
        #expect(screen.visibleIDs.contains(500))
        let row = screen.frame.rowText(3 + screen.visibleIDs.firstIndex(of: 401)!)
        #expect(row.contains("fulfilled"), "\(row)")
        #expect(screen.state.forest!.totals.counts[.unknown] > 0)
        #expect(screen.frame.rowText(0).contains("● live"))
        #expect(!screen.text.contains("restarted"))
    }

    // MARK: Another run

    @Test func aNewRunReplacesTheOld() {
        var screen = GoldenTests.checkout(120, 20)
        screen.go(to: 401)
        screen.type(" ")
        Self.lose(&screen, at: 4_240)
        screen.tick(8_000)
        screen.act(.connected(Self.one, Self.restarted))
        #expect(screen.message == "checkout restarted (pid 4242 → 4301)")
        #expect(screen.visibleIDs.isEmpty && screen.taggedIDs.isEmpty && screen.selectedID == nil)
        screen.tick(20_100)
        var script = Script(sequence: 1, time: 20_200, of: Self.restarted)
        script.make(1, .promise, "order 1")
        screen.feed(script)
        #expect(screen.visibleIDs == [1])
        #expect(screen.selectedID == 1)
        #expect(screen.frame.rowText(0).contains("checkout 4301   ● live   restarted 12s ago"))
        GoldenTests.check(screen, "connection/restarted-120x20")
        // A late event of the old run is ignored.
        var late = Script(sequence: 9, time: 4_300)
        late.make(900, .promise, "late")
        screen.feed(late)
        #expect(screen.visibleIDs == [1])
        screen.tick(70_000)
        #expect(!screen.text.contains("restarted"))
    }

    @Test func aCancellationInTheOldRunIsNotSent() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("gC")
        screen.act(.connected(Self.one, Self.restarted))
        screen.type("y")
        #expect(screen.effects.isEmpty)
        #expect(screen.message == "nothing was cancelled: checkout has restarted meanwhile")
    }

    @Test func anAnswerForTheOldRunChangesNothing() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("gCy")
        #expect(screen.effects.count == 1)
        screen.act(.connected(Self.one, Self.restarted))
        let message = screen.message
        screen.act(.replied(Self.one, CommandReply(command: 1, outcome: .refused("not connected"))))
        #expect(screen.message == message)
    }

    @Test func whileFrozenTheOldRunCanStillBeExplored() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("pg")
        screen.act(.connected(Self.one, Self.restarted))
        var script = Script(sequence: 1, time: 9_000, of: Self.restarted)
        script.make(1, .promise, "order 1")
        screen.feed(script)
        screen.type("j")
        #expect(screen.selectedID == 401)
        screen.type("G")
        screen.type("c")
        #expect(screen.message == "the program has restarted: what is shown has ended; p resumes")
        screen.type("p")
        #expect(screen.visibleIDs == [1])
        #expect(screen.text.contains("restarted"))
        #expect(screen.effects.isEmpty)
    }

    @Test func aRestartWhileFrozenIsShownAtOnceWithItsTime() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("p")
        screen.tick(8_000)
        screen.act(.connected(Self.one, Self.restarted))
        #expect(screen.message == "checkout restarted (pid 4242 → 4301); p shows the new run")
        screen.tick(12_000)
        Self.lose(&screen, at: 12_000)
        screen.type("j")
        screen.act(.connected(Self.one, Self.restarted))
        #expect(screen.message?.contains("restarted") != true, "the same run was reached again")
        screen.tick(20_100)
        screen.type("p")
        #expect(screen.frame.rowText(0).contains("restarted 12s ago"))
    }

    @Test func aRestartWithMoreEventsThanTheFrozenLimitAsksForASnapshot() {
        var options = State.Options()
        options.frozenLimit = 5
        var screen = GoldenTests.checkout(120, 60, options: options)
        screen.type("p")
        screen.act(.connected(Self.one, Self.restarted))
        for number in 0..<9 {
            var script = Script(sequence: UInt64(number + 1), time: 9_000, of: Self.restarted)
            script.make(UInt64(number + 1), .promise, "order")
            screen.feed(script)
        }
        Self.lose(&screen, at: 9_500)
        screen.type("p")
        #expect(screen.effects == [.requestSnapshot(Self.one)])
        #expect(screen.frame.rowText(0).contains("lost"), "the loss after the restart is shown")
    }

    // MARK: One of several

    @Test func oneOfSeveralIsLostAndComesBackRestarted() {
        var screen = ProgramsTests.both(120, 40)
        screen.go(to: 401)
        Self.lose(&screen, at: 4_240)
        #expect(screen.message == "checkout cannot be reached: connection reset")
        screen.tick(16_300)
        #expect(screen.text.contains("● 1 live   ○ 1 lost"))
        GoldenTests.check(screen, "programs/lost-120x40")
        screen.go(to: 21)
        let row = screen.frame.rowText(3 + screen.visibleIDs.firstIndex(of: 21)!)
        #expect(row.contains("13s"), "the other goes on: \(row)")
        screen.go(to: 401)
        screen.act(.connected(Self.one, Self.restarted))
        #expect(screen.state.selection == RowID(source: Self.one), "on the row of its program")
        #expect(screen.text.contains("restarted 0s ago"))
        #expect(screen.visibleIDs.contains(21))
    }

    @Test func oneOfSeveralEnds() {
        var screen = ProgramsTests.both(120, 40)
        screen.act(.ended(ProgramsTests.billing, "the program has ended"))
        #expect(screen.message == "billing ended: the program has ended")
        screen.tick(20_000)
        #expect(screen.text.contains("● 1 live   ◍ 1 ended"))
        screen.go(to: 21)
        screen.type("c")
        #expect(screen.message == "billing has ended: nothing can be cancelled")
    }

    @Test func aProgramThatIsNotThereYetHasARow() {
        var screen = GoldenTests.checkout(120, 60)
        screen.act(.connecting(ProgramsTests.billing, name: "billing", attempt: 2, lastFailure: "no such process"))
        #expect(screen.visibleIDs.first == 0)
        screen.type("G")
        #expect(screen.state.selection == RowID(source: ProgramsTests.billing))
        let row = screen.frame.rowText(3 + screen.state.tree.selectedLine!)
        #expect(row.contains("◌ absent") && row.contains("connecting (attempt 2: "), "\(row)")
        screen.type("c")
        #expect(screen.message == "billing is not there yet: there is nothing to cancel")
        screen.type("l")
        #expect(screen.message == "it has no chains yet")
    }

    @Test func hostileNamesAndReasonsAreHarmless() {
        let hostile = "\u{1b}[2J\u{202e}x\u{9b}31m\n"
        for several in [false, true] {
            var screen = Screen(160, 24, connected: several)
            let source = SourceID(several ? 1 : 0)
            func isClean() -> Bool {
                screen.text.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.value >= 0x20 && $0 != "\u{202e}" && $0 != "\u{9b}"
                }
            }
            screen.act(.connecting(source, name: hostile, attempt: 2, lastFailure: hostile))
            screen.type("G")
            #expect(isClean())
            var info = Script.billing
            info.name = hostile
            screen.act(.connected(source, info))
            screen.type("Gy")
            #expect(isClean())
            Self.lose(&screen, at: 0, reason: hostile, of: source)
            #expect(isClean())
            screen.act(.ended(source, hostile))
            #expect(isClean())
            for case .copy(let text) in screen.effects { #expect(!text.unicodeScalars.contains { $0.value < 0x20 }) }
        }
    }
}

// SPDX-License-Identifier: MIT
