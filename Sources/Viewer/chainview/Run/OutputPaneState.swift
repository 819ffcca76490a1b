// SPDX-License-Identifier: MIT

import Frames

/// The state of the output pane. Not thread-safe: for the dashboard's thread.
final class OutputPaneState {
    let program: String
    var isShown = true
    private let child: ChildProgram
    private let output: ProgramOutput
    /// Called before the screen closes.
    let willClose: () -> Void

    init(_ child: ChildProgram, _ output: ProgramOutput, willClose: @escaping () -> Void) {
        program = child.name
        self.child = child
        self.output = output
        self.willClose = willClose
    }

    /// Returns the number of rows that the pane takes of a screen.
    func rows(on size: Size) -> Int { isShown ? OutputPane.rows(on: size) : 0 }

    /// A number that changes whenever the content of the pane changes.
    var revision: UInt64 { output.byteCount << 2 | (child.endingSoFar == nil ? 0 : 2) | (isShown ? 1 : 0) }

    /// Returns the pane for the latest lines.
    func pane(rows: Int) -> OutputPane {
        OutputPane(
            program: program, ending: child.endingSoFar?.words, lineCount: output.lineCount,
            lines: output.lastLines(rows - 1))
    }
}
