// SPDX-License-Identifier: MIT

/// The number of terminal columns that a text takes. It comes from one table of a fixed Unicode version, so that frames
/// are the same on every machine.
package enum TextWidth {
    /// The treatment of a scalar.
    enum Class: UInt32 {
        /// One column.
        case narrow
        /// Two columns: East Asian wide and full-width, and emoji that are shown as emoji without a variation selector.
        case wide
        /// Zero columns, drawn over the character before it: marks, and the vowels and finals of decomposed Hangul.
        case mark
        /// Removed, because terminals disagree about their width: joiners, variation selectors, tags, skin tones, soft
        /// hyphens.
        case dropped
        /// Replaced: controls, bidirectional controls, other format characters, private use, line and paragraph
        /// separators, fillers that look empty, non-characters, unassigned scalars.
        case replaced
    }

    /// Returns the treatment of a scalar. Beyond ASCII, a binary search finds it in the table in about ten steps.
    static func classOf(_ scalar: UInt32) -> Class {
        if scalar < 0x7F { return scalar >= 0x20 ? .narrow : .replaced }
        return table.withUnsafeBufferPointer { table in
            let wanted = scalar << 4 | 15
            var low = 0
            var high = table.count
            while low < high {
                let middle = (low + high) / 2
                if table[middle] <= wanted { low = middle + 1 } else { high = middle }
            }
            return Class(rawValue: table[low - 1] & 15) ?? .replaced
        }
    }

    /// Returns the columns of a scalar by its class: 0, 1 or 2. A replaced scalar takes 1. ``SafeText`` may show the
    /// scalar in another form, with another width.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        switch classOf(scalar.value) {
        case .narrow, .replaced: 1
        case .wide: 2
        case .mark, .dropped: 0
        }
    }

    /// Returns the number of columns that `Frame.write` uses for a text if there is room. Linear in the text's length.
    package static func of(_ text: String, charset: Charset = .unicode) -> Int {
        of(text, charset: charset, limit: .max)
    }

    /// Returns the number of columns of a text, but reads it only up to `limit` columns: the result is at least `limit`
    /// if the text has more.
    package static func of(_ text: String, charset: Charset, limit: Int) -> Int {
        var text = text
        // The fast path: nearly all text is printable ASCII.
        let plain: Int? = text.withUTF8 { bytes in
            for byte in bytes.prefix(limit) where byte < 0x20 || byte >= 0x7F { return nil }
            return min(bytes.count, limit)
        }
        if let plain { return plain }
        var width = 0
        SafeText.forEachCell(of: text, charset: charset) { cell in
            width += cell.width
            return width < limit
        }
        return width
    }
}
