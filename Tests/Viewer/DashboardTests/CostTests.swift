import ChainEvents
import Frames
import Testing

@testable import ChainRows
@testable import Dashboard

/// The cost of a frame depends on what is on the screen, not on how much there is. It is counted in chains that were
/// walked to find their rows, which `Outline.walkCount` counts.
@Suite struct CostTests {
    private static let programCount = 20
    private static let chainCount = 1_000

    /// Returns a screen with 20 programs of 1,000 chains each; a chain has ten live nodes.
    private static func screen() -> Screen {
        var screen = Screen(120, 40, connected: false)
        for number in 0..<programCount {
            let info = ProcessDescription(
                key: ProcessKey(rawValue: UInt64(number) + 1), pid: Int32(number) + 100, name: "worker-\(number)",
                wallOffset: Script.process.wallOffset)
            screen.act(.connected(SourceID(number), info))
            var script = Script(time: 10, of: info)
            for chain in 0..<UInt64(chainCount) {
                script.make(chain * 10 + 1, .promise)
                for link in 1..<10 as Range<UInt64> {
                    script.make(chain * 10 + 1 + link, .then, under: chain * 10 + link)
                }
            }
            screen.act(.received(SourceID(number), script.batch))
        }
        screen.tick(20)
        return screen
    }

    private static func walkedCount(_ screen: Screen) -> Int {
        screen.state.programs.reduce(0) { $0 + $1.outline.walkCount }
    }

    /// In a large program the nodes of a call site are counted after a rest on one of them, not while scrolling past.
    @Test func aCallSiteIsCountedAfterARestOnOneOfItsNodes() {
        var screen = Screen(140, 40)
        var script = Script(time: 10)
        for node in 1...60_000 as ClosedRange<UInt64> { script.make(node, .work, site: "Shop.swift:\(node % 2 + 1)") }
        screen.feed(script)
        func count() -> String? {
            DetailText.lines(of: screen.state, width: 60).map { $0.parts.map(\.text).joined() }
                .first { $0.hasPrefix("call site") }?.filter(\.isNumber)
        }
        // Lets time pass, with background work between the ticks.
        func pass(_ milliseconds: Double) {
            let end = screen.milliseconds + milliseconds
            while screen.milliseconds < end {
                screen.tick(min(end, screen.milliseconds + 20))
                for _ in 0..<8 { screen.act(.work) }
            }
        }
        for _ in 0..<20 {
            screen.type("j")
            pass(200)
            #expect(count() == nil)
        }
        pass(300)
        #expect(count() == "30000")
        // Freezing stops the program's clock, but not the clock that measures the rest on a node.
        screen.type("pj")
        #expect(count() == nil)
        pass(500)
        #expect(count() == "30000")
    }

    @Test func onlyChainsOnTheScreenAreWalked() {
        var screen = Self.screen()
        // A row for each program and each chain; the first 24 chains of each program unfold by themselves.
        #expect(screen.state.tree.rowCount == Self.programCount * (1 + Self.chainCount + 24 * 9))
        var walked = Self.walkedCount(screen)
        func expectFewWalked(_ what: String, frames: Int = 1) {
            let count = Self.walkedCount(screen)
            // The screen shows 37 rows, so at most 37 chains, all folded; a frame reads them, and those around.
            #expect(count - walked <= 120 * frames, "\(what) walked \(count - walked) chains")
            walked = count
        }
        for keys in ["j", "<PgDn>", "G", "k", "<PgUp>", "h", "h", "l", "g", "h", "l", "f", " ", "w"] {
            screen.type(keys)
            _ = screen.frame
            expectFewWalked(keys)
        }
        for step in 0..<20 {
            screen.tick(30 + Double(step) * 40)
            _ = screen.frame
        }
        expectFewWalked("time", frames: 20)
        var script = Script(sequence: 2, time: 1_000, of: screen.state.programs[7].info!)
        script.start(5_005)
        screen.feed(script, from: SourceID(7))
        expectFewWalked("an event")
        screen.act(.reconnecting(SourceID(3), since: Screen.wall(1_000), reason: "", attempt: 1, nextAttempt: 0))
        _ = screen.frame
        expectFewWalked("a loss")
    }
}

// SPDX-License-Identifier: MIT
