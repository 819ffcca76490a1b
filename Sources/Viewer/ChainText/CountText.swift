// SPDX-License-Identifier: MIT

/// Counts as text.
package enum CountText {
    /// Returns a count with a comma at each thousand: `12,408`.
    package static func grouped(_ count: Int) -> String {
        // Handled first, because most counts are below 1,000, and a row of the tree has several.
        if count.magnitude < 1_000 { return String(count) }
        var digits = Array(String(count.magnitude))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return (count < 0 ? "-" : "") + String(digits)
    }

    /// Returns a count with its noun: `1 warning`, `12,408 warnings`.
    package static func counted(_ count: Int, _ noun: String) -> String {
        "\(grouped(count)) \(noun)" + (count == 1 ? "" : "s")
    }

    /// Returns a count or rate, in at most four cells if it is below a billion: `0`, `87`, `1.2k`, `48k`, `1.3M`.
    package static func short(_ count: Int) -> String {
        switch count {
        case ..<1_000: return "\(count)"
        case ..<10_000: return "\(count / 1_000).\(count % 1_000 / 100)k"
        case ..<1_000_000: return "\(count / 1_000)k"
        case ..<10_000_000: return "\(count / 1_000_000).\(count % 1_000_000 / 100_000)M"
        default: return "\(count / 1_000_000)M"
        }
    }
}
