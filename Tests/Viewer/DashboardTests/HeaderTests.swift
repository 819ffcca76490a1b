import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// The figures of the header: of load, failures, losses and age.
@Suite struct HeaderTests {
    private func header(_ screen: Screen) -> String { screen.frame.rowText(0) }

    /// Returns a screen with `count` chains of one pending node each, and a script for later events.
    private func storm(_ count: UInt64, _ columns: Int = 120) -> (screen: Screen, script: Script) {
        var screen = Screen(columns, 24)
        var script = Script(time: 10)
        for node in 1...count { script.make(node, .delay, site: "A/A.swift:1") }
        screen.feed(script)
        return (screen, Script(sequence: 2, time: 20))
    }

    @Test func chainsThatRunNothingAreInFlight() {
        let (screen, _) = storm(422)
        #expect(header(screen).contains("422 in flight") && header(screen).contains("0 running"))
    }

    @Test func queuedAndRunningHandlersCount() {
        var (screen, script) = storm(9)
        for node in UInt64(1)...5 { script.queue(node) }
        for node in UInt64(1)...2 { script.start(node) }
        screen.feed(script)
        #expect(header(screen).contains("9 in flight"))
        #expect(header(screen).contains("2 running") && header(screen).contains("3 queued"))
    }

    @Test func missingFactsOfTasksAreNamed() {
        var info = Script.process
        info.missingTaskFacts = [.stack, .outcome]
        var screen = Screen(120, 24, connected: false)
        screen.act(.connected(SourceID(0), info))
        #expect(header(screen).contains("tasks without stacks, errors"))
        #expect(!header(Screen(120, 24)).contains("tasks without"))
    }

    @Test func failuresAreCountedForAMinute() {
        var (screen, script) = storm(20)
        screen.tick(1_000)
        script.at(2_000)
        for node in UInt64(1)...7 { script.reject(node, "no") }
        screen.feed(script)
        #expect(header(screen).contains("7 failed/min"))
        var later = Script(sequence: 3, time: 30_000)
        later.reject(8, "no")
        screen.feed(later)
        #expect(header(screen).contains("8 failed/min"))
        screen.tick(70_000)
        #expect(header(screen).contains("1 failed/min"))
        screen.tick(200_000)
        #expect(header(screen).contains("0 failed/min"))
    }

    @Test func aNarrowScreenKeepsTheFigures() {
        var (screen, script) = storm(422, 80)
        script.lose(3)
        screen.feed(script)
        for part in ["checkout", "● live", "422 in flight", "oldest", "0 failed/min", "3 ev lost"] {
            #expect(header(screen).contains(part), "\(header(screen))")
        }
        #expect(!header(screen).contains("chainview") && header(screen).contains("checkout 4242"))
    }

    /// The pid is what a debugger and `kill` need.
    @Test(arguments: [60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160, 180, 200])
    func thePidStaysWhenChainsAreEvicted(_ columns: Int) {
        var limits = ForestLimits()
        limits.settledNodeLimit = 10
        var screen = Screen(columns, 24, options: State.Options(limits: limits))
        var script = Script(time: 10)
        for node in UInt64(1)...1_200 {
            script.make(node, .delay, site: "A/A.swift:1")
            if node <= 1_000 { script.reject(node, "no") }
        }
        screen.feed(script)
        for second in 1...12 {
            screen.tick(Double(second) * 1_000)
            #expect(header(screen).contains("checkout 4242"), "\(header(screen))")
        }
        if columns >= 130, columns < 160 {
            #expect(header(screen).contains("kept 210/1,200 chains"), "\(header(screen))")
        }
    }

    /// A number with another digit does not make other items come and go.
    @Test(arguments: 100...160) func itemsDoNotFlickerWithTheAge(_ columns: Int) {
        var (screen, _) = storm(9, columns)
        func words() -> [String] {
            header(screen).split(separator: " ").map(String.init).filter { $0.first?.isLetter == true }
        }
        screen.tick(9_000)
        let before = words()
        screen.tick(11_000)
        #expect(words() == before)
    }

