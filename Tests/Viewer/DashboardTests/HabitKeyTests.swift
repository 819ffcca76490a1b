import Frames
import Testing

@testable import Dashboard

/// Keys that users of htop, less, vi, lnav and Emacs press: each does what they expect, or says what to press.
@Suite struct HabitKeyTests {
    static let habits: [KeyPress] =
        [
            .control("d"), .control("u"), .control("f"), .control("b"), .control("n"), .control("p"), .control("r"),
            .control("g"), KeyPress(.delete), KeyPress(.up, .shift), KeyPress(.down, .shift),
        ] + "budxzaiIvHML0$[]<>".map { KeyPress.character($0) } + (1...12).map { KeyPress(.function($0)) }

    @Test(arguments: ViewID.allCases) func noneIsSilent(_ view: ViewID) {
        for key in Self.habits {
            var screen = GoldenTests.checkout(120, 40)
            screen.type("\(view.rawValue)jjj")
            let before = (screen.state.revision, screen.effects.count)
            screen.act(.key(key))
            #expect((screen.state.revision, screen.effects.count) != before, "\(key) in \(view.name)")
        }
    }

    @Test func anUnboundKeySaysWhereTheKeysAre() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("é")
        #expect(screen.message == "é is not bound; ? lists the keys")
        screen.act(.key(KeyPress(.function(12))))
        #expect(screen.message == "F12 is not bound; ? lists the keys")
        screen.act(.key(.alt("é")))
        #expect(screen.message == "é is not bound; ? lists the keys", "Esc, then é")
    }

    @Test func halfAndWholePages() {
        var screen = GoldenTests.checkout(120, 16)
        let page = Layout(screen.state).content.rows - 1
        func row() -> Int { screen.state.tree.selectedRow }
        screen.type("<^D>")
        #expect(row() == page / 2)
        screen.type("<^F>")
        #expect(row() == page / 2 + page)
        screen.type("<^B><^U>")
        #expect(row() == 0)
        screen.type("<^D><^U>")
        #expect(row() == 0)
        screen.type("<^N><^N><^P>")
        #expect(row() == 1)
        screen.act(.key(KeyPress(.down, .shift)))
        #expect(row() == 2)
        screen.type("G")
        #expect(row() == screen.state.tree.rowCount - 1)
        screen.type("g")
        #expect(row() == 0)
    }

    @Test func topMiddleAndBottomOfTheScreen() {
        var screen = GoldenTests.checkout(120, 16)
        screen.type("<^F>")
        let top = screen.state.tree.top
        screen.type("H")
        #expect(screen.state.tree.selectedLine == 0 && screen.state.tree.top == top)
        screen.type("L")
        #expect(screen.state.tree.selectedLine == Layout(screen.state).content.rows - 1)
        screen.type("M")
        #expect(screen.state.tree.selectedLine == (Layout(screen.state).content.rows - 1) / 2)
        screen.type("Lz")
        #expect(screen.state.tree.selectedLine == Layout(screen.state).content.rows / 2)
        screen.type("4H")
        #expect(screen.state.sites.cursor.selected == screen.state.sites.cursor.top)
        screen.type("L")
        #expect(screen.state.sites.cursor.selected > 0)
    }

    @Test func fromChainToChain() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("*")
        let roots = screen.state.tree.window.filter { $0.tree?.flags.contains(.root) == true }.map {
            $0.rowID.id!.rawValue
        }
        #expect(roots.count > 2)
        screen.type("g")
        for root in roots.dropFirst() {
            screen.type("]")
            #expect(screen.selectedID == root)
        }
        screen.type("]")
        #expect(screen.message == "this is the last chain")
        screen.type("j[")
        #expect(screen.selectedID == roots.last)
        screen.type("[")
        #expect(screen.selectedID == roots[roots.count - 2])
        screen.type("$")
        let last = screen.state.tree.selectedRow
        screen.type("j")
        #expect(screen.selectedID == roots.last)
        screen.type("k0")
        #expect(screen.selectedID == roots[roots.count - 2] && screen.state.tree.selectedRow < last)
        // In the waterfall of one chain.
        screen.type("3]")
        #expect(screen.state.timeline.root?.id?.rawValue == roots.last)
    }

    @Test func functionKeysAsInHtop() {
        func after(_ number: Int) -> Screen {
            var screen = GoldenTests.checkout(120, 40)
            screen.type("<Home>")
            screen.act(.key(KeyPress(.function(number))))
            return screen
        }
        #expect(after(1).state.context == .help)
        #expect(after(2).message?.contains(":theme") == true)
        #expect(after(3).state.context == .filter && after(4).state.context == .filter)
        #expect(after(5).state.tree.order.isGrouped)
        #expect(after(6).message?.hasPrefix("sorted ") == true)
        #expect(
            after(7).message == "promises have no priority; F6 sorts, F9 cancels"
                && after(8).message == after(7).message)
        #expect(after(9).state.context == .confirm)
        #expect(after(10).effects == [.quit])
    }
}

// SPDX-License-Identifier: MIT
