import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames
import GoldenSupport
import Testing

@testable import ChainListing
@testable import Dashboard

/// Programs whose tasks are read from outside: times are lower bounds, and what tasks wait for is known.
@Suite struct OutsideTests {
    static let process: ProcessDescription = {
        var process = ProcessDescription(
            key: Script.process.key, pid: 4242, name: "checkout", wallOffset: Script.process.wallOffset,
            isReadOnly: true)
        process.isReadFromOutside = true
        process.missingTaskFacts = [.outcome, .symbols]
        return process
    }()

    /// Two tasks that wait for an actor, the task that holds it and waits for a lock, and the lock's owner, a thread.
    /// All were there at the first look, at 1 s; a task that waits for a continuation was made later.
    private static func script() -> Script {
        var script = Script(time: 1_000)
        for (node, name) in [(1, "order 17"), (2, "order 18")] as [(UInt64, String)] {
            script.make(node, .task, name, late: true)
            script.suspend(node)
        }
        script.make(3, .task, "charge", late: true)
        script.start(3, on: 2)
        script.make(10, .actor, "Store")
        script.make(11, .lock, "Ledger.mutex")
        for node in [1, 2] as [UInt64] { script.wait(node, for: 10) }
        script.hold(10, by: 3, on: 2)
        script.wait(3, for: 11)
        script.hold(11, on: 3)
        script.at(4_000)
        script.make(4, .task, "answer", late: true)
        script.suspend(4)
        script.wait(4, .continuation)
        script.at(5_000)
        script.make(5, .task, "new", late: true)
        script.at(5_250)
        script.suspend(5)
        return script
    }

