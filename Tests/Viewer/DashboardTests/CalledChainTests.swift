import ChainEvents
import ChainModel
import Frames
import Testing

@testable import ChainRows
@testable import Dashboard

/// Chains that are drawn under their callers in another program.
@Suite struct CalledChainTests {
    static let shop = SourceID(0), billing = SourceID(1)
    /// The greatest width without details beside the rows: it has room for a caller in the value column.
    static let wide = Layout.besideColumns - 1

    private static func caller(_ node: UInt64) -> NodeKey { NodeKey(process: Script.process.key, id: NodeID(node)) }

    /// `count` orders of the shop, each of which calls the invoices: the order 10, 20 and so on, its call 12, 22 and so on,
    /// which is between the nodes 11 and 13; and in the other program a chain 10 with the nodes 11 and 12.
    static func orders(_ count: UInt64 = 2, columns: Int = 120, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, 40, options: options)
        screen.act(.connected(billing, Script.billing))
        var shop = Script()
        var invoices = Script(of: Script.billing)
        for order in (1...count).map({ $0 * 10 }) {
            shop.make(order, .task, "order \(order)")
            shop.make(order + 1, .work, "check stock", by: order)
            shop.make(order + 2, .span, "POST invoice", by: order)
            shop.make(order + 3, .work, "pack", by: order)
            for node in [order, order + 2] { shop.start(node) }
            invoices.make(order, .span, "POST /invoices")
            invoices.call(order, from: caller(order + 2))
            invoices.make(order + 1, .work, "write", by: order)
            invoices.make(order + 2, .pending, "stamp", by: order, external: true)
            invoices.start(order)
        }
        // The called program is heard first.
        screen.feed(invoices, from: billing)
        screen.feed(shop)
        screen.tick(100)
        return screen
    }

    /// The rows from the first to the last, as a user goes through them.
    private func walk(_ screen: inout Screen) -> [RowID] {
        screen.type("g")
        var rows: [RowID] = []
        for _ in 0..<screen.state.tree.rowCount {
            screen.state.selection.map { rows.append($0) }
            screen.type("j")
        }
        return rows
    }

    static func ids(_ screen: Screen, of source: SourceID) -> [UInt64] {
        screen.state.tree.window.filter { $0.rowID.source == source }.map { $0.rowID.id?.rawValue ?? 0 }
    }

    @Test func twoProgramsAreOneTree() {
        var screen = Self.orders()
        screen.type("/stamp<Enter><Esc>")
        GoldenTests.check(screen, "programs/one-tree-120x40")
    }

    @Test func aCalledChainStandsInsideItsCaller() {
        let screen = Self.orders(1, columns: Self.wide)
        #expect(screen.visibleIDs == [0, 10, 11, 12, 10, 11, 12, 13, 0])
        #expect(screen.state.tree.window.map { $0.tree?.depth } == [nil, 0, 1, 1, 2, 3, 3, 1, nil])
        #expect(screen.state.tree.window.map(\.programIndex) == [0, 0, 0, 0, 1, 1, 1, 0, 1])
        #expect(screen.text.contains("billing: POST /invoices"))
        #expect(screen.text.contains("1 under callers"))
    }

    /// Of two callers the one with the lower key holds, also if it becomes known later.
    @Test func aLaterCallerMayReplaceTheFirst() {
        for isKnown in [true, false] {
            var screen = Self.orders(1)
            if !isKnown {
                var more = Script(sequence: 2, time: 200, of: Script.billing)
                more.make(90, .span, "POST /refunds")
                more.call(90, from: Self.caller(1_000))
                screen.feed(more, from: Self.billing)
            }
            var more = Script(sequence: 3, time: 300, of: Script.billing)
            more.call(isKnown ? 10 : 90, from: Self.caller(11))
            screen.feed(more, from: Self.billing)
            screen.tick(400)
            screen.type("*")
            #expect(
                screen.visibleIDs
                    == (isKnown ? [0, 10, 11, 10, 11, 12, 12, 13, 0] : [0, 10, 11, 90, 12, 10, 11, 12, 13, 0]))
            var shop = Script(sequence: 2, time: 500)
            shop.make(1_000, .work, "late")
            screen.feed(shop)
            screen.tick(600)
            #expect(
                screen.state.world.calledChains.chains(
                    under: screen.state.rowID(of: screen.state.programs[0].forest.index(of: NodeID(1_000))!, in: 0)
                ).isEmpty)
        }
    }

    @Test func eachRowIsThereOnce() {
        var screen = Self.orders(30)
        screen.type("*")
        screen.tick(200)
        let count = screen.state.tree.rowCount
        #expect(count == 30 * 7 + 2)
        let rows = walk(&screen)
        #expect(rows.count == count && Set(rows).count == count)
        #expect(screen.message == "this is the last row")
        for (number, row) in rows.enumerated() { #expect(screen.state.world.row(of: row) == number) }
        #expect(screen.state.world.rows(from: 0, count: count + 9).map(\.rowID) == rows)
    }

    @Test func aSettledOrderWaitsForWhatItCalled() {
        var screen = Self.orders(1)
        screen.type("G")
        var shop = Script(sequence: 2, time: 200)
        for node in [11, 13, 12, 10] as [UInt64] { shop.fulfill(node) }
        screen.feed(shop)
        for time in [700, 1_500, 4_000.0] { screen.tick(time) }
        #expect(screen.visibleIDs == [0, 10, 11, 12, 10, 11, 12, 13, 0], "the called chain is live")
        var invoices = Script(sequence: 2, time: 4_100, of: Script.billing)
        for node in [11, 12, 10] as [UInt64] { invoices.fulfill(node) }
        // Else the chain that settled last stays open.
        invoices.make(60, .task, "archive")
        screen.feed(invoices, from: Self.billing)
        var next = Script(sequence: 3, time: 4_200)
        next.make(50, .task, "order 50")
        next.start(50)
        screen.feed(next)
        for time in [4_700, 5_500.0] { screen.tick(time) }
        #expect(screen.visibleIDs == [0, 50, 10, 0, 60], "folded, and moved down")
        screen.go(to: 12)
        #expect(screen.visibleIDs == [0, 50, 10, 11, 12, 10, 13, 0, 60], "the called chain has folded, too")
    }

    @Test func anEvictedCallerGivesItBack() {
        var options = State.Options()
        options.limits.ageLimit = 1_000_000_000
        var screen = Self.orders(1, options: options)
        var shop = Script(sequence: 2, time: 200)
        for node in [11, 13, 12, 10] as [UInt64] { shop.fulfill(node) }
        screen.feed(shop)
        for time in stride(from: 500, to: 9_000, by: 500.0) { screen.tick(time) }
        #expect(screen.visibleIDs == [0, 0, 10, 11, 12])
        #expect(screen.text.contains("called from remote #12"))
        #expect(screen.state.tree.rowCount == 5)
    }

    @Test func aRestartedProgramGivesItBack() {
        var screen = Self.orders(1)
        var restarted = Script.process
        restarted.key = ProcessKey(rawValue: 43)
        screen.act(.connected(Self.shop, restarted))
        screen.tick(200)
        #expect(Self.ids(screen, of: Self.billing) == [0, 10, 11, 12])
        #expect(screen.text.contains("called from remote #12"))
        // The called program begins anew: nothing of it is left under its caller.
        screen = Self.orders(1)
        restarted = Script.billing
        restarted.key = ProcessKey(rawValue: 78)
        screen.act(.connected(Self.billing, restarted))
        screen.tick(200)
        #expect(screen.visibleIDs == [0, 10, 11, 12, 13, 0])
    }

    /// The shop's order calls the invoices, of which another chain calls the shop back, and so on in a ring.
    @Test func aRingOfCallsIsDrawnOnce() {
        var screen = Screen(120, 40)
        screen.act(.connected(Self.billing, Script.billing))
        var shop = Script()
        shop.make(1, .span, "GET /a")
        shop.call(1, from: NodeKey(process: Script.billing.key, id: NodeID(1)))
        var invoices = Script(of: Script.billing)
        invoices.make(1, .span, "GET /b")
        invoices.call(1, from: Self.caller(1))
        screen.feed(shop)
        screen.feed(invoices, from: Self.billing)
        screen.tick(100)
        #expect(screen.state.tree.rowCount == 4)
        #expect(Set(screen.state.tree.window.map(\.rowID)).count == 4)
    }

    @Test func manyCallsOfOneNodeAreDrawnUpToALimit() {
        var screen = Screen(120, 40)
        screen.act(.connected(Self.billing, Script.billing))
        var shop = Script()
        shop.make(1, .task, "import")
        shop.start(1)
        screen.feed(shop)
        var invoices = Script(of: Script.billing)
        let count = UInt64(CalledChains.limit) + 5
        for node in 1...count {
            invoices.make(node, .span, "POST /invoices")
            invoices.call(node, from: Self.caller(1))
        }
        screen.feed(invoices, from: Self.billing)
        screen.tick(100)
        #expect(screen.state.programs[0].outline.rowCount == 1 + CalledChains.limit)
        #expect(screen.state.programs[1].outline.rowCount == 5)
        #expect(screen.state.tree.rowCount == Int(count) + 3)
    }

    /// Its only rows inside are those of another program.
    @Test func aCallerWithoutNodesInsideFoldsAndUnfolds() {
        var screen = Screen(120, 40)
        screen.act(.connected(Self.billing, Script.billing))
        var shop = Script()
        shop.make(1, .task, "import")
        shop.start(1)
        screen.feed(shop)
        var invoices = Script(of: Script.billing)
        invoices.make(10, .span, "POST /invoices")
        invoices.call(10, from: Self.caller(1))
        screen.feed(invoices, from: Self.billing)
        screen.tick(100)
        let count = screen.state.world.countRows()
        screen.go(to: 1)
        screen.type("h")
        screen.tick(200)
        #expect(screen.state.world.countRows() == count - 1)
        #expect(screen.state.tree.window.first { $0.rowID.id == NodeID(1) }?.tree?.flags.contains(.folded) == true)
        screen.type("l")
        screen.tick(300)
        #expect(screen.state.world.countRows() == count)
    }

    @Test func anEndedProgramKeepsItAsHistory() {
        var screen = Self.orders(1)
        screen.act(.ended(Self.shop, "exit 0"))
        screen.tick(200)
        #expect(screen.visibleIDs == [0, 10, 11, 12, 10, 11, 12, 13, 0])
        #expect(screen.state.world.countRows() == 9)
    }

    /// The forest is too large to be read at once, so that the outline does not have the chain yet.
    @Test func aChainOfALargeForestIsLinked() {
        var screen = Self.orders(1)
        var invoices = Script(sequence: 2, time: 200, of: Script.billing)
        let last: UInt64 = 21_000
        for node in 100...last { invoices.make(node, .promise) }
        invoices.call(last, from: Self.caller(13))
        screen.feed(invoices, from: Self.billing)
        screen.state.world.programs[1].outline.rebuild(from: screen.state.programs[1].forest, now: 0)
        #expect(screen.state.programs[1].outline.isReading)
        screen.type("j")
        #expect(screen.visibleIDs.prefix(9) == [0, 10, 11, 12, 10, 11, 12, 13, last])
        for time in 210..<300 { screen.tick(Double(time)) }
        #expect(!screen.state.programs[1].outline.isReading)
        #expect(screen.visibleIDs.prefix(9) == [0, 10, 11, 12, 10, 11, 12, 13, last])
        #expect(screen.state.programs[1].outline.rowCount == Int(last) - 100)
        #expect(screen.state.tree.rowCount == Int(last) - 100 + 10)
    }

    /// Of many chains only those that are unfolded are walked.
    @Test func manyCallsAreCountedWithoutAWalk() {
        let screen = Self.orders(1_000)
        #expect(screen.state.programs[1].outline.elsewhereCount == 1_000)
        #expect(screen.state.programs[1].outline.rowCount == 0)
    }
}

// SPDX-License-Identifier: MIT
