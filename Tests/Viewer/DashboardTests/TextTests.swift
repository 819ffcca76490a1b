import ChainText
import EventScripts
import Testing

@testable import Dashboard

@Suite struct TextTests {
    private let ms: UInt64 = 1_000_000

    @Test func settledDurationsHaveThreeDigits() {
        let expected: [(UInt64, String)] = [
            (0, "0.0ms"), (240_000, "0.2ms"), (9_990_000, "9.9ms"), (10 * ms, "10ms"), (999 * ms, "999ms"),
            (1_240 * ms, "1.24s"), (9_999 * ms, "9.99s"), (10_000 * ms, "10.0s"), (59_990 * ms, "59.9s"),
            (60_000 * ms, "1m00s"), (3_599_000 * ms, "59m59s"), (3_600_000 * ms, "1h00m"), (86_400_000 * ms, "1d00h"),
            (.max, ">999d"),
        ]
        for (duration, text) in expected { #expect(DurationText.settled(duration) == text) }
    }

    @Test func runningDurationsDoNotJitter() {
        #expect(DurationText.running(0) == "0.0s")
        #expect(DurationText.running(9_950 * ms) == "9.9s")
        #expect(DurationText.running(10_000 * ms) == "10s")
        #expect(DurationText.running(61_000 * ms) == "1m01s")
        // The text changes exactly when the step does, and fits its column.
        var last: (step: UInt64, text: String)?
        for tenth in 0..<1_200 {
            let duration = UInt64(tenth) * 97 * ms
            let now = (step: DurationText.step(duration), text: DurationText.running(duration))
            #expect(now.text.count <= DurationText.width)
            if let last { #expect(last.step == now.step || last.text != now.text) }
            if let last { #expect(last.step != now.step || last.text == now.text) }
            last = now
        }
    }

    @Test func counts() {
        #expect([0, 12, 999, 1_000, 1_234_567].map(CountText.grouped) == ["0", "12", "999", "1,000", "1,234,567"])
        #expect(
            [0, 999, 1_200, 9_999, 48_000, 1_300_000, 25_000_000].map(CountText.short)
                == ["0", "999", "1.2k", "9.9k", "48k", "1.3M", "25M"])
    }

    @Test func aChainOfOneNodeIsNotInThePlural() {
        var script = ScriptedForest()
        script.make(1, .promise)
        script.record(.fulfilled, 1)
        #expect(NodeText.summary(of: script.forest.chain(of: script.index(1))) == "1 node")
        script.make(2, .then, under: 1)
        script.record(.fulfilled, 2)
        #expect(NodeText.summary(of: script.forest.chain(of: script.index(1))) == "2 nodes")
    }

    @Test func clocks() {
        let noon: UInt64 = 43_200_000_000_000
        #expect(ClockText.minutes(noon, offset: 0) == "12:00")
        #expect(ClockText.minutes(noon, offset: -13 * 3_600) == "23:00")
        #expect(ClockText.milliseconds(noon + 61_007_000_000, offset: 3_600) == "13:01:01.007")
    }

    @Test func ratesAreStableAndGoBackToZero() {
        var meter = RateMeter()
        for second in 1...5 {
            meter.add(100)
            _ = meter.tick(UInt64(second) * 1_000_000_000)
        }
        #expect(meter.shown == 100)
        #expect(meter.tick(5_900_000_000) == false)
        for second in 6...9 { _ = meter.tick(UInt64(second) * 1_000_000_000) }
        #expect(meter.shown == 0)
        #expect(meter.tick(10_000_000_000) == false)
    }

    @Test func wrappingKeepsAllWords() {
        let text = "the card has expired and averyveryverylongwordthatdoesnotfit 漢字漢字漢字"
        let lines = TextWrap.lines(text, columns: 10, charset: .unicode)
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
        #expect(TextWrap.lines("", columns: 10, charset: .unicode) == [""])
        #expect(TextWrap.lines("a\nb\u{1b}", columns: 10, charset: .unicode) == ["a␊b␛"])
    }

    /// A line may end within a character that takes several columns.
    @Test(arguments: [3, 5, 7]) func wrappingKeepsAllLetters(_ columns: Int) {
        let text = String(repeating: "क्ष", count: 10)
        let lines = TextWrap.lines(text, columns: columns, charset: .unicode)
        #expect(Array(lines.joined().unicodeScalars) == Array(text.unicodeScalars), "\(lines)")
        #expect(lines.count == (20 + columns - 1) / columns)
    }

    /// ASCII is wrapped without being measured. With a letter of the same width that is not ASCII the lines are the
    /// same.
    @Test func wordsInASCIIAreWrappedLikeOthers() {
        let texts = [
            "e", " e", "e ", "  two  spaces e", "its turn has come, and nobody runs it",
            "e" + String(repeating: "x", count: 31),
            "short averyveryverylongwordthatdoesnotfit e", "exactly10e exactly10e", "exactlyeleven e",
        ]
        for text in texts {
            for columns in 1...24 {
                let lines = TextWrap.lines(text, columns: columns, charset: .unicode)
                let others = TextWrap.lines(
                    text.replacing("e", with: "é"), columns: columns, charset: .unicode)
                #expect(lines.map { $0.replacing("e", with: "é") } == others, "\(text), \(columns)")
                #expect(lines.allSatisfy { $0.count <= columns })
            }
        }
    }

    @Test func columnsGiveWayInTheirOrder() {
        var last: [Bool] = []
        for width in stride(from: 300, through: 30, by: -1) {
            let columns = Columns(width: width)
            let shown = [columns.wait, columns.thread, columns.run, columns.value, columns.word, columns.total].map(
                \.isShown)
            #expect(shown == shown.sorted { !$0 && $1 }, "what goes first is shown last: \(width)")
            if !last.isEmpty { #expect(zip(last, shown).allSatisfy { $0 || !$1 }) }
            last = shown
            let spans = [columns.node, columns.thread, columns.wait, columns.run, columns.total, columns.value]
                .filter(\.isShown)
            for (left, right) in zip(spans, spans.dropFirst()) {
                #expect(left.start + left.width < right.start, "\(width)")
            }
            #expect(spans.last!.start + spans.last!.width <= width - 1, "\(width)")
            #expect(columns.node.width >= 12, "\(width)")
        }
    }
}

// SPDX-License-Identifier: MIT
