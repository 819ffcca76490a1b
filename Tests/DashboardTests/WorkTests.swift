import ChainEvents
import SeededNumbers
import Testing

@testable import ChainRows
@testable import Dashboard

/// What takes long goes on in the time before the next frame, and comes to the same.
@Suite struct WorkTests {
    private func large() -> Screen {
        var screen = Screen(80, 20)
        var script = Script(time: 10)
        for node in 1...30_000 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        screen.feed(script)
        return screen
    }

    @Test func aSearchGoesOnBetweenTicksAndIsDrawnWithTheNext() {
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

    @Test func aTickDoesNoneOfItWhereThereWasTime() {
        var screen = large()
        screen.type("/order")
        screen.act(.work)
        screen.act(.work)
        let found = screen.state.matchCount
        #expect(screen.state.isScanning)
        screen.tick(40)
        #expect(screen.state.matchCount == found)
        // Where there was none it does.
        screen.tick(41)
        #expect(screen.state.matchCount > found)
    }

    @Test func anOrderIsMadeBetweenTicks() {
        var screen = large()
        for _ in 0..<4 { screen.type("s") }
        let before = screen.text
        for _ in 0..<1_000 where screen.state.hasWork { screen.act(.work) }
        #expect(!screen.state.hasWork && screen.state.programs[0].rowModel.order.shown == screen.state.order)
        #expect(screen.text == before)
    }

    /// Else a loop that waits for nothing else would never rest.
    @Test func comesToItsEndInAPictureThatStandsStill() {
        var screen = large()
        screen.act(.work)
        #expect(screen.state.programs[0].insight.hasWork)
        screen.type("p")
        for _ in 0..<1_000 where screen.state.hasWork { screen.act(.work) }
        #expect(screen.state.isFrozen && !screen.state.hasWork)
    }

    @Test(arguments: Seeds.upTo(6)) func comesToTheSameAsWorkInTicks(_ seed: UInt64) {
        #expect(pictures(seed, works: false) == pictures(seed, works: true))
    }

    private func pictures(_ seed: UInt64, works: Bool) -> [String] {
        var random = SeededGenerator(seed: seed << 8)
        var screen = Screen(100, 24, options: RandomWorld.options(seed))
        var story = RandomStory()
        var pictures: [String] = []
        for step in 0..<160 {
            story.goOn(&screen, &random)
            let keys = ["s", "S", "/a<Enter>", "<Esc>", "3", "4", "5", "1", "j", "G"]
            let key = keys[Int.random(in: 0..<10, using: &random)]
            if step % 8 == 0 { screen.type(key) }
            let slices = Int.random(in: 0..<4, using: &random)
            if works { for _ in 0..<slices { screen.act(.work) } }
            screen.tick(story.time)
            guard step % 20 == 19 else { continue }
            // Time enough for everything that is under way, in both.
            for _ in 0..<12 {
                story.pass(100)
                screen.tick(story.time)
            }
            pictures.append(screen.text)
        }
        return pictures
    }
}
