// SPDX-License-Identifier: MIT

import ChainRows
import Frames

extension RowPainter {
    /// Draws the lines of the tree before the name.
    func paintLines(into painter: inout Painter) {
        let glyphs = painter.glyphs
        let depth = TreeLines.drawnDepth(tree, width: columns.node.width)
        guard depth > 0 else { return }
        let start = columns.node.start
        for level in 0..<(depth - 1) where tree.guides & (1 << UInt32(level)) != 0 {
            painter.frame.write(glyphs.guideLine, row: row, column: start + level * TreeLines.level, style: .guide)
        }
        let column = start + (depth - 1) * TreeLines.level
        let isLast = tree.flags.contains(.last)
        if tree.flags.contains(.continuation) {
            if tree.flags.contains(.passing) {
                painter.frame.write(glyphs.guideLine, row: row, column: column, style: .guide)
            }
            return
        }
        let corner = isLast || !tree.flags.contains(.passing) ? glyphs.guideLast : glyphs.guideBranch
        painter.frame.write(corner, row: row, column: column, style: .guide)
        painter.frame.write(glyphs.guideDash, row: row, column: column + 1, style: .guide)
        if !tree.flags.contains(.foldable) {
            painter.frame.write(glyphs.guideDash, row: row, column: column + 2, style: .guide)
        }
    }
}
