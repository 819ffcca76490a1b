// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows

/// The user's folds, tags, unfolded groups, pins and dismissed warnings in a program, by the ids of nodes. They are
/// kept while a recording shows moments at which the nodes do not exist.
struct KeptChoices {
    var folds = UserFolds()
    /// Pinned nodes.
    var pins: [NodeID] = []
    var dismissals = WarningTable.Dismissals()
    /// Nodes of ``folds`` and ``pins`` that do not exist at the shown moment.
    fileprivate var absent: Set<NodeID> = []
}

extension Program {
    /// Saves the user's choices into ``kept`` before another moment is shown.
    mutating func keepChoices() {
        guard let info, forest.process == info.key else { return }
        kept.folds = outline.userFolds(keeping: kept.folds, in: forest)
        kept.pins = kept.pins.filter { forest.index(of: $0) == nil } + forest.pins
        kept.dismissals = insight.warnings.dismissals
    }

    /// Applies the choices in ``kept`` to the nodes that exist; unpins the nodes that ``kept`` does not pin.
    mutating func restoreChoices() {
        outline.restore(kept.folds, in: forest)
        // A change of the fold level drops the initial folds, so they are made again.
        if !kept.folds.showsEverything { foldExistingNodesInitially() }
        for id in forest.pins where !kept.pins.contains(id) {
            if let node = forest.index(of: id) { forest.unpin(node) }
        }
        for id in kept.pins { restorePin(id) }
        insight.warnings.restore(kept.dismissals)
        kept.absent = Set((kept.folds.nodeIDs + kept.pins).filter { forest.index(of: $0) == nil })
    }

    /// Pins a node again, if it exists and the limits of pins allow it.
    private mutating func restorePin(_ id: NodeID) {
        if let node = forest.index(of: id), !forest.isPinned(node) { try? forest.pin(node) }
    }

    /// Applies the choices in ``kept`` to nodes that exist only since the last step. O(absent nodes).
    mutating func restoreArrivals() {
        let arrived = kept.absent.filter { forest.index(of: $0) != nil }
        kept.absent.subtract(arrived)
        for id in arrived {
            outline.restore(kept.folds, at: id, in: forest)
            if kept.pins.contains(id) { restorePin(id) }
        }
    }
}
