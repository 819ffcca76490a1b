import Frames

extension Frame {
    /// Returns the frame as golden text: a line with the size and `header`, the rows between bars, then, one line a
    /// row, the runs of cells with a style other than `normal`.
    ///
    ///     frame 12x2 theme=dark glyphs=unicode
    ///     |▸ ✖ order 16|
    ///     |            |
    ///     0: 2 rejected, 4-11 label.selected
    package func golden(header: String) -> String {
        var text = "frame \(size)" + (header.isEmpty ? "" : " ") + header + "\n"
        for row in 0..<size.rows { text += "|" + rowText(row, isTrimmed: false) + "|\n" }
        for row in 0..<size.rows {
            let runs = styleRuns(row).filter { $0.style != .normal }.map { run in
                run.columns.count == 1
                    ? "\(run.columns.lowerBound) \(run.style.name)"
                    : "\(run.columns.lowerBound)-\(run.columns.upperBound - 1) \(run.style.name)"
            }
            if !runs.isEmpty { text += "\(row): " + runs.joined(separator: ", ") + "\n" }
        }
        return text
    }

    /// Returns the golden text with the names of theme and glyphs in its header.
    package func golden(theme: Theme = .dark, glyphs: Glyphs = .unicode) -> String {
        golden(header: "theme=\(theme.name) glyphs=\(glyphs.name)")
    }
}

// SPDX-License-Identifier: MIT
