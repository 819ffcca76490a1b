import GoldenSupport
import SeededNumbers
import Testing

@testable import Frames

@Suite struct FrameTests {
    @Test func cellsAreSmallAndPlain() {
        #expect(MemoryLayout<Cell>.size == 12 && MemoryLayout<Cell>.stride == 12)
        #expect(_isPOD(Cell.self))
    }

    @Test func writingClipsAndCountsColumns() {
        var frame = Frame(size: Size(columns: 6, rows: 2))
        #expect(frame.write("abcdefgh", row: 0, column: 2) == 4)
        #expect(frame.write("xy", row: 1, column: -1) == 2)
        #expect(frame.write("no", row: 2, column: 0) == 0)
        #expect(frame.write("no", row: -1, column: 0) == 0)
        #expect(frame.write("no", row: 0, column: 6) == 0)
        #expect(frame.write("abc", row: 1, column: 3, maxColumns: 2) == 2)
        #expect(frame.plainText() == "  abcd\ny  ab\n")
    }

    @Test func wideCharactersStayWhole() {
        var frame = Frame(size: Size(columns: 5, rows: 1))
        #expect(frame.write("日本語", row: 0, column: 0) == 4)
        #expect(frame.rowText(0) == "日本")
        frame.write("x", row: 0, column: 1)
        #expect(frame.rowText(0) == " x本")
        frame.write("y", row: 0, column: 2)
        #expect(frame.rowText(0) == " xy")
        frame.write("日", row: 0, column: -1)
        #expect(frame.rowText(0) == " xy")
        #expect(frame[0, 0].isContinuation == false)
        frame.write("本", row: 0, column: 3)
        #expect(frame[0, 3].width == 2 && frame[0, 4].isContinuation)
        #expect(frame[0, 3].text == "本" && frame[0, 4].text == "")
    }

    @Test func fillAndRestyleClip() {
        var frame = Frame(size: Size(columns: 4, rows: 3))
        frame.fill(row: -1, column: -1, rows: 3, columns: 3, with: "#", style: .border)
        #expect(frame.plainText() == "##\n##\n\n")
        frame.fill(row: 2, column: 2, rows: .max, columns: .max, with: "日")
        #expect(frame.rowText(2) == "  ??")
        frame.restyle(row: 0, column: 1, columns: .max) { $0.selected }
        #expect((0..<4).map { frame[0, $0].style.modifiers.contains(.selected) } == [false, true, true, true])
        #expect(frame[0, 1].style.role == .border)
        frame.fill(row: 0, column: 9)
        frame.fill(row: 0, column: 0, rows: 0)
        #expect(frame.rowText(0) == "##")
    }

    @Test func anASCIIFrameHoldsASCII() {
        var frame = Frame(size: Size(columns: 12, rows: 2), charset: .ascii)
        frame.write("日本 é ✔ \u{1B}", row: 0, column: 0)
        #expect(frame.rowText(0) == "?? ? ? \\e")
        frame.fill(row: 1, column: 0, with: "─")
        #expect(frame.rowText(1) == "????????????")
    }

    @Test func anyDrawingKeepsWideCharactersWhole() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<400 {
            var frame = Frame(size: Size(columns: 1 + random.next(12), rows: 1 + random.next(4)))
            for _ in 0..<12 {
                random.draw(into: &frame)
                #expect(frame.isSound)
            }
        }
    }

    @Test func sizesAreBounded() {
        #expect(Size(columns: -3, rows: 1_000_000) == Size(columns: 0, rows: Size.rowLimit))
        var nothing = Frame(size: Size(columns: 0, rows: 0))
        #expect(nothing.write("x", row: 0, column: 0) == 0)
        nothing.fill(row: 0, column: 0)
        #expect(nothing.plainText() == "" && nothing[0, 0] == .blank)
        #expect(Size(columns: 80, rows: 24).description == "80x24")
    }

    @Test func goldenTextShowsRowsThenStyles() {
        var frame = Frame(size: Size(columns: 12, rows: 3))
        frame.write("▸ ", row: 0, column: 0)
        frame.write("✖", row: 0, column: 2, style: .rejected)
        frame.write("order 1", row: 0, column: 4, style: .label.selected)
        frame.write("日", row: 2, column: 11, style: .error)
        frame.write("本", row: 2, column: 0, style: .error.bold)
        #expect(
            frame.golden() == """
                frame 12x3 theme=dark glyphs=unicode
                |▸ ✖ order 1 |
                |            |
                |本          |
                0: 2 rejected, 4-10 label.selected
                2: 0-1 error.bold

                """)
        #expect(frame.golden(header: "").hasPrefix("frame 12x3\n"))
    }

    @Test func thePictureIsWellFormedAndHoldsTheText() {
        var frame = Frame(size: Size(columns: 20, rows: 2))
        frame.write("a<b & \"c\"", row: 0, column: 0, style: .header)
        frame.write("日 ✔", row: 1, column: 3, style: .fulfilled)
        let svg = frame.svg(title: "t<i>tle")
        #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
        #expect(svg.contains("a&lt;b &amp; &quot;c&quot;") && svg.contains("t&lt;i&gt;tle"))
        #expect(svg.contains(">日</text>") && svg.contains(">✔</text>"))
        #expect(svg.components("<text") == svg.components("</text>"))
        #expect(!svg.contains("a<b"))
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int {
        self.split(separator: part, omittingEmptySubsequences: false).count
    }
}

// SPDX-License-Identifier: MIT
