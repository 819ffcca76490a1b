import ChainEvents
import ChainModel
import Frames
import Testing

@testable import ChainRows
@testable import Dashboard

/// Sorting, inverting and grouping the tree by keys and clicks, and what stays in its place.
@Suite struct SortTests {
    /// Returns a screen with four orders, folded.
    private static func orders(_ columns: Int = 120, _ rows: Int = 40) -> Screen {
        var screen = GoldenTests.checkout(columns, rows)
        screen.type("_")
        return screen
    }

    private static func roots(_ screen: Screen) -> [UInt64] { screen.visibleIDs.filter { $0 % 100 == 0 } }

    // MARK: What it looks like

    @Test func goldens() {
        var screen = GoldenTests.checkout(120, 24)
        screen.type("ssssss")
        GoldenTests.check(screen, "chains/sorted-total-120x24")
        screen.type("I")
        GoldenTests.check(screen, "chains/sorted-inverted-120x24")
        screen.type("t")
        GoldenTests.check(screen, "chains/grouped-folded-120x24")
        screen.type("l")
        GoldenTests.check(screen, "chains/grouped-120x24")
        screen.type("<Enter>")
        GoldenTests.check(screen, "chains/grouped-detail-120x24")
    }

    @Test func goldensInASCIIAndNarrow() {
        var screen = GoldenTests.checkout(80, 20, options: State.Options(glyphs: .ascii))
        screen.type("sssssstl")
        GoldenTests.check(screen, "chains/grouped-ascii-80x20")
        screen.act(.resized(Size(columns: 40, rows: 12)))
        GoldenTests.check(screen, "chains/grouped-ascii-40x12")
    }

    // MARK: Columns

    @Test func sortsByEachColumnInTurn() {
        var screen = Self.orders()
        #expect(Self.roots(screen) == [400, 300, 200, 100])
        var seen: [SortColumn] = []
        for _ in SortColumn.allCases {
            screen.type("s")
            seen.append(screen.state.tree.order.column)
            #expect(screen.message == screen.state.tree.order.words)
        }
        #expect(seen == [.state, .node, .thread, .wait, .run, .total, .value, .start])
        #expect(Self.roots(screen) == [400, 300, 200, 100])
    }

    @Test func theLongestComesFirstUntilTheOrderIsInverted() {
        var screen = Self.orders()
        screen.act(.perform(.sort))
        while screen.state.tree.order.column != .total { screen.type("s") }
        // 300 and 400 have run since 3.02 s and 3.9 s; 100 took 806 ms, 200 took 807 ms.
        #expect(Self.roots(screen) == [300, 200, 100, 400])
        screen.type("I")
        #expect(Self.roots(screen) == [400, 100, 200, 300])
    }

    /// `desc` puts the greatest first, whatever the column's usual order is.
    @Test func aCommandSorts() {
        var screen = Self.orders()
        let usual = Self.roots(screen)
        for (line, wanted, inverted) in [
            ("total", [300, 200, 100, 400], false), ("total desc", [300, 200, 100, 400], false),
            ("TOTAL asc", [400, 100, 200, 300], true), ("node", [100, 200, 300, 400], false),
            ("node desc", [400, 300, 200, 100], true), ("node asc", [100, 200, 300, 400], false),
            ("start desc", [400, 300, 200, 100], false), ("start asc", [300, 400, 100, 200], true),
        ] as [(String, [UInt64], Bool)] {
            screen.type(":sort \(line)<Enter>")
            #expect(Self.roots(screen) == wanted && screen.state.tree.order.isInverted == inverted, "\(line)")
        }
        #expect(screen.frame.rowText(0).contains("oldest first"))
        screen.type("t:sort run siblings desc<Enter>")
        #expect(screen.state.tree.order == TreeOrder(column: .run, sortsSiblings: true, isGrouped: true))
        #expect(screen.message == "sorted by run, the longest first; nodes under a node, too")
        // Without arguments: the default order. The grouping stays.
        screen.type("4:sort<Enter>")
        #expect(screen.state.tree.order == TreeOrder(isGrouped: true) && screen.state.view == .chains)
        screen.type("t")
        #expect(Self.roots(screen) == usual)
    }

