import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// The past of live programs in a dashboard that goes on unseen.
@Suite struct LookingBackTests {
    private static let source = SourceID(0)
    private static let second: UInt64 = 1_000_000_000

    /// A live program at 60 s with order 17, which is charged, and order 18.
    static func live(_ columns: Int = 120, _ rows: Int = 40) -> Screen {
        var screen = Screen(columns, rows, options: .init(keepsHistory: true))
        screen.feed(past)
        var script = Script(sequence: 2, time: 50_000)
        script.make(3, .work, "order 18", site: "Shop/Order.swift:41")
        screen.feed(script)
        screen.tick(60_000)
        return screen
    }

    /// Makes a dashboard one of the past at 2 s, with what it shows.
    static let still = Action.replayed(
        source,
        ReplayStep(
            process: Script.process, isFresh: false, batches: [],
            position: ReplayPosition(time: 2 * second + 1, range: 1...(60 * second), isPast: true)))

    static var past: Script {
        var script = Script()
        script.make(1, .work, "order 17", site: "Shop/Order.swift:41")
        script.make(2, .then, "charge card", under: 1)
        script.at(1_000)
        script.start(1)
        return script
    }

    /// Shows a moment before order 18.
    static func lookBack(
        _ screen: inout Screen, to seconds: Double = 40, playing: Bool = false, from source: SourceID = source
    ) {
        let position = ReplayPosition(
            time: UInt64(seconds * 1e9) + 1, range: 1...(60 * second), isPlaying: playing, isPast: true)
        screen.act(
            .replayed(
                source,
                ReplayStep(process: Script.process, isFresh: true, batches: [past.batch], position: position)))
        tick(&screen, shown: seconds, live: 60)
    }

    /// Ticks both clocks, in seconds.
    static func tick(_ screen: inout Screen, shown: Double, live: Double) {
        let (past, now) = (UInt64(shown * 1e9) + 1, UInt64(live * 1e9) + 1)
        screen.act(.tick(wall: Script.process.wallOffset + past, monotonic: past))
        screen.act(.tickLive(wall: Script.process.wallOffset + now, monotonic: now))
    }

    static func commands(_ screen: inout Screen, _ keys: String) -> [ReplayCommand] {
        screen.effects = []
        screen.type(keys)
        return screen.effects.compactMap { if case .replay(source, let command) = $0 { command } else { nil } }
    }

    @Test func aProgramThatHasEndedIsNotRecorded() {
        var screen = Self.live()
        screen.act(.ended(Self.source, "exit 0"))
        for looksBack in [false, true] {
            if looksBack { Self.lookBack(&screen) }
            screen.effects = []
            screen.type("R")
            #expect(!screen.effects.contains { if case .record = $0 { true } else { false } })
            #expect(screen.message == "checkout has ended: there is nothing more to record", "\(looksBack)")
        }
    }

    @Test func keysOfALiveProgram() {
        var screen = Self.live()
        #expect(Self.commands(&screen, ",.>") == [.previousEvent, .nextEvent, .move(1_000_000_000)])
        screen.act(.key(.character("<")))
        #expect(screen.effects.last == .replay(Self.source, .move(-1_000_000_000)))
        // The others keep their meaning.
        #expect(Self.commands(&screen, "g []p") == [] && screen.state.isFrozen && screen.state.tags.count == 1)
        // A frozen picture is left.
        #expect(Self.commands(&screen, ",") == [.previousEvent] && !screen.state.isFrozen)
        #expect(Self.commands(&screen, ":at -5s<Enter>") == [.seek(55 * Self.second + 1)])
        #expect(Self.commands(&screen, ":mark a<Enter>") == [.mark("a")])
        screen.type("<End>")
        #expect(screen.state.tree.selectedRow == screen.state.tree.rowCount - 1)
        var old = Screen(100, 24)
        old.feed(Self.past)
        old.act(.key(.character(",")))
        #expect(old.message == ", is not bound; ? lists the keys")
        #expect(Screen(100, 24, options: .init(keepsHistory: true), connected: false).state.timeKeys == [.live])
    }

    /// The past is read on only when a move leads beyond what was read.
    @Test func theEndOfThePastIsNow() {
        var screen = Self.live()
        #expect(Self.commands(&screen, ":at end<Enter>") == [.seek(.max)])
        Self.lookBack(&screen)
        Self.tick(&screen, shown: 40, live: 75)
        #expect(Self.commands(&screen, ":at end<Enter>:at End<Enter>") == [.seek(.max), .seek(.max)])
        #expect(Self.commands(&screen, ":at start<Enter>") == [.seek(1)])
    }

