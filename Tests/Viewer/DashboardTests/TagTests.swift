import Frames
import Testing

@testable import Dashboard

/// Tags are on the screen, and a key tags the node that was drawn under the cursor.
@Suite struct TagTests {
    private static func chains(_ rows: Int = 20) -> Screen {
        var screen = Screen(120, rows)
        var script = Script(time: 10)
        for chain in 1...3 as ClosedRange<UInt64> {
            script.make(chain * 10, .promise, "order \(chain)")
            for step in 1...3 as ClosedRange<UInt64> {
                script.make(chain * 10 + step, .then, "step \(step)", under: chain * 10)
            }
        }
        screen.feed(script)
        return screen
    }

    @Test func theCountStaysInTheFooter() {
        var screen = Self.chains()
        screen.type("   ")
        let footer = { (screen: Screen) in screen.frame.rowText(19) }
        #expect(footer(screen).contains("◆ 3 tagged"))
        screen.state.notify("something else")
        #expect(footer(screen).contains("◆ 3 tagged   something else"))
        screen.type("/step<Enter>")
        #expect(footer(screen).contains("◆ 3 tagged"))
        screen.type("<Esc>U")
        #expect(!footer(screen).contains("tagged  "))
    }

    @Test func aFoldedRowSaysThatTaggedNodesAreInIt() {
        var screen = Self.chains()
        screen.type("j  ")
        #expect(screen.taggedIDs == [11, 12])
        #expect(screen.frame.rowText(4).dropFirst().hasPrefix("◆"))
        screen.type("gh")
        #expect(screen.frame.rowText(3).dropFirst().hasPrefix("◈"), "folded by hand")
        screen.type("t")
        screen.type("_")
        #expect(screen.text.contains("◈"), "in a group")
        screen.type("U")
        #expect(!screen.text.contains("◈"))
    }

    /// An event adds a row between the last frame and the key.
    @Test func theNodeThatWasDrawnIsTagged() {
        var screen = Self.chains()
        screen.type("j")
        #expect(screen.selectedID == 11)
        var script = Script(sequence: 2, time: 20)
        // A new node comes between the selected row and the one below it.
        script.make(99, .then, "late", under: 11)
        screen.act(.received(SourceID(0), script.batch))
        screen.type(" ")
        #expect(screen.taggedIDs == [11])
        #expect(screen.selectedID == 12, "the row below as it was drawn")
        screen.type(" ")
        #expect(screen.taggedIDs == [11, 12])
    }

    /// Before any move the first row is the selected one; a chain that comes above it does not change what is tagged.
    @Test func withoutAMoveTheDrawnNodeIsTagged() {
        var screen = Self.chains()
        screen.type("I")
        let drawn = screen.selectedID
        var script = Script(sequence: 2, time: 20)
        script.make(90, .promise, "order 9")
        screen.act(.received(SourceID(0), script.batch))
        screen.type(" ")
        #expect(screen.taggedIDs == [drawn!])
    }

    @Test func rowsStayWhileTagsAreSet() {
        var screen = Self.chains()
        var script = Script(sequence: 2, time: 20)
        screen.go(to: 21)
        screen.type(" ")
        for id in 30...33 as ClosedRange<UInt64> { script.fulfill(id) }
        screen.feed(script)
        #expect(screen.taggedIDs == [21])
        let rows = screen.visibleIDs
        screen.tick(4_500)
        #expect(screen.visibleIDs == rows, "the settled chain stays where it is")
        screen.tick(60_000)
        #expect(screen.visibleIDs != rows)
    }
}

// SPDX-License-Identifier: MIT
