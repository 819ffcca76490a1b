// SPDX-License-Identifier: MIT

import ChainModel

/// The order of nodes under the same node, as of a moment.
struct SiblingOrder {
    let order: TreeOrder
    /// The moment up to which durations that still grow are counted, in nanoseconds of the program's clock.
    let moment: UInt64

    /// Sorts siblings; equal siblings stay in their order.
    func sort(_ nodes: inout [NodeIndex], in forest: borrowing ChainForest) {
        guard nodes.count > 1 else { return }
        let rank = SortRank(order: order, moment: moment, like: nodes, in: forest)
        var ranked: [(rank: UInt64, index: Int, node: NodeIndex)] = []
        ranked.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() {
            ranked.append((rank.rank(of: node, in: forest), index, node))
        }
        // By index, too, because the library's sort is not stable.
        ranked.sort { ($0.rank, $0.index) < ($1.rank, $1.index) }
        nodes = ranked.map(\.node)
    }
}

extension Outline {
    /// The order of siblings; nil for program order (the order in which they were made).
    var siblingOrder: SiblingOrder? {
        guard wantedOrder.sortsSiblings, wantedOrder.column != .start || wantedOrder.isInverted else { return nil }
        return SiblingOrder(order: wantedOrder, moment: orderMoment)
    }
}
