import ChainEvents
import ChainInsight
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// A dashboard on a recording: what it shows, which keys move it, and what is refused.
@Suite struct ReplayTests {
    private static let source = SourceID(0)
    /// Makes a dashboard that of a recording at 2 s, with the nodes that it shows already.
    static let still = Action.replayed(
        source, ReplayStep(process: Script.process, isFresh: false, batches: [], position: position(2_000)))
    private static let second: UInt64 = 1_000_000_000
    private static let range = 1...(120 * second + 1)

    /// Returns a position in a recording of two minutes, given in milliseconds.
    static func position(_ milliseconds: Double, playing: Bool = false, speed: Double = 1) -> ReplayPosition {
        ReplayPosition(time: UInt64(milliseconds * 1e6) + 1, range: range, isPlaying: playing, speed: speed)
    }

    /// Returns the action that shows a moment, with the batch of a script. `fresh`: the nodes so far are dropped.
    static func step(
        _ script: Script, at milliseconds: Double, fresh: Bool, playing: Bool = false, speed: Double = 1
    ) -> Action {
        .replayed(
            source,
            ReplayStep(
                process: Script.process, isFresh: fresh, batches: [script.batch],
                position: position(milliseconds, playing: playing, speed: speed)))
    }

    /// Order 17, which is being charged, and order 18.
    static var state: Script {
        var script = Script()
        script.make(1, .work, "order 17", site: "Shop/Order.swift:41")
        script.make(2, .then, "charge card", under: 1)
        script.make(3, .work, "order 18", site: "Shop/Order.swift:41")
        script.at(1_000)
        script.start(1)
        script.fulfill(1)
        script.start(2)
        return script
    }

    static func screen(columns: Int = 100) -> Screen {
        var screen = Screen(columns, 24, connected: false)
        screen.act(step(state, at: 34_200, fresh: true))
        screen.tick(34_200)
        return screen
    }

    @Test func itShowsTheMoment() {
        var screen = Self.screen()
        #expect(screen.text.contains("order 17") && screen.text.contains("charge card"))
        #expect(screen.text.contains("paused at 34.200s of 2m00.000s"))
        // The program's clock and running times are as of the moment.
        #expect(screen.state.programs[0].shownNow == 34_200_000_001)
        #expect(screen.text.contains("33s"))
        GoldenTests.check(screen, "replay/paused-100x24")
        screen.act(Self.step(Script(sequence: 2, time: 36_000), at: 36_000, fresh: false, playing: true, speed: 20))
        screen.tick(36_000)
        #expect(screen.text.contains("playing 20x at 36.000s of 2m00.000s"))
        #expect(screen.text.contains("35s"))
    }

    @Test func failuresAMinuteAreShownOnceAMinuteWasSeen() {
        var screen = Self.screen(columns: 160)
        #expect(!screen.text.contains("failed/min"))
        for second in 35...96 {
            #expect(second > 90 || !screen.text.contains("failed/min"))
            let time = Double(second) * 1_000
            screen.act(Self.step(Script(sequence: UInt64(second), time: time), at: time, fresh: false, playing: true))
            screen.tick(time)
        }
        #expect(screen.text.contains("0 failed/min"))
        // From the beginning on, no earlier failure can be missing.
        var other = Screen(160, 24, connected: false)
        other.act(Self.step(Self.state, at: 900, fresh: true))
        other.tick(900)
        #expect(other.text.contains("0 failed/min"))
    }

    /// At an earlier moment later events have not happened; the filter and the selection stay.
    @Test func itGoesBack() {
        var screen = Self.screen()
        var later = Script(sequence: 2, time: 40_000)
        later.reject(2, "declined")
        screen.act(Self.step(later, at: 40_000, fresh: false))
        screen.tick(40_000)
        screen.type("/order")
        screen.type("<Enter>")
        screen.go(to: 3)
        let selected = screen.selectedID
        #expect(screen.state.forest?.totals.counts[.rejected] == 1)
        screen.act(Self.step(Self.state, at: 34_200, fresh: true))
        screen.tick(34_200)
        #expect(screen.state.forest?.totals.counts[.rejected] == 0)
        #expect(screen.state.programs[0].shownNow == 34_200_000_001)
        #expect(screen.state.filter.text == "order" && screen.selectedID == selected)
        #expect(screen.text.contains("paused at 34.200s"))
    }

