// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

/// The columns that the tree's rows can be sorted by.
public enum SortColumn: String, Hashable, Sendable, CaseIterable {
    /// First the chains that are not archived, by their start, then archived chains, by their end; the newest first.
    case start
    /// Live states first, then faults.
    case state
    /// The label or, without a label, the call site; digits in it are compared as numbers.
    case node
    /// The name of the thread.
    case thread
    /// The time from being queued to the handler's start.
    case wait
    /// The time that the handler runs.
    case run
    /// The time from the creation of a chain to its end; for a node under another node, the node's own total.
    case total
    /// Errors, then values.
    case value

    /// What a column holds, and how its order reads in a sentence.
    private enum Content {
        /// Numbers. Unless the order is inverted, the least comes first or, if `isDescending`, the greatest.
        case numbers(isDescending: Bool = false, usual: String, inverted: String)
        /// Texts from A to Z, ranked by what follows their common prefix; `first` is said before that.
        case texts(first: String = "")
        /// Durations, the longest first. Those that grow are compared anew once a second.
        case durations
    }

    private var content: Content {
        switch self {
        case .start:
            .numbers(
                isDescending: true, usual: "live chains first, the newest of them at the top",
                inverted: "live chains first, the oldest of them at the top")
        case .state: .numbers(usual: "live first", inverted: "fulfilled first")
        case .node, .thread: .texts()
        case .value: .texts(first: "errors first, ")
        case .wait, .run, .total: .durations
        }
    }

    /// Returns what a chain is sorted by: what the row of its root shows.
    func key(ofRoot root: NodeIndex, isArchived: Bool, in forest: borrowing ChainForest) -> SortKey {
        switch self {
        case .node, .thread, .wait, .run: return key(of: root, in: forest)
        case .start:
            if isArchived, let settled = forest.chain(of: root).settled { return .number(settled, section: 1) }
            return .number(forest.node(root).startRank)
        case .state: return .number(UInt64(forest.chain(of: root).status.rawValue))
        case .total:
            let chain = forest.chain(of: root)
            if chain.nodeCount == 1 { return key(of: root, in: forest) }
            let created = forest.node(root).created
            guard let settled = chain.settled else { return .growing(since: created) }
            return .duration(settled &- min(created, settled))
        case .value:
            let chain = forest.chain(of: root)
            if chain.liveCount > 0, forest.summary(of: root) == nil, let rejected = chain.firstRejected {
                let name = NodeText.name(of: rejected, in: forest)
                return .text("\(name): \(forest.summary(of: rejected) ?? forest.state(of: rejected).word)")
            }
            if chain.outcome == .rejected, let failure = NodeText.failure(of: chain, in: forest) {
                return .text(failure)
            }
            return key(of: NodeText.shownNode(for: root, isRoot: true, in: forest), in: forest)
        }
    }

    /// Returns what a node is sorted by among its siblings.
    func key(of node: NodeIndex, in forest: borrowing ChainForest) -> SortKey {
        let view = forest.node(node)
        switch self {
        // Siblings stand in the order in which they were made, so here the greatest comes last.
        case .start: return .number(Rank.payloadMask - min(view.created, Rank.payloadMask))
        case .state: return .number(Self.stateRanks[Int(view.state.rawValue)])
        case .node:
            if let label = forest.label(of: view), !label.isEmpty { return .text(label) }
            return .unlabelled(view.site, view.id)
        case .thread: return view.thread == 0 ? .nothing : .text(forest.threads[view.thread] ?? "\(view.thread)")
        case .value:
            guard let summary = forest.summary(of: view) else { return .nothing }
            return .text(summary, section: view.state == .fulfilled || view.state == .skipped || view.isLive ? 1 : 0)
        case .wait: return .duration(timing(of: node, in: forest).wait, isGrowing: view.isWaitGrowing)
        case .run: return .duration(timing(of: node, in: forest).run, isGrowing: view.activity == .running)
        case .total: return .duration(timing(of: node, in: forest).total, isGrowing: view.isLive)
        }
    }

    private func timing(of node: NodeIndex, in forest: borrowing ChainForest) -> Timing {
        forest.timing(of: node, now: SortKey.farAway)
    }

    /// Live states first, then faults, then good ends. ``ChainStatus`` has the same order for chains.
    private static let states: [NodeState] = [
        .running, .queued, .pending, .waiting, .rejected, .abandoned, .cancelled, .unknown, .fulfilled, .skipped,
    ]

    private static let stateRanks: [UInt64] = NodeState.allCases.map { UInt64(states.firstIndex(of: $0)!) }
}

extension SortColumn {
    /// Whether the column holds durations.
    package var isDuration: Bool { if case .durations = content { true } else { false } }

    /// Whether the column holds texts.
    var isText: Bool { if case .texts = content { true } else { false } }

    /// Whether the greatest value comes first, unless the order is inverted: the longest duration, the newest chain.
    package var isDescending: Bool {
        if case .numbers(let isDescending, _, _) = content { isDescending } else { isDuration }
    }

    /// Returns the order in a sentence, such as *by node, from A to Z*.
    fileprivate func words(isInverted: Bool) -> String {
        let order =
            switch content {
            case .numbers(_, let usual, let inverted): isInverted ? inverted : usual
            case .texts(let first): first + (isInverted ? "from Z to A" : "from A to Z")
            case .durations: isInverted ? "the shortest first" : "the longest first"
            }
        return "by \(rawValue), \(order)"
    }

    /// The column that the key `s` sorts by next.
    package var next: SortColumn {
        let all = Self.allCases
        return all[(all.firstIndex(of: self)! + 1) % all.count]
    }
}

/// An order of the tree's chains.
public struct TreeOrder: Hashable, Sendable {
    /// The column to sort by.
    public var column: SortColumn
    /// Whether the order is inverted: durations shortest first, texts from Z to A, chains oldest first.
    public var isInverted: Bool
    /// Whether nodes under a node are sorted, too; if not, they are in the order in which they were made.
    public var sortsSiblings: Bool
    /// Whether the chains of a call site stand together, under a row for their group.
    public var isGrouped: Bool

    /// Makes an order; without arguments, the usual order.
    public init(
        column: SortColumn = .start, isInverted: Bool = false, sortsSiblings: Bool = false, isGrouped: Bool = false
    ) {
        self.column = column
        self.isInverted = isInverted
        self.sortsSiblings = sortsSiblings
        self.isGrouped = isGrouped
    }

    /// Whether the greatest value comes first.
    package var isDescending: Bool { column.isDescending != isInverted }

    /// The order in a sentence.
    package var words: String {
        "sorted " + column.words(isInverted: isInverted) + (sortsSiblings ? "; nodes under a node, too" : "")
    }
}

extension NodeView {
    /// The start of the node, for sorting. A node made before recording began has no known start, and is ranked by its
    /// id instead. It comes before all nodes with a known start, because ids are far below moments in nanoseconds.
    package var startRank: UInt64 { marks.contains(.seenLate) ? id.rawValue : created }
}
