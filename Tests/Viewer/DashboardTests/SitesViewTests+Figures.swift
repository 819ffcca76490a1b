import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames
import Testing

@testable import Dashboard

/// The figures of call sites.
extension SitesViewTests {
    static func row(_ site: String, _ screen: Screen) throws -> SiteRow {
        try #require(screen.state.sites.rows.first { $0.siteText == site })
    }

    @Test func whatIsSlowestOrInFlightForLongestIsFirst() throws {
        let screen = Self.screen(120, 40)
        // The checks of order 17 have run for a second; no finished step took as long.
        #expect(screen.state.sites.rows.first?.siteText == "Checkout.swift:34")
        let ranks = screen.state.sites.rows.map { max($0.number(.totalP99), $0.number(.oldest)) }
        #expect(ranks == ranks.sorted(by: >))
        // Two orders were charged, in 300 ms each.
        let charge = try Self.row("Checkout.swift:41", screen)
        #expect(charge.statistics.total == 4)
        #expect(charge.statistics.rejected == 1)
        #expect(charge.statistics.live == 2)
        #expect(charge.statistics.flow.inFlight == 0, "the others wait for the checks")
        #expect(charge.labelText == "charge card")
        #expect(charge.statistics.flow.failedShare == 0.5)
        #expect(DurationText.settled(charge.statistics.run.p99) == "299ms")
        #expect(DurationText.settled(charge.number(.totalP99)) == "300ms")
        #expect(charge.number(.rate) == 2)
    }

    /// Also before any handler of its site has ended.
    @Test func aRunningHandlerCountsInMaxAndInItsOwnColumn() throws {
        var screen = Screen(200, 40)
        var script = Script(time: 1_000)
        script.make(1, .work, "quick", site: "Stuck.swift:30")
        script.queue(1)
        script.start(1)
        script.at(1_300)
        script.fulfill(1)
        script.make(2, .work, "wait at the desk", site: "Stuck.swift:36")
        script.queue(2)
        script.start(2)
        screen.feed(script)
        screen.type("4d")
        screen.tick(15_300)
        let row = try #require(screen.state.sites.rows.first)
        #expect(row.siteText == "Stuck.swift:36")
        #expect(row.number(.running) == 1)
        #expect(screen.text.contains("14.0s"))
        screen.state.sites.sort = SiteSort(column: .runMax)
        screen.tick(16_300)
        #expect(screen.state.sites.rows.first?.siteText == "Stuck.swift:36")
        #expect(screen.state.sites.rows.first?.has(.runMax) == true)
    }

    /// A delay has no handler, so only its total is measured.
    @Test func waitingIsMeasured() throws {
        var screen = Screen(120, 40)
        var script = Script(time: 1_000)
        script.make(1, .resolved, "begin", site: "A.swift:1")
        script.make(2, .delay, "a pause", under: 1, site: "A.swift:2")
        script.fulfill(1)
        script.at(3_000)
        script.fulfill(2)
        screen.feed(script)
        screen.type("4")
        #expect(screen.state.sites.rows.first?.siteText == "A.swift:2")
        #expect(screen.text.contains("2.00s"))
        #expect(!screen.text.contains("0.0ms"), "times under 0.1 ms are nothing to look at")
    }

