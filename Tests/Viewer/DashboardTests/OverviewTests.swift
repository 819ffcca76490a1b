import ChainEvents
import Frames
import Testing

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

@testable import Dashboard

/// The overview of several programs, and the tree of many.
@Suite struct OverviewTests {
    private static func info(_ number: Int, _ name: String) -> ProcessDescription {
        ProcessDescription(
            key: ProcessKey(rawValue: 9_000 + UInt64(number)), pid: Int32(5_000 + number), name: name,
            wallOffset: Script.process.wallOffset, startTime: Script.process.wallOffset + 1_000_000_000)
    }

    /// Returns a screen with the shop, its invoices, and programs that do nothing, in front of the other two.
    static func many(_ columns: Int, _ rows: Int, idle: Int = 42, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, rows, options: options, connected: false)
        for number in 0..<idle {
            let info = info(number, "steps \(number % 7)")
            screen.act(.connected(SourceID(number), info))
            screen.act(.received(SourceID(number), EventBatch(process: info.key, sequence: 1, time: 1)))
        }
        screen.act(.connected(SourceID(idle), Script.process))
        screen.act(.connected(SourceID(idle + 1), Script.billing))
        for batch in Demo.billing() { screen.feed(batch, from: SourceID(idle + 1)) }
        for batch in Demo.checkout() { screen.feed(batch, from: SourceID(idle)) }
        screen.tick(4_240)
        return screen
    }

    /// The header counts all the time, and the rows are ordered once a second.
    @Test func aRowShowsWhatTheHeaderShows() {
        // Without details beside the rows.
        var screen = Screen(120, 24)
        var script = Script(time: 1_050)
        script.make(1, .delay, "a pause")
        screen.feed(script)
        screen.type("8")
        screen.tick(4_100)
        func row() -> Substring {
            screen.text.split(separator: "\n").dropFirst().first { $0.contains("checkout") } ?? ""
        }
        #expect(screen.frame.rowText(0).contains("1 in flight") && screen.frame.rowText(0).contains("oldest 2s"))
        #expect(row().contains(" 2s "), "\(row())")
        script = Script(sequence: 2, time: 4_200)
        for node in 2...48 as ClosedRange<UInt64> { script.make(node, .delay, "a pause") }
        screen.feed(script)
        #expect(screen.frame.rowText(0).contains("48 in flight"))
        #expect(row().contains(" 48 "), "\(row())")
    }

    private func names(_ screen: Screen) -> [String] { screen.state.overview.rows.map(\.name) }

    @Test(arguments: [
        Size(columns: 60, rows: 16), Size(columns: 80, rows: 24), Size(columns: 120, rows: 40),
        Size(columns: 200, rows: 60),
    ])
    func looksRight(_ size: Size) {
        var screen = Self.many(size.columns, size.rows)
        screen.type("8")
        GoldenTests.check(screen, "overview/\(size)")
    }

    @Test func looksRightInASCII() {
        var screen = Self.many(120, 24, idle: 3, options: State.Options(glyphs: .ascii))
        screen.type("8s")
        GoldenTests.check(screen, "overview/ascii-120x24")
    }

    @Test func busyProgramsComeFirst() {
        var screen = Self.many(120, 40)
        screen.type("8")
        #expect(Set(names(screen).prefix(2)) == ["billing", "checkout"], "\(names(screen))")
        #expect(screen.state.overview.rows.count == 44)
        screen.type("I")
        #expect(!names(screen).prefix(2).contains("checkout") && screen.text.contains("idle programs first"))
        screen.type("s")
        #expect(screen.text.contains("sorted by program: from A to Z"))
        #expect(names(screen).prefix(3) == ["billing", "checkout", "steps 0"], "\(names(screen))")
        // The program that the user has selected stays selected when the order changes.
        screen.type("j")
        let selected = screen.state.selection
        screen.type("ss")
        #expect(selected != nil && screen.state.selection == selected)
    }

    /// Ticks until the filter has looked at all nodes.
    private func settle(_ screen: inout Screen) {
        for _ in 0..<200 {
            screen.tick(screen.milliseconds + 5)
            if !screen.state.isScanning { break }
        }
    }

    @Test func aFilterFindsNamesAndNodes() {
        var screen = Self.many(120, 40)
        screen.type("8/steps 3<Enter>")
        #expect(Set(names(screen)) == ["steps 3"] && names(screen).count == 6)
        #expect(screen.text.contains("6 of 44 programs"), "\(screen.text)")
        // It has found the name, so that it does not hide the chains of the program.
        settle(&screen)
        screen.type("<Enter>")
        #expect(screen.state.view == .chains && !screen.state.filter.isActive)
        screen.type("8/charge<Enter>")
        settle(&screen)
        #expect(names(screen) == ["checkout"])
        screen.type("<Enter>")
        #expect(screen.state.view == .chains && screen.state.filter.isActive)
        screen.type("<Esc>8")
        let heads = screen.frame.rowText(2)
        screen.type("/nothing like this<Enter>")
        settle(&screen)
        screen.type("k")
        #expect(screen.text.contains("nothing matches “nothing like this”; Esc clears the filter"))
        #expect(screen.frame.rowText(2) == heads && heads.contains("failed/min"), "the columns stay")
    }

    @Test func keysSayThatTheyActOnAProgram() {
        var screen = Self.many(160, 40)
        screen.type("8")
        #expect(screen.frame.rowText(39).contains("c cancel all"))
        screen.type("y")
        #expect(screen.message?.contains("1 program") == true)
    }

    @Test func enterOpensAndEscapeComesBack() {
        var screen = Self.many(120, 40)
        screen.type("8j")
        let opened = screen.state.overview.selectedRow?.id
        screen.type("<Enter>")
        #expect(screen.state.view == .chains && screen.state.selection == opened.map { RowID(source: $0) })
        screen.type("<Esc>")
        #expect(screen.state.view == .overview && screen.state.overview.selectedRow?.id == opened)
        screen.type("<Esc>")
        #expect(screen.text.contains("nothing to close"))
    }

    @Test func aDoubleClickOpensAndAHeadingSorts() throws {
        var screen = Self.many(120, 40)
        screen.type("8")
        let heading = try #require((0..<40).first { screen.frame.rowText($0).contains("in flight  failed/min") })
        let column = try #require(screen.frame.rowText(heading).firstRange(of: "failed/min"))
        let offset = screen.frame.rowText(heading).distance(
            from: screen.frame.rowText(heading).startIndex, to: column.lowerBound)
        screen.act(.mouse(Mouse(.press, .left, row: heading, column: offset)))
        #expect(screen.text.contains("sorted by failed/min: the highest first"))
        for count in 1...2 {
            screen.act(.mouse(Mouse(.press, .left, row: heading + 2, column: 8, clickCount: count)))
        }
        #expect(screen.state.view == .chains)
    }

    /// The list of a single program is reached by its key alone, and has a tab while it is shown.
    @Test func oneProgramHasATabForItWhileItIsShown() {
        var screen = GoldenTests.checkout(120, 40)
        #expect(!screen.text.contains("8 Overview"))
        screen.type("8")
        #expect(screen.state.view == .overview && names(screen) == ["checkout"])
        #expect(screen.frame.rowText(1).contains("8 Overview"))
        screen.type("1<S-Tab>")
        #expect(screen.state.view == .profile && !screen.text.contains("8 Overview"))
        screen.type("8<Tab>")
        #expect(screen.state.view == .chains)
        #expect(Self.many(120, 40).text.contains("8 Overview"))
    }

    @Test func idleProgramsAreFoldedInTheTreeOfMany() {
        var screen = Self.many(120, 60)
        let idle = screen.state.programs.indices.filter { screen.state.programs[$0].isFolded }
        #expect(idle == Array(0..<42))
        // What the user unfolds stays unfolded.
        screen.type("gl")
        screen.tick(6_000)
        #expect(!screen.state.programs[0].isFolded)
        #expect(Self.many(120, 60, idle: 2).state.programs.allSatisfy { !$0.isFolded })
    }
}

// SPDX-License-Identifier: MIT
