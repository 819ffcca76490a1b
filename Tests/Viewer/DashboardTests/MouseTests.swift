import ChainRows
import Frames
import Testing

@testable import Dashboard

@Suite struct MouseTests {
    @Test func aClickSelectsARow() {
        var screen = GoldenTests.checkout(120, 40)
        screen.act(.mouse(Mouse(.press, .left, row: 6, column: 30)))
        #expect(screen.selectedID == screen.visibleIDs[3])
        #expect(screen.state.tree.selectedLine == 3)
    }

    @Test func aClickOnAMarkerFolds() {
        var screen = GoldenTests.checkout(120, 40)
        let start = Columns(width: 120).node.start
        screen.act(.mouse(Mouse(.press, .left, row: 3, column: start)))
        #expect(!screen.visibleIDs.contains(401))
        screen.act(.mouse(Mouse(.press, .left, row: 3, column: start)))
        #expect(screen.visibleIDs.contains(401))
        // The marker of `all`, one level in.
        screen.act(.mouse(Mouse(.press, .left, row: 13, column: start + 2)))
        #expect(!screen.visibleIDs.contains(310))
    }

    @Test func theWheelScrollsAndLeavesTheSelection() {
        var screen = GoldenTests.checkout(120, 12)
        screen.type("j")
        for _ in 0..<3 { screen.act(.mouse(Mouse(.wheelDown, row: 5, column: 5))) }
        #expect(screen.state.tree.top == 9)
        #expect(screen.selectedID == 401)
        #expect(screen.state.tree.selectedLine == nil)
        screen.tick(4_300)
        #expect(screen.state.tree.top == 9, "a tick does not scroll")
        for _ in 0..<9 { screen.act(.mouse(Mouse(.wheelUp, row: 5, column: 5))) }
        #expect(screen.state.tree.top == 0)
        #expect(screen.state.tree.selectedLine == 1)
        screen.type("j")
        #expect(screen.selectedID == 402)
    }

    @Test func theWheelScrollsHelpAndDetails() {
        var screen = GoldenTests.checkout(60, 20)
        screen.type("?")
        screen.act(.mouse(Mouse(.wheelDown, row: 5, column: 5)))
        #expect(screen.help?.scroll == 3)
        screen.act(.mouse(Mouse(.press, .left, row: 5, column: 5)))
        #expect(screen.state.context == .view(.chains))
        screen.type("<Enter>")
        let detail = Layout(screen.state).detail!
        screen.act(.mouse(Mouse(.wheelDown, row: detail.row + 2, column: 5)))
        #expect(screen.state.detail.top > 0)
        #expect(screen.state.tree.top == 0)
    }

    @Test(arguments: [Size(columns: 160, rows: 40), Size(columns: 100, rows: 40)])
    func theBorderOfTheDetailsCanBeDragged(_ size: Size) {
        var screen = GoldenTests.checkout(size.columns, size.rows)
        if size.columns < Layout.besideColumns { screen.type("<Enter>") }
        let before = Layout(screen.state)
        let (row, column) = (before.detail!.row, before.detail!.column)
        func mouse(_ action: Mouse.Action, _ row: Int, _ column: Int) {
            screen.act(.mouse(Mouse(action, .left, row: row, column: column)))
        }
        mouse(.press, row + (before.isBeside ? 5 : 0), column + (before.isBeside ? 0 : 9))
        let (toRow, toColumn) = before.isBeside ? (row + 7, column - 11) : (row - 5, column + 12)
        mouse(.drag, toRow, toColumn)
        let after = Layout(screen.state)
        #expect(after.isBeside ? after.detail!.column == toColumn : after.detail!.row == toRow)
        #expect(after.detail!.row + after.detail!.rows == before.detail!.row + before.detail!.rows)
        mouse(.release, toRow, toColumn)
        // After the release a drag does nothing.
        mouse(.drag, row, column)
        #expect(Layout(screen.state) == after)
        // The border stops where a part would become too small.
        mouse(.press, after.detail!.row, after.detail!.column)
        mouse(.drag, size.rows + 50, size.columns + 50)
        #expect(Layout(screen.state).detail!.columns >= Layout.leastDetailColumns)
        #expect(Layout(screen.state).detail!.rows >= Layout.leastDetailRows)
        mouse(.drag, 0, 0)
        #expect(Layout(screen.state).content.rows >= 4 && Layout(screen.state).content.columns >= size.columns / 2)
        _ = screen.frame
    }

