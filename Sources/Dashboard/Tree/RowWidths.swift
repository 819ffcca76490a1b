import ChainModel
import ChainRows
import ChainText
import Frames

/// Texts of cells, which are drawn and measured.
enum RowText {
    /// Durations below it are blank, in nanoseconds.
    static let leastDuration: UInt64 = 100_000

    /// The column that a kind takes before a name.
    static func kindWidth(_ word: String) -> Int { max(8, word.utf8.count + 1) }

    static func thread(of view: NodeView, in forest: borrowing ChainForest) -> String {
        guard view.thread != 0 else { return "" }
        return forest.threads[view.thread] ?? "\(view.thread)"
    }

    static func executor(of view: NodeView, in forest: borrowing ChainForest) -> String {
        guard view.executor != 0 else { return "" }
        return forest.executors[view.executor] ?? "\(view.executor)"
    }

    static func site(of view: NodeView, in forest: borrowing ChainForest) -> String {
        guard let site = forest.site(of: view.index), !site.fileID.isEmpty else { return "" }
        return site.description
    }
}

extension State {
    /// The columns of the tree in a pane.
    func columns(in width: Int, indent: Int = 0) -> Columns {
        Columns(width: width, indent: indent, chosen: columns, needs: tree.needs)
    }

    /// Measures the cells on the screen, so that columns get what they need. O(rows on the screen).
    mutating func measureColumns() {
        // By the number of the column.
        var widest = [Int](repeating: 0, count: columns.count)
        var isMeasured = false
        var summary = 0
        let current = columns(in: Layout(self).tree.columns)
        for programIndex in programs.indices {
            var painter: RowPainter?
            for shown in tree.window where shown.programIndex == programIndex {
                guard let row = shown.tree else { continue }
                if painter == nil {
                    painter = RowPainter(tree: row, columns: current, of: programs[programIndex])
                }
                painter!.move(to: 0, row, calledFrom: callerWords(of: row.node, in: programIndex))
                isMeasured = true
                let node = painter!.nodeWidth(options.glyphs)
                let indent = self.indent(of: shown)
                summary = max(summary, node.summary + indent)
                for (index, column) in columns.enumerated() {
                    let width = column == .node ? node.name + indent : painter!.width(of: column, options.glyphs)
                    widest[index] = max(widest[index], width)
                }
            }
        }
        guard isMeasured else { return }
        for (column, width) in zip(columns, widest) { tree.needs.update(column, to: width, at: wall) }
        tree.needs.updateSummary(to: summary, at: wall)
    }
}

extension RowPainter {
    /// What a number such as `12/40` takes behind a combinator's name: walking its members only for that costs too much.
    private static let progressWidth = 7
    /// Beyond that a cell is not measured.
    private static let limit = 120

    private func width(_ text: String, _ glyphs: Glyphs) -> Int {
        TextWidth.of(text, charset: glyphs.charset, limit: Self.limit)
    }

    /// The width of a cell; 0 for the node and for a column of a fixed width.
    fileprivate func width(of column: TreeColumn, _ glyphs: Glyphs) -> Int {
        guard let text = cell(column, of: program.forest.node(tree.node), glyphs)?.text else { return 0 }
        return width(column == .thread ? ThreadText.name(text, ellipsis: glyphs.ellipsis) : text, glyphs)
    }

    /// The width of the tree's lines and the name, and that with the summary behind it. The summary of a live chain has
    /// room in the value's column, which is empty then.
    fileprivate func nodeWidth(_ glyphs: Glyphs) -> (name: Int, summary: Int) {
        let forest = program.forest
        let view = forest.node(tree.node)
        let isRoot = tree.flags.contains(.root)
        let (text, isLabel) = NodeText.label(of: tree.node, in: forest)
        var name = TreeLines.marker(tree, width: .max) + 2 + width(text, glyphs)
        if !isRoot || !isLabel { name += RowText.kindWidth(view.kind.word) }
        var summary = name
        if isRoot {
            for extra in extras(glyphs) { summary += width(extra.text, glyphs) }
        } else {
            if view.kind.role == .combinator { summary += Self.progressWidth }
            if tree.flags.contains(.folded) {
                for text in NodeText.children(of: tree.node, in: forest) { summary += width(text.text, glyphs) }
            }
        }
        return (name, summary)
    }
}
