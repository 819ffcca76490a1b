import Frames
import SeededNumbers
import Testing

@testable import Terminal

@Suite struct KeyDecoderTests {
    private func decoded(_ text: String, known: [[UInt8]: KeyPress] = [:]) -> [KeyDecoder.Input] {
        decoded(Array(text.utf8), known: known)
    }

    /// Returns all that is decoded from bytes, which are fed whole or in two parts split at an index.
    private func decoded(_ bytes: [UInt8], known: [[UInt8]: KeyPress] = [:], split: Int? = nil) -> [KeyDecoder.Input] {
        var decoder = KeyDecoder(known: known)
        var inputs: [KeyDecoder.Input] = []
        for part in split.map({ [bytes[..<$0], bytes[$0...]] }) ?? [bytes[...]] {
            decoder.feed(part)
            while let input = decoder.next() { inputs.append(input) }
        }
        while let input = decoder.flush() { inputs.append(input) }
        #expect(!decoder.isHolding)
        return inputs
    }

    private static let keys: [(String, KeyPress)] = [
        ("q", .character("q")), ("é", .character("é")), ("日", .character("日")), ("🙂", .character("🙂")),
        (" ", .character(" ")), ("\r", KeyPress(.enter)), ("\n", KeyPress(.enter)), ("\t", KeyPress(.tab)),
        ("\u{7F}", KeyPress(.backspace)), ("\u{8}", KeyPress(.backspace)), ("\u{3}", .control("c")),
        ("\u{C}", .control("l")), ("\u{1A}", .control("z")), ("\u{0}", .control(" ")), ("\u{1F}", .control("_")),
        ("\u{1B}", KeyPress(.escape)), ("\u{1B}x", .alt("x")), ("\u{1B}é", .alt("é")),
        ("\u{1B}\r", KeyPress(.enter, .alt)), ("\u{1B}\u{3}", KeyPress(.character("c"), [.alt, .control])),
        ("\u{1B}[A", KeyPress(.up)), ("\u{1B}OA", KeyPress(.up)), ("\u{1B}[D", KeyPress(.left)),
        ("\u{1B}[1;5C", KeyPress(.right, .control)), ("\u{1B}[1;2B", KeyPress(.down, .shift)),
        ("\u{1B}[1;3H", KeyPress(.home, .alt)), ("\u{1B}[1;8F", KeyPress(.end, [.shift, .alt, .control])),
        ("\u{1B}O5A", KeyPress(.up, .control)), ("\u{1B}\u{1B}[A", KeyPress(.up, .alt)),
        ("\u{1B}[1~", KeyPress(.home)), ("\u{1B}[7~", KeyPress(.home)), ("\u{1B}[4~", KeyPress(.end)),
        ("\u{1B}[2~", KeyPress(.insert)), ("\u{1B}[3~", KeyPress(.delete)),
        ("\u{1B}[3;5~", KeyPress(.delete, .control)),
        ("\u{1B}[5~", KeyPress(.pageUp)), ("\u{1B}[6~", KeyPress(.pageDown)), ("\u{1B}[Z", KeyPress(.backTab)),
        ("\u{1B}OP", KeyPress(.function(1))), ("\u{1B}[[A", KeyPress(.function(1))),
        ("\u{1B}[[E", KeyPress(.function(5))),
        ("\u{1B}[15~", KeyPress(.function(5))), ("\u{1B}[17~", KeyPress(.function(6))),
        ("\u{1B}[21~", KeyPress(.function(10))), ("\u{1B}[24~", KeyPress(.function(12))),
        ("\u{1B}[1;2P", KeyPress(.function(1), .shift)), ("\u{1B}[97;5u", .control("a")),
        ("\u{1B}[27u", KeyPress(.escape)),
        ("\u{1B}OM", KeyPress(.enter)), ("\u{1B}[", .alt("[")), ("\u{1B}O", .alt("O")),
    ]

