import ChainEvents
import ChainModel
import ChainText
import Frames
import SeededNumbers
import Testing

@testable import Dashboard

/// The timeline: what it looks like, the phases of its bars, and when it is redrawn.
@Suite struct TimelineTests {
    private static let sizes = [
        Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60),
    ]

    // MARK: Goldens

    @Test(arguments: sizes) func aLiveChain(_ size: Size) {
        GoldenTests.check(Self.order(17, size.columns, size.rows), "timeline/\(size)")
    }

    @Test func aLiveChainInASCII() {
        GoldenTests.check(
            Self.order(17, 120, 40, options: State.Options(glyphs: .ascii)), "timeline/ascii-120x40")
    }

    @Test func aRejectedChain() { GoldenTests.check(Self.order(16, 120, 40), "timeline/rejected-120x40") }

    @Test func zoomedInAndPanned() {
        var screen = Self.order(16, 120, 40)
        screen.type("jjj+++ll")
        GoldenTests.check(screen, "timeline/near-120x40")
    }

    /// Returns a screen with the shop and its invoices, in the tree.
    static func twoPrograms() -> Screen {
        var screen = Screen(120, 30, connected: false)
        screen.act(.connected(SourceID(0), Script.process))
        screen.act(.connected(SourceID(1), Script.billing))
        for batch in Demo.checkout() { screen.feed(batch) }
        for batch in Demo.billing() { screen.feed(batch, from: SourceID(1)) }
        screen.tick(4_240)
        return screen
    }

    @Test func allChains() {
        var screen = Self.order(17, 120, 40)
        screen.type("a")
        GoldenTests.check(screen, "timeline/all-120x40")
    }

    @Test func allChainsOfSeveralPrograms() {
        var screen = TimelineTests.twoPrograms()
        screen.type("j3aG")
        GoldenTests.check(screen, "timeline/programs-120x30")
    }

    /// A line below the rows shows times, and with a zoom one above them shows the whole chain.
    @Test(arguments: ["3", "3++"]) func theScrollBarReachesTheLastRow(_ keys: String) throws {
        var screen = Screen(120, 24)
        var script = Script(time: 10)
        script.make(1, .promise, "order 1")
        for node in 2...60 as ClosedRange<UInt64> { script.make(node, .then, "step \(node)", under: node - 1) }
        screen.feed(script)
        screen.tick(2_000)
        screen.type(keys)
        #expect(screen.state.timeline.cursor.count == 60 && screen.state.timeline.cursor.top == 0)
        let area = Layout(screen.state).content
        let column = area.columns - 1
        screen.act(.mouse(Mouse(.press, .left, row: area.row, column: column)))
        screen.act(.mouse(Mouse(.drag, .left, row: area.row + area.rows - 1, column: column)))
        let window = screen.state.timeline.cursor.window(height: screen.state.timeline.height(in: screen.seen))
        #expect(window.upperBound == 60 && window.count == screen.state.timeline.height(in: screen.seen), "\(window)")
    }

    @Test func nothingYet() {
        var screen = Screen(80, 24)
        screen.type("3+-hlfa")
        #expect(screen.text.contains("no chains yet"))
    }

    // MARK: Bars

    @Test func aBarShowsThePhasesOfANode() throws {
        var screen = Self.order(16, 120, 40)
        screen.type("j")
        let forest = try #require(screen.state.forest)
        let now = screen.state.programs[0].shownNow
        func bar(_ id: UInt64) -> [String] {
            let bar = NodeBar(of: forest.index(of: NodeID(id))!, in: forest, now: now)
            return bar.stretches.map { "\($0.phase) \(($0.to - $0.from) / 100_000)" }
                + (bar.end.map { ["\($0.role)"] } ?? [])
        }
        #expect(bar(201) == ["waiting 10", "queued 3", "running 2097", "fulfilled"])
        // Its handler has ended, but it is pending until the `all` that it follows settles.
        #expect(bar(202) == ["waiting 2110", "queued 10", "pending 2880", "fulfilled"])
        #expect(bar(213) == ["pending 2880", "fulfilled"])
        #expect(bar(203).last == "rejected")
        #expect(bar(204) == ["waiting 8000", "skipped"])
    }

    @Test func theWaitOfASuspendedTaskGrows() throws {
        var screen = Screen(120, 30)
        var script = Script()
        script.make(1, .task, "order")
        script.start(1)
        script.at(100)
        script.suspend(1)
        screen.feed(script)
        screen.tick(2_345.6)
        screen.type("3")
        let forest = try #require(screen.state.forest)
        let node = try #require(forest.index(of: NodeID(1)))
        let wait = try #require(forest.timing(of: node, now: screen.state.programs[0].shownNow).wait)
        #expect(DurationText.running(wait) != DurationText.settled(wait))
        let words = TimelineText.info(screen.seen, isAll: false, begin: 0).map(\.text)
        let index = try #require(words.firstIndex(of: "  wait "))
        #expect(words[index + 1] == DurationText.running(wait))
    }

    // MARK: Time

    @Test func aChangedFrameHasANewRevision() {
        for keys in ["", "a", "+++", "+++h", "a++", "jjjj"] {
            var screen = Self.order(17, 120, 40)
            screen.type(keys)
            screen.tick(20_000)
            var random = SeededGenerator(seed: 7)
            for _ in 0..<100 {
                let (revision, frame) = (screen.state.revision, screen.frame)
                screen.tick(screen.milliseconds + Double(random.next() % 60))
                if screen.state.revision == revision { #expect(screen.frame == frame, "after \(keys)") }
            }
        }
    }

    @Test func aSettledChainIsNotDrawnAgain() {
        var screen = Self.order(16, 120, 40)
        // Until the figures of the header stand still.
        for second in 90...100 { screen.tick(Double(second) * 1_000) }
        let (step, body) = (screen.state.timeline.redrawKey(in: screen.seen), screen.body)
        for tick in 1...200 { screen.tick(100_000 + Double(tick) * 10) }
        #expect(screen.state.timeline.redrawKey(in: screen.seen) == step)
        #expect(screen.body == body)
    }

    @Test func aFrozenPictureStandsStill() {
        var screen = Self.order(17, 120, 40)
        screen.type("p")
        screen.tick(20_000)
        let rows = (2..<38).map { screen.frame.rowText($0) }
        screen.tick(30_000)
        #expect((2..<38).map { screen.frame.rowText($0) } == rows)
    }

    // MARK: Any size

    @Test(arguments: UInt64(1)...6) func staysWithinItsArea(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let size = Size(columns: 30 + Int(random.next() % 200), rows: 8 + Int(random.next() % 60))
            var screen = Self.order([15, 16, 17, 18].randomElement(using: &random)!, size.columns, size.rows)
            for _ in 0..<8 {
                screen.type(
                    ["j", "k", "G", "g", "<PgDn>", "+", "+", "-", "h", "l", "a", "f"].randomElement(using: &random)!)
                screen.tick(screen.milliseconds + Double(random.next() % 500))
            }
            // A message of the last key is in the footer, outside the view's area.
            ThreadsViewTests.checkArea(screen)
        }
    }

    @Test func impossibleTimesKeepAnAxisAndItsRows() {
        var screen = Screen(120, 40)
        var script = TimedScript()
        for (index, time) in ([.max, 0, 1, .max / 2, .max - 5] as [UInt64]).enumerated() {
            let node = UInt64(index) * 3 + 1
            script.make(node, .work, at: 10)
            script.make(node + 1, .then, under: node, at: 10)
            script.batch.events[index * 6].time = time
            for kind in [EventKind.queued, .started, .fulfilled, .released] as [EventKind] {
                script.append(kind, node, at: 10)
                script.batch.events[script.batch.events.count - 1].time = .max - time
            }
        }
        screen.act(.received(SourceID(0), script.batch))
        screen.tick(100)
        for keys in ["3", "+", "+", "h", "l", "a", "+", "G", "l", "f", "f"] {
            screen.type(keys)
            let axis = Self.axis(screen)
            #expect(axis.scale >= 1 && axis.columns > 0 && axis.left <= axis.right, "\(keys)")
            let rows = screen.state.timeline.window(screen.seen)
            #expect(rows.count == (screen.state.timeline.scope == .chain ? 2 : 5), "\(keys)")
            ThreadsViewTests.checkArea(screen)
            screen.tick(screen.milliseconds + 100)
        }
    }

    // MARK: Scenes

    /// Returns the timeline of one of the orders 15 to 18.
    static func order(_ number: UInt64, _ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = GoldenTests.checkout(columns, rows, options: options)
        screen.go(to: (number - 14) * 100)
        screen.type("3")
        return screen
    }

    static func axis(_ screen: Screen) -> TimeAxis {
        screen.state.timeline.axis(of: screen.state.timeline.window(screen.seen), screen.seen).axis
    }
}

// SPDX-License-Identifier: MIT
