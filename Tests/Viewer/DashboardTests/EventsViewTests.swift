import ChainEvents
import ChainModel
import ChainText
import Frames
import Testing

@testable import Dashboard

/// The view of events: what it shows, what its keys do, and that it keeps no more than it says.
@Suite struct EventsViewTests {
    static func screen(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = GoldenTests.checkout(columns, rows, options: options)
        screen.type("6")
        return screen
    }

    /// Returns a text for each row that is shown: the node and the word of an event, or the title of a note.
    static func rows(_ screen: Screen) -> [String] {
        screen.state.events.index.entries.map { entry in
            switch screen.state.events.row(of: entry, screen.seen) {
            case .event(let event, _): "\(event.node) \(EventText.word(event.kind))"
            case .note(let note): EventText.words(for: note).title
            case nil: "gone"
            }
        }
    }

    // MARK: What it looks like

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func golden(_ size: Size) {
        var screen = Self.screen(size.columns, size.rows)
        if size.columns == 120 { screen.type("kkk") }
        GoldenTests.check(screen, "events/\(size)")
    }

    @Test func goldenInASCII() {
        var screen = Self.screen(100, 24, options: State.Options(glyphs: .ascii))
        screen.type("kkkka<Enter>")
        GoldenTests.check(screen, "events/ascii-100x24")
    }

    @Test func goldenOfPrograms() {
        var screen = GoldenTests.checkout(120, 30)
        screen.act(.connected(SourceID(1), Script.billing))
        for batch in Demo.billing() { screen.feed(batch, from: SourceID(1)) }
        screen.type("6/rejected<Enter>")
        GoldenTests.check(screen, "events/programs-120x30")
    }

    @Test func aLossHasARow() {
        var screen = Self.screen(100, 24)
        var more = Script(sequence: 5, time: 5_000)
        more.lose(1_204)
        more.make(500, .promise, "order 19")
        screen.feed(more)
        #expect(Self.rows(screen).suffix(2) == ["1,204 events lost here", "#500 made"])
        screen.type("kk")
        #expect(screen.state.selection == nil)
        screen.type("<Enter>")
        GoldenTests.check(screen, "events/lost-100x24")
    }

    @Test func nodesFromBeforeTheRecordingAreOneRow() {
        var screen = Screen(80, 24)
        for part in 0..<3 as Range<UInt64> {
            var batch = EventBatch(process: Script.process.key, sequence: part + 1, time: 1_000)
            batch.nodes = (1...4).map { NodeSnapshot(id: NodeID(part * 4 + $0), kind: .promise) }
            screen.act(.received(SourceID(0), batch))
        }
        screen.tick(1)
        screen.type("6")
        #expect(Self.rows(screen) == ["12 nodes existed before recording began"])
    }

    // MARK: Keys

    @Test func theNewestEventIsFollowedUntilTheSelectionMoves() {
        var screen = Self.screen(80, 12)
        let selection = screen.state.selection
        var more = Script(sequence: 5, time: 5_000)
        more.make(500, .promise, "order 19")
        screen.feed(more)
        #expect(screen.text.contains("order 19"))
        #expect(screen.state.selection == selection, "what keys act on does not change under one's hands")
        screen.type("k")
        #expect(screen.selectedID == 500)
        #expect(screen.text.contains("G follows"))
        var next = Script(sequence: 6, time: 6_000)
        for id in 501...520 as ClosedRange<UInt64> { next.make(id, .promise, "order \(id)") }
        let line = screen.state.events.cursor.line(height: screen.state.events.height(in: screen.seen))
        screen.feed(next)
        #expect(screen.selectedID == 500)
        #expect(screen.state.events.cursor.line(height: screen.state.events.height(in: screen.seen)) == line)
        #expect(!screen.text.contains("order 520"))
        screen.type("G")
        #expect(screen.text.contains("order 520"))
        #expect(screen.text.contains("following"))
        screen.type("fk")
        #expect(!screen.text.contains("following"))
        screen.type("f")
        #expect(screen.text.contains("following"))
    }

    @Test func theWheelMovesTheWindowAndKeepsTheSelection() {
        var screen = Self.screen(80, 24)
        let (selection, top) = (screen.state.selection, screen.state.events.cursor.top)
        screen.act(.mouse(Mouse(.wheelUp, row: 10, column: 10)))
        #expect(screen.state.events.cursor.top == top - 3)
        var more = Script(sequence: 5, time: 5_000)
        more.make(500, .promise, "order 19")
        screen.feed(more)
        #expect(screen.state.events.cursor.top == top - 3)
        #expect(screen.state.selection == selection)
    }

