import ChainEvents
import ChainModel

/// Chains that may be too deep, looked through a slice at a time.
extension WarningTable {
    /// Whether a root's chain has to be looked through.
    mutating func noteLength(_ view: NodeView, _ forest: borrowing ChainForest) -> Bool {
        let chain = forest.chain(of: view.index)
        guard chain.liveCount > 0,
            sweep!.longChains.count < WarningSweep.longChainLimit
        else { return false }
        sweep!.longChains.append(view.id)
        return true
    }

    /// Looks through long chains that have grown or shrunk; whether all are done.
    mutating func measureDepths(_ forest: borrowing ChainForest, budget: inout Int) -> Bool {
        while let id = sweep!.depth?.root ?? sweep!.longChains.last {
            guard let root = forest.index(of: id), forest.isRoot(root) else {
                leave(id)
                continue
            }
            let count = forest.chain(of: root).nodeCount
            if sweep!.depth == nil, let known = depths[id], abs(known.nodeCount - count) * 16 < count {
                if known.isDeep { find(deep: root, forest) }
                leave(id)
                continue
            }
            if sweep!.depth == nil { sweep!.depth = DepthSearch(root, in: forest) }
            guard let isDeep = sweep!.depth!.step(forest, deeperThan: rules.options.depthLimit, budget: &budget) else {
                return false
            }
            depths[id] = (count, isDeep)
            if isDeep { find(deep: root, forest) }
            leave(id)
        }
        return true
    }

    private mutating func leave(_ root: NodeID) {
        sweep!.depth = nil
        sweep!.longChains.removeAll { $0 == root }
    }

    private mutating func find(deep root: NodeIndex, _ forest: borrowing ChainForest) {
        let view = forest.node(root)
        let limit = UInt64(max(0, rules.options.depthLimit))
        sweep!.found[WarningKind.deepChain.place].add(
            Warning(.deepChain, view.id, since: view.created, amount: limit))
    }
}
