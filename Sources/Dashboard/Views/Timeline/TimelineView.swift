import ChainEvents
import ChainModel
import ChainRows
import Frames

/// What the timeline is at: the waterfall of the selected node's chain, or of all chains.
struct TimelineView {
    /// What the rows are.
    enum Scope: Equatable {
        /// Each node of the chain of the selected one.
        case chain
        /// A row a chain, in the order of their beginnings.
        case all
    }

    var cursor = ListCursor()
    var scope = Scope.chain
    /// The root of the chain that was shown when last looked at; nil for all chains.
    var root: RowID?
    /// The selected row, when last looked at: what stands there, and its number.
    var anchor: (rowID: RowID, number: Int)?
    /// Of a chain of which all nodes were looked at, the first and the last moment of its nodes; nil for a long one.
    var span: ClosedRange<UInt64>?
    /// Nanoseconds a column; nil for as many as bring everything onto the screen.
    var scale: UInt64?
    /// The moment at the left edge; nil while the picture follows what goes on.
    var left: UInt64?
    /// Nodes that were looked at to find rows, for the tests of costs.
    var walkedCount = 0

    /// Chains up to this size are looked at whole, each time that something changed.
    static let wholeLimit = 2_048
    /// So many nodes are counted at most to tell the number of a row in a longer one.
    static let countLimit = 100_000
}

/// What a row of the timeline stands for.
struct TimelineRow {
    /// The program's programIndex.
    var programIndex: Int
    /// The node; nil for the program's own row.
    var node: NodeIndex?
    /// Levels that it stands further in.
    var depth = 0
}

extension [TimelineRow] {
    /// The programs whose rows these are, and where those stand: one below the other. What is taken out of a program for
    /// all of them is taken once: a copy of all its parts costs as much as a row.
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

extension State {
    /// The chain whose nodes are shown; nil where all chains are.
    var timelineChain: (programIndex: Int, root: NodeIndex)? {
        guard timeline.scope == .chain, let (programIndex, node) = selectedNode else { return nil }
        return (programIndex, programs[programIndex].forest!.root(of: node))
    }

    /// Finds the rows anew: the selected node stays on its line.
    mutating func arrangeTimeline() {
        timeline.span = nil
        if timeline.scope == .chain, selectedNode == nil { selectSomeChain() }
        let chain = timelineChain
        let root = chain.map { rowID(of: $0.root, in: $0.programIndex) }
        if root != timeline.root { (timeline.root, timeline.scale, timeline.left) = (root, nil, nil) }
        if let (programIndex, root) = chain {
            arrangeChain(programIndex, root)
        } else {
            arrangeAll()
        }
    }

    /// No node is selected: the chain of before, of which a leaf is kept no longer, else where the tree was.
    private mutating func selectSomeChain() {
        if let root = timeline.root, find(root) != nil { return select(root) }
        let near = rows(from: selectedRow, count: 2) + rows(from: 0, count: 2)
        if let row = near.first(where: { $0.tree != nil }) { select(row.rowID) }
    }

    private mutating func arrangeChain(_ programIndex: Int, _ root: NodeIndex) {
        let node = selectedNode!.node
        let count = programs[programIndex].forest!.chain(of: root).nodeCount
        var number: Int
        if count <= TimelineView.wholeLimit {
            number = lookThrough(programIndex, root, for: node)
        } else if let anchor = timeline.anchor, anchor.rowID == selection {
            number = anchor.number
        } else {
            let limit = TimelineView.countLimit
            number = RowOrder.number(of: node, within: root, limit: limit, in: programs[programIndex].forest!) ?? limit
            timeline.walkedCount += number
        }
        number = min(number, count - 1)
        stay(at: number, of: count)
    }

    /// Looks at all nodes of a short chain: gives the number of one, and notes from when to when they lasted.
    private mutating func lookThrough(_ programIndex: Int, _ root: NodeIndex, for node: NodeIndex) -> Int {
        let forest = programs[programIndex].forest!
        var (first, last, number, count) = (UInt64.max, UInt64(0), 0, 0)
        var current: NodeIndex? = root
        while let shown = current {
            if shown == node { number = count }
            count += 1
            let view = forest.node(shown)
            first = min(first, view.created)
            last = max(last, view.settled ?? 0, view.ended ?? 0)
            current = RowOrder.next(after: shown, within: root, in: forest)?.node
        }
        timeline.walkedCount += count
        let offset = programs[programIndex].wallOffset
        timeline.span = (first &+ offset)...max(first &+ offset, last &+ offset)
        return number
    }