    @Test func aDoubleClickGoesToTheNodeInTheTree() {
        var screen = Self.screen(80, 24)
        let row = Layout(screen.state).content.row + 4
        screen.act(.mouse(Mouse(.press, .left, row: row, column: 30)))
        #expect(screen.state.view == .events)
        let node = screen.selectedID
        #expect(node != nil)
        screen.act(.mouse(Mouse(.press, .left, row: row, column: 30, clickCount: 2)))
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == node)
    }

    @Test func aKeyShowsTheEventsOfOneChain() {
        var screen = GoldenTests.checkout(100, 30)
        screen.go(to: 201)
        screen.type("6a")
        let shown = Self.rows(screen)
        #expect(!shown.isEmpty)
        #expect(shown.allSatisfy { $0.hasPrefix("#2") }, "\(shown)")
        #expect(screen.text.contains("only order 16"))
        screen.type("a")
        #expect(Self.rows(screen).contains { $0.hasPrefix("#1") })
        #expect(screen.message == "events of all chains")
        screen.type("a<Esc>")
        #expect(screen.state.events.scope == nil)
    }

    @Test func keysActOnTheNodeOfTheRow() {
        var screen = Self.screen(100, 30)
        screen.type("k")
        let node = screen.selectedID
        #expect(node == 401)
        screen.effects = []
        screen.type("ey")
        #expect(screen.effects.first == .openEditor(CodeLocation(fileID: "Checkout/Checkout.swift", line: 33)))
        guard case .copy(let text)? = screen.effects.last else { return #expect(Bool(false), "nothing was copied") }
        #expect(text.hasPrefix("#401 running"))
        screen.type("c")
        #expect(screen.text.contains("reserve stock"))
        guard case .confirm(let question) = screen.state.mode else { return #expect(Bool(false), "not asked") }
        #expect(question.parts.first?.scope == .node(NodeID(401)))
    }

    @Test func keysGoFromMatchToMatch() {
        var screen = Self.screen(100, 30)
        let all = Self.rows(screen).count
        screen.type("/rejected<Enter>")
        #expect(Self.rows(screen).count < all)
        screen.type("m")
        screen.tick(5_000)
        #expect(Self.rows(screen).count == all)
        screen.type("N")
        #expect([203, 205, 206].contains(screen.selectedID))
        let index = screen.state.events.cursor.selected
        screen.type("N")
        #expect(screen.state.events.cursor.selected < index)
        screen.type("n")
        #expect(screen.state.events.cursor.selected == index)
    }

    @Test func aPlainWordMatchesAnEventsOwnWordButAFieldDoesNot() {
        var screen = Self.screen(100, 30)
        screen.type("/queued<Enter>")
        #expect(screen.message == nil, "events are found, though no node is queued")
        #expect(!Self.rows(screen).isEmpty)
        #expect(Self.rows(screen).allSatisfy { $0.hasSuffix("queued") })
        #expect(screen.text.contains("\(Self.rows(screen).count) events"))
        screen.type("<Esc>/state:queued<Enter>")
        #expect(Self.rows(screen).isEmpty)
        #expect(screen.text.contains("nothing matches “state:queued”; Esc clears the filter"))
        screen.type("<Esc>/state:rejected kind:then<Enter>")
        #expect(Set(Self.rows(screen).map { $0.prefix(4) }) == ["#203"])
    }

    @Test func aProgramThatConnectsWhileTheViewIsOpenIsShown() {
        var screen = Self.screen(120, 30)
        let before = Self.rows(screen).count
        screen.act(.connecting(SourceID(7), name: "late", attempt: 1, lastFailure: nil))
        screen.act(.connected(SourceID(1), Script.billing))
        for batch in Demo.billing() { screen.feed(batch, from: SourceID(1)) }
        #expect(Self.rows(screen).count == before + Demo.billing()[0].batch.events.count)
        #expect(Self.rows(screen).contains("#8 rejected"))
        // A new run shows no events of the old one.
        var info = Script.billing
        info.key = ProcessKey(rawValue: 78)
        screen.act(.connected(SourceID(1), info))
        #expect(Self.rows(screen).count == before)
        #expect(!Self.rows(screen).contains("gone"))
    }

    @Test func aFrozenPictureStandsStill() {
        var screen = Self.screen(100, 30)
        screen.type("p")
        let before = Self.rows(screen)
        for part in 0..<3 as Range<UInt64> {
            var more = Script(sequence: 5 + part, time: 5_000 + Double(part))
            more.make(500 + part, .promise)
            screen.feed(more)
        }
        #expect(Self.rows(screen) == before)
        screen.type("p")
        #expect(Self.rows(screen).suffix(3) == ["#500 made", "#501 made", "#502 made"])
    }

    @Test func whatWasDroppedWhileFrozenIsCounted() {
        var screen = Self.screen(100, 30, options: State.Options(frozenLimit: 10))
        screen.type("p")
        for part in 0..<5 as Range<UInt64> {
            var more = Script(sequence: 5 + part, time: 5_000 + Double(part))
            for id in 0..<4 as Range<UInt64> { more.make(500 + part * 4 + id, .promise) }
            screen.feed(more)
        }
        screen.type("p")
        #expect(Self.rows(screen).last == "20 events came while frozen and were not kept")
        let loss = screen.state.programs[0].forest.loss
        #expect(loss.lostAtClient == 20, "\(loss)")
        #expect(EventText.words(for: .dropped(1)).title == "1 event came while frozen and was not kept")
    }
}

// SPDX-License-Identifier: MIT
