extension Frame {
    /// The rows as text, without trailing blanks, each ended by a newline: the output of `--headless`.
    public func plainText() -> String {
        var text = ""
        for row in 0..<size.rows {
            text += rowText(row, isTrimmed: true)
            text += "\n"
        }
        return text
    }

    /// One row as text, with or without its trailing blanks.
    public func rowText(_ row: Int, isTrimmed: Bool = true) -> String {
        guard row >= 0, row < size.rows else { return "" }
        var end = size.columns
        if isTrimmed {
            while end > 0, self[row, end - 1].scalar == 0x20, self[row, end - 1].marks == 0 { end -= 1 }
        }
        var text = String.UnicodeScalarView()
        for column in 0..<end { self[row, column].forEachScalar { text.append($0) } }
        return String(text)
    }

    /// The frame as golden text: a header with the size and what the caller adds, the rows between bars, then, one line
    /// a row, the runs of cells with a style other than `normal`.
    ///
    ///     frame 12x2 theme=dark glyphs=unicode
    ///     |▸ ✖ order 16|
    ///     |            |
    ///     0: 2 rejected, 4-11 label.selected
    public func golden(header: String) -> String {
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

    /// The golden text with the names of theme and glyphs in its header.
    public func golden(theme: Theme = .dark, glyphs: Glyphs = .unicode) -> String {
        golden(header: "theme=\(theme.name) glyphs=\(glyphs.name)")
    }

    /// A row's cells grouped by style, in order, without gaps.
    func styleRuns(_ row: Int) -> [(columns: Range<Int>, style: Style)] {
        var runs: [(columns: Range<Int>, style: Style)] = []
        for column in 0..<size.columns {
            let style = self[row, column].style
            if let last = runs.last, last.style == style {
                runs[runs.count - 1].columns = last.columns.lowerBound..<column + 1
            } else {
                runs.append((column..<column + 1, style))
            }
        }
        return runs
    }
}
