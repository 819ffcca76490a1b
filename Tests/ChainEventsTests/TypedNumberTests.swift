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
}
