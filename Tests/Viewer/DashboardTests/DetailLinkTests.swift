import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// The details link to the nodes that they name; keys and clicks follow a link and return.
@Suite struct DetailLinkTests {
    /// Returns a screen with the details of node 206, which failed with the error of node 203.
    private static func screen(_ columns: Int = 120, _ rows: Int = 60) -> Screen {
        var screen = GoldenTests.checkout(columns, rows)
        screen.go(to: 206)
        if Layout(screen.state).detail == nil { screen.type("<Enter>") }
        return screen
    }

    /// Returns the nodes that the details link to, from top to bottom.
    private static func linked(_ screen: Screen) -> [UInt64] {
        screen.detailLinks.map { $0.rowID.id!.rawValue }
    }

    @Test func tabSelectsEnterGoesBackspaceReturns() {
        var screen = Self.screen()
        let links = Self.linked(screen)
        #expect(links.count >= 2 && links.first == 203, "the root cause, then the parent")
        screen.type("<Tab>")
        #expect(screen.state.detail.link?.index == 0 && screen.state.view == .chains)
        #expect(screen.frame.rowText(59).contains("⏎ go to"))
        screen.type("<Enter>")
        #expect(screen.selectedID == 203 && !screen.isLinkSelected)
        #expect(Layout(screen.state).detail != nil, "the details stay")
        screen.type("<BS>")
        #expect(screen.selectedID == 206)
        screen.type("<Tab><Tab><Enter>")
        #expect(screen.selectedID == links[1])
        screen.type("<^O>")
        #expect(screen.selectedID == 206)
        screen.type("<BS>")
        #expect(screen.message == "there is no node to return to")
    }

    /// The link above the selected one, to the awaited member, goes when the combinator settles.
    @Test func theSelectedLinkStaysSelectedIfTheLinesChange() {
        var screen = Screen(120, 40)
        var script = Script(time: 1_000)
        script.make(1, .work, "first")
        script.make(2, .then, "second", under: 1)
        script.make(3, .all, "both", by: 2)
        script.make(4, .work, "member", by: 2)
        script.link(3, 4)
        screen.feed(script)
        screen.go(to: 3)
        screen.type("<Enter>")
        #expect(Self.linked(screen).prefix(2) == [4, 2])
        screen.type("<Tab><Tab>")
        var next = Script(sequence: 2, time: 1_100)
        next.fulfill(4)
        next.fulfill(3)
        screen.feed(next)
        #expect(Self.linked(screen).first == 2, "nothing is waited for any more")
        screen.type("<Enter>")
        #expect(screen.selectedID == 2)
    }

    @Test func enterFollowsALinkInWarnings() {
        var screen = WarningsViewTests.screen(160, 40)
        screen.type("<Tab>")
        let link = screen.state.detail.link?.rowID
        screen.type("<Enter>")
        #expect(link != nil && screen.state.selection == link && screen.state.view == .chains)
    }

    @Test func beyondTheLastLinkComesTheNextView() {
        var screen = Self.screen()
        for _ in Self.linked(screen) { screen.type("<Tab>") }
        #expect(screen.state.view == .chains)
        screen.type("<S-Tab>")
        #expect(screen.state.view == .chains)
        screen.type("<Tab><Tab>")
        #expect(screen.state.view == .threads)
    }

    @Test func aMoveForgetsTheSelectedLink() {
        var screen = Self.screen()
        screen.type("<Tab>k")
        #expect(!screen.isLinkSelected)
        screen.type("<Enter>")
        #expect(Layout(screen.state).detail == nil, "Enter closes the details again")
    }

    @Test func closingTheDetailsForgetsTheSelectedLink() {
        var screen = Self.screen()
        screen.type("<Tab><Esc>")
        #expect(Layout(screen.state).detail == nil && !screen.isLinkSelected)
        #expect(!screen.frame.rowText(59).contains("go to"))
        screen.type("<Enter>")
        #expect(Layout(screen.state).detail != nil && screen.selectedID == 206, "Enter opens the details again")
        #expect(!screen.isLinkSelected)
    }

    @Test func anotherViewForgetsTheSelectedLink() {
        var screen = Self.screen(160, 40)
        screen.type("<Tab>4<Enter>")
        #expect(screen.state.view == .chains && screen.state.filter.isActive, "Enter shows the nodes of the call site")
        screen = Self.screen(160, 40)
        screen.type("<Tab>41")
        #expect(screen.selectedID == 206 && !screen.isLinkSelected)
    }

