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
    @exclusivity(unchecked) private var calledFrom: String?

    init(tree: TreeRow, columns: Columns, of program: Program) {
        self.tree = tree
        self.columns = columns
        self.program = program
        forest = program.forest
    }

    /// Goes to another row, of a node that was called from one of another program if `calledFrom` names that.
    func move(to row: Int, _ tree: TreeRow, calledFrom: String? = nil) {
        self.row = row
        self.tree = tree
        self.calledFrom = calledFrom
        let isActive = program.rowModel.isFiltering
        isMatch = isActive && program.rowModel.isMatch(tree.node)
        isDimmed = isActive && !isMatch || program.connection.outage != nil
    }

    private func style(_ style: Style) -> Style { isDimmed ? .dim : style }

    func paint(into painter: inout Painter) {
        let view = forest.node(tree.node)
        paintState(into: &painter, view)
        let times = times(of: view)
        // The first cell behind the node that is not empty ends the room of the name.
        var nodeEnd: Int?
        var isBehindNode = false
        var hasValue = false
        for shown in columns.shown {
            if shown.column == .node { isBehindNode = true }
            let cell =
                switch shown.column {
                case .wait: times.wait
                case .run: times.run
                case .total: times.total
                default: cell(shown.column, of: view, painter.glyphs)
                }
            guard let cell, !cell.text.isEmpty else { continue }
            if shown.column == .thread {
                painter.writeThread(cell.text, row: row, in: shown.span, style: style(cell.style))
            } else {
                painter.write(
                    cell.text, row: row, in: shown.span, style: style(cell.style), isRight: shown.column.isDuration)
            }
            if shown.column == .value { hasValue = true }
            if isBehindNode, nodeEnd == nil { nodeEnd = shown.span.start - ColumnLayout.gap }
        }
        let node = paintNode(into: &painter, view, end: nodeEnd ?? columns.end, hasValue: hasValue)
        if !hasValue, node.end < columns.value.start { paintLeft(node.left, into: &painter) }
    }

    /// The text of a cell that is measured; nil for the node and for a column of a fixed width.
    func cell(_ column: TreeColumn, of view: NodeView, _ glyphs: Glyphs) -> (text: String, style: Style)? {
        switch column {
        case .state, .node, .wait, .run, .total: nil
        case .thread: (RowText.thread(of: view, in: forest), .thread)
        case .value: value(of: view, glyphs)
        case .id: (view.id.description, .dim)
        case .site: (RowText.site(of: view, in: forest), .dim)
        case .executor: (RowText.executor(of: view, in: forest), .thread)
        }
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
        } else if program.alertWatches.hasRung(forest.id(of: tree.node)) {
            painter.frame.write("!", row: row, column: 1, style: .error)
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

    /// Draws the node's column; returns its end, and the parts behind the label that did not fit.
    private func paintNode(
        into painter: inout Painter, _ view: NodeView, end: Int, hasValue: Bool
    ) -> (end: Int, left: ArraySlice<(text: String, style: Style)>) {
        let glyphs = painter.glyphs
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
            let room = min(end - column, RowText.kindWidth(word))
            painter.frame.write(
                word, row: row, column: column, maxColumns: room, style: style(isNoise(view) ? .dim : .kind))
            column += room
        }
        let extras = extras(glyphs)
        let start = column
        column += painter.frame.write(
            text, row: row, column: column, maxColumns: max(0, end - column),
            style: style(labelStyle(view, isRoot, isLabel)),
            ellipsis: glyphs.ellipsis)
        if isMatch {
            for marked in program.rowModel.markedTexts {
                painter.highlight(marked, in: text, row: row, from: start, to: column)
            }
        }
        // A summary that does not fit moves whole to the empty value column.
        let tail = extras.reduce(0) { $0 + TextWidth.of($1.text, charset: glyphs.charset) }
        if isRoot, !hasValue, columns.value.isShown, column + tail > end { return (column, extras[...]) }
        for (index, extra) in extras.enumerated() {
            // Not cut, because a cut number misleads. A root's glyph needs its text.
            var width = TextWidth.of(extra.text, charset: glyphs.charset)
            if isRoot, index + 1 < extras.count, !extras[index + 1].text.hasPrefix("  ") {
                width += TextWidth.of(extras[index + 1].text, charset: glyphs.charset)
            }
            guard column + width <= end else { return (column, extras[index...]) }
            column += painter.frame.write(
                extra.text, row: row, column: column, maxColumns: end - column, style: style(extra.style))
        }
        return (column, [])
    }

    private func labelStyle(_ view: NodeView, _ isRoot: Bool, _ isLabel: Bool) -> Style {
        if isRoot { return isLabel ? Style.label.bold : Style.dim }
        return !isLabel || view.state == .waiting || isNoise(view) ? .dim : .label
    }

    /// Whether the node did nothing, or went well where it only cleans up: such rows are dim.
    private func isNoise(_ view: NodeView) -> Bool {
        view.state == .skipped || (view.kind == .anyway && view.state == .fulfilled)
    }

    /// What follows the label: how far a combinator is; for a root how its chain is doing, which its own state does
    /// not say, and how much of it went wrong.
    func extras(_ glyphs: Glyphs) -> [(text: String, style: Style)] {
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

    private typealias Times = (
        wait: (text: String, style: Style)?, run: (text: String, style: Style)?, total: (text: String, style: Style)?
    )

    /// Durations that can be seen: one under 0.1 ms is blank.
    private func times(of view: NodeView) -> Times {
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
        func cell(_ duration: UInt64?, isRunning: Bool) -> (text: String, style: Style)? {
            guard let duration, duration >= RowText.leastDuration else { return nil }
            return isRunning
                ? (DurationText.running(duration), .number) : (DurationText.settled(duration), Style.number.dimmed)
        }
        return (
            cell(timing.wait, isRunning: view.state == .queued),
            cell(timing.run, isRunning: view.activity == .running), cell(timing.total, isRunning: isTotalRunning)
        )
    }

    /// The value or error of a node; for the root of a settled chain that of the chain.
    private func value(of own: NodeView, _ glyphs: Glyphs) -> (text: String, style: Style) {
        let isRoot = tree.flags.contains(.root)
        let node = NodeText.shownNode(for: tree.node, isRoot: isRoot, in: forest)
        let view = node == tree.node ? own : forest.node(node)
        let summary = forest.summary(of: node)
        switch view.state {
        case .rejected:
            let failure = isRoot ? NodeText.failure(of: forest.chain(of: tree.node), in: forest) : summary
            return (failure ?? "", .error)
        case .abandoned: return (summary ?? "its resolver was released", .abandoned)
        case .cancelled: return (summary ?? "cancelled", .cancelled)
        case .unknown: return ("ended while events were lost", .dim)
        default: break
        }
        if view.marks.contains(.cancelRequested) { return ("cancel requested", .cancelled) }
        if view.marks.contains(.unhandled) { return ("unhandled error", .warning) }
        if isRoot, case let chain = forest.chain(of: tree.node), chain.liveCount > 0, let rejected = chain.firstRejected
        {
            let name = NodeText.name(of: rejected, in: forest)
            return ("\(name): \(forest.summary(of: rejected) ?? forest.state(of: rejected).word)", .error)
        }
        return (summary ?? calledFrom.map { "called from \(NodeText.safe($0))" } ?? "", .dim)
    }
}
