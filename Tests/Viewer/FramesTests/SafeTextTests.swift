import Foundation
import SeededNumbers
import Testing
import ThreadTime

@testable import Frames

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain text", "plain text", "plain text"),
        ("\u{1B}[31mred\u{1B}[0m", "␛[31mred␛[0m", "\\e[31mred\\e[0m"),
        ("\u{1B}]0;title\u{07}", "␛]0;title␇", "\\e]0;title\\x07"),
        ("one\ntwo\r\n\tthree", "one␊two␍␊␉three", "one\\ntwo\\r\\n\\tthree"),
        ("nul\0del\u{7F}", "nul␀del␡", "nul\\0del\\x7f"),
        ("c1 \u{9B}31m \u{85}", "c1 �31m ␤", "c1 ?31m \\n"),
        ("\u{202E}evil\u{202C}", "�evil�", "?evil?"),
        ("a\u{2066}b\u{2069}c\u{200F}", "a�b�c�", "a?b?c?"),
        ("x\u{2028}y\u{2029}z", "x␤y␤z", "x\\ny\\nz"),
        ("priv\u{E000}\u{F0000}\u{10FFFD}", "priv���", "priv???"),
        ("tag\u{E0041}\u{E0042}s", "tags", "tags"),
        ("a\u{200D}b\u{200B}c\u{FEFF}d\u{00AD}e", "abcde", "abcde"),
        ("👨‍👩‍👧", "👨👩👧", "???"),
        ("🇩🇪 ❤️ 👍🏽", "DE ❤ 👍", "DE ? ?"),
        ("1️⃣", "1\u{20E3}", "1"),
        ("← ↑ → ↓ …", "← ↑ → ↓ …", "< ^ > v ~"),
        ("nb\u{A0}sp", "nb sp", "nb sp"),
        ("“quoted” — ‘it’", "“quoted” — ‘it’", "\"quoted\" - 'it'"),
        ("\u{3164}\u{115F}", "��", "??"),
    ])
    func textsAreReduced(text: String, unicode: String, ascii: String) {
        #expect(Array(SafeText.line(text).unicodeScalars) == Array(unicode.unicodeScalars))
        #expect(SafeText.line(text, charset: .ascii) == ascii)
    }

    @Test func nonCharactersAreReplaced() throws {
        for value: UInt32 in [0xFDD0, 0xFFFE, 0x1FFFF, 0x10FFFF] {
            let text = String(Character(try #require(Unicode.Scalar(value))))
            #expect(SafeText.line(text) == "\u{FFFD}")
        }
    }

    @Test func upToTwoMarksAreKeptPerBase() {
        let line = SafeText.line("a" + String(repeating: "\u{301}\u{302}\u{303}", count: 500) + "b")
        #expect(Array(line.unicodeScalars) == ["a", "\u{301}", "\u{302}", "b"])
        #expect(Array(SafeText.line("\u{301}x").unicodeScalars) == [" ", "\u{301}", "x"])
        #expect(SafeText.line("e\u{301}", charset: .ascii) == "e")
    }

    @Test func nothingDangerousEverPasses() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<2000 {
            var text = ""
            for _ in 0..<random.next(20) {
                let value = [0x20, 0x80, 0x3000, 0x110000].randomElement(using: &random)!
                text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0..<UInt32(value), using: &random)) ?? "x")
            }
            for charset in [Charset.unicode, .ascii] {
                let safe = SafeText.line(text, charset: charset)
                for scalar in safe.unicodeScalars {
                    let kind = TextWidth.classOf(scalar.value)
                    #expect(kind == .narrow || kind == .wide || kind == .mark, "\(text.unicodeScalars.map(\.value))")
                    if charset == .ascii { #expect(scalar.value >= 0x20 && scalar.value < 0x7F) }
                }
                #expect(SafeText.line(safe, charset: charset).unicodeScalars.elementsEqual(safe.unicodeScalars))
                #expect(TextWidth.of(safe, charset: charset) == TextWidth.of(text, charset: charset))
            }
        }
    }

    @Test func costsDependOnTheColumnsWanted() {
        let long = String(repeating: "日本語 text ", count: 400_000)
        let time = threadTime {
            for _ in 0..<1000 { #expect(TextWidth.of(SafeText.line(long, maxColumns: 40)) <= 40) }
        }
        #expect(time < .seconds(5))
        let joiners = String(repeating: "\u{200D}", count: 4_000_000)
        let hostile = threadTime {
            for _ in 0..<100 { #expect(SafeText.line(joiners, maxColumns: 10) == "") }
        }
        #expect(hostile < .seconds(5))
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"), ("日本語", 6, "日本語"), ("e\u{301}a", 2, "e\u{301}a"),
    ])
    func textsAreCut(text: String, columns: Int, result: String) {
        #expect(SafeText.cut(text, to: columns, ellipsis: "…") == result)
        var frame = Frame(size: Size(columns: 10, rows: 1))
        frame.write(text, row: 0, column: 0, maxColumns: columns, ellipsis: "…")
        #expect(frame.rowText(0) == result)
    }
}

// SPDX-License-Identifier: MIT
