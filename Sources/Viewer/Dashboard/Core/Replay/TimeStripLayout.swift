// SPDX-License-Identifier: MIT

import Frames

/// The places of the parts of the time strip.
struct TimeStripLayout: Equatable {
    /// The first column in which the recording is drawn.
    let start: Int
    /// The number of columns in which the recording is drawn. On a wide screen, the times of the recording's beginning
    /// and end are at the left and the right of these columns.
    let width: Int

    /// The least heights of a screen at which the strip has one row, and two rows.
    private static let oneRow = 14, twoRows = 30
    /// The least width of a screen at which the ends are labelled with their times.
    private static let labelColumns = 48
    /// The width of the widest label and a blank.
    static let labelWidth = 9

    init(columns: Int) {
        let margin = columns >= Self.labelColumns ? Self.labelWidth + 1 : 1
        (start, width) = (margin, max(1, columns - 2 * margin))
    }

    var hasLabels: Bool { start > Self.labelWidth }

    /// Returns how many rows of a screen the strip takes.
    static func rows(on size: Size) -> Int { size.rows >= twoRows ? 2 : size.rows >= oneRow ? 1 : 0 }
}
