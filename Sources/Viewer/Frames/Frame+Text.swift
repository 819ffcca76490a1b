// SPDX-License-Identifier: MIT

extension Frame {
    /// Returns the rows as text, without trailing blanks, each ended by a newline: the output of `--headless`.
    package func plainText() -> String {
        var text = ""
        for row in 0..<size.rows {
            text += rowText(row, isTrimmed: true)
            text += "\n"
        }
        return text
    }

    /// Returns one row as text, with or without its trailing blanks; empty outside the frame.
    package func rowText(_ row: Int, isTrimmed: Bool = true) -> String {
        guard row >= 0, row < size.rows else { return "" }
        var end = size.columns
        if isTrimmed {
            while end > 0, self[row, end - 1].scalar == 0x20, self[row, end - 1].marks == 0 { end -= 1 }
        }
        var text = String.UnicodeScalarView()
        for column in 0..<end { self[row, column].forEachScalar { text.append($0) } }
        return String(text)
    }

    /// Returns a row's cells grouped by style, in order, without gaps.
    package func styleRuns(_ row: Int) -> [(columns: Range<Int>, style: Style)] {
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