    @Test func aDoubleClickShowsTheDetails() {
        var screen = GoldenTests.checkout(100, 40)
        screen.act(.mouse(Mouse(.press, .left, row: 6, column: 40)))
        #expect(Layout(screen.state).detail == nil)
        screen.act(.mouse(Mouse(.press, .left, row: 6, column: 40, clickCount: 2)))
        #expect(Layout(screen.state).detail != nil)
        #expect(screen.selectedID == screen.visibleIDs[3])
        screen.act(.mouse(Mouse(.press, .left, row: 7, column: 40, clickCount: 2)))
        #expect(Layout(screen.state).detail != nil, "shown already, they stay")
    }

    /// What is under a button, or under the help, gets nothing of a double click that closed the box.
    @Test func aDoubleClickThatClosesABoxEndsThere() {
        for keys in ["gC", "?"] {
            var screen = GoldenTests.checkout(100, 40)
            screen.type(keys)
            var (row, column) = (6, 40)
            if case .confirm(let question) = screen.state.mode {
                let box = ConfirmBox(question, size: screen.state.size, glyphs: .unicode)
                (row, column) = (box.no.row, box.no.column + 1)
            }
            let (selected, layout) = (screen.selectedID, Layout(screen.state))
            for count in 1...3 {
                screen.act(.mouse(Mouse(.press, .left, row: row, column: column, clickCount: count)))
                screen.act(.mouse(Mouse(.release, .left, row: row, column: column)))
            }
            #expect(screen.state.context == .view(.chains), "\(keys)")
            #expect(screen.selectedID == selected && Layout(screen.state) == layout, "\(keys)")
            screen.act(.mouse(Mouse(.press, .left, row: 7, column: 40)))
            screen.act(.mouse(Mouse(.press, .left, row: 7, column: 40, clickCount: 2)))
            #expect(screen.selectedID == screen.visibleIDs[4], "another click acts again")
            #expect(Layout(screen.state).detail != nil)
        }
    }

    /// Events come between the drawing of a row and the click on it.
    @Test func aClickInFollowedEventsHitsTheDrawnRow() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("6")
        let drawn = screen.state.events.index.entries
        let line = 10
        let entry = drawn[screen.state.events.cursor.top + line]
        var script = Script(sequence: 90, time: 4_050)
        for node in 9_001...9_030 as ClosedRange<UInt64> { script.make(node, .promise) }
        screen.act(.received(SourceID(0), script.batch))
        screen.act(.mouse(Mouse(.press, .left, row: Layout(screen.state).content.row + line, column: 40)))
        #expect(screen.state.events.selected == entry)
        #expect(!screen.state.events.isFollowing)
    }

    /// The rows of the tree move with a click, the lines of the details do not.
    @Test func aClickInTheDetailsIsNotMovedWithTheTree() throws {
        var screen = GoldenTests.checkout(160, 50)
        screen.go(to: 206)
        let detail = try #require(Layout(screen.state).detail)
        let link = try #require(screen.detailLinks.first)
        let row = detail.row + 1 + link.lines.lowerBound
        #expect(screen.state.tree.window.indices.contains(row - Layout(screen.state).content.row))
        var script = Script(sequence: 90, time: 4_050)
        for node in 9_001...9_005 as ClosedRange<UInt64> { script.make(node, .promise) }
        screen.act(.received(SourceID(0), script.batch))
        screen.act(.mouse(Mouse(.press, .left, row: row, column: detail.column + 4)))
        #expect(screen.selectedID == link.rowID.id?.rawValue)
    }

    @Test func aClickOnATabShowsItsView() {
        var screen = GoldenTests.checkout(100, 40)
        for tab in TabLine(screen.state).tabs.reversed() {
            screen.act(.mouse(Mouse(.press, .left, row: 1, column: tab.start + 1)))
            #expect(screen.state.view == tab.view)
        }
        screen.act(.mouse(Mouse(.press, .left, row: 1, column: 99)))
        #expect(screen.state.view == .chains)
    }

    @Test func clicksOutsideDoNothing() {
        var screen = GoldenTests.checkout(80, 24)
        let id = screen.selectedID
        for (row, column) in [(0, 0), (23, 79), (-1, -1), (500, 500)] {
            screen.act(.mouse(Mouse(.press, .left, row: row, column: column)))
        }
        #expect(screen.selectedID == id)
    }
}

// SPDX-License-Identifier: MIT
