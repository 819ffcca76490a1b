// SPDX-License-Identifier: MIT

import Frames

/// A row of bars that shows how a number changed over the last minute.
enum Sparkline {
    /// Returns a bar for each cell, the newest at the right; a dot, in ASCII a blank, for a cell of which no number is
    /// known.
    ///
    /// The numbers are those of the seconds up to `last`. A cell shows the greatest of its numbers, or, if `isSum`, the
    /// sum of its numbers. The seconds of a cell begin at a multiple of the cell's length, so that bars only move to
    /// the left from frame to frame.
    static func text(
        _ numbers: [Int?], until last: UInt64, cells: Int, isSum: Bool = false, _ glyphs: Glyphs
    ) -> String {
        let step = UInt64(LoadHistory.length / cells)
        var levels = [Int?](repeating: nil, count: cells)
        for (back, number) in numbers.reversed().enumerated() {
            guard let number else { continue }
            let cell = cells - 1 - Int(last / step - (last - UInt64(back)) / step)
            guard cell >= 0 else { break }
            levels[cell] = isSum ? (levels[cell] ?? 0) + number : max(levels[cell] ?? 0, number)
        }
        let highest = levels.reduce(1) { max($0, $1 ?? 0) }
        return levels.reduce(into: "") { text, level in
            guard let level else { return text += glyphs.charset == .ascii ? " " : glyphs.dot }
            // Only 0 has the lowest bar.
            let bar = level == 0 ? 0 : max(1, (level * (glyphs.bars.count - 1) + highest - 1) / highest)
            text += glyphs.bars[min(bar, glyphs.bars.count - 1)]
        }
    }
}