    @Test func evictedChainsStillCount() {
        var limits = ForestLimits()
        limits.settledNodeLimit = 10
        var screen = Screen(220, 24, options: State.Options(limits: limits))
        var script = Script(time: 10)
        for node in UInt64(1)...1_200 {
            script.make(node, .delay, site: "A/A.swift:1")
            if node <= 1_000 { script.reject(node, "no") }
        }
        screen.feed(script)
        for second in 1...8 { screen.tick(Double(second) * 1_000) }
        for part in ["kept 210 of 1,200 chains", "1,000 failed "] {
            #expect(header(screen).contains(part), "\(header(screen))")
        }
        #expect(header(screen).contains("oldest 7s"))
    }

    @Test func aZeroIsLeftOutBeforeTheOldest() {
        var screen = Screen(60, 24)
        var script = Script(time: 10)
        script.make(1, .promise, "order 1")
        screen.feed(script)
        screen.tick(106_010)
        #expect(header(screen).contains("oldest 1m"), "\(header(screen))")
        #expect(!header(screen).contains("0 failed/min"), "\(header(screen))")
    }

    @Test func theAgeOfTheOldestChainStaysWhenItsBeginningIsEvicted() {
        var limits = ForestLimits()
        limits.chainNodeLimit = 100
        var screen = Screen(120, 24, options: State.Options(limits: limits))
        var script = Script(time: 10)
        script.make(1, .promise, site: "A/A.swift:1")
        for node in UInt64(2)...300 { script.make(node, .then, under: node - 1, site: "A/A.swift:2") }
        for node in UInt64(1)...290 { script.fulfill(node) }
        screen.feed(script)
        for second in 1...9 {
            screen.tick(Double(second) * 1_000)
            #expect(header(screen).contains("oldest "), "\(header(screen))")
        }
    }

    @Test func lossesAreNotMentionedWhenThereAreNone() {
        #expect(!header(GoldenTests.checkout(200, 24)).contains("lost"))
    }

    @Test func aLostConnectionIsNotTakenForLostEvents() {
        var (screen, script) = storm(9, 200)
        script.lose(3)
        screen.feed(script)
        screen.act(
            .reconnecting(
                SourceID(0), since: Screen.wall(20), reason: "reset", attempt: 1, nextAttempt: Screen.wall(9_000)))
        screen.tick(1_000)
        #expect(header(screen).contains("lost 0s ago") && header(screen).contains("3 events lost"))
    }

