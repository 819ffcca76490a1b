// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows
import ChainText

/// The rows, the critical path and the overview of a chain, from a visit of all its nodes.
struct TimelineChain {
    /// The rows that are not folded away.
    private(set) var rows: [TimelineRow] = []
    /// All nodes, in the order of rows.
    private(set) var nodes: [NodeIndex] = []
    /// From the creation of the first node to the latest settlement or end of a handler, in nanoseconds since 1970.
    private(set) var span: ClosedRange<UInt64> = 0...0
    /// The nodes that would have to be faster for the chain to settle earlier; empty if all nodes would have to be.
    private(set) var critical: Set<NodeIndex> = []
    /// How many handlers ran in each column of the strip above the rows; empty for a chain without a duration.
    private(set) var overview: [Int] = []

    /// Visits all nodes. O(nodes).
    init(
        _ root: NodeIndex, of program: borrowing Program, programIndex: Int, folded: Set<RowID>, columns: Int
    ) {
        let forest = program.forest
        var (first, last, depth) = (UInt64.max, UInt64(0), 0)
        var foldedDepth: Int?
        // The node that settled last.
        var tail = (node: root, settled: UInt64(0))
        var current: NodeIndex? = root
        while let node = current {
            nodes.append(node)
            if let limit = foldedDepth, depth > limit {
                rows[rows.count - 1].hiddenCount += 1
            } else {
                foldedDepth = folded.contains(program.rowID(of: node)) ? depth : nil
                rows.append(TimelineRow(programIndex: programIndex, node: node, depth: depth))
            }
            let view = forest.node(node)
            first = min(first, view.created)
            last = max(last, view.settled ?? 0, view.ended ?? 0)
            // A live node counts as settled last, so the critical path of a live chain ends at a live node.
            let settled = view.latestSettled ?? .max
            if settled >= tail.settled { tail = (node, settled) }
            guard let next = PreorderSteps.next(after: node, within: root, in: forest) else { break }
            depth = max(0, depth + next.levels)
            current = next.node
        }
        let offset = program.wallOffset
        span = (first &+ offset)...max(first &+ offset, last &+ offset)
        critical = CriticalPath(to: tail.node, in: forest).nodes
        // A critical path of all nodes would highlight nothing.
        if critical.count == nodes.count { critical = [] }
        let now = program.shownNow
        let isLive = forest.chain(of: root).settled == nil
        fillOverview(from: first, to: isLive ? max(now, first) : last, columns: columns, forest, now)
    }

    /// Counts the handlers that run in each column of an axis, which is in nanoseconds of the program's clock.
    private mutating func fillOverview(
        from first: UInt64, to last: UInt64, columns: Int, _ forest: borrowing ChainForest, _ now: UInt64
    ) {
        guard columns > 0, last > first else { return }
        overview = Array(repeating: 0, count: columns)
        let axis = TimeAxis(
            left: first, scale: TimeAxis.scale(filling: last - first, columns: columns), columns: columns)
        for node in nodes {
            for stretch in NodeBar(of: node, in: forest, now: now).stretches where stretch.phase == .running {
                let start = min(max(0, axis.column(of: stretch.from)), columns - 1)
                let end = min(max(start, axis.column(of: stretch.to &- 1)), columns - 1)
                for column in start...end { overview[column] += 1 }
            }
        }
    }
}

// Folding.
extension TimelineView {
    /// Folds what is under the selected node, or unfolds it.
    mutating func toggleFold(_ context: inout ViewContext) {
        guard let selection = context.selection, let chain else {
            return context.notify(whyNotFolded(context))
        }
        if folded.remove(selection) == nil {
            let number = cursor.selected
            guard chain.rows.indices.contains(number + 1), chain.rows[number + 1].depth > chain.rows[number].depth
            else {
                return context.notify("there is nothing under this node")
            }
            folded.insert(selection)
        }
    }

    private func whyNotFolded(_ context: ViewContext) -> String {
        shownChain(context) == nil
            ? "a chain alone can be folded; Enter shows it"
            : "this chain is too long to fold: it has more than \(CountText.grouped(Self.wholeLimit)) nodes"
    }

