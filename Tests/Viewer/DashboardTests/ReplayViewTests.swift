import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// What views and figures show of a recording after jumps and steps.
@Suite struct ReplayViewTests {
    /// Two orders of one call site, each with a step.
    static var orders: Script {
        var script = Script(time: 1_000)
        for (order, step) in [(1, "charge card"), (3, "pack parcel")] as [(UInt64, String)] {
            script.make(order, .work, "order \(order)", site: "Shop/Order.swift:41")
            script.make(order + 1, .then, step, under: order)
        }
        return script
    }

    private static func screen(_ script: Script, at time: Double = 34_200, columns: Int = 100) -> Screen {
        var screen = Screen(columns, 24, connected: false)
        screen.act(ReplayTests.step(script, at: time, fresh: true))
        screen.tick(time)
        return screen
    }

    /// As many threads as before, and other ones.
    @Test func aJumpShowsTheThreadsOfItsMoment() {
        func script(_ thread: ThreadID) -> Script {
            var script = Script(time: 1_000)
            script.make(1, .work, "order 17")
            script.start(1, on: thread)
            return script
        }
        var screen = Self.screen(script(1))
        screen.type("2")
        #expect(screen.text.contains("worker-1"))
        screen.act(ReplayTests.step(script(2), at: 20_000, fresh: true))
        #expect(screen.text.contains("worker-2") && !screen.text.contains("worker-1"), "\(screen.text)")
    }

    /// The call site of a folded node is remembered for later runs, not for the other nodes of this one.
    @Test func aFoldIsOfOneNodeAlsoAfterAJump() {
        var screen = Self.screen(Self.orders)
        screen.go(to: 1)
        screen.type("h")
        screen.act(ReplayTests.step(Self.orders, at: 30_000, fresh: true))
        screen.tick(34_200)
        #expect(!screen.text.contains("charge card") && screen.text.contains("pack parcel"), "\(screen.text)")
        // In another recording all nodes of the call site come folded.
        var next = Screen(100, 24, connected: false)
        next.state.foldedSites = screen.state.foldedSites
        next.act(ReplayTests.step(Self.orders, at: 30_000, fresh: true))
        #expect(!next.text.contains("charge card") && !next.text.contains("pack parcel"))
    }

    @Test func dismissedWarningsStayAway() {
        var script = Self.orders
        script.abandon(1, "its resolver was released")
        script.lose(7)
        var screen = Self.screen(script)
        func kinds() -> Set<String> {
            Set(
                screen.state.warnings.rows.compactMap {
                    if case .group(let group, _) = $0 { "\(group.id.kind)" } else { nil }
                })
        }
        screen.type("5")
        for _ in 0..<4 { screen.tick(34_200) }
        #expect(kinds().isSuperset(of: ["abandoned", "lostEvents"]), "\(kinds())")
        for _ in 0..<20 where !screen.state.warnings.rows.isEmpty { screen.type("gx") }
        #expect(kinds() == [])
        screen.act(ReplayTests.step(Script(), at: 0, fresh: true))
        screen.tick(34_200)
        screen.act(ReplayTests.step(script, at: 34_200, fresh: true))
        for _ in 0..<4 { screen.tick(34_200) }
        #expect(kinds() == [], "\(screen.text)")
        // More losses than were dismissed come back.
        var more = Script(sequence: 2, time: 34_300)
        more.lose(9)
        screen.act(ReplayTests.step(more, at: 34_300, fresh: false))
        for _ in 0..<4 { screen.tick(34_300) }
        #expect(kinds() == ["lostEvents"], "\(screen.text)")
    }

    @Test func failuresAreCountedInSteps() {
        var screen = Self.screen(Self.orders, at: 900, columns: 160)
        #expect(screen.text.contains("0 failed/min"))
        var step = Script(sequence: 2, time: 1_500)
        step.reject(3, "declined")
        step.skip(4, error: true)
        screen.act(ReplayTests.step(step, at: 1_500, fresh: false))
        screen.tick(1_500)
        #expect(screen.text.contains("1 failed/min"), "\(screen.text)")
        for time in [40_000, 61_400] as [Double] {
            screen.act(ReplayTests.step(Script(sequence: UInt64(time), time: time), at: time, fresh: false))
            screen.tick(time)
        }
        #expect(screen.text.contains("0 failed/min"), "\(screen.text)")
    }

    private static func queue(_ nodes: ClosedRange<UInt64>, at time: Double) -> Script {
        var script = Script(sequence: UInt64(time), time: time)
        for node in nodes {
            script.make(node, .work, "order \(node)")
            script.queue(node)
        }
        return script
    }

