// SPDX-License-Identifier: MIT

// Parsing of typed numbers by their digits alone. The parsers of the standard library also take signs, and those of
// Double exponents, hexadecimal digits and words such as `inf`.

extension FixedWidthInteger {
    /// Creates the number that decimal digits mean; nil if the text has any other character, such as a sign, has no
    /// digit, or is out of range.
    package init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(text, radix: 10)
    }
}

extension Double {
    /// Creates the number that decimal digits mean, with at most one point; nil if the text has any other character,
    /// such as a sign or an exponent, or has no digit.
    package init?(decimal text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else { return nil }
        self.init(text)
    }

    /// Creates the quantity that decimal digits and a unit mean, such as `1.5m`: the number times the size of the first
    /// unit that ends the text. Nil if no unit ends the text, if ``init(decimal:)`` is nil for the part before the unit,
    /// or if the quantity is not below the limit. A unit without a name stands last, for a bare number.
    package init?(decimal text: some StringProtocol, units: [(name: String, size: Double)], below limit: Double) {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }),
            let number = Double(decimal: text.dropLast(unit.name.count)), number * unit.size < limit
        else { return nil }
        self = number * unit.size
    }
}
