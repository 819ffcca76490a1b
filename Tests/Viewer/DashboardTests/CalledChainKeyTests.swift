import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// What keys and clicks do where chains are drawn under their callers in another program.
@Suite struct CalledChainKeyTests {
    private static let shop = CalledChainTests.shop, billing = CalledChainTests.billing

    private func orders(_ count: UInt64) -> Screen { CalledChainTests.orders(count) }
    private func ids(_ screen: Screen, of source: SourceID) -> [UInt64] { CalledChainTests.ids(screen, of: source) }

    @Test func aFoldedCallerHidesTheCalledChain() {
        var screen = orders(1)
        screen.go(to: 12)
        screen.type("h")
        #expect(screen.visibleIDs == [0, 10, 11, 12, 13, 0])
        #expect(screen.state.tree.rowCount == 6)
        screen.type("l")
        #expect(screen.state.tree.rowCount == 9)
        // The right arrow goes in, the left arrow folds the called chain, and then comes back.
        screen.type("l")
        #expect(screen.state.selection?.source == Self.billing && screen.selectedID == 10)
        screen.type("h")
        #expect(screen.visibleIDs == [0, 10, 11, 12, 10, 13, 0])
        screen.type("h")
        #expect(screen.state.selection?.source == Self.shop && screen.selectedID == 12)
    }

    @Test func aFoldedProgramHidesOnlyItsOwnRows() {
        var screen = orders(1)
        screen.type("Gh")
        #expect(screen.visibleIDs == [0, 10, 11, 12, 10, 11, 12, 13, 0])
        screen.type("gh")
        #expect(screen.visibleIDs == [0, 0])
        screen.type("l")
        #expect(screen.state.tree.rowCount == 9)
    }

    @Test func aCancellationGoesToTheProgramOfTheNode() {
        var screen = orders(1)
        screen.type("/stamp<Enter><Esc>cy")
        let sent = screen.effects.compactMap { effect -> (SourceID, ViewerCommand)? in
            if case .send(let source, let command) = effect { (source, command) } else { nil }
        }.filter { if case .cancel = $0.1.request { true } else { false } }
        #expect(sent.count == 1)
        #expect(sent.first?.0 == Self.billing && sent.first?.1.process == Script.billing.key)
        #expect(sent.first.map { $0.1.request } == .cancel(.node(NodeID(12)), by: "the dashboard"))
    }

    @Test func aFilterShowsACalledChainInItsOwnProgram() {
        var screen = orders(2)
        screen.type("/stamp<Enter>")
        #expect(ids(screen, of: Self.billing) == [0, 10, 12, 20, 22])
        #expect(ids(screen, of: Self.shop) == [])
        // `n` and `N` go from match to match. `m` dims instead of hiding, and draws the chain under its caller again.
        screen.type("n")
        #expect(screen.selectedID == 22)
        screen.type("N")
        #expect(screen.selectedID == 12)
        screen.type("m")
        #expect(screen.state.tree.rowCount == 16)
        #expect(screen.selectedID == 12)
        screen.type("n")
        #expect(screen.selectedID == 22 && screen.state.selection?.source == Self.billing)
    }

    @Test func groupsHoldAllChainsOfTheirProgram() {
        var screen = orders(2)
        screen.type("t")
        screen.tick(2_000)
        #expect(screen.text.contains("2 chains"))
        screen.type("*")
        screen.tick(3_000)
        #expect(ids(screen, of: Self.billing).filter { $0 != 0 } == [10, 11, 12, 20, 21, 22])
        screen.type("t")
        screen.tick(4_000)
        #expect(screen.state.tree.window.map(\.programIndex).prefix(6) == [0, 0, 0, 0, 1, 1])
    }

    @Test func mouseTagAndPinActOnTheProgramOfTheRow() {
        var screen = orders(1)
        let line = screen.visibleIDs.lastIndex(of: 10)!
        let tree = screen.state.tree.window[line].tree!
        let columns = screen.state.tree.columns(
            in: 120, indent: screen.state.indent(of: screen.state.tree.window[line])
        )
        .node
        let marker = columns.start + TreeLines.marker(tree, width: columns.width)
        screen.act(.mouse(Mouse(.press, .left, row: Layout(screen.state).content.row + line, column: marker)))
        #expect(screen.visibleIDs == [0, 10, 11, 12, 10, 13, 0])
        screen.type("P")
        #expect(screen.state.programs[1].forest.pins == [NodeID(10)])
        #expect(screen.state.tree.linesWithPins == [line])
        screen.type(" ")
        #expect(
            screen.state.tags == [
                RowID(source: Self.billing, node: NodeKey(process: Script.billing.key, id: NodeID(10)))
            ])
    }

    @Test func aCopiedTreeHoldsBothPrograms() {
        var screen = orders(1)
        screen.go(to: 10)
        screen.type("Y")
        let texts = screen.effects.compactMap { if case .copy(let text) = $0 { text } else { nil } }
        let lines = texts.first?.split(separator: "\n").map(String.init) ?? []
        #expect(lines.count == 7)
        #expect(lines.dropFirst(3).first?.contains("POST /invoices") == true, "\(lines)")
    }

    /// The called chain is copied with its caller's tree, and not once more for its own tag.
    @Test func aTaggedCalledChainIsCopiedOnce() {
        var screen = orders(1)
        screen.go(to: 10)
        screen.type(":tag<Enter>")
        screen.type("g")
        for _ in 0..<9 where screen.state.selection?.source != Self.billing || screen.selectedID != 10 {
            screen.type("j")
        }
        screen.type(":tag<Enter>")
        #expect(screen.taggedIDs == [10, 10])
        screen.type("Y")
        let texts = screen.effects.compactMap { if case .copy(let text) = $0 { text } else { nil } }
        #expect(texts.last?.split(separator: "\n").count == 7, "\(texts)")
    }

    @Test func theDetailsAreOfTheProgramOfTheNode() throws {
        var screen = orders(1)
        func details() throws -> String {
            let pane = try #require(Layout(screen.state).detail)
            return (pane.row..<pane.row + pane.rows).map { screen.frame.rowText($0) }.joined(separator: "\n")
        }
        screen.go(to: 10)
        screen.type("<Enter>")
        #expect(try details().contains("order 10") && details().contains("#10 · task"))
        screen.type("jjj")
        #expect(screen.state.selection?.source == Self.billing && screen.selectedID == 10)
        #expect(try details().contains("POST /invoices") && details().contains("#10 · span"))
        #expect(try !details().contains("order 10"))
    }

    @Test func theNextChainIsTheNextOfTheSameProgram() {
        var screen = orders(2)
        screen.type("gj]")
        #expect(screen.selectedID == 20 && screen.state.selection?.source == Self.shop)
    }
}

// SPDX-License-Identifier: MIT
