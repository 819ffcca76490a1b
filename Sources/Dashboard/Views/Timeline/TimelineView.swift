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
    static let intent = Intent.timeline
    static let keyText = "timeline: the waterfall of a chain, or of all"
    static let bindings = [
        KeyMap.Binding(.zoomIn, [KeyMap.key("+")], "zoom in", footer: "zoom"),
        KeyMap.Binding(.zoomOut, [KeyMap.key("-")], "zoom out"),
        KeyMap.Binding(.left, [KeyPress(.left), KeyMap.key("h")], "earlier", footer: "pan"),
        KeyMap.Binding(.right, [KeyPress(.right), KeyMap.key("l")], "later"),
        KeyMap.Binding(.follow, [KeyMap.key("f")], "follow now; again: fit to width", footer: "now"),
        KeyMap.Binding(.longest, [KeyMap.key("W")], "to the longest bar; again: the next longest", footer: "longest"),
        KeyMap.Binding(.fold, [KeyMap.key("Z")], "fold or unfold what is under the node", footer: "fold"),
        KeyMap.Binding(.scope, [KeyMap.key("a")], "all chains, or only the selected one", footer: "all"),
        KeyMap.Binding(
            .visit, [KeyPress(.enter)], "of all chains: the selected one; of one: details", footer: "detail"),
    ]
    static let keepsAllRows = true
    /// The line of exact times of the selected node.
    static let infoLineCount = 1
    static func cursor(of state: borrowing State) -> ListCursor { state.timeline.cursor }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) { state.timeline.cursor = cursor }

    static func offers(_ intent: Intent, _ state: borrowing State) -> Bool {
        intent != .visit || state.selection != nil
    }

    /// Updates the rows; a row that stays selected keeps its line.
    static func updateRows(_ state: inout State) {
        state.timeline.chain = nil
        if state.timeline.scope == .chain, state.selectedNode == nil { selectSomeChain(&state) }
        let chain = shownChain(state)
        let root = chain.map { state.rowID(of: $0.root, in: $0.programIndex) }
        if root != state.timeline.root {
            (state.timeline.root, state.timeline.scale, state.timeline.left) = (root, nil, nil)
            state.timeline.folded = []
        }
        if let (programIndex, root) = chain {
            updateChainRows(programIndex, root, &state)
        } else {
            updateAllRows(&state)
        }
    }

    /// Selects a chain if no node is selected: the chain shown before, if its root is still kept; else a chain near the
    /// selected row of the tree.
    private static func selectSomeChain(_ state: inout State) {
        if let root = state.timeline.root, state.find(root) != nil { return state.select(root) }
        if let rowID = state.nodeRowNearSelection() { state.select(rowID) }
    }

    private static func updateChainRows(_ programIndex: Int, _ root: NodeIndex, _ state: inout State) {
        let node = state.selectedNode!.node
        var count = state.programs[programIndex].forest.chain(of: root).nodeCount
        var number: Int
        if count <= wholeLimit {
            number = visitAll(programIndex, root, countingTo: node, &state)
            count = state.timeline.chain?.rows.count ?? count
        } else if let anchor = state.timeline.anchor, anchor.rowID == state.selection {
            number = anchor.number
        } else {
            number =
                PreorderSteps.number(
                    of: node, within: root, limit: countLimit, in: state.programs[programIndex].forest) ?? countLimit
            state.timeline.walkedCount += number
        }
        number = min(number, count - 1)
        keepCursor(at: number, of: count, &state)
    }

    /// Visits all nodes of a short chain and returns the row of `node`; if the row is hidden, unfolds all nodes.
    private static func visitAll(
        _ programIndex: Int, _ root: NodeIndex, countingTo node: NodeIndex, _ state: inout State
    ) -> Int {
        let columns = TimelineColumns(state).bars.width
        func visit() -> TimelineChain {
            TimelineChain(
                root, of: state.programs[programIndex], programIndex: programIndex, folded: state.timeline.folded,
                columns: columns)
        }
        var chain = visit()
        var number = chain.rows.firstIndex { $0.node == node }
        if number == nil {
            state.timeline.folded = []
            chain = visit()
            number = chain.rows.firstIndex { $0.node == node }
        }
        state.timeline.walkedCount += chain.nodes.count
        state.timeline.chain = chain
        return number ?? 0
    }

    /// Returns 1 for the strip of the whole chain, if the rows do not show all of it and there is room; else 0.
    static func topLineCount(_ state: borrowing State) -> Int {
        guard let chain = state.timeline.chain, !chain.overview.isEmpty else { return 0 }
        let rows = Layout(state).content.rows
        let isWhole = state.timeline.scale == nil && chain.rows.count <= rows - infoLineCount
        return isWhole || rows < leastRowsOfStrip ? 0 : 1
    }

    /// The least number of lines with room for the strip.
    private static let leastRowsOfStrip = 14

    private static func updateAllRows(_ state: inout State) {
        let count = state.programs.indices.reduce(0) { $0 + rowCount(of: $1, state) }
        guard count > 0 else { return state.timeline.cursor.resize(0, height: height(in: state)) }
        var number = state.timeline.cursor.selected
        if let rowID = state.selection, let row = chainRow(of: rowID, state) { number = row }
        keepCursor(at: number, of: count, &state)
    }

    /// Keeps the selected row on its line; scrolls to it if the selection changed.
    private static func keepCursor(at number: Int, of count: Int, _ state: inout State) {
        let height = height(in: state)
        state.timeline.cursor.count = count
        if let anchor = state.timeline.anchor, anchor.rowID == state.selection {
            if number != state.timeline.cursor.selected { state.timeline.cursor.moveSelection(to: number) }
        } else {
            state.timeline.cursor.select(number, height: height)
        }
        state.timeline.cursor.resize(count, height: height)
        storeAnchor(&state)
    }

    private static func storeAnchor(_ state: inout State) {
        let number = state.timeline.cursor.selected
        state.timeline.anchor = state.selection.map { ($0, number) }
    }

    static func didMoveCursor(_ state: inout State) {
        guard let row = rows(from: state.timeline.cursor.selected, count: 1, state).first else { return }
        let program = RowID(source: state.programs[row.programIndex].source)
        let rowID = row.node.map { state.rowID(of: $0, in: row.programIndex) } ?? program
        state.select(rowID)
        storeAnchor(&state)
    }

    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        if click.isDouble, let (programIndex, node) = state.selectedNode { state.reveal(node, in: programIndex) }
    }
}
