import ChainEvents
import ChainModel
import ChainText
import Frames
import Testing

@testable import Dashboard

/// Sites and Profile against an earlier moment.
@Suite struct BaselineTests {
    /// Returns four orders with a baseline at 4.24 s. Since then an order was done, an address
    /// was looked up slowly, and a node was made at a new call site.
    static func compared(_ columns: Int, _ rows: Int, _ keys: String, options: State.Options = .init()) -> Screen {
        var screen = GoldenTests.checkout(columns, rows, options: options)
        screen.type(keys)
        screen.tick(5_100)
        screen.type("=")
        var script = Script(sequence: 9, time: 6_000)
        Demo.order(&script, 500, "order 19", begin: 6_000, until: .done)
        script.make(600, .work, "refund", site: "Checkout/Refund.swift:9")
        script.make(601, .work, "address lookup", site: "Checkout/Checks.swift:20")
        script.queue(601)
        script.start(601, on: 2)
        script.at(8_500)
        script.fulfill(601)
        screen.feed(script)
        screen.tick(65_100)
        screen.tick(66_100)
        return screen
    }

    private static func row(_ site: String, _ screen: Screen) throws -> SiteRow {
        try #require(screen.state.sites.rows.first { $0.siteText == site })
    }

    private static func change(_ column: SiteColumn, _ row: SiteRow) -> Double? { row.changes[column.rawValue] }

    // MARK: What it looks like

    @Test(arguments: ["4", "7"]) func looksRight(_ view: String) {
        GoldenTests.check(Self.compared(120, 30, view), (view == "4" ? "sites" : "profile") + "/baseline-120x30")
    }

    @Test func looksRightInASCII() {
        GoldenTests.check(
            Self.compared(80, 24, "4", options: State.Options(glyphs: .ascii)), "sites/baseline-ascii-80x24")
    }

    // MARK: Figures

    @Test func columnsShowTheChange() throws {
        let screen = Self.compared(200, 40, "4")
        let orders = try Self.row("Checkout.swift:31", screen)
        #expect(Self.change(.count, orders) == 1 && orders.statistics.total == 5)
        #expect(Self.change(.site, orders) == nil && Self.change(.oldest, orders) == nil)
        #expect(screen.text.contains("Δ since ") && screen.text.contains("(1m01s ago)"), "\(screen.text)")
        #expect(screen.text.contains("Δin flight") && screen.text.contains("+1"))
    }

    @Test func aRowThatCameLaterIsNew() throws {
        let refund = try Self.row("Refund.swift:9", Self.compared(120, 40, "4"))
        #expect(refund.isNew)
        #expect(Self.change(.count, refund) == 1)
        #expect(Self.change(.inFlight, refund) == nil && Self.change(.totalP99, refund) == nil)
        var screen = Self.compared(120, 40, "4")
        #expect(screen.text.contains("new"))
        screen.type("=")
        #expect(screen.state.sites.rows.allSatisfy { !$0.isNew }, "it was there at the new baseline")
    }

    /// A percentile of which there was none is not 0.
    @Test func whatWasNotKnownHasNoChange() throws {
        let checks = try Self.row("Checks.swift:20", Self.compared(120, 40, "4"))
        #expect(Self.change(.totalP99, checks).map { $0 > 1e9 } == true, "from 0.3 to 1.7 s")
        var screen = Screen(120, 30)
        var script = Script(time: 1_000)
        script.make(1, .work, "slow", site: "A/A.swift:1")
        screen.feed(script)
        screen.type("4=")
        var more = Script(sequence: 2, time: 3_000)
        more.fulfill(1)
        screen.feed(more)
        screen.tick(4_000)
        let row = try Self.row("A.swift:1", screen)
        #expect(row.has(.totalP99) && Self.change(.totalP99, row) == nil && !row.isNew)
        #expect(Self.change(.inFlight, row) == -1)
    }

    /// The nodes of another run are other nodes, and the nodes of a count that began anew may be.
    @Test(arguments: [true, false]) func totalsOfAnotherCountHaveNoChange(isOtherRun: Bool) throws {
        var screen = Self.compared(120, 40, "4")
        if isOtherRun {
            let other = ProcessDescription(
                key: ProcessKey(rawValue: 43), pid: 4_343, name: "checkout", wallOffset: Script.process.wallOffset)
            screen.act(.connected(SourceID(0), other))
            var script = Script(time: 70_000, of: other)
            script.make(1, .work, "order 1", site: "Checkout/Checkout.swift:31")
            screen.feed(script)
        } else {
            screen.act(ReplayTests.step(Demo.checkout()[0], at: 70_000, fresh: true))
        }
        screen.tick(71_000)
        screen.tick(72_000)
        let row = try Self.row("Checkout.swift:31", screen)
        #expect(Self.change(.count, row) == nil && !row.isNew)
        #expect((Self.change(.inFlight, row) == nil) == isOtherRun)
        #expect(screen.text.contains("counted anew"), "\(screen.text)")
    }