    private mutating func arrangeAll() {
        let count = programs.indices.reduce(0) { $0 + allRowCount(of: $1) }
        guard count > 0 else { return timeline.cursor.resize(0, height: viewHeight) }
        var number = timeline.cursor.selected
        if let rowID = selection, let row = allRow(of: rowID) { number = row }
        stay(at: number, of: count)
    }

    /// Takes the number that the selected row has now: it stays on its line, or comes into sight if it is another one.
    private mutating func stay(at number: Int, of count: Int) {
        timeline.cursor.count = count
        if let anchor = timeline.anchor, anchor.rowID == selection {
            if number != timeline.cursor.selected { timeline.cursor.moveSelection(to: number) }
        } else {
            timeline.cursor.select(number, height: viewHeight)
        }
        timeline.cursor.resize(count, height: viewHeight)
        timeline.anchor = selection.map { ($0, timeline.cursor.selected) }
    }

    /// Another row was selected: its node is what keys act on.
    mutating func didSelectInTimeline() {
        guard let row = timelineRows(from: timeline.cursor.selected, count: 1).first else { return }
        let source = programs[row.programIndex].source
        select(row.node.map { rowID(of: $0, in: row.programIndex) } ?? RowID(source: source))
        timeline.anchor = selection.map { ($0, timeline.cursor.selected) }
    }

    // MARK: Rows by number

    /// The rows from a number on, at most so many. Costs those rows, and how far they are from the selected one.
    func timelineRows(from first: Int, count: Int) -> [TimelineRow] {
        guard let (programIndex, root) = timelineChain else { return allRows(from: first, count: count) }
        let forest = programs[programIndex].forest!
        let total = timeline.cursor.count
        var node = selectedNode!.node
        if first == 0 {
            node = root
        } else if first == total - 1, count == 1 {
            node = RowOrder.last(under: root, in: forest)
        } else {
            let number = timeline.anchor?.rowID == selection ? timeline.anchor!.number : timeline.cursor.selected
            node = RowOrder.step(from: node, by: first - number, within: root, in: forest).node
        }
        var rows = [
            TimelineRow(
                programIndex: programIndex, node: node, depth: RowOrder.depth(of: node, within: root, in: forest))
        ]
        while rows.count < count {
            let climbs = first + rows.count < total
            guard let next = RowOrder.next(after: node, within: root, climbs: climbs, in: forest) else { break }
            rows.append(
                TimelineRow(programIndex: programIndex, node: next.node, depth: max(0, rows.last!.depth + next.levels)))
            node = next.node
        }
        return rows
    }

    private func allRowCount(of programIndex: Int) -> Int {
        (showsPrograms ? 1 : 0) + (programs[programIndex].forest?.roots.count ?? 0)
    }

    /// The row of a program, or of the chain that a node is in.
    private func allRow(of rowID: RowID) -> Int? {
        guard let programIndex = programIndex(of: rowID.source) else { return nil }
        let before = (0..<programIndex).reduce(0) { $0 + allRowCount(of: $1) }
        guard rowID.node != nil else { return showsPrograms ? before : nil }
        guard let (_, node) = find(rowID) else { return nil }
        return before + (showsPrograms ? 1 : 0) + programs[programIndex].forest!.rootNumber(of: node)
    }

    private func allRows(from first: Int, count: Int) -> [TimelineRow] {
        var rows: [TimelineRow] = []
        var skipped = max(0, first)
        for programIndex in programs.indices where rows.count < count {
            let total = allRowCount(of: programIndex)
            guard skipped < total else {
                skipped -= total
                continue
            }
            if showsPrograms {
                if skipped == 0 { rows.append(TimelineRow(programIndex: programIndex)) } else { skipped -= 1 }
            }
            if let roots = programs[programIndex].forest?.roots {
                for root in roots[roots.index(at: skipped)...].prefix(count - rows.count) {
                    rows.append(TimelineRow(programIndex: programIndex, node: root))
                }
            }
            skipped = 0
        }
        return rows
    }

    /// The rows on the screen.
    var timelineWindow: [TimelineRow] {
        timeline.cursor.count == 0 ? [] : timelineRows(from: timeline.cursor.top, count: viewHeight)
    }
}
