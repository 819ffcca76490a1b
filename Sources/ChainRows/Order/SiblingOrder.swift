import ChainModel

/// How nodes under the same node stand, where that was asked for: sorted as chains are, as of a moment.
struct SiblingOrder {
    let order: TreeOrder
    let moment: UInt64

    func sort(_ nodes: inout [NodeIndex], in forest: borrowing ChainForest) {
        guard nodes.count > 1 else { return }
        let rank = SortRank(order: order, like: nodes, in: forest)
        var ranked: [(rank: UInt64, place: Int, node: NodeIndex)] = []
        ranked.reserveCapacity(nodes.count)
        for (place, node) in nodes.enumerated() {
            ranked.append((rank.rank(of: node, at: moment, in: forest), place, node))
        }
        // Equal ones stay in program order.
        ranked.sort { ($0.rank, $0.place) < ($1.rank, $1.place) }
        nodes = ranked.map(\.node)
    }
}

extension RowModel {
    /// Whether siblings stand in another order than the program's.
    var sortsSiblings: Bool {
        order.wanted.sortsSiblings && (order.wanted.column != .start || order.wanted.isInverted)
    }

    /// How siblings are sorted; nil for program order.
    var siblingOrder: SiblingOrder? {
        guard sortsSiblings else { return nil }
        return SiblingOrder(order: order.wanted, moment: order.moment)
    }
}
