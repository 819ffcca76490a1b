import ChainModel
import ChainRows

/// What the user set in a program, by the ids of nodes: kept while a recording shows moments at which the nodes do not
/// exist.
struct KeptChoices {
    var folds = UserFolds()
    /// Pinned nodes.
    var pins: [NodeID] = []
    /// Those of both that the moment that is shown does not have.
    fileprivate var absent: Set<NodeID> = []
}

extension Program {
    /// Keeps folds, tags, opened groups and pins before another moment is shown.
    mutating func keepChoices() {
        guard let info, forest.process == info.key else { return }
        kept.folds = rowModel.userFolds(keeping: kept.folds, in: forest)
        kept.pins = kept.pins.filter { forest.index(of: $0) == nil } + forest.pins
    }

    /// Sets what is kept, where the nodes exist.
    mutating func restoreChoices() {
        rowModel.restore(kept.folds, in: forest)
        for id in forest.pins where !kept.pins.contains(id) {
            if let node = forest.index(of: id) { forest.unpin(node) }
        }
        for id in kept.pins { restorePin(id) }
        kept.absent = Set((kept.folds.nodeIDs + kept.pins).filter { forest.index(of: $0) == nil })
    }

    /// One that does not fit any more is not pinned again.
    private mutating func restorePin(_ id: NodeID) {
        if let node = forest.index(of: id), !forest.isPinned(node) { try? forest.pin(node) }
    }

    /// Sets what is kept at nodes that have come into existence since; true if there were any. O(what waits).
    mutating func restoreArrivals() -> Bool {
        let arrived = kept.absent.filter { forest.index(of: $0) != nil }
        guard !arrived.isEmpty else { return false }
        kept.absent.subtract(arrived)
        for id in arrived {
            rowModel.restore(kept.folds, at: id, in: forest)
            if kept.pins.contains(id) { restorePin(id) }
        }
        return true
    }
}

extension State {
    /// Divides the tags into those of nodes that exist at the moment that is shown, and the others.
    mutating func divideTags() {
        let all = tags + absentTags
        tags = all.filter { find($0) != nil }
        absentTags = all.filter { find($0) == nil }
    }
}
