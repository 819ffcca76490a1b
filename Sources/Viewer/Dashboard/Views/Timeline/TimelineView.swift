// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows
import Frames

/// The timeline: the waterfall of the selected node's chain, or of all chains.
struct TimelineView {
    /// What the rows are.
    enum Scope: Equatable {
        /// A row for each node of the selected node's chain.
        case chain
        /// A row for each chain, in the order of start. With several programs, each program has a row above its chains.
        case all
    }

    var cursor = ListCursor()
    var scope = Scope.chain
    /// The root of the shown chain, as of the last update; nil where all chains are shown.
    var root: RowID?
    /// The selected row as of the last update, and its number.
    var anchor: (rowID: RowID, number: Int)?
    /// The shown chain, with all its nodes visited; nil for a long chain, and where all chains are shown.
    var chain: TimelineChain?
    /// The row that ``goToLongest(_:)`` selected last.
    var longest: RowID?
    /// Folded nodes: the nodes under them are hidden.
    var folded: Set<RowID> = []
    /// Nanoseconds for each column; nil to fit everything on the screen.
    var scale: UInt64?
    /// The moment at the left edge, in nanoseconds since 1970. Nil to show the end, which is the present moment or the
    /// end of a settled chain.
    var left: UInt64?
    /// How many nodes were visited to find rows, for tests that limit the cost.
    var walkedCount = 0

    /// Chains of up to this many nodes are visited whole at each update.
    static let wholeLimit = 2_048
    /// The maximum number of nodes that are counted to find the row of a node in a longer chain.
    static let countLimit = 100_000
}

/// A row of the timeline: a node, a chain, or a program.
struct TimelineRow {
    var programIndex: Int
    /// The node, or the root of the chain; nil for the program's own row.
    var node: NodeIndex?
    /// The node's depth in the shown chain, which indents the name; 0 where all chains are shown.
    var depth = 0
    /// How many nodes under the row's node are folded away.
    var hiddenCount = 0
}

extension [TimelineRow] {
    /// The programs of the rows, top down, each with the lines that its rows are on.
    var programs: [(programIndex: Int, lines: Range<Int>)] {
        var programs: [(programIndex: Int, lines: Range<Int>)] = []
        for (line, row) in enumerated() {
            if programs.last?.programIndex == row.programIndex {
                programs[programs.count - 1].lines = programs[programs.count - 1].lines.lowerBound..<line + 1
            } else {
                programs.append((row.programIndex, line..<line + 1))
            }
        }
        return programs
    }
}

extension TimelineView: ListView {
    static let name = "timeline"
    static let keyText = "timeline: the waterfall of a chain, or of all"
    static let acting: Set<Intent> = [.left, .right, .unfoldAll, .foldAll, .follow, .previousChain, .nextChain]
    static let followsLinks = true

    /// What the view's own keys ask for.
    enum Own: String, CaseIterable { case zoomIn, zoomOut, longest, fold, scope }

    static let bindings = [
        KeyMap.Binding(own: Own.zoomIn, [KeyMap.key("+")], "zoom in", footer: "zoom", partner: .zoomOut),
        KeyMap.Binding(own: Own.zoomOut, [KeyMap.key("-")], "zoom out"),
        KeyMap.Binding(.left, [KeyPress(.left), KeyMap.key("h")], "earlier", footer: "pan"),
        KeyMap.Binding(.right, [KeyPress(.right), KeyMap.key("l")], "later"),
        KeyMap.Binding(.follow, [KeyMap.key("f")], "follow now; again: fit to width", footer: "now"),
        KeyMap.Binding(
            own: Own.longest, [KeyMap.key("W")], "to the longest bar; again: the next longest", footer: "longest"),
        KeyMap.Binding(own: Own.fold, [KeyMap.key("Z")], "fold or unfold what is under the node", footer: "fold"),
        KeyMap.Binding(own: Own.scope, [KeyMap.key("a")], "all chains, or only the selected one", footer: "all"),
        KeyMap.Binding(
            .visit, [KeyPress(.enter)], "of all chains: the selected one; of one: details", footer: "detail"),
    ]
    static let keepsAllRows = true
    /// The line of exact times of the selected node.
    static let infoLineCount = 1

    func offers(_ intent: Intent, hasSelection: Bool) -> Bool {
        intent != .visit || hasSelection
    }

