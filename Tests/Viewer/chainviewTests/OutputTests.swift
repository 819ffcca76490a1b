import Foundation
import Frames
import TerminalHarness
import Testing

@testable import chainview

/// The kept output of a program.
struct OutputTests {
    private func text(_ kept: BoundedOutput, _ stream: ProgramOutput.Stream) -> String {
        String(decoding: kept.chunks.filter { $0.stream == stream }.flatMap(\.bytes), as: UTF8.self)
    }

    @Test func orderIsKeptAcrossStreams() {
        var kept = BoundedOutput(limit: 1_000)
        for (part, stream) in [("a", 1), ("b", 2), ("c", 2), ("d", 1)] as [(String, Int32)] {
            kept.append(Array(part.utf8)[...], ProgramOutput.Stream(rawValue: stream)!)
        }
        #expect(kept.chunks.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a", "bc", "d"])
    }

    @Test(arguments: [1, 7, 100, 5_000])
    func ofTooMuchTheBeginningAndTheEndAreKept(piece: Int) {
        var kept = BoundedOutput(limit: 10_000)
        var all: [UInt8] = []
        for number in 0..<(40_000 / piece) {
            let bytes = (0..<piece).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
            all += bytes
            kept.append(bytes[...], .standard)
        }
        let standard = kept.chunks.filter { $0.stream == .standard }.flatMap(\.bytes)
        #expect(standard.count + kept.cutCount == all.count && standard.count <= 10_000 && kept.cutCount > 0)
        let head = zip(standard, all).prefix { $0 == $1 }.count
        #expect(head >= min(2_500 / piece * piece, 2_500))
        #expect(Array(all.suffix(standard.count - head)) == Array(standard.dropFirst(head)))
        #expect(text(kept, .error).contains("\(kept.cutCount) bytes of output were dropped here"))
    }

    @Test func linesAreThoseOfATerminal() {
        var lines = OutputLines()
        lines.append(Array("one\ntw".utf8)[...], isError: false)
        lines.append(Array("bad\r\n".utf8)[...], isError: true)
        lines.append(Array("o\n10 %\r20 %\n\u{1B}[1;31mred\u{1B}[0m\ta\nbegun".utf8)[...], isError: false)
        #expect(lines.last(10).map(\.text) == ["one", "bad", "two", "20 %", "red     a", "begun"])
        #expect(lines.last(10).map(\.isError) == [false, true, false, false, false, false])
        #expect(lines.last(2).map(\.text) == ["red     a", "begun"] && lines.count == 5)
    }

    @Test func memoryIsBounded() {
        var lines = OutputLines()
        for _ in 0..<100 { lines.append(ArraySlice(repeating: 0x41, count: 100_000), isError: false) }
        #expect(lines.last(1)[0].text.count == 2_000)
        for number in 0..<10_000 { lines.append(Array("\n\(number)".utf8)[...], isError: false) }
        #expect(lines.last(.max).count <= 2_001 && lines.last(1)[0].text == "9999" && lines.count == 10_000)
    }

    @Test func thePaneIsDrawnAtTheBottom() {
        var pane = OutputPane(program: "shop\u{1B}[31m", ending: nil, lineCount: 2)
        pane.lines = [.init(text: "hello", isError: false), .init(text: "\u{1B}]0;x\u{7}", isError: true)]
        var frame = Frame(size: Size(columns: 80, rows: 20))
        pane.paint(into: &frame, rows: 5, glyphs: .unicode)
        #expect(frame.rowText(15).hasPrefix("── output of shop␛[31m · 2 lines · o hides ─"), "\(frame.rowText(15))")
        #expect(frame.rowText(16) == " hello" && frame.rowText(17) == " ␛]0;x␇")
        pane.ending = "has ended with code 3"
        pane.paint(into: &frame, rows: 5, glyphs: .unicode)
        #expect(frame.rowText(15).contains("which has ended with code 3"))
        #expect(
            OutputPane.rows(on: Size(columns: 80, rows: 15)) == 0
                && OutputPane.rows(on: Size(columns: 80, rows: 24)) == 8)
        for columns in 0...40 {
            for rows in 0...6 {
                var small = Frame(size: Size(columns: columns, rows: rows))
                pane.paint(into: &small, rows: rows, glyphs: .ascii)
            }
        }
    }
}

// SPDX-License-Identifier: MIT
