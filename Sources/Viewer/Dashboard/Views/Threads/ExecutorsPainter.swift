// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

// The executors below the threads, and their queues.
extension Painter {
    mutating func paintExecutorHeads(_ columns: ThreadColumns, row: Int) {
        let spans = ExecutorColumns(columns)
        write("executor", row: row, in: spans.name, style: .title)
        write("queued", row: row, in: spans.queued, style: .title, isRightAligned: true)
        write("longest", row: row, in: spans.longest, style: .title, isRightAligned: true)
        write("running", row: row, in: spans.running, style: .title, isRightAligned: true)
    }

    mutating func paint(
        _ executor: ExecutorID, of program: Program, _ columns: ThreadColumns, isUnfolded: Bool, row: Int
    ) {
        let spans = ExecutorColumns(columns)
        let load = program.forest.load(of: executor)
        let isDimmed = program.connection.disconnection != nil
        let glyph = load.queuedCount > 0 ? glyphs.queued : load.runningCount > 0 ? glyphs.running : glyphs.dot
        let role: Style = load.queuedCount > 0 ? .queued : load.runningCount > 0 ? .running : .guide
        frame.write(glyph, row: row, column: Columns.glyph, style: isDimmed ? .dim : role)
        if load.queuedCount > 0 || isUnfolded {
            let marker = isUnfolded ? glyphs.unfolded : glyphs.folded
            frame.write(marker, row: row, column: Columns.glyph - 1, style: .guide)
        }
        write(program.executorName(executor), row: row, in: spans.name, style: isDimmed ? .dim : .thread)
        func writeFigure(_ text: String, _ span: ColumnSpan, isDim: Bool) {
            write(text, row: row, in: span, style: isDimmed || isDim ? .dim : .number, isRightAligned: true)
        }
        writeFigure(CountText.grouped(load.queuedCount), spans.queued, isDim: load.queuedCount == 0)
        if let oldest = load.oldestQueued {
            let now = program.shownNow
            writeFigure(DurationText.running(now &- min(now, oldest)), spans.longest, isDim: false)
        }
        writeFigure(CountText.grouped(load.runningCount), spans.running, isDim: load.runningCount == 0)
    }
}

extension Painter {
    /// Draws a node in a queue: its name, for how long it has been queued, and its chain.
    mutating func paint(queued id: NodeID, of program: Program, _ columns: ThreadColumns, row: Int) {
        let forest = program.forest
        guard let node = forest.index(of: id) else { return }
        let spans = ExecutorColumns(columns)
        let view = forest.node(node)
        let isDimmed = program.isDimmed(node, isChain: false)
        if program.outline.isTagged(node) { frame.write(glyphs.tagged, row: row, column: 1, style: .warning) }
        frame.write(glyphs.queued, row: row, column: spans.name.start, style: isDimmed ? .dim : .queued)
        let name = ColumnSpan(start: spans.name.start + 2, width: spans.longest.start - spans.name.start - 4)
        write(NodeText.name(of: node, in: forest), row: row, in: name, style: isDimmed ? .dim : .label)
        let root = forest.root(of: node)
        let start = spans.running.start + spans.running.width + 3
        if root != node {
            let chain = ColumnSpan(start: start, width: max(0, layout.content.columns - 1 - start))
            write("in \(NodeText.name(of: root, in: forest))", row: row, in: chain, style: .dim)
        }
        let now = program.shownNow
        let age = DurationText.running(now &- min(now, view.queued ?? view.created))
        write(age, row: row, in: spans.longest, style: isDimmed ? .dim : .number, isRightAligned: true)
    }
}

/// The spans of the executors' columns, which are below the columns of the threads.
struct ExecutorColumns {
    let name: ColumnSpan
    let queued: ColumnSpan
    let longest: ColumnSpan
    let running: ColumnSpan

    init(_ columns: ThreadColumns) {
        let start = columns.word.isShown ? columns.word.start : columns.thread.start
        let end = columns.thread.start + columns.thread.width
        let widths: [ColumnLayout.Width] = [.fixed(end - start), .fixed(9), .fixed(DurationText.width), .fixed(9)]
        let spans = ColumnLayout.spans(from: start, to: end, widths)
        (name, queued, longest, running) = (spans[0], spans[1], spans[2], spans[3])
    }
}
