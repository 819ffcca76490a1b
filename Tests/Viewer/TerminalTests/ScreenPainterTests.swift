import Frames
import PlainPainter
import SeededNumbers
import Terminal
import TerminalHarness
import Testing

@Suite struct ScreenPainterTests {
    /// Returns the old frame, or an empty one of a new size, with up to five random texts written over it.
    private func randomFrame(_ random: inout SeededGenerator, _ size: Size, from old: Frame) -> Frame {
        let texts = ["order 17", "日本語の", "e\u{301}x", "✔ done", "한국어", "\u{1B}[2J", "a日b本c", "│├└─", "     "]
        var frame = old.size == size ? old : Frame(size: size)
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
            let style = Style(
                Role.allCases.randomElement(using: &random)!, [[], .bold, .selected].randomElement(using: &random)!)
            frame.write(
                texts.randomElement(using: &random)!, row: Int.random(in: 0..<size.rows, using: &random),
                column: Int.random(in: -2..<size.columns, using: &random), style: style)
            if Int.random(in: 0..<4, using: &random) == 0 {
                frame.fill(
                    row: Int.random(in: 0..<size.rows, using: &random),
                    column: Int.random(in: 0..<size.columns, using: &random),
                    columns: Int.random(in: 0..<9, using: &random), style: style)
            }
        }
        return frame
    }

    @Test(arguments: [UInt64](1...30))
    func paintingDifferencesEqualsAFreshRedraw(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var size = Size(columns: 24, rows: 6)
        var painter = ScreenPainter.plain()
        let terminal = VirtualScreen(columns: 24, rows: 6)
        var shown: Frame?
        for _ in 0..<25 {
            if Int.random(in: 0..<8, using: &random) == 0 {
                size = Size(
                    columns: Int.random(in: 4..<40, using: &random), rows: Int.random(in: 1..<9, using: &random))
                terminal.resize(columns: size.columns, rows: size.rows)
            }
            let frame = randomFrame(&random, size, from: shown ?? Frame(size: size))
            terminal.feed(painter.paint(frame, over: shown, theme: .dark))
            shown = frame

            let fresh = VirtualScreen(columns: size.columns, rows: size.rows)
            var other = ScreenPainter.plain()
            fresh.feed(other.paint(frame, over: nil, theme: .dark))
            for row in 0..<size.rows {
                for column in 0..<size.columns {
                    #expect(terminal.cell(row, column) == fresh.cell(row, column), "seed \(seed) at \(row),\(column)")
                    #expect(terminal.cell(row, column).text == frame[row, column].text)
                }
            }
        }
    }

    @Test func nothingIsWrittenWhenNothingChanged() {
        var painter = ScreenPainter.plain()
        var frame = Frame(size: Size(columns: 20, rows: 4))
        frame.write("日本 text", row: 1, column: 2, style: .running)
        #expect(!painter.paint(frame, over: nil, theme: .dark).isEmpty)
        #expect(painter.paint(frame, over: frame, theme: .dark).isEmpty)
    }

    @Test func theCursorIsSetAfterEachCharacterThatIsNotASCII() {
        var painter = ScreenPainter.plain(.none)
        var frame = Frame(size: Size(columns: 12, rows: 1))
        frame.write("a✔b日c", row: 0, column: 0)
        let text = String(decoding: painter.paint(frame, over: Frame(size: frame.size), theme: .dark), as: UTF8.self)
        #expect(text == "\u{1B}[1;1H\u{1B}[0ma✔\u{1B}[1;3Hb  \u{1B}[1;4H日\u{1B}[1;6Hc")
    }

    @Test func coloursAreThoseOfTheDepth() {
        var frame = Frame(size: Size(columns: 4, rows: 1))
        frame.write("x", row: 0, column: 0, style: .rejected)
        for depth in ColorDepth.allCases {
            let terminal = VirtualScreen(columns: 4, rows: 1)
            var painter = ScreenPainter.plain(depth)
            terminal.feed(painter.paint(frame, over: nil, theme: .dark))
            let look = Theme.dark.look(.rejected, depth: depth)
            #expect(terminal.cell(0, 0).foreground == (look.foreground < 0 ? nil : Int(look.foreground)))
            #expect(terminal.cell(0, 0).isBold)
        }
    }

    @Test func theLastCellIsNotPaintedIfThatWouldScroll() {
        var frame = Frame(size: Size(columns: 3, rows: 2))
        frame.write("abc", row: 0, column: 0)
        frame.write("def", row: 1, column: 0)
        let terminal = VirtualScreen(columns: 3, rows: 2)
        var careful = ScreenPainter.plain(scrollsAtEnd: true)
        terminal.feed(careful.paint(frame, over: nil, theme: .dark))
        #expect(terminal.text == "abc\nde")
        var plain = ScreenPainter.plain()
        terminal.feed(plain.paint(frame, over: nil, theme: .dark))
        #expect(terminal.text == "abc\ndef")
    }

    @Test func aFrameCostsLittle() {
        let size = Size(columns: 200, rows: 60)
        var old = Frame(size: size)
        for row in 0..<60 {
            old.write(String(repeating: "row \(row) ✔ ", count: 20), row: row, column: 0, style: .label)
        }
        var new = old
        for row in 0..<60 { new.write("\(row)ms", row: row, column: 100, style: .number) }
        var painter = ScreenPainter.plain()
        let bytes = painter.paint(new, over: old, theme: .dark)
        #expect(bytes.count < 60 * 40)
    }
}

// SPDX-License-Identifier: MIT
