import ChainEvents
import Frames
import SeededNumbers
import Testing

@testable import Dashboard

/// The view of threads: what it looks like, what its keys do, and when it is redrawn.
@Suite struct ThreadsViewTests {
    // MARK: Goldens

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func shop(_ size: Size) { GoldenTests.check(Self.shop(size.columns, size.rows), "threads/\(size)") }

    @Test func shopInASCII() {
        GoldenTests.check(Self.shop(120, 40, options: State.Options(glyphs: .ascii)), "threads/ascii-120x40")
    }

    @Test func severalProgramsHaveASectionEach() {
        var screen = Screen(120, 30, connected: false)
        screen.act(.connected(SourceID(0), Script.process))
        screen.act(.connected(SourceID(1), Script.billing))
        screen.act(.connecting(SourceID(2), name: "mailer", attempt: 2, lastFailure: "no such process"))
        screen.act(.received(SourceID(0), Self.batch()))
        for script in Demo.billing() { screen.feed(script, from: SourceID(1)) }
        screen.tick(9_240)
        screen.type("2j")
        GoldenTests.check(screen, "threads/programs-120x30")
    }

    @Test func nothingRanYet() {
        var screen = Screen(80, 24)
        screen.tick(10)
        screen.type("2")
        #expect(screen.text.contains("no thread has run a handler"))
    }

    // MARK: Lanes

    @Test func lanesStandInNaturalOrderAndDoNotMove() {
        var screen = Self.shop(120, 40)
        let names = ["main", "worker-1", "worker-2", "worker-9", "worker-10"]
        #expect(Self.lanes(screen) == names)
        var more = TimedScript(sequence: 2)
        more.fulfill(40, at: 9_300, on: 10)
        more.run(90, "later", from: 9_310, to: 9_320, on: 2)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(9_400)
        #expect(Self.lanes(screen) == names)
    }

    @Test func blockedMarksComeAndGo() {
        var screen = Self.shop(120, 40)
        #expect(Self.line("worker-2", screen).contains("waits for ◍ stock of"))
        #expect(Self.line("worker-2", screen).contains("blocked"))
        var more = TimedScript(sequence: 2)
        more.append(.fulfilled, 22, at: 9_300, on: 10)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(9_310)
        #expect(!Self.line("worker-2", screen).contains("waits for"), "what it waited for is there")
        more = TimedScript(sequence: 3)
        more.append(.awaitEnded, 22, 21, at: 9_310, on: 2)
        more.fulfill(21, at: 9_400, on: 2)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(9_410)
        #expect(Self.line("worker-2", screen).contains("idle"))
    }

    @Test func blockedMeansTheSameAsInTheWarning() {
        var screen = Screen(120, 40)
        var script = TimedScript()
        script.batch.threads = [1: "worker-1", 2: "worker-2"]
        for node in 1...2 as ClosedRange<UInt64> {
            script.make(node, .work, "step \(node)", at: 1_000)
            script.queue(node, at: 1_000)
            script.start(node, at: 1_000, on: ThreadID(node))
        }
        script.make(9, .promise, "stock", at: 1_000)
        script.append(.stalled, 1, at: 1_100, on: 1, detail: SystemWait.futex.rawValue)
        script.append(.awaited, 9, 2, at: 1_200, on: 2)
        screen.act(.received(SourceID(0), script.batch))
        screen.tick(1_300)
        screen.type("2")
        // The program reports a block after 100 ms, before the warning's limit.
        #expect(Self.words(screen) == ["waiting", "waiting"])
        for time in stride(from: 1_400.0, through: 2_150, by: 50) { screen.tick(time) }
        #expect(Self.words(screen) == ["blocked", "waiting"])
        #expect(screen.text.contains("step 1 blocked in futex wait"))
        for time in stride(from: 2_200.0, through: 3_000, by: 50) { screen.tick(time) }
        #expect(Self.words(screen) == ["blocked", "blocked"])
        #expect(screen.state.programs[0].insight.warnings.count(of: .blockedWorker) == 2)
        // A new limit holds for the view and the warning.
        screen.state.options.warnings[.blockedWorker] = 10_000_000_000
        screen.tick(4_000)
        #expect(Self.words(screen) == ["waiting", "waiting"])
        #expect(screen.state.programs[0].insight.warnings.count(of: .blockedWorker) == 0)
    }

    /// Returns the words for what the workers do.
    private static func words(_ screen: Screen) -> [String] {
        lines(screen).filter { $0.contains("worker-") }.compactMap { line in
            line.split(separator: " ").map(String.init).first {
                ["idle", "running", "waiting", "blocked"].contains($0)
            }
        }
    }

