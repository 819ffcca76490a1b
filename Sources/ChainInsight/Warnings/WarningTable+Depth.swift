import ChainModel

/// Chains that may be too deep, searched in slices.
extension WarningTable {
    /// Whether a root's chain has more nodes than may stand under each other. Where none ever had, the root is not read.
    @inline(__always)
    func mayBeDeep(_ root: NodeIndex, _ forest: borrowing ChainForest) -> Bool {
        let limit = rules.options.depthLimit
        return forest.chainHighWater > limit && rules.isEnabled(.deepChain) && forest.nodeCount(ofRoot: root) > limit
    }

    /// Lists a root's chain for the depth search. Returns whether it has to be searched.
    mutating func needsDepthSearch(_ view: NodeView, _ forest: ChainForest) -> Bool {
        let chain = forest.chain(of: view.index)
        guard chain.liveCount > 0,
            sweep!.longChains.count < WarningSweep.longChainLimit
        else { return false }
        sweep!.longChains.append(view.id)
        return true
    }

    /// Searches long chains that grew or shrank. Returns whether all are done.
    mutating func measureDepths(_ forest: ChainForest, budget: inout Int) -> Bool {
        while let id = sweep!.depth?.root ?? sweep!.longChains.last {
            guard let root = forest.index(of: id), forest.isRoot(root) else {
                finishDepthSearch(of: id)
                continue
            }
            let count = forest.chain(of: root).nodeCount
            if sweep!.depth == nil, let known = depths[id], abs(known.nodeCount - count) * 16 < count {
                if known.isDeep { recordDeepChain(root, forest) }
                finishDepthSearch(of: id)
                continue
            }
            if sweep!.depth == nil { sweep!.depth = DepthSearch(root, in: forest) }
            guard let isDeep = sweep!.depth!.step(forest, deeperThan: rules.options.depthLimit, budget: &budget) else {
                return false
            }
            depths[id] = (count, isDeep)
            if isDeep { recordDeepChain(root, forest) }
            finishDepthSearch(of: id)
        }
        return true
    }

    private mutating func finishDepthSearch(of root: NodeID) {
        sweep!.depth = nil
        sweep!.longChains.removeAll { $0 == root }
    }

    private mutating func recordDeepChain(_ root: NodeIndex, _ forest: ChainForest) {
        let view = forest.node(root)
        let limit = UInt64(max(0, rules.options.depthLimit))
        sweep!.found[WarningKind.deepChain.index].add(
            Warning(.deepChain, view.id, since: view.created, amount: limit))
    }
}
