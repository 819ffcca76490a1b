import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// Pinned chains stay on the screen and say that they are pinned.
@Suite struct PinKeyTests {
    /// Adds a settled chain of two nodes.
    private static func chain(_ script: inout Script, _ id: UInt64, _ label: String) {
        script.make(id, .promise, label)
        script.make(id + 1, .then, "step", under: id)
        script.fulfill(id)
        script.fulfill(id + 1)
    }

    /// Returns a screen with two settled chains, the first of which is selected.
    private static func screen(_ glyphs: Glyphs = .unicode, limit: Int = 320) -> Screen {
        let limits = ForestLimits(settledNodeLimit: limit, settledLeafLimit: 20)
        var screen = Screen(100, 20, options: State.Options(glyphs: glyphs, limits: limits))
        var script = Script(time: 10)
        chain(&script, 10, "the one")
        chain(&script, 20, "its neighbour")
        screen.feed(script)
        screen.go(to: 10)
        return screen
    }

    /// Feeds 1,000 settled chains, then ticks until the forest is within its limits.
    private static func flood(_ screen: inout Screen, after sequence: UInt64 = 2) {
        var script = Script(sequence: sequence, time: 1_000 * Double(sequence))
        for number in 0..<1_000 as Range<UInt64> {
            chain(&script, sequence * 10_000 + number * 2, "order \(number)")
        }
        screen.feed(script)
        for step in 1...40 { screen.tick(1_000 * Double(sequence) + Double(step)) }
    }

    @Test(arguments: [Glyphs.unicode, .ascii]) func aPinnedChainStaysThroughAFlood(_ glyphs: Glyphs) {
        var screen = Self.screen(glyphs)
        screen.type("P")
        #expect(screen.message == "pinned: the one is kept until P unpins it (1 of 16)")
        #expect(screen.text.contains(glyphs.pinned + glyphs.state(.fulfilled)))
        Self.flood(&screen)
        let forest = screen.state.forest!
        #expect(forest.index(of: NodeID(10)) != nil && forest.index(of: NodeID(20)) == nil)
        #expect(forest.totals.counts.nodeCount <= 322)
        screen.type(":goto 11<Enter>P")
        #expect(screen.message == "unpinned: the one may be evicted again")
        screen.type("G")
        Self.flood(&screen, after: 3)
        #expect(screen.state.forest!.index(of: NodeID(10)) == nil)
    }

    @Test func messagesNameTheLimits() {
        var screen = Self.screen(limit: 32)
        // With this limit only a chain of one node can be pinned, and this one has two.
        screen.type("P")
        #expect(screen.message == "its chain has 2 nodes: up to 1 can be pinned")
        var many = Screen(100, 60)
        var script = Script(time: 10)
        for id in 1...17 as ClosedRange<UInt64> { script.make(id, .promise, "order \(id)") }
        many.feed(script)
        many.type("g")
        for _ in 1...17 { many.type("Pj") }
        many.type("P")
        #expect(many.message == "16 nodes are pinned, the limit; P on one unpins it")
        many.type("gP")
        #expect(many.message?.hasPrefix("unpinned: ") == true)
        many.type("4P")
        #expect(many.message == "these rows are no nodes; 1 shows the chains")
    }
}

// SPDX-License-Identifier: MIT
