import ChainEvents
import ChainRows
import Frames
import Testing

@testable import Dashboard

/// What the user has set, and how it is restored.
@Suite struct RememberedTests {
    /// Another run of the program.
    private static let restarted = ProcessDescription(
        key: ProcessKey(rawValue: 43), pid: 4343, name: "checkout", wallOffset: Script.process.wallOffset)

    /// Feeds two orders of a program.
    private func feedOrders(_ screen: inout Screen, by process: ProcessDescription = Script.process) {
        var script = Script(time: 4_300, of: process)
        for (number, base) in [(1, 100), (2, 200)] as [(Int, UInt64)] {
            Demo.order(&script, base, "order \(number)", begin: 4_300, until: .checking)
        }
        screen.feed(script)
    }

    @Test func everySettingIsRememberedAndRestored() {
        var screen = GoldenTests.checkout(120, 40)
        let usual = screen.state.viewSettings
        #expect(usual.view == .chains && usual.detail == .auto && usual.filter == "" && usual.folded == [])
        screen.type("/card<Enter>m<Enter>:rate 15<Enter>ssI")
        screen.act(.restore(ViewSettings(theme: "light", detailRows: 9)))
        screen.type("5")
        let set = screen.state.viewSettings
        #expect(set.view == .warnings && set.detail == .open && set.filter == "card" && set.dims == true)
        #expect(set.order == TreeOrder(column: .node, isInverted: true))
        #expect(set.theme == "light" && set.refreshRate == 15 && set.detailRows == 9 && set.detailColumns == 0)

        // A new dashboard restores the settings, before or after its program connects.
        for isLate in [false, true] {
            var other = Screen(120, 40, connected: false)
            if !isLate { other.act(.restore(set)) }
            other.act(.connected(SourceID(0), Script.process))
            for batch in Demo.checkout() { other.feed(batch) }
            if isLate { other.act(.restore(set)) }
            other.tick(4_240)
            #expect(other.state.viewSettings == set)
            other.type("1")
            #expect(
                other.state.matchCount == screen.state.matchCount && other.state.matchCount > 0
                    && Layout(other.state).detail?.rows == 9)
            #expect(other.state.options.theme == .light)
        }
    }

    /// `:reset` says whether it changed anything, and a session with other settings than the usual ones names them.
    @Test(
        arguments: [
            (":sort run siblings<Enter>", "sorted by run, siblings sorted"), ("/card<Enter>m", "the rest dimmed"),
            ("<Enter>", "details open"),
        ]) func everySettingIsNamed(_ keys: String, _ words: String)
    {
        var screen = GoldenTests.checkout(120, 40)
        let usual = screen.state.viewSettings
        screen.type(keys)
        let set = screen.state.viewSettings
        #expect(set.words(since: usual).joined(separator: ", ").contains(words), "\(set.words(since: usual))")
        screen.type(":reset<Enter>")
        #expect(screen.message == "back to the defaults" && screen.state.viewSettings == usual)
        screen.type(":reset<Enter>")
        #expect(screen.message == "everything is as by default")
        #expect(usual.words(since: set) != [])
    }

    @Test func theWordsOfEachSettingDiffer() {
        var (usual, other) = (Screen(80, 24).state.viewSettings, Screen(80, 24).state.viewSettings)
        usual.detail = .closed
        (other.order, other.dims) = (TreeOrder(sortsSiblings: true), true)
        #expect(other.words(since: usual) == ["siblings sorted", "the rest dimmed", "details where there is room"])
        usual.detail = .open
        #expect(usual.words(since: other) == ["siblings in program order", "the rest hidden", "details open"])
        (other, usual.detailColumns) = (usual, 50)
        #expect(usual.words(since: other) == ["details resized"])
    }

    @Test func aSessionKeepsWhatTheUserChanged() {
        var (base, old) = (ViewSettings(), ViewSettings())
        (base.view, base.theme, base.refreshRate, base.filter) = (.chains, "dark", 30, "")
        (old.view, old.theme) = (.sites, "light")
        let start = base.overlaid(with: old)
        #expect(start.view == .sites && start.theme == "light" && start.refreshRate == 30)
        // The user changed nothing, so nothing is kept, whatever a flag set for this session.
        #expect(old.after(start: start, end: start, base: base) == old)
        var flagged = start
        flagged.theme = "terminal"
        #expect(old.after(start: flagged, end: flagged, base: base) == old)
        // What is set is kept; what is set back is forgotten.
        var end = start
        (end.refreshRate, end.view) = (10, .chains)
        let kept = old.after(start: start, end: end, base: base)
        #expect(kept == ViewSettings(theme: "light", refreshRate: 10))
        #expect(ViewSettings().after(start: base, end: base, base: base).isEmpty)
        // A change of the configuration has effect, because no session has set that value.
        var newBase = base
        newBase.refreshRate = 60
        #expect(newBase.overlaid(with: old).refreshRate == 60)
    }

    @Test func settingsSurviveARestartOfTheProgram() {
        var screen = Screen(120, 40)
        feedOrders(&screen)
        screen.type("/order or card<Enter>m<Enter>:rate 60<Enter>sst")
        screen.type("3")
        let before = screen.state.viewSettings
        screen.act(.connected(SourceID(0), Self.restarted))
        #expect(screen.state.viewSettings == before)
        feedOrders(&screen, by: Self.restarted)
        screen.tick(4_800)
        #expect(screen.state.viewSettings == before && screen.state.matchCount > 0)
    }

    @Test func foldedSitesAreFoldedInTheNextSession() {
        var screen = Screen(120, 40)
        feedOrders(&screen)
        // A node within a chain, and a whole chain.
        screen.go(to: 102)
        screen.type("<Left>")
        #expect(screen.state.foldedSites.names == ["Checkout/Checkout.swift:34"])
        screen.go(to: 200)
        screen.type("<Left>")
        #expect(screen.state.foldedSites.names == ["Checkout/Checkout.swift:34", "Checkout/Checkout.swift:31"])
        // Other nodes of these sites stay unfolded for now.
        #expect(screen.visibleIDs.contains(101))

        var next = Screen(120, 40, connected: false)
        next.act(.restore(screen.state.viewSettings))
        next.act(.connected(SourceID(0), Self.restarted))
        feedOrders(&next, by: Self.restarted)
        #expect(next.visibleIDs == [200, 100])
        next.go(to: 200)
        next.type("<Right>")
        #expect(next.state.foldedSites.names == ["Checkout/Checkout.swift:34"])
        #expect(next.visibleIDs.contains(202) && !next.visibleIDs.contains(213))
        // The folds also hold when the program restarts during the session.
        next.act(.connected(SourceID(0), Script.process))
        feedOrders(&next)
        #expect(next.visibleIDs.contains(101) && next.visibleIDs.contains(102))
        #expect(!next.visibleIDs.contains(113) && !next.visibleIDs.contains(213))
        next.type("*")
        #expect(next.state.foldedSites.names == [] && next.visibleIDs.contains(113))
    }

    /// The folded sites may be restored after the nodes have come.
    @Test func nodesFoldWhenTheFoldedSitesComeLate() {
        var screen = Screen(120, 40)
        feedOrders(&screen)
        screen.act(.restore(ViewSettings(folded: ["Checkout/Checkout.swift:31", "No/Such.swift:1"])))
        screen.tick(4_400)
        #expect(screen.visibleIDs == [200, 100])
        // The number of folded sites has a limit.
        screen.act(.restore(ViewSettings(folded: (0..<500).map { "A/A.swift:\($0)" })))
        #expect(screen.state.foldedSites.names.count == FoldedSites.limit)
    }

    @Test func invalidSettingsAreIgnoredOrClamped() {
        var screen = GoldenTests.checkout(80, 24)
        var bad = ViewSettings(theme: "mauve", refreshRate: 1_000)
        (bad.filter, bad.detailRows, bad.detailColumns) = ("state:nope and (", 9_999, 9_999)
        bad.detail = .open
        screen.act(.restore(bad))
        #expect(screen.state.options.theme == .dark && screen.state.options.refreshRate == 60)
        #expect(!screen.state.filter.isActive && screen.text.contains("order 1"))
        for size in [Size(columns: 30, rows: 8), Size(columns: 300, rows: 20)] {
            screen.act(.resized(size))
            #expect(screen.frame.size == size)
        }
    }
}

extension ViewSettings {
    fileprivate init(
        theme: String? = nil, refreshRate: Int? = nil, detailRows: Int? = nil, folded: [String]? = nil
    ) {
        self.init()
        (self.theme, self.refreshRate, self.detailRows, self.folded) = (theme, refreshRate, detailRows, folded)
    }
}

// SPDX-License-Identifier: MIT
