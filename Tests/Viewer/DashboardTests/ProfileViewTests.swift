import ChainEvents
import ChainInsight
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// The view of the profile: which steps take the time of chains.
@Suite struct ProfileViewTests {
    /// Returns the profile of four orders, two of which settled long enough ago to be counted.
    private static func screen(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = GoldenTests.checkout(columns, rows, options: options)
        screen.type("7")
        screen.tick(5_100)
        return screen
    }

    // MARK: What it looks like

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func looksRight(_ size: Size) {
        GoldenTests.check(Self.screen(size.columns, size.rows), "profile/\(size)")
    }

    @Test func looksRightInASCII() {
        var screen = Self.screen(120, 40, options: State.Options(glyphs: .ascii))
        screen.type("jjd")
        GoldenTests.check(screen, "profile/ascii-120x40")
    }

    @Test func severalPrograms() {
        var screen = GoldenTests.checkout(120, 30)
        screen.act(.connected(SourceID(1), Script.billing))
        for batch in Demo.billing() { screen.act(.received(SourceID(1), batch.batch)) }
        screen.type("7")
        screen.tick(5_100)
        GoldenTests.check(screen, "profile/programs-120x30")
    }

    @Test func nothingYet() {
        var screen = Screen(80, 24)
        screen.type("7")
        #expect(screen.text.contains("no chain has settled yet"))
        for keys in ["<Enter>", "s", "S", "I", "y", "Y", "e", "j", "d", "c", " ", "w", "h", "l", "*", "_", "n", "f"] {
            screen.type(keys)
            _ = screen.frame
        }
    }

    @Test(arguments: 20...220) func columnsFit(_ width: Int) {
        let spans = ProfileColumn.spans(width: width)
        #expect(spans.first?.column == .path)
        var end = 0
        for (_, span) in spans {
            #expect(span.start > end)
            end = span.start + span.width
        }
        #expect(end <= width - 1)
    }

    @Test func theTabsFitAt80Columns() {
        let line = Self.screen(80, 24).frame.rowText(1)
        #expect(line.contains("1 Chains") && line.contains("7 Profile"), "\(line)")
    }

    // MARK: Figures

    @Test func theSlowestStepOfAllOrdersIsSeenAtOnce() throws {
        let screen = Self.screen(120, 40)
        let rows = screen.state.profile.rows
        #expect(rows[0].label == "order")
        #expect(rows[0].count == 2)
        // Charging takes 300 of 807 ms. The checks take nearly as long, but that is the time of their members.
        let charge = try #require(rows.first { $0.label == "charge card" })
        #expect(charge.depth == 1)
        #expect(abs(charge.share - 0.37) < 0.01)
        #expect(charge.isHottest)
        #expect(rows.count { $0.isHottest } == 1)
        #expect(charge.failed == 1)
        #expect(screen.text.contains("37%"))
        let depths = rows.map(\.depth)
        #expect(depths.max() == 3, "order, checks, 3 checks, address lookup")
    }

    @Test func figuresAreUpdatedOnceASecond() {
        var screen = Self.screen(120, 40)
        var script = Script(sequence: 9, time: 5_200)
        Demo.order(&script, 900, "order 19", begin: 5_200, until: .done)
        screen.feed(script)
        #expect(screen.state.profile.rows[0].count == 3)
        script = Script(sequence: 10, time: 5_300)
        Demo.order(&script, 1_000, "order 20", begin: 5_300, until: .done)
        screen.feed(script)
        screen.tick(6_900)
        #expect(screen.state.profile.rows[0].count == 3)
        screen.tick(7_100)
        #expect(screen.state.profile.rows[0].count == 4)
    }