    private static func queuedCount(_ screen: Screen) -> Int {
        screen.state.threads.rows.count { if case .queued = $0 { true } else { false } }
    }

    /// Otherwise there is one slice a second.
    @Test func aLongQueueIsSweptWithoutPauses() {
        var screen = Self.screen(Self.queue(1...40_000, at: 1_000))
        screen.type("2G<Enter>")
        var slices = 0
        while !screen.state.isIdle, slices < 10 {
            screen.tick(34_200)
            slices += 1
        }
        #expect(slices > 1 && slices < 10 && Self.queuedCount(screen) == ExecutorQueue.limit)
    }

    @Test func aQueueIsSweptOnceAMoment() {
        let script = Self.queue
        var screen = Self.screen(script(1...2, 1_000))
        func queued() -> Int { Self.queuedCount(screen) }
        screen.type("2G<Enter>")
        screen.tick(34_200)
        #expect(queued() == 2 && screen.state.isIdle)
        // A step by less than the least time between two sweeps of a live program.
        screen.act(ReplayTests.step(script(3...3, 34_210), at: 34_210, fresh: false))
        #expect(!screen.state.isIdle)
        screen.tick(34_210)
        #expect(queued() == 3 && screen.state.isIdle)
        // As many events at another moment.
        screen.act(ReplayTests.step(script(4...6, 34_200), at: 34_200, fresh: true))
        screen.tick(34_210)
        #expect(queued() == 3 && screen.state.isIdle, "\(screen.text)")
    }

    /// The timeline has keys of its own that mean something else in a recording.
    @Test(arguments: ViewID.allCases) func eachKeyInTheFooterDoesWhatItSays(_ view: ViewID) throws {
        var screen = Self.screen(Self.orders, columns: 300)
        screen.type("\(view.rawValue)")
        var painter = Painter(screen.state)
        painter.paintFooter(screen.state)
        #expect(painter.clickAreas.contains { $0.intent == .play })
        let footer = Array(painter.frame.rowText(painter.layout.footerRow, isTrimmed: false))
        let keys = KeyMap.Context.allCases.flatMap(KeyMap.bindings).flatMap(\.keys)
        for (area, intent) in painter.clickAreas {
            let name = String(footer[area.column..<area.column + area.columns].prefix { $0 != " " })
            let key = keys.first { KeyMap.name(of: $0, .unicode) == name }
            let typed = try #require(name == Glyphs.unicode.enter ? KeyPress(.enter) : key, "\(name)")
            let context = screen.state.context
            #expect(KeyMap.intent(for: typed, in: context, time: screen.state.timeKeys) == intent, "\(name)")
        }
    }

    /// Which path is counted first depends on the moment that is jumped to.
    @Test func thePathsOfTheProfileStayFoldedAndSelectedAfterAJump() {
        func script(_ orders: [UInt64]) -> Script {
            var script = Script(time: 1_000)
            for order in orders {
                script.make(order, .work, "order", site: "Shop/Order.swift:\(order)")
                script.make(order + 1, .then, "charge card", under: order)
            }
            script.at(2_000)
            for order in orders {
                script.fulfill(order)
                script.fulfill(order + 1)
            }
            return script
        }
        var screen = Self.screen(script([10, 20]))
        func settle() { for _ in 0..<4 { screen.tick(34_200) } }
        func folded() -> [UInt32?] { screen.state.profile.rows.filter(\.isFolded).map { $0.site?.line } }
        screen.type("7")
        settle()
        screen.type("ghj")
        #expect(folded() == [10] && screen.state.profile.selectedRow?.site?.line == 20, "\(screen.text)")
        screen.act(ReplayTests.step(script([20, 10]), at: 20_000, fresh: true))
        settle()
        #expect(folded() == [10] && screen.state.profile.selectedRow?.site?.line == 20, "\(screen.text)")
    }

    /// Returns the orders by a clock that has no relation to the time of day, and that process. One order is being
    /// cancelled, the other one was abandoned.
    private static var timeless: (process: ProcessDescription, script: Script) {
        var process = Script.process
        process.wallOffset = 0
        var script = orders
        script.at(2_500)
        script.requestCancel(1, "ann")
        script.abandon(3, "its resolver was released")
        return (process, script)
    }

    private func detail(_ screen: Screen) -> String {
        DetailText.lines(of: screen.state, width: 80).map { $0.parts.map(\.text).joined() }.joined(separator: "\n")
    }

