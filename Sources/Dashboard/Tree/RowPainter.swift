import ChainEvents
import ChainModel
import ChainRows
import ChainText
import Frames

/// Draws rows of the tree, of one program. Made once a frame: it holds all of the program, which is 2.6 KB; a struct was
/// copied five times a row, which was a fifth of `screen.picture`.
final class RowPainter {
    let columns: Columns
    let program: Program
    private let forest: ChainForest
    // @exclusivity(unchecked): only move(to:_:) changes them, which calls out to nothing that reads them.
    /// The row that is drawn.
    @exclusivity(unchecked) private(set) var row = 0
    @exclusivity(unchecked) private(set) var tree: TreeRow
    /// Whether it is not what the filter looks for, or history because its program is gone.
    @exclusivity(unchecked) private(set) var isDimmed = false
    @exclusivity(unchecked) private(set) var isMatch = false

    init(tree: TreeRow, columns: Columns, of program: Program) {
        self.tree = tree
        self.columns = columns
        self.program = program
        forest = program.forest
    }

    /// Goes to another row.
    func move(to row: Int, _ tree: TreeRow) {
        self.row = row
        self.tree = tree
        let isActive = program.rowModel.isFiltering
        isMatch = isActive && program.rowModel.isMatch(tree.node)
        isDimmed = isActive && !isMatch || program.connection.outage != nil
    }

    private func style(_ style: Style) -> Style { isDimmed ? .dim : style }

    func paint(into painter: inout Painter) {
        let view = forest.node(tree.node)
        paintState(into: &painter, view)
        let left = paintNode(into: &painter, view)
        if view.thread != 0 {
            let thread = forest.threads[view.thread] ?? "\(view.thread)"
            painter.writeThread(thread, row: row, in: columns.thread, style: style(.thread))
        }
        paintTimes(into: &painter, view)
        let (value, valueStyle) = value(of: view, painter.glyphs)
        painter.write(value, row: row, in: columns.value, style: style(valueStyle))
        if value.isEmpty, tree.flags.intersection([.root, .folded]) == .folded { paintLeft(left, into: &painter) }
    }

    /// Draws what did not fit behind the label in the value's column.
    private func paintLeft(_ left: ArraySlice<(text: String, style: Style)>, into painter: inout Painter) {
        var column = columns.value.start
        let end = column + columns.value.width
        for (index, extra) in left.enumerated() where column < end {
            let text = index == 0 ? String(extra.text.drop { $0 == " " || $0 == ":" || $0 == "," }) : extra.text
            column += painter.frame.write(
                text, row: row, column: column, maxColumns: end - column, style: style(extra.style),
                ellipsis: painter.glyphs.ellipsis)
        }
    }

    private func paintState(into painter: inout Painter, _ view: NodeView) {
        let glyphs = painter.glyphs
        if program.rowModel.isTagged(tree.node) {
            painter.frame.write(glyphs.tagged, row: row, column: 1, style: .warning)
        }
        let state = NodeText.state(of: tree.node, isRoot: tree.flags.contains(.root), in: forest)
        painter.frame.write(glyphs.state(state.role), row: row, column: Columns.glyph, style: style(Style(state.role)))
        guard columns.word.isShown else { return }
        painter.write(state.word, row: row, in: columns.word, style: style(state.style))
        if view.marks.contains(.cancelRequested) {
            painter.frame.write(glyphs.cancelRequested, row: row, column: columns.mark, style: .cancelled)
        } else if view.marks.contains(.stillOnThread) {
            painter.frame.write(glyphs.stillRunning, row: row, column: columns.mark, style: .warning)
        }
    }

    // MARK: The tree

    /// Draws the node's column; returns the parts behind the label that did not fit.
    private func paintNode(
        into painter: inout Painter, _ view: NodeView
    ) -> ArraySlice<(text: String, style: Style)> {
        let glyphs = painter.glyphs
        let end = columns.node.start + columns.node.width
        paintLines(into: &painter)
        var column = columns.node.start + TreeLines.marker(tree, width: columns.node.width)
        if tree.flags.contains(.foldable) {
            let marker = tree.flags.contains(.folded) ? glyphs.folded : glyphs.unfolded
            painter.frame.write(marker, row: row, column: column, maxColumns: end - column, style: .guide)
        }
        column += 2
        if Int(tree.depth) > TreeLines.drawnDepth(tree, width: columns.node.width) {
            let depth = "\(tree.depth)" + painter.glyphs.dot + " "
            column += painter.frame.write(depth, row: row, column: column, maxColumns: end - column, style: .dim)
        }
        let isRoot = tree.flags.contains(.root)
        let (text, isLabel) = NodeText.label(of: tree.node, in: forest)
        if !isRoot || !isLabel {
            let word = view.kind.word
            let room = min(end - column, max(8, word.count + 1))
            painter.frame.write(
                word, row: row, column: column, maxColumns: room, style: style(isNoise(view) ? .dim : .kind))
            column += room
        }
        let extras = extras(glyphs)
        let tail = extras.reduce(0) { $0 + TextWidth.of($1.text, charset: glyphs.charset) }
        // The label keeps 12 cells, whatever follows it.
        let room = max(min(end - column, 12), end - column - tail)
        let start = column
        column += painter.frame.write(
            text, row: row, column: column, maxColumns: room, style: style(labelStyle(view, isRoot, isLabel)),
            ellipsis: glyphs.ellipsis)
        if isMatch {
            for marked in program.rowModel.markedTexts {
                painter.highlight(marked, in: text, row: row, from: start, to: column)
            }
        }
        for (index, extra) in extras.enumerated() {
            // Whole or not at all: half a number would be a lie.
            guard column + TextWidth.of(extra.text, charset: glyphs.charset) <= end else { return extras[index...] }
            column += painter.frame.write(
                extra.text, row: row, column: column, maxColumns: end - column, style: style(extra.style))
        }
        return []
    }

