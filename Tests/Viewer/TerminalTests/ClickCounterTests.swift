import Frames
import Testing

@testable import Terminal

@Suite struct ClickCounterTests {
    private func press(_ row: Int, _ column: Int, _ button: Mouse.Button = .left) -> Mouse {
        Mouse(.press, button, row: row, column: column)
    }

    @Test func twoPressesShortlyAfterEachOtherAreADoubleClick() {
        var clicks = ClickCounter()
        #expect(clicks.counted(press(3, 4), at: 1_000).clickCount == 1)
        #expect(clicks.counted(Mouse(.release, .left, row: 3, column: 4), at: 2_000).clickCount == 1)
        #expect(clicks.counted(press(3, 4), at: 100_000_000).clickCount == 2)
        #expect(clicks.counted(press(3, 4), at: 200_000_000).clickCount == 3)
    }

    @Test func aSlowPressAnotherCellAnotherButtonOrADragBeginsAnew() {
        var clicks = ClickCounter()
        _ = clicks.counted(press(3, 4), at: 0)
        #expect(clicks.counted(press(3, 4), at: ClickCounter.interval + 1).clickCount == 1)
        #expect(clicks.counted(press(3, 5), at: ClickCounter.interval + 2).clickCount == 1)
        #expect(clicks.counted(press(3, 5, .right), at: ClickCounter.interval + 3).clickCount == 1)
        _ = clicks.counted(Mouse(.drag, .right, row: 3, column: 6), at: ClickCounter.interval + 4)
        #expect(clicks.counted(press(3, 5, .right), at: ClickCounter.interval + 5).clickCount == 1)
    }
}

// SPDX-License-Identifier: MIT
