// SPDX-License-Identifier: MIT

import ChainRows
import Frames

/// A rectangle of the screen, in cells.
struct Area: Equatable {
    var row: Int
    var column: Int
    var rows: Int
    var columns: Int

    func contains(row: Int, column: Int) -> Bool {
        row >= self.row && row < self.row + rows && column >= self.column && column < self.column + columns
    }
}

/// The positions of the parts of the screen, for drawing and for finding what was clicked.
struct Layout: Equatable {
    /// The smallest screen on which a tree can be shown.
    static let least = Size(columns: 30, rows: 8)
    /// The least width at which the detail pane is beside the tree, and open unless the user closes it.
    static let besideColumns = 140
    /// The least height at which there is room for the detail pane below the tree.
    static let belowRows = 16

    /// The least height at which the tabs of the views have a line of their own.
    static let tabRows = 14

    /// The least height at which a caption has a line of its own.
    static let captionRows = 18

    /// The least width to which the detail pane beside the tree can be dragged.
    static let leastDetailColumns = 32
    /// The least height to which the detail pane below the tree can be dragged.
    static let leastDetailRows = 4

    /// Whether the screen is smaller than ``least``.
    var isTooSmall: Bool
    /// The line of the tabs; nil where there is no room for it.
    var tabs: Area?
    /// The line of the caption, below the rows; nil without a caption, or without room for it.
    var caption: Area?
    /// The rows of the view that is shown, without the column headers.
    var content: Area
    /// The detail pane with its border; nil where it is closed or has no room.
    var detail: Area?
    /// Whether the detail pane is beside the rows.
    var isBeside = false
    /// Whether the detail pane covers the rows, because there is no room for both.
    var isCovering = false
    /// The time strip above the footer, of one row or two; nil without room for it, or if neither a
    /// recording nor the past is shown.
    var strip: Area?
    var footerRow: Int

    init(_ state: borrowing State) {
        let size = state.size
        isTooSmall = Self.isTooSmall(size)
        footerRow = size.rows - 1
        let isWide = size.columns >= Self.besideColumns
        let head = size.rows >= Self.tabRows ? 2 : 1
        if head > 1 { tabs = Area(row: 1, column: 0, rows: 1, columns: size.columns) }
        let stripRows = state.isReplaying ? TimeStripLayout.rows(on: size) : 0
        if stripRows > 0 {
            strip = Area(row: footerRow - stripRows, column: 0, rows: stripRows, columns: size.columns)
        }
        let captionRows = state.options.caption != nil && size.rows >= Self.captionRows ? 1 : 0
        let bottom = footerRow - stripRows - captionRows
        if captionRows > 0 { caption = Area(row: bottom, column: 0, rows: 1, columns: size.columns) }
        let body = Area(row: head, column: 0, rows: max(0, bottom - head), columns: size.columns)
        content = Area(row: head + 1, column: 0, rows: max(0, body.rows - 1), columns: size.columns)
        guard state.detail.isWanted ?? isWide else { return }
        if isWide {
            isBeside = true
            let usual = min(64, max(46, size.columns * 3 / 10))
            let columns = min(max(Self.leastDetailColumns, state.detail.columns ?? usual), size.columns / 2)
            // The last column of the tree, that of the scroll bar, is also the border.
            content.columns -= columns - 1
            detail = Area(row: body.row, column: size.columns - columns, rows: body.rows, columns: columns)
        } else if size.rows >= Self.belowRows {
            let usual = min(14, max(6, size.rows * 2 / 5))
            var rows = min(max(Self.leastDetailRows, state.detail.rows ?? usual), size.rows - 8)
            if state.detail.rows == nil { rows = max(rows, Self.spareRows(content.rows, state)) }
            content.rows -= rows
            detail = Area(row: body.row + body.rows - rows, column: 0, rows: rows, columns: size.columns)
        } else if !isTooSmall {
            isCovering = true
            detail = body
        }
    }

    /// Returns whether a screen is smaller than ``least``, so that nothing of the dashboard is shown on it.
    static func isTooSmall(_ size: Size) -> Bool { size.columns < least.columns || size.rows < least.rows }

    /// Returns how many of `rows` the list of the view leaves empty; negative if the list is longer. The list's length
    /// is rounded up, so that the border does not move with each row that comes or goes.
    private static func spareRows(_ rows: Int, _ state: borrowing State) -> Int {
        let used = state.views[state.view].lineCount
        return rows - max(leastListRows, (used + spareStep - 1) / spareStep * spareStep)
    }

    /// A list's length is rounded up to a multiple of this number.
    private static let spareStep = 4
    /// A shorter list counts as this many rows long.
    private static let leastListRows = 8

    /// Returns whether a cell is on the border between the rows and the detail pane.
    func isDivider(row: Int, column: Int) -> Bool {
        guard !isCovering, let detail, detail.contains(row: row, column: column) else { return false }
        return isBeside ? column == detail.column : row == detail.row
    }
}

/// The positions of the parts of a row's tree lines, in cells from the start of the node column.
enum TreeLines {
    /// The cells that a level takes.
    static let level = 2

    /// Returns how many levels of a row are drawn in a node column of `width` cells.
    static func drawnDepth(_ row: TreeRow, width: Int) -> Int {
        min(Int(row.depth), TreeRow.depthLimit, max(0, width / 2 / level))
    }

    /// Returns the cell of a row's fold marker.
    static func marker(_ row: TreeRow, width: Int) -> Int { drawnDepth(row, width: width) * level }
}

extension SharedState {
    /// Returns the indent of a row in cells: one level under a program's row, and one level more under a group's row.
    func indent(of row: ChainsView.WindowRow) -> Int {
        if row.rowID.isProgram { return 0 }
        let isInGroup = row.tree != nil && world.programs[row.programIndex].outline.isGrouped
        return (showsPrograms ? TreeLines.level : 0) + (isInGroup ? TreeLines.level : 0)
    }
}
