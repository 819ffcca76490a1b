import Frames
import Testing

@testable import Dashboard

@Suite struct MouseTests {
    @Test func aClickSelectsARow() {
        var screen = GoldenTests.checkout(120, 40)
        screen.act(.mouse(Mouse(.press, .left, row: 5, column: 30)))
        #expect(screen.selectedID == screen.visibleIDs[3])
        #expect(screen.state.selectedLine == 3)
    }

    @Test func aClickOnAMarkerFolds() {
        var screen = GoldenTests.checkout(120, 40)
        let start = Columns(width: 120).node.start
        screen.act(.mouse(Mouse(.press, .left, row: 2, column: start)))
        #expect(!screen.visibleIDs.contains(101))
        screen.act(.mouse(Mouse(.press, .left, row: 2, column: start)))
        #expect(screen.visibleIDs.contains(101))
        // The marker of `all`, one level in.
        screen.act(.mouse(Mouse(.press, .left, row: 5, column: start + 2)))
        #expect(!screen.visibleIDs.contains(110))
    }

    @Test func theWheelScrollsAndLeavesTheSelection() {
        var screen = GoldenTests.checkout(120, 12)
        screen.type("j")
        for _ in 0..<4 { screen.act(.mouse(Mouse(.wheelDown, row: 5, column: 5))) }
        #expect(screen.state.top == 12)
        #expect(screen.selectedID == 101)
        #expect(screen.state.selectedLine == nil)
        screen.tick(4_300)
        #expect(screen.state.top == 12, "what is looked at stays")
        for _ in 0..<9 { screen.act(.mouse(Mouse(.wheelUp, row: 5, column: 5))) }
        #expect(screen.state.top == 0)
        #expect(screen.state.selectedLine == 1)
        screen.type("j")
        #expect(screen.selectedID == 102)
    }

    @Test func theWheelScrollsHelpAndDetails() {
        var screen = GoldenTests.checkout(60, 20)
        screen.type("?")
        screen.act(.mouse(Mouse(.wheelDown, row: 5, column: 5)))
        #expect(screen.state.mode == .help(scroll: 3))
        screen.act(.mouse(Mouse(.press, .left, row: 5, column: 5)))
        #expect(screen.state.context == .tree)
        screen.type("<Enter>")
        let detail = Layout(screen.state).detail!
        screen.act(.mouse(Mouse(.wheelDown, row: detail.row + 2, column: 5)))
        #expect(screen.state.detailScroll > 0)
        #expect(screen.state.top == 0)
    }

    @Test func clicksOutsideDoNothing() {
        var screen = GoldenTests.checkout(80, 24)
        let id = screen.selectedID
        for (row, column) in [(0, 0), (23, 5), (-1, -1), (500, 500)] {
            screen.act(.mouse(Mouse(.press, .left, row: row, column: column)))
        }
        #expect(screen.selectedID == id)
    }
}