    @Test func thePastIsShownWhileTheProgramGoesOn() {
        var screen = Self.live()
        Self.lookBack(&screen)
        #expect(screen.text.contains("paused, 20.0s behind") && !screen.text.contains("order 18"))
        GoldenTests.check(screen, "replay/past-120x40")
        #expect(Self.commands(&screen, " [].") == [.togglePlaying, .previousNotable, .nextNotable, .nextEvent])
        #expect(Self.commands(&screen, "<End>") == [.seek(.max)])
        screen.type("gc")
        #expect(screen.message == "nothing can be cancelled while looking back: End returns to now")
        // What comes is applied unseen.
        var more = Script(sequence: 3, time: 61_000)
        more.make(4, .work, "order 19", site: "Shop/Order.swift:41")
        screen.act(.received(Self.source, more.batch))
        Self.tick(&screen, shown: 40, live: 62)
        #expect(screen.text.contains("paused, 22.0s behind") && !screen.text.contains("order 19"))
        #expect(screen.state.forest?.totals.counts.nodeCount == 2)
        screen.act(.returnedToNow)
        screen.tick(62_000)
        #expect(screen.text.contains("order 19") && screen.text.contains("order 18") && screen.message == "now")
        #expect(screen.state.programs[0].connection.isLive && screen.state.lookingBack == nil)
        #expect(screen.state.programs[0].shownNow >= 61 * Self.second)
    }

    @Test func warningsOfTheLiveProgramAreCounted() {
        var screen = Self.live()
        // One for each order that waits.
        let before = screen.state.liveWarningCounts
        #expect(before == [screen.state.programs[0].insight.warnings.count])
        Self.lookBack(&screen)
        var more = Script(sequence: 3, time: 61_000)
        more.abandon(3, "its resolver was released")
        screen.act(.received(Self.source, more.batch))
        Self.tick(&screen, shown: 40, live: 62)
        #expect(screen.state.liveWarningCounts == before.map { $0 + 1 })
        #expect(screen.state.programs[0].insight.warnings.count == before[0])
        screen.act(.returnedToNow)
        #expect(screen.state.liveWarningCounts == before.map { $0 + 1 })
    }

    /// The kept past has a limit, and the shown moment may be older than its beginning by now.
    @Test func aMomentThatIsNoLongerKeptIsShown() {
        var screen = Self.live(160)
        let position = ReplayPosition(time: 5, range: 10...20, isPast: true)
        screen.act(
            .replayed(
                Self.source,
                ReplayStep(process: Script.process, isFresh: true, batches: [Self.past.batch], position: position)))
        Self.tick(&screen, shown: 0, live: 60)
        #expect(screen.text.contains(" behind") && screen.text.contains("order 17"), "\(screen.text)")
        #expect(ReplayTime.words(ReplayPosition(time: 5, range: 10...20)) == "paused at 0.000s of 0.000s")
    }

    /// What was set before holds in the past, and what is set there holds afterwards.
    @Test func choicesGoBothWays() {
        var screen = Self.live()
        screen.go(to: 1)
        screen.type("hP")
        screen.go(to: 3)
        screen.type(" ")
        Self.lookBack(&screen)
        #expect(!screen.text.contains("charge card") && screen.taggedIDs == [] && screen.state.forest?.pins.count == 1)
        screen.go(to: 1)
        screen.type("l")
        screen.type("gP")
        screen.type("/order<Enter>")
        screen.act(.returnedToNow)
        for _ in 0..<4 { screen.tick(60_000) }
        #expect(screen.taggedIDs == [3] && screen.state.forest?.pins == [])
        #expect(screen.state.filter.text == "order" && screen.state.outline.filterState.isActive)
        screen.type("<Esc>")
        for _ in 0..<4 { screen.tick(60_000) }
        #expect(screen.text.contains("charge card"), "\(screen.text)")
    }

    /// A new fold level forgets the folds of single nodes, also if the level is the same in the end.
    @Test func foldsThatALevelForgotInThePastStayForgotten() {
        var screen = Self.live()
        screen.type(":fold 2<Enter>")
        screen.go(to: 1)
        screen.type("h:tag<Enter>")
        #expect(!screen.text.contains("charge card") && screen.taggedIDs == [1])
        Self.lookBack(&screen)
        #expect(!screen.text.contains("charge card") && screen.taggedIDs == [1])
        screen.type(":fold 1<Enter>:fold 2<Enter>")
        #expect(screen.text.contains("charge card"))
        screen.act(.returnedToNow)
        for _ in 0..<4 { screen.tick(60_000) }
        #expect(screen.text.contains("charge card") && screen.taggedIDs == [1], "\(screen.text)")
    }

