import ChainModel
import ChainText
import Frames
import Testing

@testable import Dashboard

/// The help: its columns, its sections, which begin with those of the view, and its search.
@Suite struct HelpTests {
    @Test(arguments: [(80, 1), (120, 2), (200, 2)]) func columnsWhereThereIsRoom(_ columns: Int, _ count: Int) {
        let box = HelpBox(size: Size(columns: columns, rows: 60), glyphs: .unicode)
        #expect(box.columns.count == count)
        #expect(box.area.columns <= columns)
        let texts = box.columns.joined().map { $0.heading.count + $0.text.count }
        #expect(texts.max()! <= columns)
        if count == 2 {
            let one = HelpBox(size: Size(columns: 80, rows: 60), glyphs: .unicode)
            #expect(box.lineCount * 4 < one.lineCount * 3, "two columns are far shorter than one")
        }
    }

    /// Also on the narrowest screen, the help has all words of each text.
    @Test(arguments: [Layout.least.columns, 34, 38, 60], [Glyphs.unicode, .ascii])
    func noTextIsCut(_ columns: Int, _ glyphs: Glyphs) {
        for view in ViewID.allCases {
            let box = HelpBox(size: Size(columns: columns, rows: Layout.least.rows), glyphs: glyphs, view: view)
            let room = box.columnWidth - box.keyWidth - 2
            for line in box.columns.joined() where !line.isTitle {
                #expect(glyphs.width(of: line.text) <= room, "\(line) in \(view)")
            }
        }
    }

    @Test(arguments: ViewID.allCases) func thePresentViewComesFirst(_ view: ViewID) {
        let titles = HelpText(view: view, glyphs: .unicode).sections.map(\.title)
        let hasOwn = !KeyMap.bindings(in: .view(view)).isEmpty
        #expect(titles.first == (hasOwn ? "In \(view.title)" : "In every view"))
        #expect(Set(titles).count == titles.count)
        for legend in ["Columns of Chains", "States", "Signs", "Header"] { #expect(titles.contains(legend)) }
    }

    @Test func theLegendHasEveryStateThatRowsShow() throws {
        let sections = HelpText(view: .chains, glyphs: .unicode).sections
        let states = try #require(sections.first { $0.title == "States" }).entries.map(\.keys)
        for status in ChainStatus.allCases {
            #expect(states.contains("\(Glyphs.unicode.state(status.role)) \(status.word)"), "\(status)")
        }
        let columns = try #require(sections.first { $0.title == "Columns of Chains" })
        #expect(columns.entries.first { $0.keys == "state" }?.text.contains("how the chain ended") == true)
        let header = try #require(sections.first { $0.title == "Header" })
        #expect(header.entries.contains { $0.keys == "events lost" })
    }

    @Test func theLegendHasEveryColumn() throws {
        let sections = HelpText(view: .chains, glyphs: .unicode).sections
        let columns = try #require(sections.first { $0.title == "Columns of Chains" })
        #expect(Set(columns.entries.map(\.keys)) == Set(TreeColumn.allCases.map(\.rawValue)))
    }

    @Test func pastedTextIsSearched() {
        var screen = GoldenTests.checkout(80, 20)
        screen.type("?/f")
        screen.act(.pasted("ol\nd"))
        #expect(screen.help?.search == "fold" && screen.message == nil)
        var typed = GoldenTests.checkout(80, 20)
        typed.type("?/fold")
        #expect(screen.state.mode == typed.state.mode, "at the first match")
    }

    /// A larger screen shows the help from an earlier line on.
    @Test(arguments: [true, false]) func itScrollsFromWhatIsShown(_ isKey: Bool) {
        var screen = GoldenTests.checkout(80, 20)
        screen.type("?<End>")
        screen.act(.resized(Size(columns: 80, rows: 60)))
        let limit = HelpBox(size: screen.state.size, glyphs: .unicode).scrollLimit
        #expect(limit > 3)
        if isKey {
            screen.type("<Up>")
        } else {
            screen.act(.mouse(Mouse(.wheelUp, row: 10, column: 10)))
        }
        #expect(screen.help?.scroll == limit - (isKey ? 1 : 3))
    }

    @Test func searchGoesFromMatchToMatch() throws {
        var screen = GoldenTests.checkout(80, 20)
        screen.type("?/fold")
        let first = try #require(screen.help).scroll
        #expect(screen.text.contains("/fold") && screen.text.contains(" lines"))
        #expect(screen.frame.rowText(19).contains("⏎ search  Esc clear"))
        #expect(screen.text.contains("fold; again: to the node above"))
        screen.type("<Enter>n")
        #expect(try #require(screen.help).scroll > first)
        screen.type("N")
        #expect(screen.help?.scroll == first)
        screen.type("<Esc>")
        #expect(screen.help?.search == "" && screen.help?.isTyping == false)
        screen.type("/zzzz")
        #expect(screen.text.contains("not found"))
        screen.type("<Enter><Esc><Esc>")
        #expect(screen.state.context == .view(.chains))
    }

    /// Keys that act in the help are text while the user types a search.
    @Test func lettersAreTextWhileSearching() {
        var screen = GoldenTests.checkout(80, 20)
        screen.type("?/quit")
        #expect(screen.help?.search == "quit")
        screen.type("<BS><BS>")
        #expect(screen.help?.search == "qu")
        screen.type("<^U>")
        #expect(screen.help?.search == "" && screen.help?.isTyping == true)
        screen.type("<BS>")
        #expect(screen.help?.isTyping == false)
    }
}

// SPDX-License-Identifier: MIT