    @Test func growingDurationsOvertakeOnceASecond() {
        var screen = Self.orders()
        while screen.state.tree.order.column != .total { screen.type("s") }
        screen.tick(4_700)
        #expect(Self.roots(screen) == [300, 200, 100, 400], "400 is 800 ms old, but the second is not over")
        screen.tick(4_900)
        #expect(Self.roots(screen) == [300, 200, 100, 400])
        screen.tick(5_010)
        #expect(Self.roots(screen) == [300, 400, 200, 100])
    }

    @Test func liveAndFailedChainsComeFirst() {
        var screen = Self.orders()
        screen.type("s")
        // All roots are fulfilled: their chains decide. 300 and 400 run, 200 holds rejections.
        #expect(Self.roots(screen) == [300, 400, 200, 100])
        var more = Script(sequence: 9, time: 5_000)
        more.make(600, .promise, "order 20", external: true)
        more.make(700, .promise, "order 21")
        more.start(700)
        screen.feed(more)
        screen.tick(6_000)
        // Chains by the state of their live nodes: three run, one is pending.
        #expect(Self.roots(screen) == [300, 400, 700, 600, 200, 100])
    }

    @Test func errorsStandTogetherAndFirst() {
        var screen = Screen(120, 20)
        var script = Script()
        for (number, text) in ["timeout", "declined", "timeout", "declined"].enumerated() {
            script.make(UInt64(number + 1), .promise, "job \(number)")
            script.reject(UInt64(number + 1), text)
        }
        script.make(5, .promise, "job 5")
        script.fulfill(5, "a value")
        script.make(6, .promise, "job 6", external: true)
        screen.feed(script)
        for _ in 0..<7 { screen.type("s") }
        #expect(screen.state.tree.order.column == .value)
        #expect(screen.visibleIDs == [2, 4, 1, 3, 5, 6])
        screen.type("I")
        #expect(screen.visibleIDs == [1, 3, 2, 4, 5, 6], "what has none stays last")
    }