    @Test func theSignsAreExplainedWhereThereIsRoom() {
        for columns in [80, 120, 200] { #expect(Self.shop(columns, 40).text.contains("▓ waiting"), "\(columns)") }
        #expect(!Self.shop(120, 12).text.contains("▓ waiting"))
    }

    @Test(arguments: [80, 100, 120, 160]) func aLongThreadNameKeepsItsEnd(_ columns: Int) {
        var screen = Screen(columns, 40)
        var script = TimedScript()
        // Linux keeps 15 bytes of a thread's name, and Dispatch gives it the last 15 of its own.
        script.batch.threads = [1: "oot.default-qos", 2: "order-service-database-pool-worker-12"]
        for node in 1...2 as ClosedRange<UInt64> {
            script.make(node, .work, "step \(node)", at: 1_000)
            script.queue(node, at: 1_000)
            script.start(node, at: 1_000, on: ThreadID(node))
        }
        screen.act(.received(SourceID(0), script.batch))
        screen.tick(1_300)
        for key in ["1", "2", "6"] {
            screen.type(key)
            let text = screen.text
            #expect(!text.contains("oot."), "the beginning is cut within a word, in view \(key)")
            guard key == "2" || text.contains("qos") else { continue }
            #expect(text.contains(/…[a-z-]*t-qos/), "\(key)")
            #expect(text.contains("orker-12"), "the end tells threads apart, in view \(key)")
        }
    }

    @Test func queuesAreCounted() {
        var screen = Self.shop(120, 40)
        let cells = Self.line("pool", screen).split(separator: " ")
        #expect(cells.suffix(3) == ["2", "5.7s", "3"])
        var more = TimedScript(sequence: 2)
        more.start(50, at: 9_300, on: 9)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(9_310)
        #expect(Self.line("pool", screen).split(separator: " ").suffix(3) == ["1", "1.3s", "4"])
    }

    // MARK: Keys and clicks

    @Test func theCursorSelectsWhatRunsThere() {
        var screen = Self.shop(120, 40)
        screen.type("g")
        #expect(screen.selectedID == nil, "main is idle")
        screen.type("jj")
        #expect(screen.selectedID == 21)
        screen.type("j")
        #expect(screen.selectedID == 31, "the innermost handler")
        screen.type("c")
        #expect(screen.state.context == .confirm)
        screen.type("n<Enter>")
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == 31)
    }

    @Test func enterOnWhatDoesNotRunSaysWhy() {
        var screen = Self.shop(120, 40)
        screen.type("g<Enter>")
        #expect(screen.message == "nothing runs on this thread now")
        for _ in 0..<20 where screen.state.threads.current != .executors(SourceID(0)) { screen.type("j") }
        screen.type("<Enter>")
        #expect(screen.message?.contains("executor") == true)
        #expect(screen.state.view == .threads)
    }