    @Test func nothingIsCountedBeforeAViewNeedsIt() {
        var screen = GoldenTests.checkout(120, 40)
        #expect(screen.state.programs[0].insight.chains.figures == nil)
        screen.type("t")
        #expect(screen.state.programs[0].insight.chains.figures != nil)
        #expect(screen.state.programs[0].insight.profile.figures == nil)
        screen.type("7")
        #expect(screen.state.programs[0].insight.chains.figures == nil)
        #expect(screen.state.programs[0].insight.profile.figures != nil)
    }

    @Test func theLastBatchIsCounted() {
        var screen = Self.screen(120, 40)
        var script = Script(sequence: 9, time: 5_200)
        Demo.order(&script, 900, "order 19", begin: 5_200, until: .done)
        screen.feed(script)
        screen.act(.ended(SourceID(0), "it is over"))
        screen.tick(6_500)
        screen.tick(7_600)
        #expect(screen.state.profile.rows[0].count == 3)
        #expect(screen.state.programs[0].isIdle)
    }

    private struct Unexpected: Error {}

    // MARK: Keys

    @Test func enterFoldsAndGoesToTheSlowest() throws {
        var screen = Self.screen(120, 40)
        let all = screen.state.profile.rows.count
        screen.type("<Enter>")
        #expect(screen.state.profile.rows.count == 1)
        screen.type("<Enter>")
        #expect(screen.state.profile.rows.count == all)
        while screen.state.profile.selectedRow?.label != "charge card" { screen.type("j") }
        screen.type("<Enter>")
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == 203 || screen.selectedID == 103)
        #expect(screen.message?.hasPrefix("the slowest of 2: 300ms") == true, "\(screen.message ?? "")")
    }

    @Test func arrowsFoldAndUnfold() {
        var screen = Self.screen(120, 40)
        let all = screen.state.profile.rows.count
        screen.type("j<Left>")
        #expect(screen.state.profile.cursor.selected == 0, "a last step has only the row above it")
        screen.type("_")
        #expect(screen.state.profile.rows.count == 1)
        screen.type("<Right>")
        #expect(screen.state.profile.rows.count > 1)
        screen.type("*")
        #expect(screen.state.profile.rows.count == all)
    }

    /// Where the path column is narrow, deep rows are indented by less.
    @Test func aClickOnTheMarkerOfADeepRowFoldsIt() throws {
        var screen = Screen(80, 40)
        var script = Script(time: 10)
        for node in UInt64(1)...14 {
            script.make(node, .work, "step \(node)", by: node - 1, site: "A/A.swift:\(node)")
        }
        script.at(500)
        for node in (UInt64(1)...14).reversed() { script.fulfill(node) }
        screen.feed(script)
        screen.type("7")
        for moment in [1_000.0, 2_100] { screen.tick(moment) }
        #expect(screen.state.profile.rows.count == 14)
        for line in [2, 8, 12] {
            let area = Layout(screen.state).content
            let text = Array(screen.frame.rowText(area.row + line))
            let column = try #require(text.firstIndex(of: "▾"), "\(String(text))")
            screen.act(.mouse(Mouse(.press, .left, row: area.row + line, column: column)))
            #expect(screen.state.profile.rows.count == line + 1, "\(column)")
            screen.type("<Enter>")
            #expect(screen.state.profile.rows.count == 14)
        }
    }

    @Test func shortStepsStandInOneRow() throws {
        var screen = Self.screen(120, 40)
        let more = try #require(screen.state.profile.rows.firstIndex { if case .more = $0.id { true } else { false } })
        #expect(screen.text.contains("more under 1%"))
        let count = screen.state.profile.rows[more].count
        let all = screen.state.profile.rows.count
        for _ in 0..<more { screen.type("j") }
        screen.type("<Enter>")
        #expect(screen.state.profile.rows.count == all + count - 1)
    }

    @Test func keysSortAndNameTheOrder() {
        var screen = Self.screen(120, 40)
        #expect(screen.frame.rowText(2).contains("total▾"))
        screen.type("s")
        #expect(screen.message == "sorted by self time: the greatest first")
        #expect(screen.frame.rowText(2).contains("self▾"))
        let own = screen.state.profile.rows.filter { $0.depth == 1 && $0.isFrame }.map(\.ownTime)
        #expect(own == own.sorted(by: >))
        screen.type("I")
        #expect(screen.message == "sorted by self time: the least first")
    }

    @Test func aFilterDimsOthersAndNFindsMatches() {
        var screen = Self.screen(120, 40)
        let all = screen.state.profile.rows.count
        screen.type("/charge<Enter>")
        #expect(screen.state.profile.rows.count == all)
        let frame = screen.frame
        for (line, profileRow) in screen.state.profile.rows.enumerated() {
            let row = Layout(screen.state).content.row + line
            // Without the mark of the selected row.
            let shown = frame.rowText(row).enumerated().filter { $0.offset >= 2 && $0.element != " " }
            let roles = Set(shown.map { frame[row, $0.offset].style.role })
            #expect(!shown.isEmpty)
            if profileRow.label == "charge card" {
                #expect(roles.isSuperset(of: [.label, .kind, .number]), "\(roles)")
            } else {
                // The text of the selected row is not dimmed.
                let plain: Set<Role> = line == screen.state.profile.cursor.selected ? [.normal] : []
                #expect(roles.isSubset(of: plain.union([.dim, .guide])), "\(roles) in line \(line)")
            }
        }
        screen.type("gn")
        #expect(screen.state.profile.selectedRow?.label == "charge card")
    }

    @Test func copiesFoldedStacks() throws {
        var screen = Self.screen(120, 40)
        screen.type("Y")
        let effect = try #require(screen.effects.last)
        guard case .copy(let text) = effect else { throw Unexpected() }
        #expect(text.contains("order (Checkout.swift:31);charge card (Checkout.swift:41) 600000"))
    }

    @Test func oneFoldedStackIsSingular() {
        var screen = Screen(120, 40)
        var script = Script(time: 10)
        script.make(1, .work, "order 17", site: "Shop/Order.swift:41")
        script.at(500)
        script.fulfill(1)
        screen.feed(script)
        screen.type("7")
        for moment in [1_000.0, 2_100, 3_200] { screen.tick(moment) }
        screen.type("Y")
        #expect(screen.message == "copied 1 folded stack, in microseconds of self time")
    }

    /// A terminal takes no more, and a stack that is cut would be another one.
    @Test func ofManyFoldedStacksTheFirstAreCopied() throws {
        var screen = Screen(120, 40)
        var script = Script(time: 10)
        for node in UInt64(1)...1_000 {
            let label = "step \(node) " + String(repeating: "x", count: 100)
            script.make(node, .work, label, site: "Shop/OrdersOfTheWarehouse.swift:\(node)")
        }
        script.at(500)
        for node in UInt64(1)...1_000 { script.fulfill(node) }
        screen.feed(script)
        screen.type("7")
        for moment in [1_000.0, 2_100, 3_200] { screen.tick(moment) }
        screen.type("Y")
        guard case .copy(let text) = try #require(screen.effects.last) else { throw Unexpected() }
        let lines = text.split(separator: "\n")
        #expect(text.utf8.count <= ClipboardText.byteLimit && lines.count > 100 && lines.count < 1_000)
        #expect(lines.allSatisfy { $0.contains("(OrdersOfTheWarehouse.swift:") && $0.last!.isNumber })
        let count = "\(lines.count) of 1,000 stacks: terminals take no more than 75 kB"
        #expect(screen.message == "copied the first \(count)", "\(screen.message ?? "")")
    }

    @Test func keysOfNodesSayWhyNot() {
        var screen = Self.screen(120, 40)
        for key in ["c", "C", " "] {
            screen.type(key)
            #expect(screen.message?.contains("call paths") == true, "\(key)")
            #expect(screen.state.mode == .normal)
        }
    }
}

// SPDX-License-Identifier: MIT
