import Testing

@testable import Frames

@Suite struct TextWidthTests {
    @Test(arguments: [(WidthSample.none, 0), (WidthSample.one, 1), (WidthSample.two, 2)])
    func agreesWithWcwidth(scalars: [UInt32], width: Int) throws {
        #expect(scalars.count > 50)
        for value in scalars {
            let scalar = try #require(Unicode.Scalar(value))
            #expect(TextWidth.of(scalar) == width, "U+\(String(value, radix: 16))")
        }
    }

    @Test func tableIsSortedAndWhole() {
        #expect(TextWidth.table.first! >> 4 == 0)
        for (before, after) in zip(TextWidth.table, TextWidth.table.dropFirst()) {
            #expect(before >> 4 < after >> 4)
            #expect(before & 15 != after & 15)
        }
        #expect(TextWidth.table.last! >> 4 <= 0x10FFFF)
        #expect(TextWidth.unicodeVersion == "17.0.0")
    }

    @Test(arguments: [
        ("", 0), ("abc", 3), ("日本語", 6), ("e\u{301}", 1), ("한국", 4), ("한", 2), ("é", 1), ("✔", 1), ("🙂", 2),
        ("👨‍👩‍👧", 6), ("🇩🇪", 2), ("❤️", 1), ("👍🏽", 2), ("\u{1B}[31m", 5), ("\u{200B}", 0), ("ｱ", 1), ("Ａ", 2),
    ])
    func widthsOfTexts(text: String, width: Int) {
        #expect(TextWidth.of(text) == width)
        var frame = Frame(size: Size(columns: 20, rows: 1))
        #expect(frame.write(text, row: 0, column: 0) == width)
    }

    @Test func glyphsOfBothSetsTakeTheSameColumns() {
        let pairs = zip(Mirror(reflecting: Glyphs.unicode).children, Mirror(reflecting: Glyphs.ascii).children)
        var count = 0
        for (unicode, ascii) in pairs {
            guard let one = unicode.value as? String, let other = ascii.value as? String else { continue }
            guard !["name", "enter", "atLeast"].contains(unicode.label) else { continue }
            count += 1
            #expect(TextWidth.of(one) == 1 && TextWidth.of(other, charset: .ascii) == 1, "\(unicode.label ?? "")")
            #expect(other.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
        #expect(count > 30)
        #expect(Glyphs.unicode.bars.count == Glyphs.ascii.bars.count)
    }

    @Test(arguments: [Glyphs.unicode, Glyphs.ascii])
    func statesDifferWithoutColour(glyphs: Glyphs) {
        let states: [Role] = [
            .waiting, .queued, .running, .pending, .fulfilled, .rejected, .cancelled, .skipped, .abandoned, .unknown,
        ]
        #expect(Set(states.map { glyphs.state($0) }).count == states.count)
    }
}

// SPDX-License-Identifier: MIT