    @Test func aDoubleClickGoesThere() {
        var screen = Self.shop(120, 40)
        let row = Layout(screen.state).content.row + 2
        screen.act(.mouse(Mouse(.press, .left, row: row, column: 20)))
        #expect(screen.selectedID == 21)
        #expect(screen.state.view == .threads)
        screen.act(.mouse(Mouse(.press, .left, row: row, column: 20, clickCount: 2)))
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == 21)
    }

    @Test func theCursorBeginsAtTheLaneOfTheSelectedNode() {
        var screen = Self.shop(120, 40)
        screen.type("1")
        screen.go(to: 40)
        screen.type("2")
        #expect(screen.selectedID == 40)
        #expect(screen.frame.rowText(Layout(screen.state).content.row + 4).hasPrefix("›"))
    }

    @Test func aGlanceAtThreadsKeepsTheTreesSelection() {
        var screen = Self.shop(120, 40)
        screen.type("1")
        screen.go(to: 22)
        screen.type("2")
        #expect(screen.selectedID != 22)
        screen.type("1")
        #expect(screen.selectedID == 22)
        screen.type("2jj1")
        #expect(screen.selectedID != 22)
    }

    @Test func oneKeyGoesToTheNodeThatBlocks() {
        var screen = Self.shop(120, 40)
        screen.type("gjjw")
        #expect(screen.selectedID == 22)
    }

    // MARK: Time

    @Test func aChangedFrameHasANewRevision() {
        var screen = Self.shop(120, 40)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let (revision, frame) = (screen.state.revision, screen.frame)
            screen.tick(screen.milliseconds + Double(random.next() % 60))
            if screen.state.revision == revision { #expect(screen.frame == frame, "a change was not noticed") }
        }
    }

    @Test func idleThreadsAreNotRedrawn() {
        var screen = Screen(120, 40)
        var script = TimedScript()
        script.batch.threads = [1: "worker-1"]
        script.run(1, "alone", from: 10, to: 20, on: 1)
        screen.act(.received(SourceID(0), script.batch))
        screen.type("2")
        screen.tick(1_000)
        screen.tick(100_000)
        let (revision, body) = (screen.state.revision, screen.body)
        for step in 1...200 { screen.tick(100_000 + Double(step) * 10) }
        #expect(screen.state.revision == revision + 2, "the seconds of the header's clock")
        #expect(screen.body == body)
    }

    @Test func aFrozenPictureStandsStill() {
        var screen = Self.shop(120, 40)
        screen.type("p")
        screen.tick(20_000)
        let rows = (2..<38).map { screen.frame.rowText($0) }
        var more = TimedScript(sequence: 2)
        more.fulfill(40, at: 20_100, on: 10)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(30_000)
        #expect((2..<38).map { screen.frame.rowText($0) } == rows)
        screen.type("p")
        #expect((2..<38).map { screen.frame.rowText($0) } != rows)
    }

    // MARK: Any size, any thread

    @Test(arguments: UInt64(1)...6) func staysWithinItsArea(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let size = Size(columns: 30 + Int(random.next() % 200), rows: 8 + Int(random.next() % 60))
            var screen = Self.shop(size.columns, size.rows)
            for _ in 0..<5 { screen.type(["j", "k", "G", "g", "<PgDn>"].randomElement(using: &random)!) }
            Self.checkArea(screen)
        }
    }

    /// Checks that a view draws nothing outside its area, where the header, tabs, details and footer are.
    static func checkArea(_ screen: Screen) {
        let area = Layout(screen.state).content
        let frame = screen.frame
        var plain = Painter(screen.state)
        plain.paintHeader(screen.state)
        plain.paintTabs(screen.state)
        plain.paintDetail(screen.state)
        plain.paintFooter(screen.state)
        for row in 0..<frame.size.rows {
            for column in 0..<frame.size.columns {
                let isInside = row >= area.row - 1 && row < area.row + area.rows && column < area.columns
                if !isInside { #expect(frame[row, column] == plain.frame[row, column], "\(row), \(column)") }
            }
        }
    }

    @Test func manyThreadsAreARowEach() {
        var screen = Screen(120, 40)
        var script = TimedScript()
        for thread in 1...600 as ClosedRange<UInt32> {
            script.batch.threads[thread] = "t-\(thread)"
            script.make(UInt64(thread), at: 10)
            script.start(UInt64(thread), at: 11, on: thread)
        }
        screen.act(.received(SourceID(0), script.batch))
        screen.tick(20)
        screen.type("2")
        // Two rows below them: the heading of executors, and handlers without a known executor.
        #expect(screen.state.threads.cursor.count == 602)
        screen.type("Gkk")
        #expect(screen.selectedID == 600)
        #expect(Self.line("t-600", screen).hasPrefix("›"))
    }

    // MARK: Scenes

    /// Returns a batch with five threads: one idle, one busy now and then, one blocked, one that runs a handler while
    /// another waits below it, one that has run one handler for long. Two nodes are in a queue.
    static func batch() -> EventBatch {
        var script = TimedScript()
        script.batch.threads = [1: "worker-1", 2: "worker-2", 4: "main", 9: "worker-9", 10: "worker-10"]
        script.batch.executors = [1: "pool", 2: "main"]
        script.run(1, "load page", from: 100, to: 130, on: 4)
        for step in 0..<8 as Range<UInt64> {
            script.run(
                10 + step, "price", from: 1_000 + Double(step) * 1_000, to: 1_100 + Double(step) * 1_120, on: 1)
        }
        script.run(20, "warm up", from: 500, to: 2_700, on: 2)
        script.make(21, .work, "reserve", at: 2_800)
        script.make(22, .promise, "stock of sku-9", at: 2_900)
        script.queue(21, at: 2_900)
        script.start(21, at: 3_000, on: 2)
        script.append(.awaited, 22, 21, at: 4_200, on: 2)
        script.make(30, .work, "nightly report", at: 3_000)
        script.queue(30, at: 3_000)
        script.start(30, at: 3_100, on: 9)
        script.append(.awaited, 22, 30, at: 5_000, on: 9)
        script.make(31, .work, "send mail", at: 7_000)
        script.queue(31, at: 7_000, executor: 2)
        script.start(31, at: 7_100, on: 9)
        script.make(40, .work, "fraud score", at: 800)
        script.queue(40, at: 800)
        script.start(40, at: 900, on: 10)
        script.make(50, .work, "thumbnail", at: 3_500)
        script.queue(50, at: 3_501)
        script.make(51, .work, "thumbnail", at: 8_000)
        script.queue(51, at: 8_001)
        script.batch.time = script.nanoseconds(9_200)
        return script.batch
    }

    /// Returns the view of the threads in ``batch()``, with the third row selected.
    static func shop(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, rows, options: options)
        screen.act(.received(SourceID(0), batch()))
        screen.tick(9_240)
        screen.type("2gjj")
        return screen
    }

    private static func lines(_ screen: Screen) -> [String] {
        (0..<screen.frame.size.rows).map { screen.frame.rowText($0) }
    }

    /// Returns the line of a thread or an executor; empty if there is none.
    private static func line(_ name: String, _ screen: Screen) -> String {
        let found = lines(screen).first { line in
            line.split(separator: " ").prefix(4).contains { $0 == name }
        }
        return found ?? ""
    }

    /// Returns the names of the threads, from top to bottom.
    private static func lanes(_ screen: Screen) -> [String] {
        screen.state.threads.rows.compactMap { row in
            guard case .lane(_, let thread) = row else { return nil }
            return screen.state.programs[0].threadName(thread)
        }
    }
}

// SPDX-License-Identifier: MIT
