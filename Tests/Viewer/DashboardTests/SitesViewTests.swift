import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames
import Testing

@testable import Dashboard

/// The view of call sites: what it shows, its keys and the mouse.
@Suite struct SitesViewTests {
    static func screen(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = GoldenTests.checkout(columns, rows, options: options)
        screen.type("4")
        return screen
    }

    private static func programs(_ columns: Int, _ rows: Int) -> Screen {
        var screen = GoldenTests.checkout(columns, rows)
        screen.act(.connected(SourceID(1), Script.billing))
        for batch in Demo.billing() { screen.act(.received(SourceID(1), batch.batch)) }
        screen.tick(4_300)
        screen.type("4")
        return screen
    }

    // MARK: What it looks like

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func looksRight(_ size: Size) {
        var screen = Self.screen(size.columns, size.rows)
        if size.columns < 140 { screen.type("d") }
        GoldenTests.check(screen, "sites/\(size)")
    }

    @Test func looksRightInASCII() {
        var screen = Self.screen(120, 40, options: State.Options(glyphs: .ascii))
        screen.type("jd")
        GoldenTests.check(screen, "sites/ascii-120x40")
    }

    @Test func severalProgramsHaveAColumn() { GoldenTests.check(Self.programs(120, 30), "sites/programs-120x30") }

    @Test func nothingYet() {
        var screen = Screen(80, 24)
        screen.type("4")
        #expect(screen.text.contains("no call sites yet"))
        for keys in ["<Enter>", "s", "S", "I", "y", "e", "j", "d", "c", " ", "w"] {
            screen.type(keys)
            _ = screen.frame
        }
    }

    @Test(arguments: 20...220) func columnsFit(_ width: Int) {
        for hasPrograms in [false, true] {
            let spans = SiteColumn.spans(width: width, hasPrograms: hasPrograms)
            #expect(spans.first?.column == .site)
            var end = 0
            for (_, span) in spans {
                #expect(span.start > end)
                end = span.start + span.width
            }
            #expect(end <= width - 1)
        }
    }

    @Test func aNarrowPaneKeepsTheLabels() {
        let columns = SiteColumn.spans(width: 60, hasPrograms: false).map(\.column)
        #expect(columns == [.site, .label, .inFlight, .totalP99], "\(columns)")
        #expect(Self.screen(60, 15).text.contains("credit limit"))
    }

    /// Figures of less importance do not cut labels.
    @Test func aWidePaneHasWholeLabels() {
        var screen = Screen(200, 30)
        var script = Script()
        script.make(1, .then, "tell the customer all", site: "A/A.swift:1")
        screen.feed(script)
        screen.type("4")
        screen.tick(2_000)
        #expect(screen.text.contains("tell the customer all"), "\(screen.text)")
    }

    // MARK: Sorting

    /// Else a sort may give any order, or trap.
    @Test(arguments: SiteColumn.allCases) func aRowDoesNotPrecedeItself(_ column: SiteColumn) {
        let rows = Self.screen(120, 40).state.sites.rows
        #expect(rows.count > 1)
        for isInverted in [true, false] {
            let sort = SiteSort(column: column, isInverted: isInverted)
            for (row, next) in zip(rows, rows.dropFirst()) {
                #expect(!row.precedes(row, by: sort))
                #expect(row.precedes(next, by: sort) != next.precedes(row, by: sort))
            }
        }
    }

    // MARK: Keys

    @Test func sortsByEachColumnAndBack() {
        var screen = Self.screen(200, 40)
        screen.type("d")
        let start = screen.state.sites.sort
        var seen: Set<Int> = []
        repeat {
            screen.type("s")
            seen.insert(screen.state.sites.sort.column.rawValue)
            let rows = screen.state.sites.rows
            for (left, right) in zip(rows, rows.dropFirst()) {
                #expect(left.precedes(right, by: screen.state.sites.sort))
                #expect(!right.precedes(left, by: screen.state.sites.sort))
            }
        } while screen.state.sites.sort != start && seen.count < 30
        #expect(screen.state.sites.sort == start)
        #expect(seen.count == SiteColumn.spans(width: 200, hasPrograms: false).count)
        screen.state.sites.sort = SiteSort(column: .runP99)
        screen.tick(5_300)
        let rows = screen.state.sites.rows.filter { $0.has(.runP99) }
        screen.type("I")
        let turned = screen.state.sites.rows.prefix(rows.count).map(\.statistics.run.p99)
        #expect(turned == rows.map(\.statistics.run.p99).reversed())
        #expect(screen.message == "sorted by run p99: the shortest first")
    }

