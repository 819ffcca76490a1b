// SPDX-License-Identifier: MIT

import ChainModel

/// What a chain or a node is sorted by, before it is ranked.
///
/// Ranks have three sections (``Rank``). What has no value belongs to the last of them, and most other keys to the first.
enum SortKey {
    case nothing
    case number(UInt64, section: UInt64 = 0)
    /// A text, in the first or the second section.
    case text(String, section: Int = 0)
    /// In the second section the call site as a text, else the id.
    case unlabelled(SiteID, NodeID)
    /// A duration that is known, in nanoseconds.
    case duration(UInt64)
    /// A duration that has not ended, by its start.
    case growing(since: UInt64)

    /// A moment after all others, to compute growing durations at.
    static let farAway: UInt64 = 1 << 61

    /// Returns the key of a duration as of ``farAway``; nil is unknown.
    static func duration(_ duration: UInt64?, isGrowing: Bool) -> SortKey {
        guard let duration else { return .nothing }
        return isGrowing ? .growing(since: farAway - min(duration, farAway)) : .duration(duration)
    }
}

/// Ranks of chains, and of nodes under the same node, in one order. A rank is a number of 64 bits (see ``Rank``), so
/// that sorting compares numbers. What is ranked is a ``SortKey``, growing durations by their length at a moment.
struct SortRank {
    let order: TreeOrder
    /// The moment at which growing durations are compared, in nanoseconds of the program's clock.
    var moment: UInt64
    private let isDescending: Bool
    /// The common prefix of the texts in each of the two sections of ``Rank`` that can have texts.
    private var prefixes: [TextPrefix] = [TextPrefix(of: []), TextPrefix(of: [])]

    /// A cache of the ranks of call sites.
    private final class Sites {
        // @exclusivity(unchecked): only the rank that holds this accesses it, and no access calls other code.
        @exclusivity(unchecked) var ranks: [SiteID: UInt64] = [:]
    }
    private let sites = Sites()

    init(order: TreeOrder, moment: UInt64 = 0) {
        (self.order, self.moment, isDescending) = (order, moment, order.isDescending)
    }

    /// Finds the common prefixes of the texts of `nodes`, which may be a sample.
    init(
        order: TreeOrder, moment: UInt64, like nodes: some Sequence<NodeIndex>, in forest: borrowing ChainForest
    ) {
        self.init(order: order, moment: moment)
        guard order.column.isText else { return }
        var texts: [[String]] = [[], []]
        for node in nodes {
            switch order.column.key(of: node, in: forest) {
            case .text(let text, let section): texts[section].append(text)
            case .unlabelled(let site, let node): texts[1].append(Self.text(site, forest) ?? node.description)
            case .nothing, .number, .duration, .growing: break
            }
        }
        prefixes = texts.map { TextPrefix(of: $0) }
    }

    /// Returns the rank of a chain, by what its root's row shows.
    func rank(ofRoot root: NodeIndex, isArchived: Bool, in forest: borrowing ChainForest) -> UInt64 {
        rank(of: order.column.key(ofRoot: root, isArchived: isArchived, in: forest), in: forest)
    }

    /// Returns the rank of a node among its siblings.
    func rank(of node: NodeIndex, in forest: borrowing ChainForest) -> UInt64 {
        rank(of: order.column.key(of: node, in: forest), in: forest)
    }

    private func rank(of key: SortKey, in forest: borrowing ChainForest) -> UInt64 {
        switch key {
        case .nothing: return Rank.made(section: 2, 0)
        case .number(let number, let section): return Rank.made(section: section, number, flips: isDescending)
        case .text(let text, let section): return rank(ofText: text, section)
        case .unlabelled(let site, let node):
            if let rank = sites.ranks[site] { return rank }
            guard let text = Self.text(site, forest) else { return rank(ofText: node.description, 1) }
            let rank = rank(ofText: text, 1)
            sites.ranks[site] = rank
            return rank
        case .duration(let duration): return rank(ofDuration: duration, isGrowing: false)
        case .growing(let start): return rank(ofDuration: moment - min(start, moment), isGrowing: true)
        }
    }

    private static func text(_ site: SiteID, _ forest: borrowing ChainForest) -> String? {
        guard let site = forest.sites[site], !site.fileID.isEmpty else { return nil }
        return site.description
    }

    private func rank(ofText text: String, _ section: Int) -> UInt64 {
        Rank.made(section: UInt64(section), prefixes[section].rank(of: text), flips: isDescending)
    }

    /// Of equal durations the growing one comes first.
    private func rank(ofDuration duration: UInt64, isGrowing: Bool) -> UInt64 {
        let isGreater: UInt64 = isGrowing == isDescending ? 1 : 0
        return Rank.made(section: 0, min(duration, Rank.longest) << 1 | isGreater, flips: isDescending)
    }
}
