// SPDX-License-Identifier: MIT

import ChainEvents

/// Pieces of JSON (RFC 8259) as text, so that a million nodes need no tree of values.
///
/// Escapes control, format, private-use and unassigned characters and line separators, so that a terminal can show the
/// text.
package enum JSONText {
    /// Returns a string with its quotes.
    package static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case " "..."~": result.unicodeScalars.append(scalar)
            default:
                if isPlain(scalar) { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
            }
        }
        return result + "\""
    }

    /// Returns a string, or `null`.
    package static func string(_ text: String?) -> String { text.map { string($0) } ?? "null" }

    /// Returns a whole number, or `null`.
    package static func number(_ number: (some BinaryInteger)?) -> String { number.map { "\($0)" } ?? "null" }

    /// Returns nanoseconds as seconds with one to nine decimals, or `null`.
    package static func seconds(_ nanoseconds: UInt64?) -> String {
        guard let nanoseconds else { return "null" }
        let part = String(nanoseconds % 1_000_000_000)
        var digits = String(repeating: "0", count: 9 - part.count) + part
        while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
        return "\(nanoseconds / 1_000_000_000).\(digits)"
    }

    /// Returns `{"name":value,…}`; the values are JSON already.
    package static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { string($0.name) + ":" + $0.value }.joined(separator: ",") + "}"
    }

    /// Returns `[value,…]`; the values are JSON already.
    package static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { "\\u" + String(hexadecimal: $0, digits: 4) }.joined()
    }
}
