import ChainEvents
import ChainModel
import ChainRows
import Frames
import Testing

@testable import Dashboard

/// The filter in the views. The timeline and the view of threads hide nothing: they dim what does not match.
@Suite struct FilteredViewTests {
    // MARK: The timeline

    @Test func theTimelineDimsWhatDoesNotMatch() {
        var screen = TimelineTests.order(16, 120, 40)
        #expect(Self.dimmed(screen, rows: 11).allSatisfy { !$0 })
        screen.type("g/state:rejected<Enter>")
        let dimmed = zip(screen.state.timeline.window(screen.seen), Self.dimmed(screen, rows: 11))
        for (row, isDimmed) in dimmed where row.node != screen.state.selectedIndex {
            let id = screen.state.forest!.id(of: row.node!).rawValue
            #expect(isDimmed == ![203, 205, 206].contains(id), "\(id)")
        }
        #expect(footer(screen).contains("3 of 40 match"))
        screen.tick(screen.milliseconds + 10_000)
        screen.type("<Esc>")
        #expect(Self.dimmed(screen, rows: 11).allSatisfy { !$0 })
    }

    @Test func aChainIsNotDimmedWhileAnyOfItMatches() {
        var screen = TimelineTests.order(17, 120, 40)
        screen.type("a/state:rejected<Enter>")
        let dimmed = zip(screen.state.timeline.window(screen.seen), Self.dimmed(screen, rows: 4))
        for (row, isDimmed) in dimmed where row.node != screen.state.selectedIndex {
            let id = screen.state.forest!.id(of: row.node!).rawValue
            #expect(isDimmed == (id != 200), "\(id)")
        }
    }

    @Test func aMessageExplainsDimmingWhereNothingIsHidden() {
        for view in ["2", "3"] {
            var screen = TimelineTests.order(16, 120, 40)
            screen.type("/card<Enter>" + view)
            screen.tick(screen.milliseconds + 10_000)
            #expect(footer(screen).contains("n next") && !footer(screen).contains("dim rest"))
            #expect(footer(screen).contains(" match"))
            screen.type("m")
            #expect(screen.message == "this view dims what does not match and hides nothing")
            #expect(!screen.state.filter.dims)
        }
    }

