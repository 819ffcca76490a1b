import ChainRows
import Frames

/// A part of the screen.
struct Area: Equatable {
    var row: Int
    var column: Int
    var rows: Int
    var columns: Int

    func contains(row: Int, column: Int) -> Bool {
        row >= self.row && row < self.row + rows && column >= self.column && column < self.column + columns
    }
}

/// Where the parts of the screen are, for drawing and for finding what was clicked.
struct Layout: Equatable {
    /// The least screen on which a tree can be shown.
    static let least = Size(columns: 30, rows: 8)
    /// From this width on the detail pane is beside the tree, and open unless the user closes it.
    static let besideColumns = 140
    /// From this height on there is room for it below.
    static let belowRows = 16

    /// From this height on the tabs of the views have a line of their own.
    static let tabRows = 14

    /// How small the detail pane can be dragged.
    static let leastDetailColumns = 32
    static let leastDetailRows = 4

    var isTooSmall: Bool
    /// The line of the tabs; nil where there is no room for it.
    var tabs: Area?
    /// The rows of the tree, without the column headers.
    var tree: Area
    /// The detail pane with its border; nil where it is closed or has no room.
    var detail: Area?
    /// Whether the pane is beside the rows, not below.
    var isBeside = false
    /// Whether the pane covers the rows, because both have no room.
    var isCovering = false
    /// The time strip over the footer, of one row or two; nil where no recording is shown, or where it has no room.
    var strip: Area?
    var footerRow: Int

    init(_ state: borrowing State) {
        let size = state.size
        isTooSmall = size.columns < Self.least.columns || size.rows < Self.least.rows
        footerRow = size.rows - 1
        let isWide = size.columns >= Self.besideColumns
        let head = size.rows >= Self.tabRows ? 2 : 1
        if head > 1 { tabs = Area(row: 1, column: 0, rows: 1, columns: size.columns) }
        let stripRows = state.isReplaying ? TimeStripLayout.rows(on: size) : 0
        if stripRows > 0 {
            strip = Area(row: footerRow - stripRows, column: 0, rows: stripRows, columns: size.columns)
        }
        let body = Area(row: head, column: 0, rows: max(0, footerRow - stripRows - head), columns: size.columns)
        tree = Area(row: head + 1, column: 0, rows: max(0, body.rows - 1), columns: size.columns)
        guard state.wantsDetail ?? isWide else { return }
        if isWide {
            isBeside = true
            let usual = min(64, max(46, size.columns * 3 / 10))
            let columns = min(max(Self.leastDetailColumns, state.detailColumns ?? usual), size.columns / 2)
            // The tree's last column, the scroll bar's, is the border.
            tree.columns -= columns - 1
            detail = Area(row: body.row, column: size.columns - columns, rows: body.rows, columns: columns)
        } else if size.rows >= Self.belowRows {
            let usual = min(14, max(6, size.rows * 2 / 5))
            var rows = min(max(Self.leastDetailRows, state.detailRows ?? usual), size.rows - 8)
            if state.detailRows == nil { rows = max(rows, Self.spareRows(tree.rows, state)) }
            tree.rows -= rows
            detail = Area(row: body.row + body.rows - rows, column: 0, rows: rows, columns: size.columns)
        } else if !isTooSmall {
            isCovering = true
            detail = body
        }
    }

    /// Rows that a list leaves empty, in steps so that the border does not move with each row that comes or goes.
    private static func spareRows(_ rows: Int, _ state: borrowing State) -> Int {
        let used = state.view.type.lineCount(of: state)
        return rows - max(leastListRows, (used + spareStep - 1) / spareStep * spareStep)
    }

    private static let spareStep = 4
    private static let leastListRows = 8

    /// Whether a cell is on the line between the rows and the detail pane.
    func isDivider(row: Int, column: Int) -> Bool {
        guard !isCovering, let detail, detail.contains(row: row, column: column) else { return false }
        return isBeside ? column == detail.column : row == detail.row
    }
}

/// Where the parts of a row's tree lines are, counted from the node column.
enum TreeLines {
    /// Columns that a level takes.
    static let level = 2

    /// The levels of a row that are drawn.
    static func drawnDepth(_ row: TreeRow, width: Int) -> Int {
        min(Int(row.depth), TreeRow.depthLimit, max(0, width / 2 / level))
    }

    /// The column of a row's fold marker.
    static func marker(_ row: TreeRow, width: Int) -> Int { drawnDepth(row, width: width) * level }
}

extension State {
    /// The indent of a row: a group below its program, a chain below both.
    func indent(of row: ChainsView.WindowRow) -> Int {
        if row.rowID.isProgram { return 0 }
        let isInGroup = row.tree != nil && programs[row.programIndex].rowModel.isGrouped
        return (showsPrograms ? TreeLines.level : 0) + (isInGroup ? TreeLines.level : 0)
    }
}