    /// Updates the rows; a row that stays selected keeps its line.
    mutating func updateRows(_ context: inout ViewContext) {
        chain = nil
        if scope == .chain, context.selectedNode == nil { selectSomeChain(&context) }
        let shown = shownChain(context)
        let newRoot = shown.map { context.rowID(of: $0.root, in: $0.programIndex) }
        if newRoot != root {
            (root, scale, left) = (newRoot, nil, nil)
            folded = []
        }
        if let (programIndex, root) = shown {
            updateChainRows(programIndex, root, context)
        } else {
            updateAllRows(context)
        }
    }

    /// Selects a chain if no node is selected: the chain shown before, if its root is still kept; else a chain near the
    /// selected row of the tree.
    private func selectSomeChain(_ context: inout ViewContext) {
        if let root, context.find(root) != nil { context.select(root) } else { context.request(.selectNodeNearby) }
    }

    private mutating func updateChainRows(_ programIndex: Int, _ root: NodeIndex, _ context: ViewContext) {
        let node = context.selectedNode!.node
        var count = context.programs[programIndex].forest.chain(of: root).nodeCount
        var number: Int
        if count <= Self.wholeLimit {
            number = visitAll(programIndex, root, countingTo: node, context)
            count = chain?.rows.count ?? count
        } else if let anchor, anchor.rowID == context.selection {
            number = anchor.number
        } else {
            number =
                PreorderSteps.number(
                    of: node, within: root, limit: Self.countLimit, in: context.programs[programIndex].forest)
                ?? Self.countLimit
            walkedCount += number
        }
        number = min(number, count - 1)
        keepCursor(at: number, of: count, context)
    }

    /// Visits all nodes of a short chain and returns the row of `node`; if the row is hidden, unfolds all nodes.
    private mutating func visitAll(
        _ programIndex: Int, _ root: NodeIndex, countingTo node: NodeIndex, _ context: ViewContext
    ) -> Int {
        let columns = TimelineColumns(context).bars.width
        func visit() -> TimelineChain {
            TimelineChain(
                root, of: context.programs[programIndex], programIndex: programIndex, folded: folded,
                columns: columns)
        }
        var chain = visit()
        var number = chain.rows.firstIndex { $0.node == node }
        if number == nil {
            folded = []
            chain = visit()
            number = chain.rows.firstIndex { $0.node == node }
        }
        walkedCount += chain.nodes.count
        self.chain = chain
        return number ?? 0
    }

    /// Returns 1 for the strip of the whole chain, if the rows do not show all of it and there is room; else 0.
    func topLineCount(_ context: ViewContext) -> Int {
        guard let chain, !chain.overview.isEmpty else { return 0 }
        let rows = context.layout.content.rows
        let isWhole = scale == nil && chain.rows.count <= rows - Self.infoLineCount
        return isWhole || rows < Self.leastRowsOfStrip ? 0 : 1
    }

    /// The least number of lines with room for the strip.
    private static let leastRowsOfStrip = 14

    private mutating func updateAllRows(_ context: ViewContext) {
        let count = context.programs.indices.reduce(0) { $0 + rowCount(of: $1, context) }
        guard count > 0 else { return cursor.resize(0, height: height(in: context)) }
        var number = cursor.selected
        if let rowID = context.selection, let row = chainRow(of: rowID, context) { number = row }
        keepCursor(at: number, of: count, context)
    }

    /// Keeps the selected row on its line; scrolls to it if the selection changed.
    private mutating func keepCursor(at number: Int, of count: Int, _ context: ViewContext) {
        let height = height(in: context)
        cursor.count = count
        if let anchor, anchor.rowID == context.selection {
            if number != cursor.selected { cursor.moveSelection(to: number) }
        } else {
            cursor.select(number, height: height)
        }
        cursor.resize(count, height: height)
        storeAnchor(context)
    }

    private mutating func storeAnchor(_ context: ViewContext) {
        let number = cursor.selected
        anchor = context.selection.map { ($0, number) }
    }

    mutating func didMoveCursor(_ context: inout ViewContext) {
        guard let row = rows(from: cursor.selected, count: 1, context).first else { return }
        let program = RowID(source: context.programs[row.programIndex].source)
        let rowID = row.node.map { context.rowID(of: $0, in: row.programIndex) } ?? program
        context.select(rowID)
        storeAnchor(context)
    }

    mutating func handleClickOnCursor(_ click: RowClick, _ context: inout ViewContext) {
        if click.isDouble, let (programIndex, node) = context.selectedNode { context.reveal(node, in: programIndex) }
    }
}