    @Test func keysGoThroughTheMatchesOfTheChain() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.type("g/state:rejected<Enter>")
        for id in [203, 205, 206] as [UInt64] {
            screen.type("n")
            #expect(screen.selectedID == id)
            #expect(screen.state.view == .timeline)
        }
        screen.type("n")
        #expect(screen.selectedID == 203 && screen.message == "wrapped to the top")
        screen.type("N")
        #expect(screen.selectedID == 206 && screen.message == "wrapped to the bottom")
        screen.type("NN")
        #expect(screen.selectedID == 203)
        #expect(screen.state.timeline.cursor.selected == 7)
    }

    @Test func keysGoThroughChainsWithMatches() {
        var screen = TimelineTests.twoPrograms()
        screen.type("j3ag/state:rejected<Enter>n")
        #expect(screen.state.selection?.source == SourceID(0) && screen.selectedID == 200)
        screen.type("n")
        #expect(screen.state.selection?.source == SourceID(1) && screen.selectedID == 7)
        screen.type("n")
        #expect(screen.state.selection?.source == SourceID(0) && screen.selectedID == 200)
        #expect(screen.message == "wrapped to the top")
        screen.type("N")
        #expect(screen.state.selection?.source == SourceID(1) && screen.selectedID == 7)
        #expect(screen.message == "wrapped to the bottom")
        screen.type("N")
        #expect(screen.state.selection?.source == SourceID(0) && screen.selectedID == 200)
        #expect(screen.state.view == .timeline && screen.state.timeline.scope == .all)
    }

    // MARK: Threads

    @Test func threadsThatRunNoMatchAreDimmed() {
        var screen = ThreadsViewTests.shop(120, 40)
        screen.type("/fraud<Enter>g")
        // The first is selected, and runs nothing.
        #expect(Self.dimmed(screen, rows: 5) == [true, true, true, true, false])
    }

    @Test func keysGoThroughThreadsWithMatches() {
        var screen = ThreadsViewTests.shop(120, 40)
        screen.type("/fraud or reserve<Enter>gn")
        #expect(screen.selectedID == 21)
        screen.type("n")
        #expect(screen.selectedID == 40)
        screen.type("n")
        #expect(screen.selectedID == 21 && screen.message == "wrapped to the top")
        screen.type("NN")
        #expect(screen.selectedID == 21)
        #expect(screen.state.view == .threads)
        screen.type("/fraud<Enter>gn")
        let row = screen.state.threads.cursor.selected
        screen.type("n")
        #expect(screen.state.threads.cursor.selected == row && screen.message == "this is the only match")
    }

    /// In every view of rows the search wraps around both ends.
    @Test(arguments: [("6", "charge"), ("7", "fraud or charge"), ("2", "fraud or reserve"), ("3", "state:rejected")])
    func keysWrapAroundAtTheEnds(_ view: String, _ query: String) {
        var screen = view == "2" ? ThreadsViewTests.shop(120, 40) : TimelineTests.order(16, 120, 40)
        screen.type(view + "/" + query + "<Enter>m")
        screen.tick(screen.milliseconds + 5_000)
        screen.type("g")
        var rows: [Int] = []
        for _ in 0..<1_000 where screen.message != "wrapped to the top" {
            screen.type("n")
            rows.append(screen.state.position)
        }
        #expect(screen.message == "wrapped to the top", "\(screen.message ?? "")")
        #expect(rows.dropLast() == rows.dropLast().sorted()[...] && rows.last == rows.min())
        screen.type("N")
        #expect(screen.message == "wrapped to the bottom")
        #expect(screen.state.position == rows.max())
        screen.type("<Esc>/nothing is called so<Enter>m")
        screen.tick(screen.milliseconds + 1_000)
        screen.type("n")
        #expect(screen.message == "nothing in this view matches “nothing is called so”")
    }

    // MARK: The tree, and back to it

    @Test func theFilterOutlivesALookAtAnotherView() {
        // The overview of a single program has no tab.
        let tabs = String(repeating: "<Tab>", count: ViewID.allCases.count - 1)
        for keys in ["41", "31", "21", "51", "61", "71", tabs, ":goto #200<Enter>"] {
            var screen = GoldenTests.checkout(120, 40)
            screen.type("/state:rejected<Enter>")
            screen.go(to: 200)
            #expect(screen.state.outline.isMatch(screen.state.selectedIndex!) == false)
            let shown = screen.visibleIDs
            #expect(!shown.contains(210))
            screen.type(keys)
            #expect(screen.state.view == .chains && screen.selectedID == 200, "\(keys)")
            #expect(screen.state.filter.text == "state:rejected", "\(keys)")
            #expect(screen.visibleIDs == shown, "\(keys)")
        }
    }

    @Test func goingToAHiddenNodeDropsTheFilterWithAMessage() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("/state:rejected<Enter>:goto #302<Enter>")
        #expect(screen.selectedID == 302)
        #expect(!screen.state.filter.isActive)
        #expect(screen.message == "“state:rejected” hid this: the filter is dropped")
    }

    // MARK: Warnings

    @Test func warningsThatTheFilterHidesAreCountedApartAndNotDismissed() {
        var screen = WarningsViewTests.screen(120, 60)
        screen.type("/id:12<Enter>")
        #expect(WarningsViewTests.heads(screen) == ["long-queue-wait 1"])
        #expect(screen.text.contains("18 warnings hidden by the filter"))
        screen.type("m")
        #expect(WarningsViewTests.heads(screen).contains("long-queue-wait 12"))
        screen.type("mgx")
        #expect(WarningsViewTests.heads(screen).isEmpty)
        screen.type("<Esc>")
        #expect(WarningsViewTests.heads(screen).contains("long-queue-wait 11"))
        #expect(screen.state.programs[0].insight.warnings.count == 18)
    }

    // MARK: Helpers

    private func footer(_ screen: Screen) -> String { screen.frame.rowText(screen.frame.size.rows - 1) }

    /// Returns, for each of the first rows, whether all its text is dim, a guide, or without a role.
    private static func dimmed(_ screen: Screen, rows: Int) -> [Bool] {
        let area = Layout(screen.state).content
        return (0..<rows).map { line in
            (2..<area.columns - 1).allSatisfy { column in
                let cell = screen.frame[area.row + line, column]
                return cell.text == " " || [.dim, .guide, .normal].contains(cell.style.role)
            }
        }
    }
}

extension State {
    /// The number of the row under the cursor.
    fileprivate var position: Int {
        view == .chains ? tree.selectedRow : (views[view] as? any ListView)?.cursor.selected ?? 0
    }
}

// SPDX-License-Identifier: MIT