    /// Folds each node directly under the root, or unfolds all nodes.
    mutating func setFolded(_ isFolded: Bool, _ context: inout ViewContext) {
        guard let chain, let first = chain.rows.first else {
            return context.notify(whyNotFolded(context))
        }
        folded = []
        if isFolded {
            for row in chain.rows where row.depth == 1 {
                if let node = row.node {
                    folded.insert(context.rowID(of: node, in: row.programIndex))
                }
            }
            if let node = first.node { context.select(context.rowID(of: node, in: first.programIndex)) }
        }
    }
}

// The longest bars.
extension TimelineView {
    /// The number of longest bars that repeated key presses go through.
    private static let longestCount = 10

    /// The maximum number of rows that are searched for the longest bars; the rows nearest to the selected row are
    /// searched.
    private static let longestLimit = 100_000

    /// Selects the node with the longest time of its own, or the longest chain where all chains are shown. A repeated
    /// call goes to the next longest.
    mutating func goToLongest(_ context: inout ViewContext) {
        let ranked = ranking(context)
        guard !ranked.isEmpty else { return context.notify("nothing here took any time") }
        let isAgain = longest == context.selection
        let current = isAgain ? ranked.firstIndex { $0.rowID == context.selection } : nil
        let next = current.map { ($0 + 1) % ranked.count } ?? 0
        let time = TimelineText.settled(ranked[next].time)
        let what = shownChain(context) == nil ? "chain" : "bar"
        let rowCount = cursor.count
        let among = rowCount > Self.longestLimit ? " of the nearest \(CountText.grouped(Self.longestLimit))" : ""
        context.select(ranked[next].rowID)
        longest = context.selection
        context.notify(
            next == 0 ? "the longest \(what)\(among): \(time)" : "number \(next + 1) of the longest\(among): \(time)")
    }

    /// Returns the rows that took longest, the longest first; rows that took equally long stay in the order of rows.
    private func ranking(_ context: ViewContext) -> [(rowID: RowID, time: UInt64)] {
        let first = max(0, min(cursor.selected - Self.longestLimit / 2, cursor.count - Self.longestLimit))
        let rows = chain?.rows ?? rows(from: first, count: Self.longestLimit, context)
        let isAll = shownChain(context) == nil
        var ranked: [(row: TimelineRow, time: UInt64)] = []
        for (programIndex, lines) in rows.programs {
            let program = context.programs[programIndex]
            for row in rows[lines] {
                guard let node = row.node else { continue }
                let time = isAll ? Self.chainTime(node, program) : Self.ownTime(node, program)
                guard time > (ranked.count < Self.longestCount ? 0 : ranked[Self.longestCount - 1].time) else {
                    continue
                }
                ranked.insert((row, time), at: ranked.firstIndex { $0.time < time } ?? ranked.count)
                if ranked.count > Self.longestCount { ranked.removeLast() }
            }
        }
        return ranked.map { (context.rowID(of: $0.row.node!, in: $0.row.programIndex), $0.time) }
    }

    private static func chainTime(_ root: NodeIndex, _ program: borrowing Program) -> UInt64 {
        let end = program.forest.chain(of: root).settled ?? program.shownNow
        return end &- min(end, program.forest.node(root).created)
    }

    /// Returns the time in a queue and in the handler; for a node that waits for no other node, also the time pending.
    private static func ownTime(_ node: NodeIndex, _ program: borrowing Program) -> UInt64 {
        let forest = program.forest
        let isAlone = forest.targets(of: node, limit: 1).isEmpty && forest.kind(of: node).role != .combinator
        return NodeBar(of: node, in: forest, now: program.shownNow).stretches.reduce(0) { sum, stretch in
            switch stretch.phase {
            case .queued, .running: sum + (stretch.to - stretch.from)
            case .pending where isAlone: sum + (stretch.to - stretch.from)
            case .pending, .waiting: sum
            }
        }
    }
}
