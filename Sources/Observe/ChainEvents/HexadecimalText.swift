// SPDX-License-Identifier: MIT

extension String {
    /// Creates the hexadecimal digits of a number, with zeros in front up to at least `digits` digits. The number may not
    /// be negative.
    package init(hexadecimal number: some BinaryInteger, digits: Int, uppercase: Bool = false) {
        let text = String(number, radix: 16, uppercase: uppercase)
        self = String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
    }
}
