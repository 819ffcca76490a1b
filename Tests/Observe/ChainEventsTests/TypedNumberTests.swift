import Testing

@testable import ChainEvents

@Suite struct TypedNumberTests {
    @Test func onlyDigitsAreANumber() {
        #expect(UInt64(digits: "17") == 17 && Int(digits: "007"[...]) == 7 && UInt8(digits: "255") == 255)
        for text in ["", "+1", "-0", "1 ", " 1", "1.", "0x1", "1e3", "1_000", "١", "1\u{301}"] {
            #expect(Int(digits: text) == nil, "\(text)")
        }
        #expect(UInt8(digits: "256") == nil)
    }

    @Test func onlyDigitsAndAPointAreADecimal() {
        #expect(Double(decimal: "1.5") == 1.5 && Double(decimal: ".5"[...]) == 0.5 && Double(decimal: "31") == 31)
        for text in ["", ".", "+1", "-0", "1..2", "1.2.3", "0x1", "1e3", "inf", "nan", "1 ", "½"] {
            #expect(Double(decimal: text) == nil, "\(text)")
        }
    }

    @Test func aQuantityIsANumberAndAUnit() {
        let units: [(name: String, size: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("", 1)]
        let quantities: [(String, Double?)] = [
            ("500ms", 0.5), ("1.5s", 1.5), ("2m", 120), ("7", 7), ("", nil), ("ms", nil), ("+1s", nil),
        ]
        for (text, seconds) in quantities {
            #expect(Double(decimal: text, units: units, below: 121) == seconds, "\(text)")
        }
        #expect(Double(decimal: "2m", units: units, below: 120) == nil)
        #expect(Double(decimal: "7", units: [("s", 1)], below: 10) == nil)
    }
}

// SPDX-License-Identifier: MIT
