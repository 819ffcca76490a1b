// SPDX-License-Identifier: MIT

/// The changes that turn one frame on a screen into another.
package struct FrameDiff: Hashable, Sendable {
    /// Adjacent cells of one row to be rewritten, without half a wide character at either end.
    package struct Run: Hashable, Sendable {
        /// The row, from 0.
        package var row: Int
        /// The column of the first cell, from 0.
        package var column: Int
        /// The cells to write.
        package var cells: ArraySlice<Cell>
    }

    /// The size of the new frame. If the old frame had another size, all its cells count as blank.
    package var size: Size
    /// The runs in reading order.
    package var runs: [Run]

    /// Compares two frames; costs about a microsecond for each thousand cells without a change.
    ///
    /// Runs that are less than `gapLimit` unchanged cells apart are joined: rewriting a few cells is shorter than
    /// moving the cursor.
    package init(from old: Frame, to new: Frame, gapLimit: Int = 4) {
        size = new.size
        runs = []
        let old = old.size == new.size ? old : Frame(size: new.size)
        let width = new.size.columns
        guard width > 0 else { return }
        old.cells.withUnsafeBufferPointer { before in
            new.cells.withUnsafeBufferPointer { after in
                guard before.baseAddress != after.baseAddress else { return }
                for row in 0..<new.size.rows {
                    compare(before, after, row: row, start: row * width, width: width, gapLimit, new.cells)
                }
            }
        }
    }

    /// Rewrites all of a frame, with one run for each row, for a screen of unknown content.
    package init(whole frame: Frame) {
        size = frame.size
        runs = []
        let width = size.columns
        guard width > 0 else { return }
        for row in 0..<size.rows { add(row * width..<(row + 1) * width, row, row * width, frame.cells) }
    }

    private mutating func compare(
        _ before: UnsafeBufferPointer<Cell>, _ after: UnsafeBufferPointer<Cell>, row: Int, start: Int, width: Int,
        _ gapLimit: Int, _ cells: [Cell]
    ) {
        let end = start + width
        var index = start
        var open: Range<Int>?
        while index < end {
            guard before[index] != after[index] else {
                index += 1
                continue
            }
            var first = index
            var last = index + 1
            // Rewrite wide characters whole, including those of the old frame, because a terminal blanks the other half
            // of a wide character that is cut.
            while first > start, after[first].isContinuation || before[first].isContinuation { first -= 1 }
            while last < end, after[last].isContinuation || before[last].isContinuation { last += 1 }
            if let run = open, first - run.upperBound < gapLimit {
                open = run.lowerBound..<last
            } else {
                if let run = open { add(run, row, start, cells) }
                open = first..<last
            }
            index = last
        }
        if let run = open { add(run, row, start, cells) }
    }

    private mutating func add(_ range: Range<Int>, _ row: Int, _ start: Int, _ cells: [Cell]) {
        runs.append(Run(row: row, column: range.lowerBound - start, cells: cells[range]))
    }

    /// Whether nothing is to be written.
    package var isEmpty: Bool { runs.isEmpty }
}