    private func labelStyle(_ view: NodeView, _ isRoot: Bool, _ isLabel: Bool) -> Style {
        if isRoot { return isLabel ? Style.label.bold : Style.dim }
        return !isLabel || view.state == .waiting || isNoise(view) ? .dim : .label
    }

    /// Whether the node did nothing, or went well where it only cleans up: such rows are dim.
    private func isNoise(_ view: NodeView) -> Bool {
        view.state == .skipped || (view.kind == .anyway && view.state == .fulfilled)
    }

    private func paintLines(into painter: inout Painter) {
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

    /// What follows the label: how far a combinator is; for a root how its chain is doing, which its own state does
    /// not say, and how much of it went wrong.
    private func extras(_ glyphs: Glyphs) -> [(text: String, style: Style)] {
        var extras: [(text: String, style: Style)] = []
        if let progress = NodeText.progress(of: tree.node, in: forest) { extras.append(("  " + progress, .dim)) }
        guard tree.flags.contains(.root) else {
            return tree.flags.contains(.folded) ? extras + NodeText.children(of: tree.node, in: forest) : extras
        }
        let chain = forest.chain(of: tree.node)
        guard chain.nodeCount + chain.evictedCount > 1 else { return extras }
        let role = chain.status.role
        extras.append(("  " + glyphs.state(role), Style(role)))
        // Of a failed chain the state's column says so already.
        let isCount = chain.outcome != .live && chain.outcome != .recovered && columns.word.isShown
        let count = CountText.grouped(chain.nodeCount + chain.evictedCount)
        let summary = isCount ? count + " nodes" : NodeText.summary(of: chain)
        extras.append((" " + summary, isCount || chain.liveCount > 0 ? .dim : Style(role)))
        if chain.liveCount > 0, chain.rejectedCount > 0 {
            extras.append(("  \(CountText.grouped(chain.rejectedCount)) rejected", .rejected))
        }
        return extras
    }

    // MARK: Numbers and values

    private func paintTimes(into painter: inout Painter, _ view: NodeView) {
        let now = program.shownNow
        var timing = forest.timing(of: tree.node, now: now)
        var isTotalRunning = view.isLive
        if tree.flags.contains(.root) {
            // A root's total is that of its chain.
            let chain = forest.chain(of: tree.node)
            if chain.nodeCount > 1 {
                let end = chain.settled ?? now
                timing.total = end &- min(view.created, end)
                isTotalRunning = chain.settled == nil
            }
        }
        func put(_ duration: UInt64?, _ span: ColumnSpan, isRunning: Bool) {
            guard let duration else { return }
            let text = isRunning ? DurationText.running(duration) : DurationText.settled(duration)
            painter.write(
                text, row: row, in: span, style: style(isRunning ? .number : Style.number.dimmed), isRight: true)
        }
        put(timing.wait, columns.wait, isRunning: view.state == .queued)
        put(timing.run, columns.run, isRunning: view.activity == .running)
        put(timing.total, columns.total, isRunning: isTotalRunning)
    }

    /// The value or error of a node; for the root of a settled chain that of the chain.
    private func value(of own: NodeView, _ glyphs: Glyphs) -> (text: String, style: Style) {
        let isRoot = tree.flags.contains(.root)
        let node = NodeText.shownNode(for: tree.node, isRoot: isRoot, in: forest)
        let view = node == tree.node ? own : forest.node(node)
        let summary = forest.summary(of: node)
        switch view.state {
        case .rejected: return (summary ?? "", .error)
        case .abandoned: return (summary ?? "its resolver was released", .abandoned)
        case .cancelled: return (summary ?? "cancelled", .cancelled)
        case .unknown: return ("ended while events were lost", .dim)
        default: break
        }
        if view.marks.contains(.cancelRequested) { return ("cancel requested", .cancelled) }
        if view.marks.contains(.unhandled) { return ("nobody handled it", .warning) }
        if isRoot, case let chain = forest.chain(of: tree.node), chain.liveCount > 0, let rejected = chain.firstRejected
        {
            let name = NodeText.name(of: rejected, in: forest)
            return ("\(name): \(forest.summary(of: rejected) ?? forest.state(of: rejected).word)", .error)
        }
        return (summary ?? "", .dim)
    }
}
