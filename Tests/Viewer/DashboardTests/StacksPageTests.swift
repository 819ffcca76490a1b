import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// The page of stacks in the view of call sites, with a program that answers requests for frames.
@Suite struct StacksPageTests {
    /// A program whose tasks are suspended in stacks, and a dashboard that shows them.
    struct Run {
        var screen: Screen
        /// By their frames, the tasks.
        var stacks: [(frames: String, tasks: [UInt64])] = []
        private var sequence: UInt64 = 0
        private var taskCount: UInt64 = 0
        /// The parts in which frames are read.
        var partCount: UInt32 = 1
        /// Whether requests are refused.
        var isRefusing = false
        private(set) var parts: [UInt32] = []

        init(_ columns: Int, _ rows: Int, options: State.Options = .init(), isOutside: Bool = false) {
            screen = Screen(columns, rows, options: options, connected: false)
            var process = Script.process
            process.isReadFromOutside = isOutside
            screen.act(.connected(SourceID(0), process))
        }

        /// Makes tasks that are suspended in a stack.
        mutating func suspend(_ count: UInt64, in frames: String) {
            sequence += 1
            var script = Script(sequence: sequence, time: screen.milliseconds)
            let tasks = taskCount + 1...taskCount + count
            taskCount += count
            for task in tasks {
                script.make(task, .task, "order \(task)")
                script.suspend(task)
            }
            screen.act(.received(SourceID(0), script.batch))
            if let index = stacks.firstIndex(where: { $0.frames == frames }) {
                stacks[index].tasks += tasks
            } else {
                stacks.append((frames, Array(tasks)))
            }
        }

        /// Ends a stack's first tasks.
        mutating func end(_ count: Int, in frames: String) {
            guard let index = stacks.firstIndex(where: { $0.frames == frames }) else { return }
            sequence += 1
            var script = Script(sequence: sequence, time: screen.milliseconds)
            for task in stacks[index].tasks.prefix(count) { script.fulfill(task) }
            stacks[index].tasks.removeFirst(count)
            screen.act(.received(SourceID(0), script.batch))
        }

        var reading: FrameReading {
            let count = UInt32(stacks.reduce(0) { $0 + $1.tasks.count })
            var reading = FrameReading(
                time: UInt64(screen.milliseconds * 1e6) + 1, taskCount: count, partCount: partCount,
                readCount: count / partCount, stacks: stacks.map(\.frames))
            for (stack, group) in stacks.enumerated() {
                reading.entries += group.tasks.map { .init(node: NodeID($0), stack: UInt32(stack)) }
            }
            return reading
        }

        /// Ticks five times a second, and answers requests for frames.
        mutating func wait(seconds: Double) {
            let end = screen.milliseconds + seconds * 1_000
            while screen.milliseconds < end {
                screen.tick(min(end, screen.milliseconds + 200))
                answer()
            }
        }

        private mutating func answer() {
            for case .send(let source, let command) in screen.effects {
                guard case .frames(let scope) = command.request else { continue }
                if case .part(let part) = scope { parts.append(part) }
                let outcome: CommandReply.Outcome =
                    isRefusing ? .refused("This program does not show its tasks") : .frames(reading)
                screen.act(.replied(source, CommandReply(command: command.id, outcome: outcome)))
            }
            screen.effects = []
        }
    }

    static let reserve = "Stock.reserve(_:count:)\nOrders.place(_:)\nServer.handle(_:)"
    static let charge = "Bank.charge(_:amount:)\nRetry.run(_:)\nOrders.place(_:)\nServer.handle(_:)"
    static let deliver = "Mailer.deliver()\nMailer.run()"

