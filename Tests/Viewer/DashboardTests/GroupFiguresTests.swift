import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// The figures in the row of a group: of chains from one call site.
@Suite struct GroupFiguresTests {
    private static func screen(_ columns: Int, _ rows: Int) -> Screen {
        var screen = GoldenTests.checkout(columns, rows)
        screen.type("tg")
        screen.tick(5_100)
        return screen
    }

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func looksRight(_ size: Size) { GoldenTests.check(Self.screen(size.columns, size.rows), "groups/\(size)") }

    @Test func figuresStandUnderTheirHeadings() throws {
        let screen = Self.screen(120, 40)
        let head = screen.frame.rowText(2)
        let row = screen.frame.rowText(3)
        func figure(_ title: String) throws -> String {
            let end = try #require(head.range(of: title)).upperBound
            return String(row[..<row.index(row.startIndex, offsetBy: head.distance(from: head.startIndex, to: end))])
        }
        #expect(try figure("in flight").hasSuffix(" 2"))
        #expect(try figure("/min").hasSuffix(" 2"))
        #expect(try figure("error").hasSuffix(" 50%"))
        #expect(try figure("total p50").hasSuffix("ms"))
        #expect(try figure("total p99").hasSuffix(" 807ms"))
    }

    @Test(arguments: ["value node", "state value node total", "node", "thread node"])
    func theRowIsThereWhicheverColumnsAreChosen(_ columns: String) {
        var screen = Self.screen(120, 40)
        screen.type(":columns \(columns)<Enter>g")
        let row = screen.frame.rowText(3)
        #expect(row.contains(".swift:") && row.contains(" chains"), "\(row)")
    }

    @Test func headingsAreThoseOfTheSelectedRow() {
        var screen = Self.screen(120, 40)
        #expect(screen.frame.rowText(2).contains("total p99"))
        screen.type("<Right>j")
        #expect(screen.frame.rowText(2).contains("value / error"))
    }

    /// The columns under the headings of the figures are not shown.
    @Test func aClickOnAHeadingOfAFigureDoesNotSort() throws {
        var screen = Self.screen(120, 40)
        let order = screen.state.tree.order
        let figures = try #require(screen.state.tree.groupColumns(ViewContext(screen.state)))
        #expect(!figures.spans.isEmpty)
        for (_, span) in figures.spans {
            screen.act(.mouse(Mouse(.press, .left, row: 2, column: span.start + span.width - 1)))
            #expect(screen.state.tree.order == order)
            #expect(screen.message == "chains are not sorted by the figures of a group; s sorts")
        }
        // Another row has the usual headings.
        screen.type("<Right>j")
        let headers = screen.state.tree.columns(in: 120).headers
        let total = try #require(headers.first { $0.column == .total })
        screen.act(.mouse(Mouse(.press, .left, row: 2, column: total.span.start)))
        #expect(screen.state.tree.order.column == .total)
    }

    /// The figures are counted once a second: a chain that has settled since does not grow older.
    @Test func nothingIsOlderThanItLived() {
        var screen = Screen(200, 40)
        var script = Script(time: 1_000)
        script.make(1, .work, "order 17", site: "A.swift:2")
        script.make(2, .then, "charge", under: 1, site: "A.swift:3")
        screen.feed(script)
        screen.type("tg")
        screen.tick(3_000)
        #expect(screen.frame.rowText(3).contains("2.00s"), "\(screen.text)")
        script = Script(sequence: 2, time: 3_050)
        script.fulfill(1)
        script.fulfill(2)
        screen.feed(script)
        screen.tick(3_600)
        #expect(!screen.frame.rowText(3).contains("2.60s"), "\(screen.text)")
    }

    /// By age, not by their order in the list.
    @Test func detailsNameTheNewestAndTheOldestInFlight() {
        var screen = Self.screen(120, 40)
        screen.type("<Enter>")
        let lines = DetailText.lines(of: screen.state, width: 60).map { $0.parts.map(\.text).joined() }
        #expect(lines.contains { $0.hasPrefix("newest") && $0.contains("order 18") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("oldest") && $0.contains("order 17, in flight for 2s") }, "\(lines)")
        #expect(!lines.contains { $0.hasPrefix("first") || $0.hasPrefix("last") })
    }
}

// SPDX-License-Identifier: MIT
