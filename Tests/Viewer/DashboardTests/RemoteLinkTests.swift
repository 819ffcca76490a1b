import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// Spans that one program calls in another.
@Suite struct RemoteLinkTests {
    private static let billing = SourceID(1)

    /// Returns a screen on which span 3 of the shop calls span 1 of billing, which waits for a promise of its own.
    private func both(connected: Bool = true, columns: Int = 120, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, 40, options: options)
        var shop = Script()
        shop.make(1, .span, "GET /checkout")
        shop.make(2, .task, "order 17", by: 1)
        shop.make(3, .span, "POST invoice", by: 2)
        for node in 1...3 as ClosedRange<UInt64> { shop.start(node) }
        screen.feed(shop)
        guard connected else { return screen }
        screen.act(.connected(Self.billing, Script.billing))
        var invoices = Script(of: Script.billing)
        invoices.make(1, .span, "POST /invoices")
        invoices.call(1, from: NodeKey(process: Script.process.key, id: NodeID(3)))
        invoices.make(2, .pending, "stamp", by: 1, external: true)
        invoices.start(1)
        screen.feed(invoices, from: Self.billing)
        return screen
    }

    private func rowID(_ node: UInt64) -> RowID {
        RowID(source: SourceID(0), node: NodeKey(process: Script.process.key, id: NodeID(node)))
    }

    private func row(_ text: String, of screen: Screen) -> String {
        screen.text.split(separator: "\n").first { $0.contains(text) }.map(String.init) ?? ""
    }

    @Test func theRowSaysWhereItsParentIs() {
        var screen = both(columns: CalledChainTests.wide)
        let caller = screen.state.tree.window.firstIndex { $0.rowID == rowID(3) }!
        let called = screen.state.tree.window[caller + 1]
        #expect(
            called.rowID.source == Self.billing
                && called.tree!.depth == screen.state.tree.window[caller].tree!.depth + 1)
        // A filter shows it among the chains of its own program. The tick adapts the widths of columns.
        screen.type("/POST /invoices<Enter>")
        screen.tick(6_000)
        screen.type("j")
        #expect(screen.text.contains("called from checkout: POST invoice"), "\(screen.text)")
        screen.type("<Esc>")
        // The other program has restarted: its nodes are those of another run.
        var restarted = Script.process
        restarted.key = ProcessKey(rawValue: 43)
        screen.act(.connected(SourceID(0), restarted))
        screen.tick(12_000)
        screen.type("j")
        #expect(screen.text.contains("called from remote #3"), "\(screen.text)")
    }

    @Test func theDetailsLeadBothWays() {
        var screen = both()
        screen.type("/POST invoice<Enter><Esc><Enter>")
        #expect(screen.text.contains("calls") && screen.text.contains("billing: POST /invoices"))
        screen.type("<Tab>")
        for _ in 0..<5 where !screen.text.contains("called from") { screen.type("<Tab><Enter>") }
        #expect(row("called from", of: screen).contains("checkout: POST invoice"), "\(screen.text)")
    }

    @Test func whyFollowsACallIntoTheOtherProgram() {
        var screen = both()
        screen.type("/order 17<Enter><Esc>w")
        #expect(screen.state.selection?.source == Self.billing)
        #expect(screen.selectedID == 2)
        #expect(
            screen.text.contains("order 17 → POST invoice → billing: POST /invoices → stamp: waits"), "\(screen.text)")
        screen.type("<Left>")
        for _ in 0..<3 where screen.state.selection?.source == Self.billing { screen.type("<Left>") }
        #expect(screen.state.selection?.source == SourceID(0) && screen.selectedID == 3, "the caller is above it")
    }

    @Test func aSpanWithoutACalledChainRuns() {
        var screen = both(connected: false)
        screen.type("/POST invoice<Enter><Esc>w")
        #expect(screen.text.contains("POST invoice runs"))
    }
}

// SPDX-License-Identifier: MIT
