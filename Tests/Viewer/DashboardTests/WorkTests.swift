import ChainEvents
import SeededNumbers
import Testing

@testable import ChainRows
@testable import Dashboard

/// Long work continues between two ticks, with the same result.
@Suite struct WorkTests {
    private func large() -> Screen {
        var screen = Screen(80, 20)
        var script = Script(time: 10)
        for node in 1...30_000 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        screen.feed(script)
        return screen
    }

    @Test func aSearchContinuesBetweenTicksAndIsDrawnWithTheNext() {
        var screen = large()
        screen.type("/order")
        #expect(screen.state.hasWork && screen.state.isScanning)
        let (revision, first) = (screen.state.revision, screen.state.matchCount)
        var slices = 0
        while screen.state.hasWork, slices < 100 {
            screen.act(.work)
            slices += 1
        }
        #expect(slices > 1 && slices < 100 && !screen.state.isScanning)
        #expect(screen.state.matchCount == 30_000 && first < 30_000)
        #expect(screen.state.revision == revision)
        screen.tick(40)
        #expect(screen.state.revision != revision && screen.text.contains("of 30,000"))
        #expect(!screen.text.contains("so far"))
    }

    @Test func aTickDoesNoWorkAfterWorkBeforeIt() {
        var screen = large()
        screen.type("/order")
        screen.act(.work)
        screen.act(.work)
        let found = screen.state.matchCount
        #expect(screen.state.isScanning)
        screen.tick(40)
        #expect(screen.state.matchCount == found)
        // Without `.work` before it, a tick does the work.
        screen.tick(41)
        #expect(screen.state.matchCount > found)
    }

    @Test func anOrderIsMadeBetweenTicks() {
        var screen = large()
        for _ in 0..<4 { screen.type("s") }
        let before = screen.text
        for _ in 0..<1_000 where screen.state.hasWork { screen.act(.work) }
        #expect(!screen.state.hasWork && screen.state.programs[0].outline.sorted.order == screen.state.tree.order)
        #expect(screen.text == before)
    }

    /// Otherwise the loop, which runs while there is work, would never rest.
    @Test func workEndsInAFrozenPicture() {
        var screen = large()
        screen.act(.work)
        #expect(screen.state.programs[0].insight.hasWork)
        screen.type("p")
        for _ in 0..<1_000 where screen.state.hasWork { screen.act(.work) }
        #expect(screen.state.isFrozen && !screen.state.hasWork)
    }

    @Test(arguments: Seeds.upTo(6)) func workBetweenTicksGivesTheSamePictures(_ seed: UInt64) {
        #expect(pictures(seed, works: false) == pictures(seed, works: true))
    }

    /// Returns what the screen shows of a random program from time to time. `works`: work is also done between ticks.
    private func pictures(_ seed: UInt64, works: Bool) -> [String] {
        var random = SeededGenerator(seed: seed << 8)
        var screen = Screen(100, 24, options: RandomWorld.options(seed))
        var program = RandomProgram()
        var pictures: [String] = []
        for step in 0..<160 {
            program.advance(&screen, &random)
            let keys = ["s", "I", "/a<Enter>", "<Esc>", "3", "4", "5", "1", "j", "G"]
            let key = keys[Int.random(in: 0..<10, using: &random)]
            if step % 8 == 0 { screen.type(key) }
            let slices = Int.random(in: 0..<4, using: &random)
            if works { for _ in 0..<slices { screen.act(.work) } }
            screen.tick(program.time)
            guard step % 20 == 19 else { continue }
            // Enough time for all pending work, with and without `works`.
            for _ in 0..<12 {
                program.pass(100)
                screen.tick(program.time)
            }
            pictures.append(screen.text)
        }
        return pictures
    }
}

// SPDX-License-Identifier: MIT
