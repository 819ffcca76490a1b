// SPDX-License-Identifier: MIT

/// The natural order of names, in which digits are compared as numbers: `worker-2` before `worker-10`.
package enum NaturalOrder {
    /// Returns whether one name comes before another. Ignores the case of ASCII letters.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left.utf8[...], right.utf8[...])
        while let leftByte = left.first, let rightByte = right.first {
            if isDigit(leftByte), isDigit(rightByte) {
                let (leftNumber, rightNumber) = (takeNumber(&left), takeNumber(&right))
                if leftNumber.count != rightNumber.count { return leftNumber.count < rightNumber.count }
                if !leftNumber.elementsEqual(rightNumber) { return leftNumber.lexicographicallyPrecedes(rightNumber) }
            } else {
                let (leftLetter, rightLetter) = (lowered(leftByte), lowered(rightByte))
                if leftLetter != rightLetter { return leftLetter < rightLetter }
                left.removeFirst()
                right.removeFirst()
            }
        }
        return left.isEmpty && !right.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
    private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte + 32 : byte }

    /// Removes the number at the start of a text; returns its digits without leading zeros.
    private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == 48 }
    }
}