    /// Its end, a restart, and an alert come through while the past is shown.
    @Test func whatHappensToTheProgramIsNoted() {
        var screen = Self.live()
        screen.type(":alert label:refund<Enter>")
        Self.lookBack(&screen)
        screen.effects = []
        var more = Script(sequence: 3, time: 61_000)
        more.make(4, .work, "refund 3", site: "Shop/Order.swift:41")
        screen.act(.received(Self.source, more.batch))
        Self.tick(&screen, shown: 40, live: 62)
        #expect(screen.effects.contains(.bell) && screen.message?.contains("refund 3") == true)
        let new = ProcessDescription(key: ProcessKey(rawValue: 43), pid: 4343, name: "checkout", wallOffset: 1)
        screen.act(.connected(Self.source, new))
        #expect(screen.message?.contains("restarted") == true && screen.text.contains("order 17"))
        screen.act(.ended(Self.source, "it crashed"))
        #expect(screen.text.contains("behind"))
        screen.act(.returnedToNow)
        #expect(screen.state.programs[0].connection.isEnded && screen.state.programs[0].info?.pid == 4343)
        #expect(!screen.text.contains("order 17"))
    }

    /// An alert that is set while the past is shown watches the live programs, and only these.
    @Test func anAlertSetInThePastWatchesThePresent() {
        func alertedLabels(_ screen: Screen) -> [String?] {
            screen.effects.compactMap {
                if case .alert(let notice) = $0 { notice.variables["CHAINVIEW_LABEL"] } else { nil }
            }
        }
        var screen = Self.live()
        Self.lookBack(&screen)
        screen.type(":alert label:refund<Enter>")
        screen.effects = []
        var earlier = Script(sequence: 2, time: 41_000)
        earlier.make(4, .work, "refund 3", site: "Shop/Order.swift:41")
        screen.act(
            .replayed(
                Self.source,
                ReplayStep(
                    process: Script.process, isFresh: false, batches: [earlier.batch],
                    position: ReplayPosition(time: 41 * Self.second + 1, range: 1...(60 * Self.second), isPast: true))))
        Self.tick(&screen, shown: 41, live: 61)
        #expect(screen.text.contains("refund 3") && alertedLabels(screen) == [])
        var now = Script(sequence: 3, time: 61_000)
        now.make(5, .work, "refund 4", site: "Shop/Order.swift:41")
        screen.act(.received(Self.source, now.batch))
        Self.tick(&screen, shown: 41, live: 62)
        #expect(alertedLabels(screen) == ["refund 4"])
        screen.type(":alert off<Enter>")
        now.make(6, .work, "refund 5", site: "Shop/Order.swift:41")
        screen.act(.received(Self.source, now.batch))
        Self.tick(&screen, shown: 41, live: 63)
        #expect(alertedLabels(screen) == ["refund 4"])
    }

    /// A cancellation is counted by the live program, not by its past, in which the node may not have been made.
    @Test func aCancellationIsNotJudgedByThePast() {
        var screen = Self.live()
        screen.go(to: 3)
        screen.type("cy")
        #expect(screen.state.cancellations.all.count == 1)
        Self.lookBack(&screen)
        for _ in 0..<3 { Self.tick(&screen, shown: 40, live: 61) }
        #expect(screen.message?.contains("no longer kept") != true && screen.state.cancellations.all.count == 1)
        var end = Script(sequence: 3, time: 61_500)
        end.cancel(3, "cancelled by the dashboard")
        screen.act(.received(Self.source, end.batch))
        Self.tick(&screen, shown: 40, live: 62)
        #expect(screen.message == "1 cancelled" && screen.state.cancellations.isEmpty)
        screen.act(.returnedToNow)
        #expect(screen.message == "now")
    }

    @Test func allProgramsAreAtOneMoment() {
        var screen = Self.live()
        screen.act(.connected(SourceID(1), Script.billing))
        Self.lookBack(&screen)
        #expect(screen.text.contains("2 programs") && screen.text.contains("paused, 20.0s behind"))
        #expect(screen.text.contains("no past is kept of it"))
        screen.act(.returnedToNow)
        #expect(screen.state.programs.map(\.connection.isLive) == [true, true])
    }

    @Test func recordingsAreInTheHeader() {
        var screen = Self.live()
        screen.effects = []
        screen.type("R:record a.chain<Enter>")
        #expect(
            screen.effects == [.record(Self.source, path: nil), .record(Self.source, path: "a.chain")])
        screen.act(.recording([RecordingStatus(source: Self.source, text: "1.0 s, 12 events, 4 kB, 0 lost")]))
        #expect(screen.text.contains("recording 1.0 s, 12 events, 4 kB, 0 lost"))
        screen.act(.recording([]))
        #expect(!screen.text.contains("recording 1.0"))
        var recording = Screen(100, 24, connected: false)
        recording.act(ReplayTests.still)
        recording.type("R")
        #expect(recording.effects == [] && recording.message == "this is a recording already")
    }
}

// SPDX-License-Identifier: MIT