    static func screen(_ columns: Int = 120, _ rows: Int = 24, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, rows, options: options, connected: false)
        screen.act(.connected(SourceID(0), process))
        screen.feed(script())
        screen.tick(13_000)
        return screen
    }

    private func row(_ name: String, _ screen: Screen) -> String {
        screen.text.split(separator: "\n").first { $0.contains(name) }.map(String.init) ?? ""
    }

    // MARK: Stacks of threads, and lines

    /// Returns the last command, if it was the last effect.
    private func request(_ screen: Screen) -> ViewerCommand.Request? {
        guard case .send(_, let command)? = screen.effects.last else { return nil }
        return command.request
    }

    /// Answers the last command.
    private func answer(_ screen: inout Screen, _ entries: [(String, String)]) {
        guard case .send(let source, let command)? = screen.effects.last else { return }
        let node: NodeID
        switch command.request {
        case .describe(let id), .threadStack(let id): node = id
        default: return
        }
        let detail = NodeDetail(node: node, entries: entries.map { .init(name: $0.0, text: $0.1) })
        screen.act(.replied(source, CommandReply(command: command.id, outcome: .described(detail))))
    }

    @Test func theStackOfARunningTasksThreadIsAskedFor() {
        var screen = Self.screen(200, 40)
        screen.go(to: 3)
        screen.effects = []
        screen.type("S")
        #expect(request(screen) == .threadStack(NodeID(3)), "\(screen.effects)")
        #expect(screen.text.contains("reading the stack of its thread"), "\(screen.text)")
        answer(
            &screen, [("thread", "2, stopped for 0.1ms"), ("stack", "__futex_wait\ncharge(Int)  Shop/Till.swift:41")])
        for text in [
            "the stack of its thread at ", "stopped for 0.1ms", "__futex_wait", "charge(Int) Shop/Till.swift:41",
        ] {
            #expect(screen.text.contains(text), "\(text) in \(screen.text)")
        }
        // It is that of this task alone.
        screen.go(to: 5)
        #expect(!screen.text.contains("__futex_wait"))
    }

    @Test(arguments: [
        (1, "it runs on no thread; the details say where it continues"), (10, "only a task has a thread's stack"),
    ])
    func otherRowsHaveNoStack(node: UInt64, words: String) {
        var screen = Self.screen(120, 40)
        screen.go(to: node)
        screen.effects = []
        screen.type("S")
        #expect(screen.effects.isEmpty && screen.text.contains(words), "\(screen.text)")
    }

    @Test func aPreparedProgramsThreadsAreNotStopped() {
        var screen = Screen(120, 40)
        var script = Script()
        script.make(3, .task, "charge")
        script.start(3, on: 2)
        screen.feed(script)
        screen.go(to: 3)
        screen.effects = []
        screen.type("S")
        #expect(screen.effects.isEmpty && screen.text.contains("of programs that are not prepared"), "\(screen.text)")
    }

    @Test func nothingIsStoppedReadOnly() {
        var screen = Self.screen(120, 40, options: .init(isReadOnly: true))
        screen.go(to: 3)
        screen.effects = []
        screen.type("S")
        #expect(screen.effects.isEmpty && screen.text.contains("read-only: "), "\(screen.text)")
    }

    @Test func theEditorIsOpenedWhereATaskContinues() {
        var screen = Self.screen(120, 40)
        screen.go(to: 1)
        screen.effects = []
        screen.type("e")
        #expect(request(screen) == .describe(NodeID(1)), "\(screen.effects)")
        answer(&screen, [("suspended in", "sleep\norder(Int)  Shop/Orders.swift:17")])
        #expect(screen.effects.last == .openEditor(CodeLocation(fileID: "Shop/Orders.swift", line: 17)))
        // The answer is known now.
        screen.effects = []
        screen.type("e")
        #expect(screen.effects == [.openEditor(CodeLocation(fileID: "Shop/Orders.swift", line: 17))])
    }

    @Test func withoutLinesTheEditorIsNotOpened() {
        var screen = Self.screen(120, 40)
        screen.go(to: 1)
        screen.type("e")
        answer(&screen, [("suspended in", "order(Int)")])
        #expect(screen.text.contains("no debug information"), "\(screen.text)")
    }

    /// Its details are all reported.
    @Test func nothingIsAskedAboutAnActor() {
        var screen = Self.screen(120, 40)
        screen.go(to: 10)
        screen.effects = []
        screen.type("d")
        for second in 14...20 { screen.tick(Double(second) * 1_000) }
        #expect(screen.effects.isEmpty, "\(screen.effects)")
    }

    /// In a pane with few rows, too.
    @Test func theDetailsAreScrolledToTheStack() {
        var screen = Self.screen(80, 16)
        screen.go(to: 3)
        screen.effects = []
        screen.type("S")
        answer(&screen, [("thread", "2, stopped for 0.1ms"), ("stack", "a()\nb()\nc()\nd()")])
        #expect(screen.text.contains("the stack of its thread at "), "\(screen.text)")
    }

    // MARK: Times

    @Test func durationsThatBeganBeforeTheFirstLookAreLowerBounds() {
        let screen = Self.screen(160)
        #expect(row("order 17", screen).contains("≥ 12s"), "\(screen.text)")
        #expect(row(" answer", screen).contains("≥ 9.0s"), "\(screen.text)")
        // It was seen to change its state since it was first seen.
        let new = row(" new", screen)
        #expect(new.contains(" 7.7s") && new.contains("≥ 8.0s") && !new.contains("≥ 7.7s"), "\(new)")
    }

    @Test func withoutUnicodeTheSignIsWritten() {
        let screen = Self.screen(160, options: .init(glyphs: .ascii))
        #expect(row("order 17", screen).contains(">= 12s"), "\(screen.text)")
    }

    @Test(
        arguments: [
            (12_000_000_000, "≥ 12s", ">= 12s"), (725_000_000_000, "≥12m05s", ">12m05s"),
            (400_000_000, "≥ 0.4s", ">= 0.4s"),
            (93_600_000_000_000, "≥ 1d02h", ">=1d02h"),
        ] as [(UInt64, String, String)])
    func lowerBoundsFitTheirColumn(duration: UInt64, unicode: String, ascii: String) {
        #expect(DurationText.atLeast(DurationText.running(duration), .unicode) == unicode)
        #expect(DurationText.atLeast(DurationText.running(duration), .ascii) == ascii)
    }

    @Test func otherProgramsHaveExactTimes() {
        var screen = Screen(160, 24)
        screen.feed(Self.script())
        screen.tick(13_000)
        #expect(!screen.text.contains("≥"), "\(screen.text)")
        #expect(screen.frame.rowText(0).contains("0 failed/min"), "\(screen.frame.rowText(0))")
    }

    /// That a task waits for a lock is seen in memory, in a program with an inspector, too.
    @Test func aWaitForALockIsALowerBoundInEachProgram() {
        var screen = Screen(160, 24)
        var script = Script(time: 1_000)
        script.make(1, .task, "charge")
        script.start(1, on: 2)
        script.at(5_000)
        script.wait(1, .lock)
        screen.feed(script)
        screen.tick(13_000)
        screen.go(to: 1)
        screen.type("w")
        #expect(screen.message?.contains("waits for ≥ 8.0s for a lock") == true, "\(screen.message ?? "")")
    }

    // MARK: What is not known

    /// All times of the screen are of one instant.
    @Test(arguments: [13_000, 13_400, 13_900]) func theOldestIsALowerBoundAndThatOfItsRow(milliseconds: Double) {
        var screen = Self.screen(200)
        screen.tick(milliseconds)
        let header = screen.frame.rowText(0)
        #expect(header.contains("oldest ≥ 12s"), "\(header)")
        #expect(row("order 17", screen).contains("≥ 12s"), "\(screen.text)")
    }

    @Test func failuresAreNotCounted() {
        var screen = Self.screen(220)
        #expect(!screen.frame.rowText(0).contains("failed"), "\(screen.frame.rowText(0))")
        let line = ProgramText.line(screen.state.programs[0])
        #expect(!line.contains("failed"), "\(line)")
        screen.type("8")
        #expect(screen.text.contains("≥ 12s") && !screen.text.contains("failed/min"), "\(screen.text)")
    }

    /// Those of the other program are.
    @Test func failuresBesideAPreparedProgramAreALowerBound() {
        var screen = Screen(220, 24, connected: false)
        screen.act(.connected(SourceID(0), Self.process))
        screen.act(.connected(SourceID(1), Script.billing))
        screen.feed(Self.script())
        var script = Script(time: 1_000, of: Script.billing)
        script.make(1, .promise, "invoice 1")
        screen.feed(script, from: SourceID(1))
        screen.tick(13_000)
        #expect(!screen.frame.rowText(0).contains("failed"), "\(screen.frame.rowText(0))")
        script = Script(sequence: 2, time: 13_100, of: Script.billing)
        script.reject(1, "declined")
        screen.feed(script, from: SourceID(1))
        screen.tick(14_000)
        #expect(screen.frame.rowText(0).contains("≥ 1 failed/min"), "\(screen.frame.rowText(0))")
        screen.type("8")
        func line(_ name: String) -> String {
            screen.text.split(separator: "\n").dropFirst().first { $0.contains(name) }.map(String.init) ?? ""
        }
        #expect(line("checkout").contains("≥ 13s") && !line("billing").contains("≥"), "\(screen.text)")
    }

    @Test func listingsDoNotCountFailures() {
        var forest = ChainForest(of: Self.process)
        forest.apply(Self.script().batch)
        var text = ""
        TreeText().write(forest, of: Self.process, now: 13_000_000_001) { text += $0 }
        let head = text.prefix { $0 != "\n" }
        #expect(head == "checkout 4242  7 chains · 7 nodes · 7 live · 1 running · 0 lost", "\(head)")
        text = ""
        TreeJSON().write(forest, of: Self.process, now: 13_000_000_001) { text += $0 }
        for part in [#""running":1"#, #""rejected":null"#, #""fulfilled":null"#, #""outcomes":null"#] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test func howATaskEndedIsNotKnown() {
        var screen = Self.screen(160)
        var script = Script(sequence: 2, time: 13_500)
        script.fulfill(4)
        screen.feed(script)
        screen.tick(14_000)
        #expect(row(" answer", screen).contains("ended"), "\(screen.text)")
        #expect(!screen.text.contains("fulfilled"), "\(screen.text)")
        screen.go(to: 4)
        screen.type("d")
        #expect(!screen.text.contains("fulfilled"), "\(screen.text)")
        let forest = screen.state.programs[0].forest
        let json = TreeJSON().node(forest.index(of: NodeID(4))!, forest, wallOffset: 0, now: 14_000_000_001)
        #expect(json.contains(#""state":"unknown","outcome":"unknown""#), "\(json)")
    }

    /// A thread may have been blocked before it was first seen. The warnings need no events of the program itself.
    @Test func howLongAThreadIsBlockedIsALowerBound() {
        var screen = Self.screen(160)
        var script = Script(sequence: 2, time: 13_500)
        script.resume(3, on: 2)
        script.stall(3, on: 2, in: .sleep)
        screen.feed(script)
        screen.tick(25_500)
        #expect(row("charge  ", screen).contains("blocked in sleep, at least 12s"), "\(screen.text)")
        screen.type("5")
        #expect(screen.text.contains("blocked-worker"), "\(screen.text)")
    }

    // MARK: Moving

    /// What it waits for is not known; its last state and function are still shown.
    @Test func aTaskThatChangedWhileItWasReadSaysSo() {
        var screen = Self.screen(160)
        #expect(!screen.text.contains("moving"))
        var script = Script(sequence: 2, time: 13_500)
        script.wait(1, .moving)
        screen.feed(script)
        screen.tick(14_000)
        let line = row("order 17", screen)
        #expect(line.contains("order 17  moving") && line.contains("≥ 13s"), "\(line)")
        screen.go(to: 1)
        screen.type("w")
        #expect(screen.message?.contains("Store") == false, "\(screen.message ?? "")")
        let forest = screen.state.programs[0].forest
        let node = forest.index(of: NodeID(1))!
        #expect(NodeText.line(node, in: forest, now: 14_000_000_001).contains("order 17, moving"))
        #expect(TreeJSON().node(node, forest, wallOffset: 0, now: 14_000_000_001).contains(#""moving"]"#))
        // Until it is read.
        script = Script(sequence: 3, time: 14_500)
        script.suspend(1)
        script.wait(1, for: 10)
        screen.feed(script)
        #expect(!screen.text.contains("moving"))
    }

    @Test(
        arguments: [
            ("age>10s and kind:task", [1, 2, 3]), ("waits-for:actor", [1, 2]), ("waits-for:lock", [3]),
            ("state:suspended", [1, 2, 4, 5]), ("waits-for:continuation", [4]),
        ] as [(String, Set<UInt64>)])
    func queriesUseTheLowerBound(query: String, ids: Set<UInt64>) throws {
        var forest = ChainForest(of: Self.process)
        forest.apply(Self.script().batch)
        var found: Set<UInt64> = []
        let listing = TreeListing(query: try Query(query))
        _ = listing.forEachRow(of: forest, now: 13_000_000_001) { found.insert(forest.id(of: $0.node).rawValue) }
        #expect(found == ids)
    }

    @Test func listingsHaveTheTimeOfTheFirstLook() {
        var forest = ChainForest(of: Self.process)
        forest.apply(Self.script().batch)
        var text = ""
        TreeText().write(forest, of: Self.process, now: 13_000_000_001) { text += $0 }
        let line = text.split(separator: "\n").first { $0.contains("order 17") }.map(String.init) ?? ""
        #expect(line.contains("≥ 12s") && !line.contains("seen late"), "\(text)")
        text = ""
        TreeJSON().write(forest, of: Self.process, now: 13_000_000_001) { text += $0 }
        #expect(text.contains(#""seenAt":1790000001.0"#) && text.contains(#""seenAt":null"#), "\(text)")
        #expect(text.contains(#""isReadFromOutside":true"#))
    }

    // MARK: The dashboard

    @Test func whyFollowsActorsHoldersAndLocks() {
        var screen = Self.screen(160)
        screen.go(to: 1)
        screen.type("w")
        #expect(
            screen.message
                == "order 17 → Store, held by charge → Ledger.mutex: is held for ≥ 12s by worker-3",
            "\(screen.message ?? "")")
        #expect(screen.selectedID == 11)
        screen.go(to: 4)
        screen.type("w")
        #expect(screen.message == "answer waits for ≥ 9.0s for a continuation", "\(screen.message ?? "")")
    }

    @Test func whyNamesALowerBoundForAFuture() {
        var screen = Self.screen(160)
        var script = Script(sequence: 2, time: 14_000)
        script.make(20, .future, "channelRead", late: true)
        screen.feed(script)
        screen.tick(17_000)
        screen.go(to: 20)
        screen.type("w")
        let words = "channelRead waits for ≥ 3.0s for the program to settle it"
        #expect(screen.message == words, "\(screen.message ?? "")")
    }

    @Test func detailsNameWhatIsWaitedForAndWhoHoldsIt() {
        var screen = Self.screen(160)
        screen.go(to: 1)
        let details = DetailText.lines(of: screen.state, width: 80).map { $0.parts.map(\.text).joined() }
        #expect(details.contains { $0.contains("waits for") && $0.contains("Store #10, an actor") }, "\(details)")
        #expect(details.contains { $0.contains("held by") && $0.contains("charge #3") }, "\(details)")
        #expect(details.contains { $0.contains("waiting") && $0.contains("2 tasks") }, "\(details)")
        screen.go(to: 4)
        let others = DetailText.lines(of: screen.state, width: 80).map { $0.parts.map(\.text).joined() }
        #expect(others.contains { $0.contains("waits for") && $0.contains("a continuation for ≥ 9.0s") }, "\(others)")
    }

    @Test func theProgramSaysThatItIsReadFromOutside() {
        var screen = Self.screen(160)
        let header = screen.text.prefix { $0 != "\n" }
        #expect(header.contains("read from outside") && header.contains("tasks without function names"), "\(header)")
        #expect(!header.contains("read-only") && !header.contains("errors"), "\(header)")
        for columns in [80, 100, 120] {
            let header = Self.screen(columns).text.prefix { $0 != "\n" }
            #expect(header.contains("read from outside"), "\(header)")
        }
        screen.go(to: 1)
        screen.type("c")
        #expect(
            screen.message
                == "the program is read from outside, and takes no commands: link ChainInspector, or start it with "
                + "`chainview run --tasks`, to cancel", "\(screen.message ?? "")")
        let lines = ProgramDetail.lines(of: screen.state.programs[0], screen.state, width: 120)
            .map { $0.parts.map(\.text).joined() }
        #expect(
            lines.contains {
                $0.contains("from outside: history begins now; not shown: values, errors, what happened before")
            }, "\(lines)")
    }

    @Test(arguments: [(120, 24), (80, 24)])
    func drawn(columns: Int, rows: Int) {
        var screen = Self.screen(columns, rows)
        screen.go(to: 1)
        #expect(Golden.complaint(about: screen.golden(), named: "outside-\(columns)") == nil)
    }
}

// SPDX-License-Identifier: MIT
