// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

/// Ranks of chains, and of nodes under the same node, in one order. A rank is a number of 64 bits (see ``Rank``), so
/// that sorting compares numbers.
///
/// A duration that has not ended is *growing*; it is ranked by its length at a moment. Any other duration is *known*.
struct SortRank {
    let order: TreeOrder
    /// The moment at which growing durations are compared, in nanoseconds of the program's clock.
    var moment: UInt64
    /// The common prefix of the texts in each of the two sections of ``Rank`` that can have texts.
    private var prefixes: [TextPrefix] = [TextPrefix(of: []), TextPrefix(of: [])]

    /// A cache of the ranks of nodes without a label, by call site.
    private final class Sites {
        // @exclusivity(unchecked): only the rank that holds this accesses it, and no access calls other code.
        @exclusivity(unchecked) var ranks: [SiteID: UInt64] = [:]
    }
    private let sites = Sites()

    init(order: TreeOrder, moment: UInt64 = 0) { (self.order, self.moment) = (order, moment) }

    /// Finds the common prefixes of the texts of `nodes`, which may be a sample.
    init(
        order: TreeOrder, moment: UInt64, like nodes: some Sequence<NodeIndex>, in forest: borrowing ChainForest
    ) {
        self.init(order: order, moment: moment)
        guard order.column.isText else { return }
        var texts: [[String]] = [[], []]
        for node in nodes {
            guard let (section, text) = text(ofRow: forest.node(node), in: forest) else { continue }
            texts[section].append(text)
        }
        prefixes = texts.map { TextPrefix(of: $0) }
    }

    /// A moment after all others. A growing duration began at this moment minus the duration computed for it.
    private static let farAway: UInt64 = 1 << 61

    /// Returns the rank of a chain, by what its root's row shows.
    func rank(ofRoot root: NodeIndex, isArchived: Bool, in forest: borrowing ChainForest) -> UInt64 {
        switch order.column {
        case .node, .thread, .wait, .run: return rank(of: root, in: forest)
        case .start, .state, .total, .value: break
        }
        let chain = forest.chain(of: root)
        switch order.column {
        case .start:
            if isArchived, let settled = chain.settled {
                return Rank.made(section: 1, settled, flips: !order.isInverted)
            }
            return Rank.made(section: 0, forest.node(root).startRank, flips: !order.isInverted)
        case .state:
            return Rank.made(section: 0, UInt64(chain.status.rawValue), flips: order.isInverted)
        case .total:
            let created = forest.node(root).created
            if chain.nodeCount == 1 { return rank(of: root, in: forest) }
            if let settled = chain.settled { return knownRank(settled &- min(created, settled)) }
            return growingRank(since: created)
        case .value:
            if chain.liveCount > 0, forest.summary(of: root) == nil, let rejected = chain.firstRejected {
                let name = NodeText.name(of: rejected, in: forest)
                return textRank(0, "\(name): \(forest.summary(of: rejected) ?? forest.state(of: rejected).word)")
            }
            if chain.outcome == .rejected, let failure = NodeText.failure(of: chain, in: forest) {
                return textRank(0, failure)
            }
            return rank(of: NodeText.shownNode(for: root, isRoot: true, in: forest), in: forest)
        case .node, .thread, .wait, .run: return rank(of: root, in: forest)
        }
    }

    /// Returns the rank of a node among its siblings.
    func rank(of node: NodeIndex, in forest: borrowing ChainForest) -> UInt64 {
        let view = forest.node(node)
        switch order.column {
        case .start: return Rank.made(section: 0, view.created, flips: order.isInverted)
        case .state: return Rank.made(section: 0, Self.stateRank(of: view.state) << 4, flips: order.isInverted)
        case .node, .thread, .value: return rank(ofText: view, in: forest)
        case .wait: return rank(of: forest.timing(of: node, now: Self.farAway).wait, isGrowing: view.isWaitGrowing)
        case .run:
            return rank(of: forest.timing(of: node, now: Self.farAway).run, isGrowing: view.activity == .running)
        case .total: return rank(of: forest.timing(of: node, now: Self.farAway).total, isGrowing: view.isLive)
        }
    }

    /// Returns the rank of a duration as of ``farAway``; nil is unknown.
    private func rank(of duration: UInt64?, isGrowing: Bool) -> UInt64 {
        guard let duration else { return Rank.made(section: 2, 0) }
        return isGrowing ? growingRank(since: Self.farAway - min(duration, Self.farAway)) : knownRank(duration)
    }

    private func rank(ofText view: NodeView, in forest: borrowing ChainForest) -> UInt64 {
        if order.column == .node, let rank = sites.ranks[view.site], forest.label(of: view)?.isEmpty ?? true {
            return rank
        }
        guard let (section, text) = text(ofRow: view, in: forest) else { return Rank.made(section: 2, 0) }
        let rank = textRank(section, text)
        if order.column == .node, section == 1, forest.sites[view.site]?.fileID.isEmpty == false {
            sites.ranks[view.site] = rank
        }
        return rank
    }

    private func textRank(_ section: Int, _ text: String) -> UInt64 {
        Rank.made(section: UInt64(section), prefixes[section].rank(of: text), flips: order.isInverted)
    }

    /// Returns the text of a node in the column, and its section; nil if it has no text.
    private func text(ofRow view: NodeView, in forest: borrowing ChainForest) -> (section: Int, text: String)? {
        switch order.column {
        case .node:
            let (text, isLabel) = NodeText.label(of: view.index, in: forest)
            return (isLabel ? 0 : 1, text)
        case .thread:
            return view.thread == 0 ? nil : (0, forest.threads[view.thread] ?? "\(view.thread)")
        case .value:
            guard let summary = forest.summary(of: view) else { return nil }
            return (view.state == .fulfilled || view.state == .skipped || view.isLive ? 1 : 0, summary)
        case .start, .state, .wait, .run, .total: return nil
        }
    }

    private func knownRank(_ duration: UInt64) -> UInt64 { durationRank(duration, isGrowing: false) }

    private func growingRank(since start: UInt64) -> UInt64 {
        durationRank(moment - min(start, moment), isGrowing: true)
    }

    /// Of equal durations the growing one comes first.
    private func durationRank(_ duration: UInt64, isGrowing: Bool) -> UInt64 {
        let isGreater: UInt64 = isGrowing == order.isDescending ? 1 : 0
        return Rank.made(section: 0, min(duration, Rank.longest) << 1 | isGreater, flips: order.isDescending)
    }

    // MARK: States

    /// Live states first, then faults, then good ends. ``ChainStatus`` has the same order for chains.
    private static let states: [NodeState] = [
        .running, .queued, .pending, .waiting, .rejected, .abandoned, .cancelled, .unknown, .fulfilled, .skipped,
    ]

    private static let stateRanks: [UInt64] = NodeState.allCases.map { UInt64(states.firstIndex(of: $0)!) }

    private static func stateRank(of state: NodeState) -> UInt64 { stateRanks[Int(state.rawValue)] }
}

extension NodeView {
    /// The start of the node, for sorting. A node made before recording began has no known start, and is ranked by its
    /// id instead. It comes before all nodes with a known start, because ids are far below moments in nanoseconds.
    package var startRank: UInt64 { marks.contains(.seenLate) ? id.rawValue : created }
}