    /// A program that came later was not counted anew, and all of its rows are new.
    @Test(arguments: ["4", "7"]) func aProgramThatCameLaterIsNew(_ view: String) {
        var screen = Self.compared(120, 40, view)
        let other = ProcessDescription(
            key: ProcessKey(rawValue: 43), pid: 4_343, name: "billing", wallOffset: Script.process.wallOffset)
        screen.act(.connected(SourceID(1), other))
        var script = Script(time: 70_000, of: other)
        script.make(1, .work, "invoice", site: "Billing/Invoice.swift:3")
        script.fulfill(1)
        screen.feed(script, from: SourceID(1))
        for time in [71_000, 72_000, 73_000] as [Double] { screen.tick(time) }
        let sites = screen.state.sites.rows.filter { $0.programIndex == 1 }
        let paths = screen.state.profile.rows.filter { $0.programIndex == 1 && $0.isFrame }
        #expect(view == "7" || sites.map(\.isNew) == [true] && Self.change(.count, sites[0]) == 1)
        #expect(view == "4" || paths.map(\.isNew) == [true] && paths[0].changes[ProfileColumn.count.rawValue] == 1)
        #expect(screen.text.contains("new") && !screen.text.contains("counted anew"), "\(screen.text)")
    }

    /// After a jump the totals are blank at once; whether they were counted anew is known once the count is complete.
    @Test func theReasonIsToldOnceTheCountIsComplete() {
        var screen = Self.compared(120, 40, "4")
        var script = Script(time: 70_000)
        for id in 1...11_000 as ClosedRange<UInt64> { script.make(id, .work, site: "Checkout/Checkout.swift:31") }
        screen.act(ReplayTests.step(script, at: 70_000, fresh: true))
        #expect(SitesView.count(of: screen.state.programs[0]) == nil)
        #expect(screen.text.contains("Δ since") && !screen.text.contains("counted anew"), "\(screen.text)")
        screen.tick(71_000)
        screen.tick(72_000)
        #expect(screen.text.contains("counted anew"), "\(screen.text)")
    }

    @Test func rowsAreSortedByTheChange() {
        var screen = Self.compared(200, 40, "4")
        screen.state.sites.sort = SiteSort(column: .count)
        screen.tick(67_100)
        let changes = screen.state.sites.rows.map { Self.change(.count, $0) ?? -.infinity }
        #expect(changes == changes.sorted(by: >) && changes.first == 2 && changes.last == 1, "\(changes)")
        screen.type("I")
        #expect(screen.message == "sorted by Δcount: the least first")
        var profile = Self.compared(200, 40, "7")
        profile.type("sI")
        #expect(profile.message == "sorted by Δself: the least first")
    }

    @Test func pathsAreCompared() throws {
        let screen = Self.compared(200, 40, "7")
        let order = try #require(screen.state.profile.rows.first { $0.depth == 0 && $0.label == "order" })
        #expect(order.changes[ProfileColumn.count.rawValue] == 1)
        #expect(order.changes[ProfileColumn.totalShare.rawValue] == 0)
        let changes = screen.state.profile.rows.compactMap { $0.isFrame ? $0.changes[ProfileColumn.count.rawValue] : 0 }
        #expect(changes.count == screen.state.profile.rows.count)
    }

    @Test(arguments: [
        (1_234, FigureText.Unit.count, "+1.2k"), (-3, .count, "-3"), (0, .count, ""), (0.123, .share, "+12%"),
        (-0.0123, .share, "-1.2%"), (2e9, .duration, "+2.00s"), (-50_000, .duration, ""), (1e300, .duration, "+>999d"),
    ]) func changesHaveASign(change: Double, unit: FigureText.Unit, text: String) {
        #expect(FigureText.change(change, unit) == text)
    }

    // MARK: Keys and commands

    @Test(arguments: ["4", "7"], ["<Esc>", ":baseline off<Enter>"]) func itEnds(_ view: String, _ keys: String) {
        var screen = Self.compared(120, 40, view)
        screen.type(keys)
        #expect(!screen.text.contains("Δ") && screen.message == "columns show figures again")
        screen.type(":baseline off<Enter>")
        #expect(screen.message == "there is no baseline; = sets it")
    }

    @Test func eachViewHasItsOwn() {
        var screen = Self.compared(120, 40, "4")
        screen.type("7")
        #expect(!screen.text.contains("Δ"))
        screen.type("1:baseline<Enter>")
        #expect(screen.message == "only Sites and Profile do that; 4 and 7 show them")
    }

    @Test func aFilterEndsFirst() {
        var screen = Self.compared(120, 40, "4")
        screen.type("/Checks<Enter><Esc>")
        #expect(!screen.state.filter.isActive && screen.text.contains("Δ since"))
    }