    @Test func whyAndGotoCanBeReturnedFrom() {
        var screen = GoldenTests.checkout(120, 40)
        screen.go(to: 406)
        screen.type("w")
        #expect(screen.selectedID == 401)
        screen.type("<BS>")
        #expect(screen.selectedID == 406)
        screen.type("w:goto 203<Enter>")
        #expect(screen.selectedID == 203)
        screen.type("<BS>")
        #expect(screen.selectedID == 401)
        screen.type("<BS>")
        #expect(screen.selectedID == 406)
    }

    @Test func aClickOnALinkGoesThere() {
        for columns in [120, 160] {
            var screen = Self.screen(columns)
            let pane = Layout(screen.state).detail!
            let link = screen.detailLinks[0]
            screen.act(
                .mouse(Mouse(.press, .left, row: pane.row + 1 + link.lines.lowerBound, column: pane.column + 16)))
            #expect(screen.selectedID == 203)
        }
    }

    /// In a wide pane the times stand beside the links.
    @Test func aClickOnTheTimesGoesNowhere() throws {
        var screen = Screen(120, 40)
        var script = Script(time: 1_000)
        script.make(1, .work, "order")
        script.start(1)
        script.make(2, .work, "pack", by: 1)
        script.queue(2)
        script.at(1_020)
        script.start(2, on: 2)
        screen.feed(script)
        screen.go(to: 2)
        screen.type("<Enter>")
        let pane = try #require(Layout(screen.state).detail)
        // The pane has a margin of two columns at each side, and a gap of four between its halves.
        let times = pane.column + 2 + (pane.columns - 8) / 2 + 4
        let rows = screen.detailLinks.map { pane.row + 1 + $0.lines.lowerBound }
        let row = try #require(
            rows.first { Array(screen.frame.rowText($0, isTrimmed: false))[times...].contains { $0 != " " } },
            "\(screen.text)")
        screen.act(.mouse(Mouse(.press, .left, row: row, column: times)))
        #expect(screen.selectedID == 2)
        screen.act(.mouse(Mouse(.press, .left, row: row, column: times - 5)))
        #expect(screen.selectedID == 1)
    }

    /// After the screen has grown, all lines are shown, however far they were scrolled before.
    @Test func aClickInAGrownPaneGoesToTheLinkThatIsShown() {
        var screen = Self.screen(160, 14)
        for _ in 0..<20 { screen.type("J") }
        #expect(screen.state.detail.top > 0)
        screen.act(.resized(Size(columns: 160, rows: 60)))
        let pane = Layout(screen.state).detail!
        let link = screen.detailLinks[0]
        screen.act(.mouse(Mouse(.press, .left, row: pane.row + 1 + link.lines.lowerBound, column: pane.column + 16)))
        #expect(screen.selectedID == 203)
    }

    @Test func aLinkInTheTimelineStaysInTheTimeline() {
        var screen = Self.screen(160, 40)
        screen.type("3<Tab><Enter>")
        #expect(screen.state.view == .timeline && screen.selectedID == 203)
        screen.type("<BS>")
        #expect(screen.state.view == .timeline && screen.selectedID == 206)
    }

    // MARK: Room

    @Test func theDetailsTakeRowsThatTheListLeavesEmpty() {
        var screen = Screen(100, 50)
        var script = Script(time: 10)
        for id in 1...3 as ClosedRange<UInt64> { script.make(id, .promise, "order \(id)") }
        screen.feed(script)
        screen.type("j<Enter>")
        let layout = Layout(screen.state)
        #expect(layout.detail!.rows > 30 && layout.content.rows == 8)
        #expect(screen.visibleIDs == [1, 2, 3])
        // As rows come, the details shrink, but not below their usual size.
        for id in 4...60 as ClosedRange<UInt64> { script.make(id, .promise, "order \(id)") }
        screen.feed(script)
        #expect(Layout(screen.state).detail!.rows == 14)
        #expect(screen.visibleIDs.count == Layout(screen.state).content.rows)
        #expect(screen.selectedID == 2)
    }

    @Test func onALowScreenTheDetailsCoverTheRows() {
        var screen = GoldenTests.checkout(60, 15)
        screen.go(to: 203)
        screen.type("<Enter>")
        #expect(screen.text.contains("CardError.declined"))
        #expect(screen.message == nil && !screen.text.contains("reserve stock"))
        screen.type("j")
        #expect(screen.selectedID != 203, "keys go from row to row below the details")
        screen.type("<Esc>")
        #expect(screen.text.contains("reserve stock"))
        // A session does not begin with its rows covered.
        var old = ViewSettings()
        old.detail = .open
        screen.act(.resume(old))
        #expect(Layout(screen.state).detail == nil)
    }
}

// SPDX-License-Identifier: MIT
