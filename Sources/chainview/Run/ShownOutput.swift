import Frames

/// A started program's output as the dashboard shows it: whether and how much, and what there is to show now. For the
/// dashboard's thread.
final class ShownOutput {
    let program: String
    var isShown = true
    private let child: ChildProgram
    private let output: ProgramOutput
    /// Called before the terminal is given back.
    let willClose: () -> Void

    init(_ child: ChildProgram, _ output: ProgramOutput, willClose: @escaping () -> Void) {
        program = child.name
        self.child = child
        self.output = output
        self.willClose = willClose
    }

    /// Rows of a screen that the pane takes.
    func rows(on size: Size) -> Int { isShown ? OutputPane.rows(on: size) : 0 }

    /// Another number whenever the pane would look another way.
    var revision: UInt64 { output.byteCount << 2 | (child.endingSoFar == nil ? 0 : 2) | (isShown ? 1 : 0) }

    /// What there is to show.
    func pane(rows: Int) -> OutputPane {
        OutputPane(
            program: program, ending: child.endingSoFar?.words, lineCount: output.lineCount,
            lines: output.lastLines(rows - 1))
    }
}