    /// After a jump the rows of events and call sites are those of the new moment, although it is the same run.
    @Test func aJumpMakesTheRowsOfOtherViewsAnew() {
        var screen = Self.screen()
        screen.type("6")
        var later = Script(sequence: 2, time: 40_000)
        for node in 10..<30 as Range<UInt64> { later.make(node, .work, site: "Shop/Later.swift:1") }
        screen.act(Self.step(later, at: 40_000, fresh: false))
        screen.tick(40_000)
        screen.act(Self.step(Self.state, at: 34_200, fresh: true))
        screen.tick(34_200)
        let index = screen.state.events.index
        #expect(UInt64(index.entries.count) == UInt64(screen.state.programs[0].insight.events.end))
        #expect(!screen.text.contains("Later.swift") && screen.text.contains("order 18"))
        screen.type("4")
        screen.tick(34_200)
        #expect(screen.text.contains("Order.swift") && !screen.state.sites.rows.isEmpty)
        let rows = screen.state.sites.rows.count
        screen.act(Self.step(Self.state, at: 34_100, fresh: true))
        screen.tick(34_100)
        #expect(screen.state.sites.rows.count == rows)
    }

    /// The time of a recording may stand still, and a message would stay.
    @Test func theNextKeyEndsAWarning() {
        var screen = Self.screen()
        screen.type("c")
        #expect(screen.message?.contains("cannot be cancelled") == true)
        screen.type("j")
        #expect(screen.message?.contains("cannot be cancelled") != true)
    }

    /// A move says where it led to, before the tick at that moment.
    @Test(arguments: [20_000, 60_000] as [Double]) func theMessageOfAMoveStays(_ moment: Double) {
        var screen = Self.screen()
        func tick(_ time: Double) {
            let process = UInt64(time * 1e6) + 1
            screen.act(.tick(wall: Script.process.wallOffset + process, monotonic: process))
        }
        screen.act(Self.step(Self.state, at: moment, fresh: true))
        screen.act(.message("a rejection"))
        tick(moment)
        #expect(screen.message == "a rejection")
        screen.act(
            Self.step(Script(sequence: 2, time: moment + 4_000), at: moment + 4_000, fresh: false, playing: true))
        tick(moment + 4_000)
        #expect(screen.message == "a rejection")
        screen.act(
            Self.step(Script(sequence: 3, time: moment + 5_100), at: moment + 5_100, fresh: false, playing: true))
        tick(moment + 5_100)
        #expect(screen.message == nil)
    }

    /// What the user folded, unfolded and tagged stays so, though the nodes are made anew.
    @Test func foldsStay() {
        var screen = Self.screen()
        screen.go(to: 1)
        screen.type("h")
        screen.go(to: 3)
        screen.type(":tag<Enter>")
        #expect(!screen.text.contains("charge card") && screen.taggedIDs == [3])
        screen.act(Self.step(Self.state, at: 34_100, fresh: true))
        screen.tick(34_100)
        #expect(screen.text.contains("paused at 34.100s"))
        #expect(!screen.text.contains("charge card") && screen.taggedIDs == [3])
        screen.go(to: 1)
        screen.type("l")
        #expect(screen.text.contains("charge card"))
        // A fold level of all chains stays, too.
        screen.type(":fold 0<Enter>")
        screen.act(Self.step(Self.state, at: 34_200, fresh: true))
        screen.tick(34_200)
        #expect(!screen.text.contains("charge card"))
    }

    /// What the user set at nodes is kept while moments are shown at which the nodes do not exist.
    @Test func choicesOutliveMomentsWithoutTheirNodes() {
        var screen = Self.screen()
        screen.type("t")
        for _ in 0..<4 { screen.tick(34_200) }
        // The group of the first call site is opened, a node folded, a node tagged, a chain pinned.
        screen.type("gl")
        screen.go(to: 1)
        screen.type("hP")
        screen.go(to: 3)
        screen.type(":tag<Enter>")
        #expect(!screen.text.contains("charge card") && screen.taggedIDs == [3] && screen.text.contains("order 18"))
        #expect(screen.state.forest?.pins == [NodeID(1)])
        // The beginning, without any node.
        for _ in 0..<2 {
            screen.act(Self.step(Script(), at: 0, fresh: true))
            screen.tick(34_200)
            #expect(!screen.text.contains("order 18") && screen.taggedIDs == [])
        }
        screen.act(Self.step(Self.state, at: 34_200, fresh: true))
        for _ in 0..<4 { screen.tick(34_200) }
        #expect(screen.text.contains("order 18"), "the group is open: \(screen.text)")
        #expect(!screen.text.contains("charge card") && screen.taggedIDs == [3])
        #expect(screen.state.forest?.pins == [NodeID(1)])
        // Also after a step forward, without a jump.
        screen.act(Self.step(Script(), at: 0, fresh: true))
        screen.act(Self.step(Self.state, at: 34_200, fresh: false))
        for _ in 0..<4 { screen.tick(34_200) }
        #expect(!screen.text.contains("charge card") && screen.taggedIDs == [3])
        #expect(screen.state.forest?.pins == [NodeID(1)])
        // What the user undoes stays undone.
        screen.type("U")
        screen.go(to: 1)
        screen.type("Pl")
        screen.act(Self.step(Script(), at: 0, fresh: true))
        screen.act(Self.step(Self.state, at: 34_200, fresh: true))
        for _ in 0..<4 { screen.tick(34_200) }
        #expect(screen.text.contains("charge card") && screen.taggedIDs == [] && screen.state.forest?.pins == [])
    }