    @Test func aRenamedChainMovesToItsName() {
        var screen = Screen(120, 20)
        var script = Script()
        for (id, name) in [(1, "GET"), (2, "POST"), (3, "PUT")] as [(UInt64, String)] { script.make(id, .span, name) }
        script.make(4, .span, "query b", by: 3)
        script.make(5, .span, "query c", by: 3)
        for id in 1...5 as ClosedRange<UInt64> { script.start(id) }
        screen.feed(script)
        screen.type(":sort node siblings<Enter>")
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5])
        var more = Script(sequence: 9, time: 1_000)
        more.rename(1, "PUT /order")
        more.rename(5, "query a")
        screen.feed(more)
        screen.tick(3_000)
        #expect(screen.visibleIDs == [2, 3, 5, 4, 1])
        screen.type("/PUT /order<Enter>")
        #expect(screen.visibleIDs == [1], "the search finds the new name")
    }

    // MARK: What stays

    /// The view keeps the top after a sort, until the user moves.
    @Test func aSortShowsTheTop() {
        var screen = Self.orders(120, 12)
        var more = Script(sequence: 9, time: 4_300)
        for number in 0..<30 as Range<UInt64> { more.make(1_000 + number, .promise, "x\(number)", external: true) }
        screen.feed(more)
        for _ in SortColumn.allCases {
            screen.go(to: 1_004)
            #expect(screen.state.tree.selectedRow > 0)
            screen.type("s")
            #expect(screen.state.tree.top == 0 && screen.state.tree.selectedLine == 0)
        }
    }

    /// A move anchors the selection.
    @Test func theTopStaysAfterGUntilTheUserMoves() {
        var screen = Screen(100, 12)
        var script = Script()
        for number in 1...20 as ClosedRange<UInt64> {
            script.at(Double(number))
            script.make(10 * number, .promise, "order \(number)", external: true)
        }
        screen.feed(script)
        screen.type("<PgDn>g")
        #expect(screen.selectedID == 200)
        var second = Script(sequence: 2, time: 100)
        second.make(500, .promise, "new", external: true)
        screen.feed(second)
        #expect(screen.visibleIDs.first == 500 && screen.selectedID == 500)
        screen.type("j")
        #expect(screen.selectedID == 200)
        var third = Script(sequence: 3, time: 200)
        third.make(600, .promise, "newer", external: true)
        screen.feed(third)
        #expect(screen.selectedID == 200)
        // Details stay with the node that they were opened for.
        screen.type("g<Enter>")
        var fourth = Script(sequence: 4, time: 300)
        fourth.make(700, .promise, "newest", external: true)
        screen.feed(fourth)
        #expect(screen.selectedID == 600)
    }

    @Test func anOrderSurvivesARestart() {
        var screen = Self.orders()
        for _ in 0..<6 { screen.type("s") }
        screen.type("It")
        let order = screen.state.tree.order
        #expect(order == TreeOrder(column: .total, isInverted: true, isGrouped: true))
        var again = Script.process
        again.key = ProcessKey(rawValue: 43)
        screen.act(.connected(SourceID(0), again))
        #expect(screen.state.tree.order == order)
        var script = Script(time: 5_000, of: again)
        script.make(1, .promise, "first", site: "A/A.swift:1")
        script.make(2, .promise, "second", site: "A/A.swift:1")
        screen.feed(script)
        #expect(screen.state.tree.window.map(\.rowID.site) == [CodeLocation(fileID: "A/A.swift", line: 1)])
        #expect(screen.state.outline.sorted.order == order)
    }

    // MARK: The mouse

    @Test func aClickOnAColumnHeaderSortsByIt() {
        var screen = Self.orders()
        let columns = screen.state.tree.columns(in: 120)
        let row = Layout(screen.state).content.row - 1
        for header in columns.headers {
            let end = header.isRightAligned ? header.span.start + header.span.width - 1 : header.span.start
            screen.act(.mouse(Mouse(.press, .left, row: row, column: end)))
            #expect(screen.state.tree.order.column == header.column.sort && !screen.state.tree.order.isInverted)
            screen.act(.mouse(Mouse(.press, .left, row: row, column: end)))
            #expect(screen.state.tree.order.column == header.column.sort && screen.state.tree.order.isInverted)
            screen.act(.mouse(Mouse(.press, .left, row: row, column: end)))
            #expect(!screen.state.tree.order.isInverted)
        }
        #expect(columns.headers.map(\.column) == [.state, .node, .thread, .wait, .run, .total, .value])
        let order = screen.state.tree.order
        screen.act(.mouse(Mouse(.press, .left, row: row, column: 0)))
        #expect(screen.state.tree.order == order, "there is no header")
    }

    @Test func aClickOnAGroupsMarkerUnfoldsIt() {
        var screen = Self.orders()
        screen.type("t")
        let row = Layout(screen.state).content.row
        let marker = Columns(width: 120).node.start
        screen.act(.mouse(Mouse(.press, .left, row: row, column: marker)))
        #expect(Self.roots(screen).filter { $0 > 0 } == [400, 300, 200, 100])
        screen.act(.mouse(Mouse(.press, .left, row: row, column: marker)))
        #expect(screen.visibleIDs == [0])
    }

    // MARK: Groups

    @Test func chainsFromOneSiteStandTogether() {
        var screen = Self.orders()
        screen.type("t")
        #expect(screen.visibleIDs == [0])
        #expect(screen.text.contains("Checkout.swift:31  order  4 chains"))
        screen.type("l")
        #expect(screen.visibleIDs == [0, 400, 300, 200, 100])
        screen.type("j")
        #expect(screen.selectedID == 400)
        screen.type("h")
        #expect(screen.state.selection?.site?.line == 31, "from a folded chain to its group")
        screen.type("h")
        #expect(screen.visibleIDs == [0])
        screen.type("t")
        #expect(screen.visibleIDs == [400, 300, 200, 100] && screen.selectedID == 400)
    }

    @Test func groupsCountTheirChainsAsTheyGo() {
        var screen = Screen(140, 30)
        var script = Script()
        script.make(1, .promise, "a", site: "A/A.swift:2", external: true)
        script.make(2, .promise, "b", site: "A/B.swift:1", external: true)
        script.make(3, .promise, "c", site: "A/A.swift:10", external: true)
        script.make(4, .promise, "d", site: "A/A.swift:2", external: true)
        script.make(5, .promise, "e", external: true)
        screen.feed(script)
        screen.type("t")
        let lines = screen.state.tree.window.compactMap(\.rowID.site?.line)
        #expect(lines == [2, 10, 1, 0], "by file and line, the unknown one last")
        func counts(_ line: UInt32, _ file: String = "A/A.swift") -> StatusCounts {
            let site = CodeLocation(fileID: file, line: line)
            return screen.state.outline.group(of: site, in: screen.state.forest!)!.counts
        }
        #expect(counts(2)[.pending] == 2)
        var more = Script(sequence: 2, time: 100)
        more.start(1)
        more.reject(4, "no")
        screen.feed(more)
        #expect(counts(2)[.running] == 1 && counts(2)[.rejected] == 1 && counts(2)[.pending] == 0)
        #expect(screen.text.contains("1 running") && screen.text.contains("1 rejected"))
    }

    @Test func keysOnAGroupsRowActOrSayWhyNot() {
        var screen = Self.orders()
        screen.type("tg")
        #expect(screen.state.selection?.site != nil)
        #expect(!screen.frame.rowText(39).contains("cancel"))
        for (key, words) in [
            ("c", "a group is not cancelled"), ("C", "a group is not cancelled"), (" ", "not groups"), ("w", "no node"),
        ] {
            screen.type(key)
            #expect(screen.message?.contains(words) == true, "\(key): \(screen.message ?? "")")
            #expect(screen.state.context == .view(.chains))
        }
        screen.effects = []
        screen.type("y")
        guard case .copy(let text)? = screen.effects.last else {
            Issue.record("nothing was copied")
            return
        }
        #expect(text.hasPrefix("Checkout.swift:31 order: 4 chains"))
        screen.type("e")
        guard case .openEditor(let site)? = screen.effects.last else {
            Issue.record("nothing was opened")
            return
        }
        #expect(site.line == 31)
        screen.type("<Enter>")
        #expect(screen.text.contains("chains from one call site"))
    }

    // MARK: Following

    /// However many hidden chains began later.
    @Test(arguments: [false, true]) func followsTheNewestThatIsShown(_ isInverted: Bool) {
        var screen = Screen(120, 12)
        var script = Script(time: 10)
        script.make(1, .promise, "wanted", external: true)
        script.at(11)
        script.make(2, .promise, "wanted", external: true)
        for node in 10..<2_010 as Range<UInt64> {
            script.at(10 + Double(node))
            script.make(node, .promise, "other", external: true)
        }
        screen.feed(script)
        screen.type("/wanted<Enter>")
        while screen.state.isScanning { screen.tick(2_100) }
        screen.state.sortTree(by: .start, inverted: isInverted)
        screen.go(to: 1)
        screen.type("f")
        #expect(screen.selectedID == 2 && screen.text.contains("following newest"))
        screen.type("<Esc>")
        screen.tick(2_200)
        #expect(screen.selectedID == 2_009)
    }

    @Test func followsTheNewestThenTheSelectedThenNothing() {
        var screen = Self.orders(120, 12)
        screen.go(to: 200)
        screen.type("f")
        #expect(screen.selectedID == 400 && screen.text.contains("following newest"))
        screen.type("f")
        #expect(screen.selectedID == 200 && screen.text.contains("following selected"))
        #expect(screen.message?.hasPrefix("following order 16") == true)
        let line = screen.state.tree.selectedLine!
        // New chains do not push the node from its line, except where the rows end below it.
        var more = Script(sequence: 9, time: 30_000)
        for number in 0..<40 as Range<UInt64> { more.make(1_000 + number, .promise, "new", external: true) }
        screen.feed(more)
        screen.tick(60_000)
        let (row, lastTop) = (
            screen.state.tree.selectedRow, screen.state.tree.rowCount - Layout(screen.state).content.rows
        )
        #expect(screen.selectedID == 200 && screen.state.tree.selectedLine == max(line, row - lastTop))
        screen.type("*_")
        #expect(screen.selectedID == 200)
        screen.type("f")
        #expect(screen.state.tree.following == .nothing && screen.message == "following nothing")
        #expect(!screen.frame.rowText(0).contains("following"))
    }

    @Test func aFollowedNodeIsNotFoldedAway() {
        var screen = GoldenTests.checkout(120, 40)
        screen.go(to: 310)
        screen.type("ff")
        #expect(screen.selectedID == 310)
        screen.type("_")
        screen.tick(30_000)
        #expect(screen.selectedID == 310 && screen.visibleIDs.contains(310))
    }
}

// SPDX-License-Identifier: MIT
