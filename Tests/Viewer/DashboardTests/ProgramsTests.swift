import ChainEvents
import Foundation
import Frames
import GoldenSupport
import Testing

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

@testable import Dashboard

/// Several programs in one dashboard.
@Suite struct ProgramsTests {
    static let checkout = SourceID(0)
    static let billing = SourceID(1)

    /// Returns a screen with the shop and its invoices, at 4.24 s of the shop's clock.
    static func both(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, rows, options: options)
        screen.act(.connected(billing, Script.billing))
        for batch in Demo.billing() { screen.feed(batch, from: billing) }
        for batch in Demo.checkout() { screen.feed(batch) }
        screen.tick(4_240)
        return screen
    }

    @Test(arguments: [
        Size(columns: 20, rows: 5), Size(columns: 80, rows: 24), Size(columns: 120, rows: 40),
        Size(columns: 200, rows: 60),
    ])
    func golden(_ size: Size) {
        GoldenTests.check(Self.both(size.columns, size.rows), "programs/\(size)")
    }

    @Test func goldenInASCII() {
        GoldenTests.check(
            Self.both(100, 30, options: State.Options(glyphs: .ascii)), "programs/ascii-100x30")
    }

    @Test func eachProgramHasARowWithItsChainsBelow() {
        let screen = Self.both(120, 80)
        #expect(screen.visibleIDs.prefix(3) == [0, 400, 401])
        #expect(screen.visibleIDs.suffix(4) == [0, 20, 21, 7])
        #expect(screen.text.contains("2 programs"))
        #expect(screen.text.contains("6 chains"))
    }

    @Test func oneProgramHasNoRowOfItsOwn() {
        #expect(GoldenTests.checkout(120, 40).visibleIDs.first == 400)
    }

    /// The name and the counts end before the note, wherever the columns are.
    @Test(arguments: ["total node value", "id site value", "value total node", "node value total", "value node total"])
    func theNameAndTheNoteHaveRoomInAnyOrderOfColumns(_ columns: String) {
        for length in 0...5 {
            var screen = Self.both(90, 80)
            screen.type(":columns \(columns)<Enter>")
            var info = Script.billing
            info.name = "billing" + String(repeating: "s", count: length)
            screen.act(.connected(Self.billing, info))
            func row() -> String {
                screen.frame.rowText(Layout(screen.state).content.row + screen.visibleIDs.lastIndex(of: 0)!)
            }
            let live = row()
            #expect(live.contains(info.name) && live.contains(" in flight"), "\(live)")
            screen.act(
                .reconnecting(
                    Self.billing, since: Screen.wall(4_240), reason: "connection reset", attempt: 1,
                    nextAttempt: Screen.wall(9_000)))
            screen.tick(6_300)
            let lost = row()
            #expect(lost.contains(info.name) && lost.contains(" in flight"), "\(lost)")
            #expect(lost.contains(" 2s ago"), "\(lost)")
        }
    }

    @Test func eachProgramHasItsOwnClock() {
        let screen = Self.both(120, 80)
        let row = screen.frame.rowText(2 + screen.visibleIDs.firstIndex(of: 21)!)
        #expect(row.contains("1.2s"), "render began at 3.01 s: \(row)")
    }

    // MARK: Folding and moving

    @Test func aProgramFoldsToItsRow() {
        var screen = Self.both(120, 80)
        screen.type("gh")
        #expect(screen.visibleIDs == [0, 0, 20, 21, 7])
        screen.type("h")
        #expect(screen.message == "this is the top")
        screen.type("jj")
        #expect(screen.selectedID == 20)
        screen.type("kkl")
        #expect(screen.visibleIDs.count == 25)
        screen.type("l")
        #expect(screen.selectedID == 400)
        screen.type("hhh")
        #expect(screen.state.selection == RowID(source: Self.checkout), "from a folded chain to its program")
    }

    @Test func keysGoFromProgramToProgram() {
        var screen = Self.both(120, 80)
        screen.go(to: 100)
        screen.type("j")
        #expect(screen.state.selection == RowID(source: Self.billing))
        screen.type("j")
        #expect(screen.selectedID == 20)
        screen.type("<PgUp><PgUp><PgDn><PgDn>")
        #expect(screen.selectedID == 7)
        screen.type("j")
        #expect(screen.message == "this is the last row")
        screen.type("_")
        #expect(screen.visibleIDs == [0, 400, 300, 200, 100, 0, 20, 7])
        screen.type("*")
        #expect(screen.visibleIDs.count == 47)
    }

    @Test func aClickOnAProgramsMarkerFoldsIt() {
        var screen = Self.both(120, 80)
        let column = Columns(width: 120).node.start
        screen.act(.mouse(Mouse(.press, .left, row: 3, column: column)))
        #expect(screen.visibleIDs == [0, 0, 20, 21, 7])
        // A chain's marker stands one level further in.
        screen.act(.mouse(Mouse(.press, .left, row: 5, column: column)))
        #expect(screen.visibleIDs == [0, 0, 20, 21, 7])
        #expect(screen.selectedID == 20)
        screen.act(.mouse(Mouse(.press, .left, row: 5, column: column + TreeLines.level)))
        #expect(screen.visibleIDs == [0, 0, 20, 7])
    }

    @Test func theNewestChainOfAllIsFollowed() {
        var screen = Self.both(120, 20)
        screen.type("f")
        #expect(screen.selectedID == 400)
        var more = Script(sequence: 2, time: 4_500, of: Script.billing)
        more.make(30, .promise, "invoice 9")
        screen.feed(more, from: Self.billing)
        #expect(screen.selectedID == 30)
        var last = Script(sequence: 9, time: 4_600)
        last.make(900, .promise, "order 19")
        screen.feed(last)
        #expect(screen.selectedID == 900)
    }

    @Test func theSelectionStaysWhileOtherProgramsGrow() {
        var screen = Self.both(120, 20)
        screen.go(to: 21)
        let line = screen.state.tree.selectedLine
        for step in 0..<10 {
            var more = Script(sequence: UInt64(9 + step), time: 4_300 + Double(step))
            more.make(UInt64(900 + step), .promise, "order")
            screen.feed(more)
            #expect(screen.selectedID == 21)
            #expect(screen.state.tree.selectedLine == line)
        }
        screen.tick(30_000)
        #expect(screen.selectedID == 21)
        #expect(screen.state.tree.selectedLine == line || screen.state.tree.top == 0)
    }

    // MARK: Finding

    @Test func aFilterSearchesAllPrograms() {
        var screen = Self.both(120, 80)
        screen.type("/re<Enter>")
        GoldenTests.check(screen, "programs/filter-120x80")
        screen.type("<Esc>/render<Enter>")
        #expect(screen.visibleIDs == [0, 20, 21, 7, 8], "a program without a match is not shown")
        #expect(screen.state.matchCount == 2)
        screen.type("<Esc>")
        #expect(screen.visibleIDs.count == 25)
    }

    @Test func keysGoThroughTheMatchesOfAllPrograms() {
        var screen = Self.both(120, 80)
        screen.type("/render<Enter>mgn")
        #expect(screen.selectedID == 21)
        screen.type("n")
        #expect(screen.selectedID == 8)
        screen.type("n")
        #expect(screen.selectedID == 21 && screen.message == "wrapped to the top")
        screen.type("N")
        #expect(screen.selectedID == 8 && screen.message == "wrapped to the bottom")
    }

    @Test func aMatchInAFoldedProgramUnfoldsIt() {
        var screen = Self.both(120, 80)
        screen.go(to: 100)
        screen.type("jh")
        #expect(!screen.visibleIDs.contains(20))
        screen.type("/render<Enter>mgn")
        #expect(screen.selectedID == 21)
        #expect(screen.visibleIDs.contains(20))
    }

    @Test func aProgramThatConnectsLaterIsSearchedToo() {
        var screen = GoldenTests.checkout(120, 80)
        screen.type("/render<Enter>")
        #expect(screen.visibleIDs.isEmpty)
        screen.act(.connected(Self.billing, Script.billing))
        for batch in Demo.billing() { screen.feed(batch, from: Self.billing) }
        #expect(screen.visibleIDs == [0, 20, 21, 7, 8])
    }

    // MARK: Doing

    @Test func nodesOfAllProgramsAreTaggedAndCopied() {
        var screen = Self.both(120, 80)
        screen.go(to: 100)
        screen.type(" ")
        screen.type("j ")
        #expect(screen.taggedIDs == [100, 20])
        screen.type("y")
        guard case .copy(let text)? = screen.effects.last else {
            Issue.record("\(screen.effects)")
            return
        }
        #expect(text.split(separator: "\n").count == 2)
        #expect(text.contains("invoice 8"))
        screen.type("U")
        #expect(!screen.text.contains("◆"))
        screen.type("gy")
        #expect(
            screen.effects.last
                == .copy(
                    "checkout 4242 live: 14 in flight, 3 running, 0 queued, 1 failed/min, 4 chains, 1 failed"))
        screen.type(" ")
        #expect(screen.message == "only nodes can be tagged, not programs")
        screen.type("e")
        #expect(screen.message == "there is no node to open")
        screen.type("w")
        #expect(screen.message == "there is no node to ask about")
    }

    @Test func twoProgramsMayHaveNodesWithTheSameID() {
        var screen = Self.both(120, 80)
        var more = Script(sequence: 2, time: 4_300, of: Script.billing)
        more.make(400, .promise, "invoice 400")
        screen.feed(more, from: Self.billing)
        screen.type("Gkkk")
        #expect(screen.state.selection?.node == NodeKey(process: Script.billing.key, id: NodeID(400)))
        screen.type(" c")
        #expect(screen.text.contains("Cancel 1 tagged node?"))
        screen.type("y")
        #expect(
            screen.effects.last
                == .send(
                    Self.billing,
                    ViewerCommand(
                        id: 1, process: Script.billing.key, request: .cancel(.nodes([NodeID(400)]), by: "the dashboard")
                    )))
        #expect(screen.text.components(separatedBy: "cancel requested").count == 2, "only the one is marked")
    }

    // MARK: Freezing

    @Test func freezingHoldsAllPrograms() {
        var screen = Self.both(120, 80)
        screen.type("p")
        let before = screen.visibleIDs
        var more = Script(sequence: 2, time: 4_500, of: Script.billing)
        more.make(30, .promise, "invoice 9")
        screen.feed(more, from: Self.billing)
        var other = Script(sequence: 9, time: 4_600)
        other.make(900, .promise, "order 19")
        screen.feed(other)
        screen.tick(9_000)
        #expect(screen.visibleIDs == before)
        GoldenTests.check(screen, "programs/frozen-120x80")
        screen.type("p")
        #expect(screen.visibleIDs.contains(30) && screen.visibleIDs.contains(900))
        #expect(screen.effects.isEmpty)
    }

    @Test func onlyAProgramPastTheLimitIsAskedForASnapshot() {
        var options = State.Options()
        options.frozenLimit = 20
        var screen = Self.both(120, 80, options: options)
        screen.type("p")
        for number in 0..<20 {
            var more = Script(sequence: UInt64(2 + number), time: 5_000, of: Script.billing)
            more.make(900 + UInt64(number), .promise, "late")
            screen.feed(more, from: Self.billing)
        }
        screen.type("p")
        #expect(screen.effects == [.requestSnapshot(Self.billing)])
    }
}

// SPDX-License-Identifier: MIT