    /// Returns a shop in which orders pile up before the bank.
    static func shop(_ columns: Int, _ rows: Int, options: State.Options = .init(), isOutside: Bool = false) -> Run {
        var run = Run(columns, rows, options: options, isOutside: isOutside)
        run.suspend(40, in: reserve)
        run.suspend(12, in: charge)
        run.suspend(3, in: deliver)
        run.wait(seconds: 2)
        run.screen.type("4u")
        run.wait(seconds: 2)
        for second in 0..<14 {
            run.suspend(1, in: charge)
            if second % 5 == 0 { run.end(1, in: reserve) }
            run.wait(seconds: 1)
        }
        run.wait(seconds: 5)
        return run
    }

    private static func row(_ name: String, _ screen: Screen) throws -> String {
        String(try #require(screen.text.split(separator: "\n").first { $0.contains(name) }))
    }

    private static func figures(_ run: Run) -> [[Int?]] {
        run.screen.state.sites.stacks.rows.map { [$0.entry.stack.count, $0.entry.change?.total] }
    }

    // MARK: What it looks like

    @Test(arguments: [Size(columns: 60, rows: 20), Size(columns: 80, rows: 24), Size(columns: 120, rows: 30)])
    func looksRight(_ size: Size) {
        var screen = Self.shop(size.columns, size.rows).screen
        screen.type("j")
        if size.columns < 140 { screen.type("d") }
        GoldenTests.check(screen, "sites/stacks-\(size)")
    }

    @Test func looksRightInASCIIFromOutside() {
        let run = Self.shop(120, 16, options: State.Options(glyphs: .ascii), isOutside: true)
        GoldenTests.check(run.screen, "sites/stacks-outside-ascii-120x16")
    }

    @Test func anAgeFromOutsideIsTheLeast() throws {
        #expect(try Self.row("Stock.reserve", Self.shop(120, 20, isOutside: true).screen).contains("≥"))
        #expect(try !Self.row("Stock.reserve", Self.shop(120, 20).screen).contains("≥"))
    }

    @Test(arguments: 30...220) func columnsFit(_ width: Int) {
        for hasPrograms in [false, true] {
            let columns = StackColumns(width: width, hasPrograms: hasPrograms)
            let spans = [
                columns.count, columns.oldest, columns.change, columns.rate, columns.flag, columns.function,
                columns.program,
            ].filter(\.isShown)
            var end = 0
            for span in spans {
                #expect(span.start > end, "\(width)")
                end = span.start + span.width
            }
            #expect(end <= width - 1 && columns.function.width >= 6, "\(width)")
        }
    }

    // MARK: Figures

    @Test func oneRowStandsForAllTasksOfAStack() throws {
        let run = Self.shop(120, 24)
        #expect(Self.figures(run) == [[37, -3], [26, 14], [3, 0]])
        let charge = try Self.row("Bank.charge", run.screen)
        #expect(charge.contains("+14") && charge.contains("growing") && !charge.contains("Retry"), "\(charge)")
        #expect(try !Self.row("Stock.reserve", run.screen).contains("growing"))
        #expect(run.screen.text.contains("growth since 14:13:2"), "\(run.screen.text)")
        #expect(run.screen.text.contains("66 tasks in 3 stacks"))
    }

    @Test func growthCountsFromTheFirstCompleteReading() {
        var run = Run(120, 24)
        run.partCount = 3
        run.suspend(60, in: Self.reserve)
        run.wait(seconds: 1)
        #expect(run.parts.isEmpty, "nothing is read before the page is shown")
        run.screen.type("4u")
        run.wait(seconds: 0.2)
        #expect(run.screen.text.contains("frames 20 of 60"), "\(run.screen.text)")
        #expect(run.screen.text.contains("growth is counted once all frames are read"))
        #expect(run.screen.state.sites.stacks.rows.allSatisfy { $0.entry.change == nil })
        run.suspend(5, in: Self.reserve)
        run.wait(seconds: 2)
        #expect(run.parts.prefix(3) == [0, 1, 2])
        #expect(!run.screen.text.contains("frames 20 of 60") && run.screen.text.contains("growth since"))
        #expect(Self.figures(run) == [[65, 0]], "what came before the first complete reading is no growth")
    }

    @Test func nothingIsReadOrCountedWhileThePageIsHidden() {
        var run = Self.shop(120, 24)
        let (parts, generation) = (run.parts.count, run.screen.state.programs[0].insight.stacks.generation)
        run.screen.type("u")
        run.suspend(4, in: Self.charge)
        run.wait(seconds: 30)
        #expect(run.parts.count == parts)
        #expect(run.screen.state.programs[0].insight.stacks.generation == generation)
        run.screen.type("u")
        run.wait(seconds: 4)
        #expect(Self.figures(run)[1] == [30, 18], "since the page was first shown")
        #expect(run.screen.state.sites.stacks.rows.allSatisfy { !$0.isGrowing }, "the half minute is unknown")
    }

    @Test func equalsCountsTheGrowthAnew() {
        var run = Self.shop(120, 24)
        run.screen.type("=")
        #expect(Self.figures(run) == [[37, 0], [26, 0], [3, 0]])
    }

    @Test func aRestartBeginsAnew() {
        var run = Self.shop(120, 24)
        var next = Script.process
        next.key = ProcessKey(rawValue: 99)
        run.screen.act(.connected(SourceID(0), next))
        run.wait(seconds: 1)
        #expect(run.screen.state.sites.stacks.rows.isEmpty)
        #expect(run.screen.text.contains("growth is counted once all frames are read"), "\(run.screen.text)")
    }

    @Test func framesThatAProgramSendsUnaskedSuffice() {
        var run = Run(120, 24)
        run.isRefusing = true
        run.suspend(6, in: Self.deliver)
        var batch = EventBatch(process: Script.process.key, sequence: 100, time: 1_000_000_000)
        batch.frames = run.reading
        run.screen.act(.received(SourceID(0), batch))
        run.screen.type("4u")
        run.wait(seconds: 2)
        #expect(Self.figures(run) == [[6, 0]])
    }

    // MARK: Keys

    @Test func rowsAreSortedByCountGrowthAndAge() {
        var run = Self.shop(120, 24)
        func order() -> [String] { run.screen.state.sites.stacks.rows.map { String($0.name.prefix(5)) } }
        #expect(order() == ["Stock", "Bank.", "Maile"])
        run.screen.type("s")
        #expect(order() == ["Bank.", "Maile", "Stock"] && run.screen.message?.contains("growth") == true)
        run.screen.type("s")
        #expect(order() == ["Stock", "Bank.", "Maile"] && run.screen.message?.contains("oldest") == true)
        run.screen.type("sI")
        #expect(order() == ["Maile", "Bank.", "Stock"])
    }

    @Test func aRowDoesNotPrecedeItself() {
        let rows = Self.shop(120, 24).screen.state.sites.stacks.rows
        for column in StackSort.Column.allCases {
            for isInverted in [false, true] {
                let sort = StackSort(column: column, isInverted: isInverted)
                for (row, next) in zip(rows, rows.dropFirst()) {
                    #expect(!row.precedes(row, by: sort))
                    #expect(row.precedes(next, by: sort) != next.precedes(row, by: sort))
                }
            }
        }
    }

    @Test func enterShowsTheTasksOfTheWholeStack() {
        var run = Self.shop(120, 24)
        run.suspend(2, in: "Bank.charge(_:amount:)\nRefund.run()")
        run.wait(seconds: 4)
        run.screen.type("jy<Enter>")
        #expect(run.screen.effects == [.copy(Self.charge)])
        #expect(run.screen.state.view == .chains)
        #expect(
            run.screen.state.filter.text
                == #"in="Bank.charge(_:amount:)\nRetry.run(_:)\nOrders.place(_:)\nServer.handle(_:)""#)
        #expect(run.screen.state.matchCount == 26)
        run.screen.type("4")
        #expect(Self.figures(run) == [[26, 14]], "the filter is in force here, too")
        run.screen.type("<Esc>")
        #expect(run.screen.state.sites.stacks.rows.count == 4)
    }

    @Test func aFilterIsSearchedForInTheStacks() {
        var run = Self.shop(120, 24)
        run.screen.type("/orders.place<Enter>")
        #expect(run.screen.state.sites.stacks.rows.count == 2 && run.screen.text.contains("2 stacks"))
        run.wait(seconds: 2)
        #expect(!run.screen.text.contains("frames "), "they were read already")
        run.screen.type("/<^U>nowhere<Enter>")
        #expect(run.screen.text.contains("nothing matches “nowhere”; Esc clears the filter"))
    }

    @Test func escapeAndTheKeyShowTheCallSitesAgain() {
        var run = Self.shop(120, 24)
        run.screen.type("<Esc>")
        #expect(!run.screen.state.sites.stacks.isShown && run.screen.message == "the call sites again")
        run.screen.type("u")
        #expect(run.screen.state.sites.stacks.isShown)
        run.screen.type("u")
        #expect(!run.screen.state.sites.stacks.isShown)
    }

    @Test func keysAreAnswered() {
        var run = Self.shop(160, 24)
        for key in ["c", "C", " ", "w", "n", "Y", "e", "P", "x", "t", "h", "l"] {
            run.screen.type("k" + key)
            #expect(run.screen.message?.isEmpty == false, "\(key)")
        }
        run.screen.type("g")
        #expect(run.screen.frame.rowText(23).contains("u call sites"), "\(run.screen.text)")
    }

    @Test func theSelectionStaysOnItsStack() {
        var run = Self.shop(120, 24)
        run.screen.type("j")
        let selected = run.screen.state.sites.stacks.selectedRow?.id
        run.screen.type("s")
        #expect(run.screen.state.sites.stacks.selectedRow?.id == selected)
        #expect(run.screen.state.sites.stacks.cursor.selected == 0)
    }

    @Test func theDetailsLeadToTheOldestTask() {
        var run = Self.shop(160, 30)
        run.screen.type("j")
        #expect(run.screen.text.contains("Retry.run(_:)") && run.screen.text.contains("suspended for"))
        run.screen.type("<Tab><Enter>")
        #expect(run.screen.state.view == .chains && run.screen.selectedID == 41)
    }

    // MARK: The mouse

    private func click(_ screen: inout Screen, row: Int, column: Int, count: Int = 1) {
        var mouse = Mouse(.press, .left, row: row, column: column)
        mouse.clickCount = count
        screen.act(.mouse(mouse))
    }

    @Test func aClickSelectsSortsAndGoes() {
        var run = Self.shop(120, 24)
        let columns = run.screen.state.sites.stackColumns(run.screen.seen)
        click(&run.screen, row: 2, column: columns.oldest.start + 2)
        #expect(run.screen.state.sites.stacks.sort == StackSort(column: .oldest))
        click(&run.screen, row: 2, column: columns.count.start + 1)
        #expect(run.screen.state.sites.stacks.sort == StackSort())
        click(&run.screen, row: 5, column: 20)
        #expect(run.screen.state.sites.stacks.selectedRow?.name == "Bank.charge(_:amount:)")
        click(&run.screen, row: 5, column: 20, count: 2)
        #expect(run.screen.state.view == .chains && run.screen.state.matchCount == 26)
    }

    // MARK: Without rows, and in other times

    @Test func anEmptyPageSaysWhy() {
        var nothing = Screen(80, 20, connected: false)
        nothing.type("4u")
        #expect(nothing.text.contains("waiting for a program"))
        var run = Run(80, 20)
        run.screen.type("4u")
        run.wait(seconds: 1)
        #expect(run.screen.text.contains("reading tasks…"), "\(run.screen.text)")
        run.screen.feed(Script())
        run.wait(seconds: 1)
        #expect(run.screen.text.contains("no task is suspended"))
        run.isRefusing = true
        run.wait(seconds: 3)
        #expect(run.screen.text.contains("this program shows no tasks"), "\(run.screen.text)")
        for keys in ["<Enter>", "s", "S", "I", "y", "e", "j", "d", "c", " ", "w", "=", "K"] {
            run.screen.type(keys)
            _ = run.screen.frame
        }
    }

    @Test func framesAreBeingRead() {
        var screen = Run(80, 20)
        screen.suspend(3, in: Self.deliver)
        screen.screen.tick(1_000)
        screen.screen.type("4u")
        screen.screen.tick(1_100)
        #expect(screen.screen.text.contains("reading frames…"), "\(screen.screen.text)")
        screen.screen.type("p")
        #expect(screen.screen.text.contains("frozen before the frames of tasks were read; p resumes"))
    }

    @Test func aFrozenScreenStands() {
        var run = Self.shop(120, 24)
        run.screen.type("p")
        let body = run.screen.body
        run.suspend(5, in: Self.charge)
        run.wait(seconds: 10)
        #expect(Self.figures(run) == [[37, -3], [26, 14], [3, 0]])
        #expect(run.screen.body.dropLast() == body.dropLast())
        run.screen.type("sj")
        #expect(run.screen.state.sites.stacks.selectedRow?.name == "Mailer.deliver()")
        run.screen.type("p")
        run.wait(seconds: 4)
        #expect(Self.figures(run).contains([31, 19]))
    }

    @Test func aRecordingHasTheFramesThatWereRecorded() {
        var run = Run(120, 24)
        run.suspend(6, in: Self.deliver)
        func step(_ milliseconds: Double, hasFrames: Bool) -> Action {
            var script = Script(time: 1_000)
            for task in 1...6 as ClosedRange<UInt64> {
                script.make(task, .task)
                script.suspend(task)
            }
            var batch = script.batch
            if hasFrames {
                batch.frames = run.reading
                batch.frames?.time = 2_000_000_000
            }
            return .replayed(
                SourceID(0),
                ReplayStep(
                    process: Script.process, isFresh: true, batches: [batch],
                    position: ReplayTests.position(milliseconds)))
        }
        var screen = Screen(120, 24, connected: false)
        screen.act(step(5_000, hasFrames: false))
        screen.type("4u")
        #expect(screen.text.contains("no frames of tasks were recorded"), "\(screen.text)")
        screen.act(step(9_000, hasFrames: true))
        #expect(screen.state.sites.stacks.rows.map(\.entry.stack.count) == [6], "\(screen.text)")
        #expect(screen.text.contains("growth since"))
        #expect(screen.effects.isEmpty)
    }

    @Test func severalProgramsHaveRows() {
        var run = Self.shop(120, 24)
        run.screen.act(.connected(SourceID(1), Script.billing))
        var script = Script(time: run.screen.milliseconds, of: Script.billing)
        for task in 1...4 as ClosedRange<UInt64> {
            script.make(task, .task)
            script.suspend(task)
        }
        var batch = script.batch
        batch.frames = FrameReading(
            time: batch.time + 1, stacks: [Self.reserve],
            entries: (1...4 as ClosedRange<UInt64>).map { .init(node: NodeID($0), stack: 0) })
        run.screen.act(.received(SourceID(1), batch))
        run.wait(seconds: 3)
        let rows = run.screen.state.sites.stacks.rows
        #expect(rows.map(\.program) == ["checkout", "checkout", "billing", "checkout"], "\(run.screen.text)")
        let lines = run.screen.text.split(separator: "\n")
        #expect(lines.contains { $0.contains("Stock.reserve") && $0.contains("billing") }, "\(run.screen.text)")
        #expect(run.screen.text.contains(", by program"))
    }
}

// SPDX-License-Identifier: MIT
