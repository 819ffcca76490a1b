import ChainModel

/// The folds, tags and opened groups that the user set, by the ids of nodes and by call sites: what another forest of the
/// same run can have, too.
package struct UserFolds: Sendable {
    fileprivate var level: Int?
    fileprivate var nodes: [NodeID: UInt8] = [:]
    fileprivate var openSites: Set<CodeLocation> = []

    package init() {}

    /// The nodes with a fold or a tag.
    package var nodeIDs: [NodeID] { Array(nodes.keys) }
}

extension RowModel {
    /// The folds, tags and opened groups of the user, and those of `earlier` at nodes that the forest does not have,
    /// because it shows a moment without them. O(their number).
    package func userFolds(keeping earlier: UserFolds, in forest: borrowing ChainForest) -> UserFolds {
        var user = UserFolds()
        (user.level, user.openSites) = (folds.level, order.openSites)
        // A level of all chains replaces the folds of single nodes.
        let kept: Folds.NodeBits = earlier.level == folds.level ? .user : .tagged
        for (id, bits) in earlier.nodes where forest.index(of: id) == nil { user.nodes[id] = bits & kept.rawValue }
        for (node, id) in folds.marked { user.nodes[id] = folds.userBits(of: node).rawValue }
        return user
    }

    /// Sets folds, tags and opened groups of another forest, where their nodes are in this one, instead of its own.
    package mutating func restore(_ user: UserFolds, in forest: borrowing ChainForest) {
        if let level = user.level, level != folds.level {
            fold(toLevel: level == Folds.everything ? nil : level, in: forest)
        }
        for (node, id) in folds.marked where user.nodes[id] == nil && forest.index(of: id) == node {
            folds.setUserBits([], of: node, id)
            noteFold(of: node, in: forest)
        }
        // After the level, which opens or folds all groups.
        for site in order.openSites.symmetricDifference(user.openSites) { open(site, user.openSites.contains(site)) }
        for id in user.nodes.keys { restore(user, at: id, in: forest) }
    }

    /// Sets the fold and the tag of one node, if it is in the forest.
    package mutating func restore(_ user: UserFolds, at id: NodeID, in forest: borrowing ChainForest) {
        guard let node = forest.index(of: id), let bits = user.nodes[id].map(Folds.NodeBits.init) else { return }
        if bits.contains(.tagged) != isTagged(node) { tag(node, bits.contains(.tagged), in: forest) }
        if !bits.isDisjoint(with: [.userFolded, .userUnfolded]) {
            fold(node, bits.contains(.userFolded), in: forest)
        }
    }
}