    /// Not by the number of runs, by which the column looks unsorted.
    @Test func barsSortByTheirMedian() {
        var screen = Self.screen(200, 40)
        screen.state.sites.sort = SiteSort(column: .bars)
        screen.tick(5_300)
        let medians = screen.state.sites.rows.map(\.statistics.run.p50)
        #expect(medians == medians.sorted(by: >))
        #expect(screen.state.sites.sort.words == "sorted by run p50: the longest first")
    }

    @Test func theSelectionStaysOnItsSite() {
        var screen = Self.screen(120, 40)
        screen.type("jj")
        let selected = screen.state.sites.selectedRow?.id
        screen.type("ss")
        #expect(screen.state.sites.selectedRow?.id == selected)
        screen.type("/check<Enter>")
        #expect(screen.state.sites.rows.allSatisfy { $0.siteText.hasPrefix("Check") })
        screen.type("/<^U>fraud<Enter>")
        #expect(screen.state.sites.rows.map(\.labelText) == ["fraud score"])
    }

    @Test func filterHidesOtherSites() {
        var screen = Self.screen(120, 40)
        screen.type("/Checks.swift<Enter>")
        #expect(screen.state.sites.rows.count == 4)
        screen.type("/<^U>nowhere<Enter>")
        #expect(screen.text.contains("nothing matches “nowhere”; Esc clears the filter"))
        screen.type("<Esc>")
        #expect(screen.state.sites.rows.count > 4)
    }

    @Test func enterShowsItsNodes() {
        var screen = Self.screen(120, 40)
        screen.type("<Enter>")
        #expect(screen.state.view == .chains)
        #expect(screen.state.filter.text == "site=Checkout.swift:34 kind:then")
        #expect(screen.state.matchCount == 4)
    }

    @Test func copyAndEditActOnTheSite() {
        var screen = Self.screen(120, 40)
        while screen.state.sites.selectedRow?.siteText != "Checkout.swift:41" { screen.type("j") }
        screen.type("ye")
        #expect(
            screen.effects == [
                .copy(
                    "Checkout/Checkout.swift:41 then (charge card): 2 live of 4, 1 rejected, 0 cancelled; "
                        + "total p50 300ms p90 300ms p99 300ms max 300ms; wait p50 0.4ms p90 0.4ms p99 0.4ms max 0.4ms; run p50 299ms p90 299ms p99 299ms max 299ms"
                ),
                .openEditor(CodeLocation(fileID: "Checkout/Checkout.swift", line: 41)),
            ])
    }

    @Test func keysOfNodesSayWhyNot() {
        var screen = Self.screen(120, 40)
        for key in ["c", "C", " ", "w"] {
            screen.type(key)
            #expect(screen.message?.contains("call sites") == true, "\(key)")
            #expect(screen.state.mode == .normal)
        }
    }

    // MARK: The mouse

    private func click(_ screen: inout Screen, row: Int, column: Int, count: Int = 1) {
        var mouse = Mouse(.press, .left, row: row, column: column)
        mouse.clickCount = count
        screen.act(.mouse(mouse))
    }

    @Test func aClickOnAHeadSorts() throws {
        var screen = Self.screen(120, 40)
        let spans = screen.state.sites.spans(screen.seen)
        let live = try #require(spans.first { $0.column == .inFlight }?.span.start)
        #expect(screen.frame.rowText(2).dropFirst(live).hasPrefix("in flight"))
        click(&screen, row: 2, column: live)
        #expect(screen.state.sites.sort == SiteSort(column: .inFlight))
        click(&screen, row: 2, column: live + 9)
        #expect(screen.state.sites.sort == SiteSort(column: .inFlight, isInverted: true))
    }

    @Test func aClickSelectsAndADoubleClickGoesThere() {
        var screen = Self.screen(120, 40)
        click(&screen, row: 5, column: 10)
        #expect(screen.state.sites.cursor.selected == 2)
        let row = screen.state.sites.selectedRow
        click(&screen, row: 5, column: 10, count: 2)
        #expect(screen.state.view == .chains)
        #expect(screen.state.filter.text == Query.text(site: row?.site, kind: row?.id.key.kind ?? .other))
    }
}

// SPDX-License-Identifier: MIT