    /// Tags are dropped at a moment at which their nodes do not exist.
    @Test func droppedTagsDoNotComeBack() {
        var screen = Self.screen()
        screen.go(to: 1)
        screen.type("h:tag<Enter>")
        screen.go(to: 3)
        screen.type(":tag<Enter>")
        #expect(screen.taggedIDs == [1, 3])
        screen.act(Self.step(Script(), at: 0, fresh: true))
        screen.type("U")
        #expect(screen.message == "2 untagged")
        screen.act(Self.step(Self.state, at: 34_200, fresh: true))
        screen.tick(34_200)
        #expect(screen.taggedIDs == [] && screen.state.programs[0].kept.folds.nodeIDs == [NodeID(1)])
        let forest = screen.state.forest!
        for id in [1, 3] as [UInt64] { #expect(!screen.state.outline.isTagged(forest.index(of: NodeID(id))!)) }
        #expect(!screen.text.contains("charge card"), "the fold stays")
    }

    /// Nodes that come folded are no choices of the user, so they do not collect with each jump.
    @Test func nodesThatComeFoldedAreNotKept() throws {
        var screen = Screen(100, 24, options: State.Options(unimportant: try Query("label:log")), connected: false)
        func moment(_ number: UInt64) -> Script {
            var script = Script(time: Double(number) * 1_000)
            for node in (1...100).map({ number * 1_000 + $0 * 2 }) as [UInt64] {
                script.make(node, .work, "log \(node)")
                script.make(node + 1, .work, "write", by: node)
            }
            return script
        }
        func kept() -> [NodeID] { screen.state.programs[0].kept.folds.nodeIDs }
        for number in [1, 2, 3, 1] as [UInt64] {
            screen.act(Self.step(moment(number), at: Double(number) * 1_000, fresh: true))
            screen.tick(3_000)
            #expect(kept().isEmpty && screen.text.contains("log") && !screen.text.contains("write"), "\(screen.text)")
        }
        // Unfolding one is a choice, and so is a tag; that one stays folded.
        screen.go(to: 1_002)
        screen.type("l")
        screen.go(to: 1_004)
        screen.type(":tag<Enter>")
        #expect(screen.text.contains("write"))
        for number in [2, 1] as [UInt64] {
            screen.act(Self.step(moment(number), at: Double(number) * 1_000, fresh: true))
            screen.tick(3_000)
            #expect(Set(kept()) == [NodeID(1_002), NodeID(1_004)])
        }
        #expect(screen.text.contains("write") && screen.taggedIDs == [1_004])
        func isFolded(_ id: UInt64) -> Bool {
            let forest = screen.state.forest!
            return screen.state.outline.isFolded(forest.index(of: NodeID(id))!, in: forest)
        }
        #expect(isFolded(1_004) && !isFolded(1_002))
    }

    @Test func keysMoveIt() {
        var screen = Self.screen()
        func typed(_ keys: String) -> [ReplayCommand] {
            screen.effects = []
            for key in keys { screen.act(.key(.character(key))) }
            return screen.effects.compactMap { if case .replay(Self.source, let command) = $0 { command } else { nil } }
        }
        #expect(typed(" p") == [.togglePlaying, .togglePlaying])
        #expect(typed("<>") == [.move(-1_000_000_000), .move(1_000_000_000)])
        #expect(typed(",.") == [.previousEvent, .nextEvent])
        #expect(typed("[]") == [.previousNotable, .nextNotable])
        #expect(typed("+-") == [.faster, .slower])
        // The timeline keeps its own keys, and Space in a line is text.
        #expect(typed("3+") == [] && screen.state.view == .timeline)
        #expect(typed("/ ") == [])
    }

    @Test(
        arguments: [
            ("start", 1), ("end", 120 * second + 1), ("90s", 90 * second + 1), ("1.5m", 90 * second + 1),
            ("250ms", 250_000_001), ("+5s", 39_200_000_001), ("-4", 30_200_000_001), ("-4h", 0),
        ] as [(String, UInt64)])
    func atGoesToAMoment(_ text: String, _ moment: UInt64) {
        var screen = Self.screen()
        screen.type(":at \(text)<Enter>")
        #expect(screen.effects == [.replay(Self.source, .seek(moment))], "\(screen.text)")
    }

    /// The recorded moment with that time of day, also over midnight and far from the shown one.
    @Test func atGoesToATimeOfDay() {
        let midnight: UInt64 = 20_000 * 86_400 * Self.second
        let position = ReplayPosition(time: 60 * Self.second, range: 1...120 * Self.second)
        func moment(_ text: String, from wall: UInt64) -> UInt64? {
            ReplayTime.moment(text, at: position, wallOffset: wall)
        }
        let noon = midnight + 12 * 3_600 * Self.second
        #expect(moment("12:01:30.5", from: noon) == 90_500_000_000)
        #expect(moment("12:01", from: noon) == 60 * Self.second)
        let late = midnight - 90 * Self.second
        #expect(moment("23:59:00", from: late) == 30 * Self.second)
        #expect(moment("0:00:10", from: late) == 100 * Self.second)
        // A recording over night, from 18:35 on, at its end.
        let hour = 3_600 * Self.second
        let evening = midnight + 18 * hour + 35 * 60 * Self.second
        let night = ReplayPosition(time: 13 * hour, range: Self.second...13 * hour)
        for (text, time) in [
            ("18:35", 0), ("18:35:10", 10 * Self.second), ("19:35", hour), ("7:35", 13 * hour),
            ("8:35", 14 * hour), ("6:35", 12 * hour),
        ] as [(String, UInt64)] {
            #expect(ReplayTime.moment(text, at: night, wallOffset: evening) == time, "\(text)")
        }
        // Of a live program, a time that is still to come is not that of the day before.
        let now = ReplayPosition(time: 13 * hour, range: 0...13 * hour, isPast: true)
        #expect(ReplayTime.moment("18:40", at: now, wallOffset: evening) == 24 * hour + 300 * Self.second)
        #expect(ReplayTime.moment("19:00", at: now, wallOffset: evening) == 24 * hour + 1_500 * Self.second)
        for wrong in ["25:00", "12:60", "12:", "12:00:99", "soon", "", "1:2:3:4", "5 s", "--0", "+-0"] {
            #expect(moment(wrong, from: noon) == nil, "\(wrong)")
        }
    }

    /// A time of day has no sign, and a number no exponent; marks may have such names.
    @Test(arguments: ["+1:30", "-0:30", "12:+1", "12:00:-0", "12:00:1e1", "12:00:0x1", "7e3", "0x1F", "+0x1s"])
    func onlyDigitsAreAMoment(_ text: String) {
        #expect(!ReplayTime.isMoment(text))
        var screen = Self.screen()
        screen.type(":at \(text)<Enter>")
        #expect(screen.effects == [] && screen.text.contains("no moment and no mark of that name"))
        screen.act(.marks([ReplayMark(time: 7 * Self.second, name: text)]))
        screen.type("<Esc>:at \(text)<Enter>")
        #expect(screen.effects == [.replay(Self.source, .seek(7 * Self.second))])
    }

    @Test func nothingIsCancelled() {
        var screen = Self.screen()
        screen.type("jc")
        #expect(screen.message == "this is a recording: what is over cannot be cancelled")
        #expect(screen.effects == [])
        screen.type("c")
        #expect(!screen.text.contains("c cancel"))
    }

    @Test func aLiveDashboardHasNoOtherMoments() {
        var screen = Screen(100, 24)
        screen.feed(Self.state)
        screen.type(":at 5s<Enter>")
        #expect(screen.effects == [] && screen.text.contains("only a recording has other moments"))
        screen.type("<Esc>")
        screen.act(.perform(.nextEvent))
        #expect(screen.message?.contains("chainview record") == true)
    }

    @Test func everyViewShowsIt() {
        for view in ViewID.allCases {
            var screen = Self.screen(columns: 120)
            screen.type("\(view.rawValue)")
            for _ in 0..<5 { screen.tick(34_200) }
            #expect(screen.state.view == view && screen.text.contains("paused at"), "\(view)")
            #expect(
                screen.text.contains("Order.swift") || screen.text.contains("order 17")
                    || [.warnings, .threads, .overview].contains(view), "\(view): \(screen.text)")
        }
    }
}

// SPDX-License-Identifier: MIT
