// SPDX-License-Identifier: MIT

/// The size of a screen in cells.
package struct Size: Hashable, Sendable, CustomStringConvertible {
    /// The number of columns, up to ``columnLimit``.
    package let columns: Int
    /// The number of rows, up to ``rowLimit``.
    package let rows: Int

    /// The maximum number of columns of a frame; a terminal's columns beyond this number are not used.
    package static let columnLimit = 2000
    /// The maximum number of rows of a frame.
    package static let rowLimit = 1000

    /// Takes columns and rows, clamped to their limits.
    package init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 0), Size.columnLimit)
        self.rows = min(max(rows, 0), Size.rowLimit)
    }

    /// `80x24`, as `--size` takes it.
    package var description: String { "\(columns)x\(rows)" }
}