    @Test func aProgramThatSaidGoodbyeIsStoppedNotLost() {
        var (screen, _) = storm(9, 200)
        screen.act(
            .reconnecting(
                SourceID(0), since: Screen.wall(20), reason: "The program has ended", attempt: 1,
                nextAttempt: Screen.wall(9_000), hasStopped: true))
        screen.tick(1_000)
        #expect(
            header(screen).contains("stopped 0s ago")
                && header(screen).contains("The program has ended; awaiting its next run"))
        #expect(!header(screen).contains("lost") && !header(screen).contains("retry"), "\(header(screen))")
    }

    @Test func aFrozenProgramThatEndedIsFrozen() {
        var (screen, _) = storm(9)
        screen.type("p")
        #expect(header(screen).contains("frozen"))
        screen.act(.ended(SourceID(0), "it is over"))
        #expect(header(screen).contains("ended") && header(screen).contains("frozen"), "\(header(screen))")
        screen.type("p")
        #expect(!header(screen).contains("frozen"))
    }

    /// The age is as of the picture, not as of the clock, which goes on.
    @Test(arguments: ["frozen", "lost"]) func theAgeOfTheOldestStandsStillWithThePicture(_ reason: String) {
        var (screen, _) = storm(1)
        screen.tick(1_700)
        if reason == "frozen" {
            screen.type("p")
        } else {
            screen.act(
                .reconnecting(
                    SourceID(0), since: Screen.wall(1_700), reason: "reset", attempt: 1,
                    nextAttempt: Screen.wall(9_000)))
        }
        for moment in stride(from: 1_700.0, through: 3_300, by: 100) {
            screen.tick(moment)
            #expect(header(screen).contains("oldest 1s"), "\(header(screen))")
        }
    }

    @Test func followingLeavesTheClockWithItsSeconds() {
        var screen = GoldenTests.checkout(120, 24)
        screen.type("f")
        #expect(header(screen).contains("following newest") && header(screen).contains("14:13:24"))
        #expect(header(screen).contains("14 in flight") && header(screen).contains("failed/min"))
    }

    @Test func barsShowTheLastMinuteWhereThereIsRoom() {
        var (screen, script) = storm(40, 200)
        for second in 1...30 { screen.tick(Double(second) * 1_000) }
        script.at(30_500)
        for node in UInt64(1)...30 { script.fulfill(node) }
        screen.feed(script)
        for second in 31...60 { screen.tick(Double(second) * 1_000) }
        #expect(
            header(screen).contains("10 in flight ") && header(screen).contains("█") && header(screen).contains("▃"))
        screen.act(.resized(Size(columns: 80, rows: 24)))
        #expect(!header(screen).contains("█"))
    }

    /// With the figures of a usual program, at the usual width.
    @Test func barsShowAt120Columns() {
        let (screen, _) = storm(1_588)
        #expect(header(screen).contains("checkout 4242"), "\(header(screen))")
        #expect(header(storm(14).screen).contains("14 in flight ·····█"), "\(header(storm(14).screen))")
    }

    /// A figure keeps its room for a minute after it has become shorter.
    @Test(arguments: 100...160) func aDigitLessMovesNothing(_ columns: Int) {
        var (screen, script) = storm(14, columns)
        func shape() -> String {
            String(header(screen).compactMap { $0.isLetter ? $0 : "·▁▂▃▄▅▆▇█".contains($0) ? "b" : nil })
        }
        let before = shape()
        script.at(2_000)
        for node in 1...6 as ClosedRange<UInt64> { script.fulfill(node) }
        screen.feed(script)
        #expect(header(screen).contains("8 in flight") && shape() == before, "\(header(screen))")
        var width = FigureWidth()
        for (text, second) in [("1,000", 1), ("9", 60)] as [(String, UInt64)] {
            width.note(text, at: second * 1_000_000_000)
            #expect(width.columns == 5)
        }
        width.note("9", at: 61_000_000_000)
        #expect(width.columns == 1)
    }

    // MARK: The history

    private func load(_ inFlight: Int, failed: Int = 0) -> ProgramLoad {
        var load = ProgramLoad()
        (load.inFlight, load.failedCount) = (inFlight, failed)
        return load
    }

    @Test func aSecondKeepsItsHighestLoadAndFailuresAddUp() {
        var history = LoadHistory()
        let second: UInt64 = 1_000_000_000
        history.observe(load(1, failed: 100), at: 10 * second)
        #expect(history.failedLastMinute == nil, "how many failed before the first sample is not known")
        history.setFailures([0, 2])
        #expect(history.failedLastMinute == 2)
        history.observe(load(9, failed: 101), at: 10 * second + 5)
        history.observe(load(3, failed: 103), at: 12 * second)
        #expect(history.failedLastMinute == 5)
        let samples = history.samples(until: 12)
        #expect(samples.suffix(3).map { $0?.inFlight } == [9, 3, 3] && samples[56] == nil)
        #expect(samples.suffix(3).map { $0?.failed } == [1, 0, 2])
        history.skip(failures: 50)
        history.observe(load(3, failed: 154), at: 13 * second)
        #expect(history.failedLastMinute == 6, "50 of them came with a snapshot")
        history.observe(load(3, failed: 154), at: 69 * second)
        #expect(history.failedLastMinute == 4)
        history.observe(load(3, failed: 154), at: 70 * second)
        #expect(history.failedLastMinute == 3)
        history.observe(load(3, failed: 154), at: 7 * second)
        #expect(history.failedLastMinute == nil, "the clock was set back")
    }

    /// As after a freeze, or while nothing is observed.
    @Test func failuresOfALongGapAreNotOfItsLastSecond() {
        var history = LoadHistory()
        let second: UInt64 = 1_000_000_000
        history.observe(load(1, failed: 3), at: 10 * second)
        history.observe(load(1, failed: 60), at: 100 * second)
        #expect(history.failedLastMinute == nil)
        history.observe(load(1, failed: 61), at: 101 * second)
        #expect(history.failedLastMinute == nil)
        history.observe(load(1, failed: 61), at: 159 * second)
        #expect(history.failedLastMinute == 1, "a minute was seen")
    }

    @Test(arguments: [true, false]) func failuresOfAProgramThatIsGonePass(_ isEnded: Bool) {
        var (screen, script) = storm(20)
        screen.tick(1_000)
        script.at(2_000)
        for node in UInt64(1)...7 { script.reject(node, "no") }
        screen.feed(script)
        screen.act(
            isEnded
                ? .ended(SourceID(0), "it is over")
                : .reconnecting(SourceID(0), since: Screen.wall(2_000), reason: "reset", attempt: 1, nextAttempt: 1))
        screen.tick(3_000)
        #expect(header(screen).contains("7 failed/min"))
        screen.tick(63_000)
        #expect(header(screen).contains("0 failed/min"))
        #expect(screen.state.world.loadSamples().allSatisfy { $0 == nil }, "its load is not known any more")
    }

    @Test func anEndedProgramGrowsNoOlder() {
        var (screen, _) = storm(5)
        screen.tick(2_500)
        screen.act(.ended(SourceID(0), "it is over"))
        screen.tick(2_600)
        let shown = header(screen).contains("oldest 2s")
        screen.tick(30_000)
        #expect(shown && header(screen).contains("oldest 2s"), "\(header(screen))")
    }

    @Test func barsStandForTheSameSecondsInEachFrame() {
        let glyphs = Glyphs.unicode
        // A spike in second 600, seen from the seconds after it.
        func text(_ now: UInt64) -> String {
            let numbers = (0..<60).map { Int?(now - 59 + UInt64($0) == 600 ? 8 : 0) }
            return Sparkline.text(numbers, until: now, cells: 10, glyphs)
        }
        #expect(text(600) == "▁▁▁▁▁▁▁▁▁█" && text(605) == "▁▁▁▁▁▁▁▁▁█" && text(606) == "▁▁▁▁▁▁▁▁█▁")
        #expect(Sparkline.text([nil, nil, 1, 2], until: 62, cells: 6, isSum: true, glyphs) == "·····█")
        #expect(Sparkline.text([], until: 62, cells: 6, glyphs) == "······")
    }

    // MARK: The footer

    @Test func groupingIsInTheFooterOfTheTree() {
        var screen = GoldenTests.checkout(120, 24)
        #expect(screen.frame.rowText(23).contains("t group"))
        screen.type("2")
        #expect(!screen.frame.rowText(23).contains("t group"))
    }

    @Test func aProgramsRowHasTheFiguresInShort() {
        let screen = ProgramsTests.both(160, 40)
        let row = screen.frame.rowText(3)
        #expect(row.contains("14 in flight") && row.contains("3 running") && row.contains("1 failed/min"))
        let narrow = ProgramsTests.both(80, 24).frame.rowText(3)
        #expect(narrow.contains("14 in flight") && narrow.contains("3 running") && narrow.contains("1 failed/min"))
    }
}

// SPDX-License-Identifier: MIT
