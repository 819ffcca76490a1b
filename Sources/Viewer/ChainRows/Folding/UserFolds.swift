// SPDX-License-Identifier: MIT

import ChainModel

/// The folds, tags and unfolded groups that the user set. They are stored by node id and call site, so that they can be
/// restored in another forest of the same run.
package struct UserFolds: Sendable {
    fileprivate var level: Int?
    /// The ``Folds/Bits`` that the user set.
    fileprivate var nodes: [NodeID: UInt8] = [:]
    fileprivate var unfoldedSites: Set<CodeLocation> = []

    package init() {}

    /// Whether the user unfolded everything.
    package var showsEverything: Bool { level == Folds.everything }

    /// The nodes with a fold or a tag.
    package var nodeIDs: [NodeID] { Array(nodes.keys) }

    /// Removes all tags.
    package mutating func forgetTags() {
        nodes = nodes.compactMapValues { Folds.Bits(rawValue: $0).subtracting(.tagged).ifAny }
    }
}

extension Outline {
    /// Returns the user's folds, tags and unfolded groups. Keeps folds and tags in `earlier` for nodes that the forest
    /// lacks: it may show a moment at which these nodes do not exist. O(folds and tags).
    package func userFolds(keeping earlier: UserFolds, in forest: borrowing ChainForest) -> UserFolds {
        var user = UserFolds()
        (user.level, user.unfoldedSites) = (folds.level, unfoldedSites)
        // Folds of single nodes are dropped if the level changed, because a new level replaces them.
        let kept: Folds.Bits = earlier.level == folds.level ? [.anyFold, .tagged] : .tagged
        for (id, bits) in earlier.nodes where forest.index(of: id) == nil {
            user.nodes[id] = Folds.Bits(rawValue: bits).intersection(kept).ifAny
        }
        for mark in folds.marks.values {
            var bits = mark.bits
            if bits.contains(.initiallyFolded) { bits.subtract([.folded, .initiallyFolded]) }
            user.nodes[mark.id] = bits.ifAny
        }
        return user
    }

    /// Replaces the user's folds, tags and unfolded groups by the ones in `user`, as far as their nodes are in this
    /// forest. Other nodes that were folded initially stay folded, unless the fold level changes.
    package mutating func restore(_ user: UserFolds, in forest: borrowing ChainForest) {
        if let level = user.level, level != folds.level {
            fold(toLevel: level == Folds.everything ? nil : level, in: forest)
        }
        for (node, mark) in folds.marks where user.nodes[mark.id] == nil && forest.index(of: mark.id) == node {
            let isInitial = mark.bits.contains(.initiallyFolded)
            folds.set(isInitial ? [.folded, .initiallyFolded] : [], of: node, mark.id)
            if !isInitial { noteFold(of: node, in: forest) }
        }
        // Groups are restored after the level, because setting a level unfolds or folds all groups.
        for site in unfoldedSites.symmetricDifference(user.unfoldedSites) {
            setUnfolded(site, user.unfoldedSites.contains(site))
        }
        for id in user.nodes.keys { restore(user, at: id, in: forest) }
    }

    /// Restores the fold and the tag of one node, if it is in the forest.
    package mutating func restore(_ user: UserFolds, at id: NodeID, in forest: borrowing ChainForest) {
        guard let node = forest.index(of: id), let bits = user.nodes[id].map(Folds.Bits.init) else { return }
        if bits.contains(.tagged) != isTagged(node) { tag(node, bits.contains(.tagged), in: forest) }
        if !bits.isDisjoint(with: .anyFold) {
            return fold(node, bits.contains(.folded), in: forest)
        }
        // The stored state has no fold for this node, because a new level dropped it. Drop the node's present fold,
        // too.
        let own = folds.bits(of: node)
        guard !own.isDisjoint(with: .anyFold), !own.contains(.initiallyFolded) else { return }
        folds.set(own.subtracting(.anyFold), of: node, id)
        noteFold(of: node, in: forest)
    }
}

extension Folds.Bits {
    /// The raw value; nil without any bit.
    fileprivate var ifAny: UInt8? { isEmpty ? nil : rawValue }
}