    @Test func theMarkOfTheSortStandsAfterItsHeading() {
        var screen = Self.screen(120, 40)
        #expect(screen.frame.rowText(2).contains("total p99▾"))
        screen.type("I")
        #expect(screen.frame.rowText(2).contains("total p99▴"))
        #expect(
            screen.message == "sorted by total p99, or the oldest in flight where that is older: the shortest first")
        screen.state.sites.sort = SiteSort(column: .site)
        #expect(screen.frame.rowText(2).contains("call site▴"))
    }

    @Test func agesGrowBetweenTheCounts() {
        var screen = Self.screen(120, 40)
        let first = screen.text
        screen.tick(5_300)
        #expect(screen.text != first)
        #expect(screen.text.contains("2.06s"), "order 17's checks")
    }

    /// Returns the view with one pause, which began two seconds ago.
    private static func pause(_ keys: String) -> Screen {
        var screen = Screen(160, 40)
        var script = Script(time: 1_000)
        script.make(1, .delay, "a pause", site: "A.swift:2")
        screen.feed(script)
        screen.type(keys)
        screen.tick(3_000)
        return screen
    }

    /// The ages are those of the last second: a node that has settled since does not grow older.
    @Test func nothingIsOlderThanItLived() throws {
        var screen = Self.pause("4d")
        #expect(try Self.row("A.swift:2", screen).has(.oldest))
        var script = Script(sequence: 2, time: 3_050)
        script.fulfill(1)
        screen.feed(script)
        screen.tick(3_600)
        #expect(!screen.text.contains("2.60s"), "\(screen.text)")
        screen.tick(4_000)
        #expect(try !Self.row("A.swift:2", screen).has(.oldest))
    }

    /// Rows may be made before the count of their second is: ages are of the moment of the last count.
    @Test func agesAreOfTheMomentOfTheCount() throws {
        var screen = Self.pause("4")
        var script = Script(sequence: 2, time: 3_050)
        script.fulfill(1)
        screen.act(.received(SourceID(0), script.batch))
        screen.state.forgetRows()
        screen.state.world.programs[0].applyForestChanges()
        screen.state.updateViewport()
        #expect(try Self.row("A.swift:2", screen).has(.oldest))
        #expect(try Self.row("A.swift:2", screen).number(.oldest) <= 2_050_000_000)
    }

    @Test func figuresAreUpdatedOnceASecond() {
        var screen = Self.screen(120, 40)
        let total = { (screen: Screen) in
            try? Self.row("Checkout.swift:31", screen).statistics.total
        }
        #expect(total(screen) == 4)
        var script = Script(sequence: 9, time: 4_300)
        script.make(500, .promise, "order 19", site: "Checkout/Checkout.swift:31")
        screen.feed(script)
        screen.tick(4_900)
        #expect(total(screen) == 4)
        screen.tick(5_010)
        #expect(total(screen) == 5)
    }

    /// The clock of an ended program stands still, but its last events are counted.
    @Test(arguments: [4, 1]) func theLastEventsOfAnEndedProgramAreCounted(_ view: Int) {
        var screen = Screen(160, 40)
        var script = Script(time: 4_000)
        for node in 1...3 as ClosedRange<UInt64> { script.make(node, .work, "part", site: "Shop.swift:7") }
        screen.feed(script)
        screen.type("\(view)")
        screen.tick(4_050)
        script = Script(sequence: 2, time: 4_500)
        for node in 4...5 as ClosedRange<UInt64> { script.make(node, .work, "part", site: "Shop.swift:7") }
        for node in 1...5 as ClosedRange<UInt64> { script.reject(node, "declined") }
        screen.feed(script)
        screen.act(.ended(SourceID(0), "it is over"))
        screen.tick(5_600)
        let lines = DetailText.lines(of: screen.state, width: 60).map { $0.parts.map(\.text).joined() }
        #expect(lines.contains { $0.contains("5 rejected") || $0.hasPrefix("rejected    5,") }, "\(lines)")
        #expect(screen.state.programs[0].isIdle)
    }

    /// In a recording, after a step and after a jump.
    @Test(arguments: ["4", "7"]) func figuresAreOfTheShownMoment(_ view: String) {
        var screen = ReplayTests.screen()
        screen.type(view)
        func counts() -> [Int] {
            view == "4"
                ? screen.state.sites.rows.map(\.statistics.total).sorted()
                : screen.state.profile.rows.filter { $0.depth == 0 }.map(\.count)
        }
        #expect(counts() == (view == "4" ? [1, 2] : []))
        var later = Script(sequence: 2, time: 35_000)
        later.fulfill(2)
        later.make(4, .work, "order 19", site: "Shop/Order.swift:41")
        screen.act(ReplayTests.step(later, at: 35_000, fresh: false))
        screen.tick(34_300)
        #expect(counts() == (view == "4" ? [1, 3] : [1]))
        screen.act(ReplayTests.step(ReplayTests.state, at: 1_000, fresh: true))
        #expect(counts() == (view == "4" ? [1, 2] : []))
    }

    @Test func withoutChangesNothingIsDrawn() {
        var screen = Self.screen(120, 40)
        screen.tick(7_000)
        let revision = screen.state.revision
        screen.tick(7_400)
        #expect(screen.state.revision == revision)
    }

    @Test func detailsOfANodeCountItsSiteAlone() throws {
        var screen = GoldenTests.checkout(160, 40)
        screen.go(to: 103)
        let insight = screen.state.programs[0].insight.sites
        #expect(insight.figures?.count == 1, "only its own site is counted")
        let forest = try #require(screen.state.forest)
        let node = forest.node(try #require(forest.index(of: NodeID(103))))
        #expect(insight.figures?[SiteKey(site: node.site, kind: node.kind)]?.run.count == 2)
        var narrow = GoldenTests.checkout(100, 40)
        narrow.go(to: 103)
        #expect(narrow.state.programs[0].insight.sites.figures == nil)
    }

    @Test func aFrozenPictureIsCountedToo() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("p4")
        screen.tick(4_400)
        #expect(!screen.state.sites.rows.isEmpty)
    }
}

// SPDX-License-Identifier: MIT