    @Test func keysAreDecodedWholeAndSplitAnywhere() {
        for (text, key) in Self.keys {
            #expect(decoded(text) == [.key(key)], "\(text.debugDescription)")
            let bytes = Array(text.utf8)
            for split in 0..<bytes.count {
                #expect(decoded(bytes, split: split) == [.key(key)], "\(text.debugDescription)")
            }
        }
    }

    @Test func answersAboutModesAreNoKeys() {
        for split in 0..<11 {
            #expect(
                decoded(Array("\u{1B}[?2026;2$y".utf8), split: split) == [.synchronizedOutput(isSupported: true)],
                "\(split)")
        }
        #expect(decoded("\u{1B}[?2026;1$y") == [.synchronizedOutput(isSupported: true)])
        for no in ["0", "3", "4"] {
            #expect(decoded("\u{1B}[?2026;\(no)$y") == [.synchronizedOutput(isSupported: false)])
        }
        for other in ["\u{1B}[2026;2$y", "\u{1B}[?2026$y", "\u{1B}[?2026;2y", "\u{1B}[?$y"] {
            #expect(decoded(other).isEmpty, "\(other.debugDescription)")
        }
    }

    @Test func keysInARowStayApart() {
        // A lone Escape would join what follows it, as Alt does.
        for (text, key) in Self.keys where !["\u{1B}", "\u{1B}[", "\u{1B}O"].contains(text) {
            #expect(
                decoded("a" + text + "\u{1B}[B" + text + "z") == [
                    .key(.character("a")), .key(key), .key(KeyPress(.down)), .key(key), .key(.character("z")),
                ], "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        "\u{1B}[?62;22c", "\u{1B}[24;80R", "\u{1B}[I", "\u{1B}[O", "\u{1B}[201~", "\u{1B}[99~", "\u{1B}[1;5y",
        "\u{1B}[?1;2$y",
        "\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", "\u{1B}]0;title\u{7}", "\u{1B}P1+r\u{1B}\\", "\u{1B}_app\u{1B}\\",
        "\u{1B}[[z",
        "\u{1B}[>0;276;0c", "\u{1B}Oz", "\u{1B}[999999999999999999999A",
    ])
    func unknownSequencesAreNoKeystrokes(text: String) {
        #expect(decoded(text) == [])
        let bytes = Array(text.utf8)
        for split in 2..<bytes.count { #expect(decoded(bytes, split: split) == []) }
        #expect(decoded(text + "q") == [.key(.character("q"))])
    }

    /// Escape that is held arrives while it repeats, except for the last two, which may begin Alt with a key.
    @Test func escapesInARowAreKeysAtOnce() {
        let escape = KeyDecoder.Input.key(KeyPress(.escape))
        var decoder = KeyDecoder()
        decoder.feed(repeatElement(UInt8(0x1B), count: 10_000))
        var inputs: [KeyDecoder.Input] = []
        while let input = decoder.next() { inputs.append(input) }
        #expect(inputs.count == 9_998 && inputs.allSatisfy { $0 == escape })
        while let input = decoder.flush() { inputs.append(input) }
        #expect(inputs.count == 10_000 && inputs.allSatisfy { $0 == escape })
        let bytes = Array("\u{1B}\u{1B}\u{1B}[A".utf8)
        for split in 0..<bytes.count {
            #expect(decoded(bytes, split: split) == [escape, .key(KeyPress(.up, .alt))], "\(split)")
        }
    }

    @Test func badUTF8IsDropped() {
        #expect(
            decoded([0xFF, 0x61, 0xC3, 0x62, 0xE3, 0x81, 0x63, 0x80, 0xF8, 0xED, 0xA0, 0x80, 0x64]) == [
                .key(.character("a")), .key(.character("b")), .key(.character("c")), .key(.character("d")),
            ])
        #expect(decoded([0xC2, 0x9B, 0x41]) == [.key(.character("A"))])
        #expect(decoded([0xE3, 0x81]) == [])
    }

    @Test(arguments: [
        ("\u{1B}[<0;1;1M", Mouse(.press, .left, row: 0, column: 0)),
        ("\u{1B}[<0;10;5m", Mouse(.release, .left, row: 4, column: 9)),
        ("\u{1B}[<2;300;200M", Mouse(.press, .right, row: 199, column: 299)),
        ("\u{1B}[<1;3;4M", Mouse(.press, .middle, row: 3, column: 2)),
        ("\u{1B}[<32;3;4M", Mouse(.drag, .left, row: 3, column: 2)),
        ("\u{1B}[<64;3;4M", Mouse(.wheelUp, row: 3, column: 2)),
        ("\u{1B}[<65;3;4M", Mouse(.wheelDown, row: 3, column: 2)),
        ("\u{1B}[<20;3;4M", Mouse(.press, .left, row: 3, column: 2, modifiers: [.shift, .control])),
        ("\u{1B}[M !\"", Mouse(.press, .left, row: 1, column: 0)),
        ("\u{1B}[M#!!", Mouse(.release, .none, row: 0, column: 0)),
        ("\u{1B}[M`!!", Mouse(.wheelUp, row: 0, column: 0)),
    ])
    func mouseActions(text: String, mouse: Mouse) {
        #expect(decoded(text) == [.mouse(mouse)])
        #expect(decoded("a" + text + "b") == [.key(.character("a")), .mouse(mouse), .key(.character("b"))])
        let bytes = Array(text.utf8)
        for split in 0..<bytes.count { #expect(decoded(bytes, split: split) == [.mouse(mouse)]) }
    }

    @Test(arguments: [
        "\u{1B}[<35;3;4M", "\u{1B}[<66;3;4M", "\u{1B}[<0;0;1M", "\u{1B}[<0;1M", "\u{1B}[<0;1;2;3M", "\u{1B}[<128;1;1M",
    ])
    func mouseNoiseIsDropped(text: String) {
        #expect(decoded(text) == [])
    }

    @Test func theTerminalsOwnDescriptionTakesPrecedence() {
        let known: [[UInt8]: KeyPress] = [
            Array("\u{1B}[25~".utf8): KeyPress(.function(11)), Array("\u{1B}Oq".utf8): KeyPress(.end),
        ]
        #expect(
            decoded("\u{1B}[25~\u{1B}Oqx", known: known) == [
                .key(KeyPress(.function(11))), .key(KeyPress(.end)), .key(.character("x")),
            ])
    }

    /// Alt-] begins as an answer of the terminal does; the sequence of the next key is whole.
    @Test(arguments: ["]", "P", "X", "^", "_"]) func aKeyAfterAnUnfinishedStringIsThatKey(introducer: String) {
        #expect(decoded("\u{1B}\(introducer)\u{1B}[Ax") == [.key(KeyPress(.up)), .key(.character("x"))])
        #expect(decoded("\u{1B}\(introducer)0;name\u{1B}\\x") == [.key(.character("x"))])
    }

    // MARK: Long sequences

    @Test(arguments: [
        ("[", "1;", "y"), ("]52;c;", "QUJD", "\u{7}"), ("]52;c;", "QUJD", "\u{1B}\\"), ("P1+r", "4142", "\u{1B}\\"),
        ("\u{1B}[", "1;", "y"), ("\u{1B}]52;c;", "QUJD", "\u{1B}\\"),
    ])
    func ofALongSequenceNoByteIsAKey(begin: String, middle: String, end: String) {
        let body = String(repeating: middle, count: 2_000)
        let bytes = Array("\u{1B}\(begin)\(body)\(end)q".utf8)
        for split in [bytes.count * 3 / 4] + Array(bytes.count - 4..<bytes.count) {
            #expect(decoded(bytes, split: split) == [.key(.character("q"))], "\(split)")
        }
        for size in [50, 1_000, 7_000] {
            var decoder = KeyDecoder()
            var inputs: [KeyDecoder.Input] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                decoder.feed(bytes[start..<min(start + size, bytes.count)])
                while let input = decoder.next() { inputs.append(input) }
            }
            #expect(inputs == [.key(.character("q"))], "in parts of \(size) bytes")
            #expect(!decoder.isHolding)
        }
    }

    @Test(arguments: [("\u{1B}[", 100), ("\u{1B}]", 5_000)])
    func aLongSequenceWithoutAnEndEndsWithAPauseOrAKey(begin: String, count: Int) {
        let long = Array((begin + String(repeating: "1", count: count)).utf8)
        var decoder = KeyDecoder()
        for part in [long, Array("22".utf8)] {
            decoder.feed(part)
            #expect(decoder.next() == nil && decoder.isHolding && decoder.patience == 250_000_000)
        }
        #expect(decoder.flush() == nil && !decoder.isHolding)
        decoder.feed(Array("q".utf8))
        #expect(decoder.next() == .key(.character("q")))
        let bytes = long + Array("\u{1B}[Ax".utf8)
        for split in long.count..<bytes.count {
            #expect(decoded(bytes, split: split) == [.key(KeyPress(.up)), .key(.character("x"))], "\(split)")
        }
    }

    // MARK: Pasted text

    @Test func pastedBytesAreTextAndNoKeys() {
        let text = "c\ra t\té日\u{3}\u{1B}[A\u{1B}[200~\u{1B}[20\n"
        let bytes = Array("a\u{1B}[200~\(text)\u{1B}[201~b".utf8)
        for split in 0..<bytes.count {
            #expect(decoded(bytes, split: split) == [.key(.character("a")), .pasted(text), .key(.character("b"))])
        }
        #expect(decoded("\u{1B}[200~\u{1B}[201~\u{1B}[200~x\u{1B}[201~") == [.pasted(""), .pasted("x")])
        #expect(decoded("\u{1B}\u{1B}[200~c\u{1B}[201~") == [.key(KeyPress(.escape)), .pasted("c")])
        #expect(decoded("\u{1B}[201~x") == [.key(.character("x"))], "an end without a beginning")
    }

    @Test func ofALongPasteNoByteIsAKey() {
        let long = String(repeating: "é", count: 40_000)
        let expected = String(repeating: "é", count: PastedText.limit / 2 - 1)
        var decoder = KeyDecoder()
        var inputs: [KeyDecoder.Input] = []
        let bytes = Array("\u{1B}[200~x\(long)\u{1B}[201~b".utf8)
        for start in stride(from: 0, to: bytes.count, by: 1_000) {
            decoder.feed(bytes[start..<min(start + 1_000, bytes.count)])
            while let input = decoder.next() { inputs.append(input) }
        }
        // The half character at the limit is dropped.
        #expect(inputs == [.pasted("x" + expected), .key(.character("b"))])
    }

    @Test func aPasteWithoutAnEndEndsWithAPause() {
        var decoder = KeyDecoder()
        decoder.feed(Array("\u{1B}[200~cq\u{1B}[20".utf8))
        #expect(decoder.next() == nil && decoder.isHolding && decoder.patience > 1_000_000_000)
        #expect(decoder.flush() == .pasted("cq\u{1B}[20"))
        #expect(!decoder.isHolding)
        decoder.feed(Array("q".utf8))
        #expect(decoder.next() == .key(.character("q")))
        decoder.feed(PastedText.begin)
        #expect(decoder.next() == nil && decoder.isHolding)
        #expect(decoder.flush() == .pasted(""))
    }

    /// Decoding ends, holds nothing back, and makes at most one event of each byte.
    @Test func anyBytesGiveAtMostOneEventEach() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random)
                    : Array("\u{1B}[O<;M]0~".utf8).randomElement(using: &random)!
            }
            #expect(decoded(bytes).count <= bytes.count, "\(bytes)")
        }
    }
}

// SPDX-License-Identifier: MIT
