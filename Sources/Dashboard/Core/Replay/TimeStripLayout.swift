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

extension State {
    /// Updates the columns of the time strip to the recording's range and the strip's width.
    mutating func updateTimeStrip(_ layout: Layout) {
        guard let strip = layout.strip, let position = replayPosition else { return }
        timeStrip.update(range: position.range, width: TimeStripLayout(columns: strip.columns).width)
    }

    /// Moves to the moment of the column that is clicked in the strip, or to which the pointer is dragged. Returns nil
    /// for other actions of the mouse.
    mutating func dragTime(_ mouse: Mouse, _ layout: Layout) -> [Effect]? {
        guard let strip = layout.strip, let position = replayPosition else {
            isDraggingStrip = false
            return nil
        }
        switch mouse.action {
        case .press:
            isDraggingStrip = mouse.button == .left && strip.contains(row: mouse.row, column: mouse.column)
            guard isDraggingStrip else { return nil }
        case .drag where isDraggingStrip: break
        case .release where isDraggingStrip:
            isDraggingStrip = false
            return []
        default: return nil
        }
        let columns = TimeStripLayout(columns: strip.columns)
        let column = min(max(0, mouse.column - columns.start), columns.width - 1)
        // A drag back to the shown column is performed, too, because it undoes an earlier drag that is not shown yet.
        let shown = TimeStrip.column(of: position.time, in: position.range, columns.width)
        guard mouse.action == .drag || column != shown else { return [] }
        return replay(.scrub(TimeStrip.moment(of: column, in: position.range, columns.width)))
    }
}
