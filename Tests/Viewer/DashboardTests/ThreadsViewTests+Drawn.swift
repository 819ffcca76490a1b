import ChainEvents
import Frames
import Testing

@testable import Dashboard

// Keys act on the node that was drawn, although another one may run on the thread by now.
extension ThreadsViewTests {
    /// Has the program begin a handler, number 60, on a thread; no frame is drawn after that.
    private static func beginLate(on thread: ThreadID, _ screen: inout Screen) {
        var more = TimedScript(sequence: 2)
        more.make(60, .work, "late", at: 9_250)
        more.queue(60, at: 9_250)
        more.start(60, at: 9_260, on: thread)
        screen.act(.received(SourceID(0), more.batch))
    }

    /// Another handler begins on the selected thread between the last frame and the key.
    @Test(arguments: [" ", "y", "P", "c"]) func keysActOnTheNodeThatWasDrawn(_ key: String) {
        var screen = Self.shop(120, 40)
        #expect(screen.selectedID == 21)
        Self.beginLate(on: 2, &screen)
        screen.type(key)
        switch key {
        case " ":
            #expect(screen.taggedIDs == [21])
            #expect(screen.selectedID == 31, "the cursor is on the next thread")
        case "y":
            guard case .copy(let text)? = screen.effects.last else {
                Issue.record("nothing was copied")
                return
            }
            #expect(text.hasPrefix("#21 "))
        case "P": #expect(screen.message?.hasPrefix("pinned: reserve ") == true)
        default: #expect(screen.text.contains("Cancel reserve?"), "\(screen.text)")
        }
        if key != " " { #expect(screen.selectedID == 60, "what runs there now") }
    }

    /// Nothing ran on the thread as it was drawn, so that the key has nothing to act on.
    @Test func whatHasJustBegunIsNotActedOn() {
        var screen = Self.shop(120, 40)
        screen.type("g")
        #expect(screen.selectedID == nil)
        Self.beginLate(on: 4, &screen)
        screen.type("c")
        #expect(screen.state.context == .view(.threads) && screen.message == "there is nothing to cancel")
        screen.type("c")
        #expect(screen.text.contains("Cancel late?"), "drawn by now: \(screen.text)")
    }

    /// As the keys, so does a click on a key of the footer.
    @Test func aClickOnTheFooterActsOnTheNodeThatWasDrawn() throws {
        var screen = Self.shop(120, 40)
        #expect(screen.selectedID == 21)
        let line = Array(screen.frame.rowText(39))
        let column = try #require(line.indices.first { line[$0...].starts(with: Array("cancel")) })
        Self.beginLate(on: 2, &screen)
        screen.act(.mouse(Mouse(.press, .left, row: 39, column: column)))
        #expect(screen.text.contains("Cancel reserve?"), "\(screen.text)")
    }
}

// SPDX-License-Identifier: MIT
