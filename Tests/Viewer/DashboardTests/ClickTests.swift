import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// What looks clickable can be clicked.
@Suite struct ClickTests {
    private static func click(_ screen: inout Screen, _ row: Int, _ column: Int) {
        screen.act(.mouse(Mouse(.press, .left, row: row, column: column)))
    }

    /// Returns the column at which a text begins in the last line; nil if it is not there.
    private static func column(of text: String, _ screen: Screen) -> Int? {
        let line = Array(screen.frame.rowText(screen.state.size.rows - 1))
        let wanted = Array(text)
        return line.indices.first { line[$0...].starts(with: wanted) }
    }

    private static func clickFooter(_ text: String, _ screen: inout Screen) {
        guard let column = column(of: text, screen) else {
            Issue.record("no \(text) in the footer")
            return
        }
        click(&screen, screen.state.size.rows - 1, column)
    }

    /// Also while the filter or a command is typed: each click acts on the row under the pointer, not on a row that was
    /// clicked before.
    @Test(arguments: ["", "/", "<Esc>:"]) func aClickSelectsTheRowUnderThePointer(keys: String) {
        var screen = GoldenTests.checkout(140, 40)
        screen.type("<Home>")
        let content = Layout(screen.state).content
        Self.click(&screen, content.row + 3, 60)
        screen.type(keys)
        for line in [4, 2, 7] {
            let wanted = screen.state.tree.window[line].rowID
            Self.click(&screen, Layout(screen.state).content.row + line, 60)
            #expect(screen.state.selection == wanted, "line \(line) after \(keys)")
        }
    }

    @Test func footerEntriesActAsTheirKeys() {
        var screen = GoldenTests.checkout(140, 40)
        screen.type("<Home>")
        Self.clickFooter("detail", &screen)
        #expect(Layout(screen.state).detail == nil, "the details were open beside the rows")
        Self.clickFooter("cancel", &screen)
        #expect(screen.state.context == .confirm)
        Self.clickFooter("keep", &screen)
        #expect(screen.state.context == .view(.chains))
        // A message covers the keys: a click ends it.
        #expect(screen.message == "nothing was cancelled")
        Self.click(&screen, 39, 30)
        #expect(screen.message == nil)
        Self.clickFooter("filter", &screen)
        #expect(screen.state.context == .filter)
        screen.type("card")
        Self.clickFooter("⏎", &screen)
        #expect(screen.state.context == .view(.chains) && screen.state.filter.text == "card")
        Self.clickFooter("clear", &screen)
        #expect(!screen.state.filter.isActive)
        Self.clickFooter("freeze", &screen)
        #expect(screen.state.isFrozen)
        Self.click(&screen, 39, 30)
        Self.clickFooter("help", &screen)
        #expect(screen.state.context == .help)
        Self.clickFooter("close", &screen)
        #expect(screen.state.context == .view(.chains))
        Self.clickFooter("quit", &screen)
        #expect(screen.effects.last == .quit)
    }

    @Test func eachOfTwoArrowsActs() {
        var screen = GoldenTests.checkout(140, 40)
        screen.type("jj")
        let row = screen.state.tree.selectedRow
        let column = Self.column(of: "↑↓", screen)!
        Self.click(&screen, 39, column)
        #expect(screen.state.tree.selectedRow == row - 1)
        Self.click(&screen, 39, column + 1)
        #expect(screen.state.tree.selectedRow == row)
    }

    @Test(arguments: [120, 160]) func theScrollBarIsDragged(_ columns: Int) {
        var screen = GoldenTests.checkout(columns, 16)
        screen.type("j")
        let area = Layout(screen.state).content
        let column = area.columns - 1
        let limit = screen.state.tree.rowCount - area.rows
        #expect(limit > 0)
        Self.click(&screen, area.row, column)
        #expect(screen.state.pointer.drag == .scrollBar)
        screen.act(.mouse(Mouse(.drag, .left, row: area.row + area.rows - 1, column: column)))
        #expect(screen.state.tree.top == limit)
        screen.act(.mouse(Mouse(.drag, .left, row: area.row + area.rows / 2, column: 3)))
        #expect(screen.state.tree.top > 0 && screen.state.tree.top < limit, "the pointer may leave the bar")
        screen.act(.mouse(Mouse(.drag, .left, row: 0, column: column)))
        #expect(screen.state.tree.top == 0)
        screen.act(.mouse(Mouse(.release, .left, row: 0, column: column)))
        screen.act(.mouse(Mouse(.drag, .left, row: area.row + area.rows - 1, column: column)))
        #expect(screen.state.tree.top == 0, "a drag after the release does nothing")
        if columns == 120 {
            Self.click(&screen, area.row + area.rows - 1, column)
            #expect(screen.state.tree.top == limit, "a click below the thumb")
        }
        #expect(screen.selectedID == 401, "scrolling leaves the selection")
    }

    /// An event adds a row between the last frame and the click.
    @Test func theRowThatWasDrawnIsClicked() {
        var screen = Screen(120, 20)
        var script = Script(time: 10)
        for id in 1...3 as ClosedRange<UInt64> { script.make(id, .promise, "order \(id)") }
        screen.feed(script)
        screen.type("j")
        var late = Script(sequence: 2, time: 20)
        late.make(9, .then, "late", under: 1)
        screen.act(.received(SourceID(0), late.batch))
        let third = Layout(screen.state).content.row + 2
        Self.click(&screen, third, 40)
        #expect(screen.selectedID == 3)
    }

    @Test func clicksOnHeadersOfOtherViewsSort() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("4")
        let headers = screen.frame.rowText(2)
        #expect(!headers.isEmpty)
        let sort = screen.state.sites.sort
        for column in stride(from: 118, to: 40, by: -6) where screen.state.sites.sort == sort {
            Self.click(&screen, 2, column)
        }
        #expect(screen.state.sites.sort != sort)
    }

    @Test func theHelpIsClosedByItsButton() {
        var screen = GoldenTests.checkout(120, 30)
        screen.type("?")
        let box = HelpBox(size: screen.state.size, glyphs: .unicode)
        #expect(screen.frame.rowText(box.close.row).contains("Esc close"))
        Self.click(&screen, box.close.row, box.close.column + 2)
        #expect(screen.state.context == .view(.chains))
    }
}

// SPDX-License-Identifier: MIT