    @Test func withoutATimeOfDayTimesCountFromTheBeginningOfTheRecording() throws {
        let (process, script) = Self.timeless
        let options = State.Options(clockOffset: 7_200)
        var screen = Screen(160, 40, options: options, connected: false)
        let position = ReplayTests.position(34_200)
        let step = ReplayStep(process: process, isFresh: true, batches: [script.batch], position: position)
        screen.act(.replayed(SourceID(0), step))
        func settle() { for _ in 0..<4 { screen.act(.tick(wall: position.time, monotonic: position.time)) } }
        settle()
        screen.go(to: 1)
        #expect(detail(screen).contains("asked for by ann at 2.500s") && detail(screen).contains("      1.000s  "))
        for keys in ["1", "2", "3", "3a", "4", "5g", "5gj", "6", "7"] {
            screen.type(keys)
            settle()
            #expect(screen.text.firstMatch(of: /[0-9]:[0-9]{2}:[0-9]/) == nil, "\(keys): \(screen.text)")
        }
        screen.type("6")
        #expect(screen.text.contains("1.000s") && screen.text.contains("2.500s"), "\(screen.text)")
        screen.type("5")
        WarningsViewTests.go(&screen, to: .abandoned)
        let lines = try #require(screen.state.warnings.detail(in: screen.seen, width: 80)).lines
        #expect(lines.contains { $0.parts.map(\.text).joined().contains("2s, 31s ago") }, "\(screen.text)")
    }

    @Test func withoutATimeOfDayTimesCountFromTheStartOfALiveClock() {
        let (process, script) = Self.timeless
        var screen = Screen(160, 40, connected: false)
        screen.act(.connected(SourceID(0), process))
        screen.feed(script)
        screen.go(to: 1)
        #expect(detail(screen).contains("asked for by ann at 2.500s"), "\(detail(screen))")
        screen.type("6")
        #expect(screen.text.contains("1.000s") && screen.text.contains("2.500s"), "\(screen.text)")
    }

    @Test func momentsBeforeTheBeginningAreNegative() {
        var program = Program(source: SourceID(0), name: "checkout")
        program.info = Self.timeless.process
        program.connection = .replay(ReplayPosition(time: 9_000_000_000, range: 5_000_000_000...9_000_000_000))
        #expect(program.timeText(1_500_000_000, clockOffset: 60, hasMilliseconds: true) == "-3.500s")
        #expect(program.timeText(9_000_000_000, clockOffset: 60) == "4s")
        // The past of a live program goes on with the moments of its present.
        program.connection = .replay(
            ReplayPosition(time: 9_000_000_000, range: 5_000_000_000...9_000_000_000, isPast: true))
        #expect(program.timeText(9_000_000_000, clockOffset: 60) == "9s")
    }

    /// Most figures and orders change once a second, and in a paused recording no second passes. The keys show the sites,
    /// the profile, groups, the chains by state, the failed events, and the details of a node.
    @Test(arguments: ["4", "7", "t", "s", "6/failed<Enter>", "Gk"])
    func aShortStepShowsItsMoment(_ keys: String) {
        var before = Script(time: 100)
        for order in [1, 3] as [UInt64] {
            before.at(100 + Double(order))
            before.make(order, .work, "order \(order)", site: "Shop/Order.swift:41")
            before.start(order)
            before.make(order + 1, .then, "charge card", under: order, site: "Shop/Order.swift:42")
        }
        var after = Script(sequence: 2, time: 940)
        after.reject(3, "declined")
        after.skip(4, error: true)
        func settle(_ screen: inout Screen, at time: Double) {
            for _ in 0..<4 { screen.tick(time) }
            #expect(screen.state.isIdle)
        }
        func rows(_ screen: Screen) -> [String] {
            (1..<screen.state.size.rows - 2).map { screen.frame.rowText($0) }
        }
        var screen = Self.screen(before, at: 900, columns: 160)
        screen.type(keys)
        settle(&screen, at: 900)
        let old = rows(screen)
        screen.act(ReplayTests.step(after, at: 950, fresh: false))
        settle(&screen, at: 950)
        // The same moment after a jump.
        var other = Screen(160, 24, connected: false)
        other.act(ReplayTests.step(before, at: 900, fresh: true))
        other.act(ReplayTests.step(after, at: 950, fresh: false))
        other.tick(950)
        other.type(keys)
        settle(&other, at: 950)
        #expect(rows(screen) != old && rows(screen) == rows(other), "\(screen.text)\n\(other.text)")
    }
}

// SPDX-License-Identifier: MIT