    /// A moment of the past is shown until its figures are counted; then the present is shown again.
    @Test func aMomentOfThePastIsSought() {
        var screen = LookingBackTests.live()
        screen.type("4")
        #expect(LookingBackTests.commands(&screen, ":baseline -20s<Enter>") == [.seek(40_000_000_001)])
        screen.effects = []
        LookingBackTests.lookBack(&screen)
        LookingBackTests.tick(&screen, shown: 40, live: 60)
        #expect(screen.effects.contains(.replay(SourceID(0), .seek(.max))), "\(screen.effects)")
        screen.act(.returnedToNow)
        screen.tick(61_000)
        #expect(screen.text.contains("(21s ago)") && screen.text.contains("counted anew"), "\(screen.text)")
        // The key of a user who looks back sets nothing.
        screen.type("<Esc>")
        LookingBackTests.lookBack(&screen)
        #expect(!screen.text.contains("Δ since"))
    }

    /// Returns a recording at 34.2 s with a mark at 20 s.
    private static func marked(playing: Bool = false) -> Screen {
        var screen = ReplayTests.screen()
        screen.act(.marks([ReplayMark(time: 20_000_000_000, name: "deploy")]))
        screen.act(ReplayTests.step(Script(sequence: 2, time: 34_200), at: 34_200, fresh: false, playing: playing))
        return screen
    }

    /// Shows the mark of a recording, with a chain that has settled, until it is counted; returns the commands.
    private static func showMark(_ screen: inout Screen) -> [ReplayCommand] {
        var script = Script()
        Demo.order(&script, 500, "order 19", begin: 6_000, until: .done)
        let position = ReplayPosition(time: 20_000_000_000, range: ReplayTests.position(0).range)
        screen.act(
            .replayed(
                SourceID(0),
                ReplayStep(process: Script.process, isFresh: true, batches: [script.batch], position: position)))
        screen.effects = []
        for _ in 0..<4 { LookingBackTests.tick(&screen, shown: 20, live: 20) }
        return screen.effects.compactMap { if case .replay(_, let command) = $0 { command } else { nil } }
    }

    @Test func aMomentIsSoughtInProfile() {
        var screen = Self.marked()
        screen.type("7:baseline deploy<Enter>")
        #expect(Self.showMark(&screen) == [.seek(34_200_000_001)])
        #expect(screen.state.profile.rows.contains { $0.isFrame && $0.changes[ProfileColumn.count.rawValue] == 0 })
        #expect(screen.text.contains("Δ since "), "\(screen.text)")
    }

    /// The moment is not now, so the message says when it was.
    @Test func theMessageSaysSinceWhen() {
        var screen = Self.marked()
        screen.type("4:baseline deploy<Enter>")
        #expect(Self.showMark(&screen) == [.seek(34_200_000_001)])
        let clock = ClockText.seconds(Script.process.wallOffset + 20_000_000_000, offset: 0)
        #expect(screen.message == "columns show the change since \(clock): = begins anew, Esc ends it")
    }

    @Test func aRecordingPlaysOn() {
        var screen = Self.marked(playing: true)
        screen.type("4")
        let commands = LookingBackTests.commands(&screen, ":baseline deploy<Enter>")
        #expect(commands == [.togglePlaying, .seek(20_000_000_000)])
        #expect(Self.showMark(&screen) == [.seek(34_200_000_001), .togglePlaying])
    }

    /// Otherwise it would be set unasked when the moment is shown later, and lead away from there.
    @Test(arguments: ["1", ":goto 1<Enter>", ",", ":baseline off<Enter>"]) func itIsGivenUp(_ keys: String) {
        var screen = Self.marked()
        screen.type("4:baseline deploy<Enter>" + keys + "4")
        #expect(Self.showMark(&screen) == [])
        #expect(screen.state.view == .sites && !screen.text.contains("Δ since"), "\(screen.text)")
    }

    /// The past does not reach so far.
    @Test func aMomentThatIsNotShownIsGivenUp() {
        var screen = LookingBackTests.live()
        screen.type("4:baseline -10m<Enter>")
        screen.act(.message("this is now"))
        screen.type(":at -59s<Enter>")
        screen.effects = []
        LookingBackTests.lookBack(&screen, to: 0)
        LookingBackTests.tick(&screen, shown: 0, live: 60)
        #expect(screen.effects == [] && !screen.text.contains("Δ since"), "\(screen.effects)")
    }

    @Test func aMarkIsSought() {
        var screen = Self.marked()
        screen.type("4")
        #expect(LookingBackTests.commands(&screen, ":baseline deploy<Enter>") == [.seek(20_000_000_000)])
        screen.type(":baseline depl")
        screen.act(.key(KeyPress(.tab)))
        #expect(screen.state.mode == .command("baseline deploy"))
        screen.type("oy<Enter>")
        #expect(screen.text.contains("no moment and no mark of that name"))
    }
}

// SPDX-License-Identifier: MIT
