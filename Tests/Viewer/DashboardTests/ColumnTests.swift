import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// Which columns the tree has, and how wide they are.
@Suite struct ColumnTests {
    /// Returns a screen with a chain of two nodes: the value of the first has `values` letters, the name of the second
    /// `names` letters.
    private func screen(_ columns: Int, _ rows: Int = 24, names: Int, values: Int = 4) -> Screen {
        var screen = Screen(columns, rows)
        var script = Script(time: 10)
        script.make(1, .promise, "order", site: "A/A.swift:1")
        script.make(2, .then, String(repeating: "n", count: names), under: 1, site: "A/A.swift:2")
        script.start(1)
        script.at(110)
        script.fulfill(1, String(repeating: "v", count: values))
        screen.feed(script)
        return screen
    }

    private func row(_ screen: Screen, _ id: UInt64) -> String {
        screen.frame.rowText(Layout(screen.state).content.row + screen.visibleIDs.firstIndex(of: id)!)
    }

    @Test func aShortNameLeavesNoHole() {
        let screen = screen(200, names: 12)
        let columns = screen.state.tree.columns(in: Layout(screen.state).content.columns)
        #expect(columns.node.width <= 28, "\(columns.node)")
        #expect(columns.thread.start == columns.node.start + columns.node.width + 2)
        #expect(columns.value.width > 40, "the value has the rest")
    }

    @Test(arguments: [64, 80, 100, 120, 200]) func namesAreCutLast(_ width: Int) {
        let name = String(repeating: "n", count: width < 80 ? 16 : 24)
        let screen = screen(width, names: name.count, values: 150)
        #expect(row(screen, 2).contains(name))
        #expect(row(screen, 1).contains("…"), "the value is cut")
    }

    @Test func aLongNameTakesEmptyCellsBesideIt() {
        let screen = screen(120, names: 90)
        #expect(row(screen, 2).contains(String(repeating: "n", count: 88)))
    }

    @Test func theNameIsCutOnlyWhereItDoesNotFitBesideTheSummary() {
        var screen = Screen(110, 24)
        var script = Script(time: 10)
        let name = "order 38 for client 4711 of Nowhere"
        script.make(1, .promise, name, site: "A/A.swift:1")
        for node in UInt64(2)..<9 {
            script.make(node, .then, "step", under: node - 1, site: "A/A.swift:2")
            script.start(node)
            script.reject(node, "no")
        }
        script.fulfill(1, "paid")
        screen.feed(script)
        #expect(row(screen, 1).contains(name + "  ✖ 8 nodes"))
        screen.act(.resized(Size(columns: 80, rows: 24)))
        #expect(row(screen, 1).contains(name + "  ✖ 8 nodes"))
        screen.act(.resized(Size(columns: 70, rows: 24)))
        #expect(row(screen, 1).contains("order 38 for client 4711…  ✖ 8 nodes"), "\(row(screen, 1))")
    }

    @Test func waitsOfMicrosecondsAreBlank() {
        var screen = Screen(120, 24)
        var script = Script(time: 10)
        script.make(1, .promise, "short", site: "A/A.swift:1")
        script.queue(1)
        script.at(10.05)
        script.start(1)
        script.at(10.25)
        script.fulfill(1)
        screen.feed(script)
        let columns = screen.state.tree.columns(in: 120)
        let cells = Array(row(screen, 1))
        func cell(_ span: ColumnSpan) -> String {
            String(cells[span.start..<min(cells.count, span.start + span.width)].filter { $0 != " " })
        }
        #expect(cell(columns.wait) == "" && cell(columns.run) == "0.2ms")
    }

    @Test func widthsGrowAtOnceAndShrinkAfterAWhile() {
        var needs = ColumnNeeds()
        let second: UInt64 = 1_000_000_000
        needs.update(.thread, to: 9, at: 10 * second)
        #expect(needs[.thread] == 12)
        needs.update(.thread, to: 17, at: 11 * second)
        #expect(needs[.thread] == 20)
        for moment in UInt64(12)..<16 {
            needs.update(.thread, to: 3, at: moment * second)
            #expect(needs[.thread] == 20)
        }
        needs.update(.thread, to: 9, at: 15 * second)
        needs.update(.thread, to: 3, at: 17 * second)
        #expect(needs[.thread] == 12, "the most that was needed meanwhile")
    }

    // MARK: The command

    @Test func columnsAreChosenAndOrdered() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type(":columns wait run value<Enter>")
        let shown = screen.state.tree.columns(in: 120).shown.map(\.column)
        #expect(shown == [.node, .wait, .run, .value])
        let header = screen.frame.rowText(Layout(screen.state).content.row - 1)
        #expect(!header.contains("thread") && !header.contains("total") && !header.contains("state"))
        screen.type(":columns state value node id site<Enter>")
        #expect(screen.state.tree.columns(in: 120).shown.map(\.column) == [.state, .value, .node, .id, .site])
        #expect(screen.text.contains("#100") && screen.text.contains("Checkout.swift:31"))
        #expect(screen.state.viewSettings.columns == [.state, .value, .node, .id, .site])
        screen.type(":columns default<Enter>")
        #expect(screen.state.tree.columns == TreeColumn.usual)
    }

    @Test func theCommandAloneNamesTheColumns() {
        var screen = GoldenTests.checkout(80, 24)
        screen.type(":columns<Enter>")
        #expect(
            screen.message
                == "columns: state node total value; no room for thread wait run; there are also id site executor")
    }

    @Test func anUnknownColumnIsExplainedAndTabCompletes() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type(":columns wait threads<Enter>")
        #expect(
            screen.state.typing.problem?.text
                == "there is no column threads: state node thread wait run total value id site executor default")
        #expect(screen.state.tree.columns == TreeColumn.usual)
        screen.type("<Esc>:columns wait exe<Tab>")
        #expect(screen.state.mode == .command("columns wait executor "))
    }

    @Test func aNarrowScreenLeavesOutColumnsByTheirRank() {
        let all = TreeColumn.allCases
        #expect(TreeColumn.givingWay.count == all.count - 1 && Set(TreeColumn.givingWay + [.node]) == Set(all))
        for width in stride(from: 240, through: 30, by: -1) {
            let shown = Columns(width: width, chosen: all).shown
            #expect(shown.contains { $0.column == .node } && shown.last!.span.start < width, "\(width)")
            for (left, right) in zip(shown, shown.dropFirst()) {
                #expect(left.span.start + left.span.width + 1 <= right.span.start, "\(width)")
            }
            #expect(shown.last!.span.start + shown.last!.span.width <= width - 1, "\(width)")
        }
    }

    @Test func chosenColumnsComeBackAndUnknownOnesAreIgnored() {
        var screen = GoldenTests.checkout(120, 40)
        var old = ViewSettings()
        old.columns = [.run, .run, .value]
        screen.act(.resume(old))
        #expect(screen.state.tree.columns == [.node, .run, .value])
        screen.type(":reset<Enter>")
        #expect(screen.state.tree.columns == TreeColumn.usual)
        old.columns = []
        screen.act(.restore(old))
        #expect(screen.state.tree.columns == TreeColumn.usual)
    }

    @Test func aClickOnAHeaderWithoutAnOrderSaysSo() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type(":columns node id<Enter>")
        let header = screen.state.tree.columns(in: 120)[.id]
        let row = Layout(screen.state).content.row - 1
        screen.act(.mouse(Mouse(.press, .left, row: row, column: header.start)))
        #expect(screen.message == "there is no order by id")
    }
}

// SPDX-License-Identifier: MIT
