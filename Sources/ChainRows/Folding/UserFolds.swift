import ChainEvents
import ChainModel

/// The folds and tags that the user set, by the ids of the nodes: what another forest of the same run can have, too.
package struct UserFolds: Sendable {
    fileprivate var level: Int?
    fileprivate var nodes: [NodeID: UInt8] = [:]
}

extension RowModel {
    /// The folds and tags of the user. O(their number).
    package var userFolds: UserFolds {
        var user = UserFolds(level: folds.level)
        for (node, id) in folds.marked { user.nodes[id] = folds.userBits(of: node).rawValue }
        return user
    }

    /// Sets folds and tags of another forest, where their nodes are in this one.
    package mutating func restore(_ user: UserFolds, in forest: borrowing ChainForest) {
        if let level = user.level { fold(toLevel: level == Folds.everything ? nil : level, in: forest) }
        for (id, bits) in user.nodes {
            guard let node = forest.index(of: id) else { continue }
            let bits = Folds.NodeBits(rawValue: bits)
            if bits.contains(.tagged) { tag(node, true, in: forest) }
            if !bits.isDisjoint(with: [.userFolded, .userUnfolded]) {
                fold(node, bits.contains(.userFolded), in: forest)
            }
        }
    }
}
