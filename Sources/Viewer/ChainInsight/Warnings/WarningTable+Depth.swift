// SPDX-License-Identifier: MIT

import ChainModel

/// Chains that may be too deep, searched in slices.
extension WarningTable {
    /// Returns whether a node is the root of a chain with more nodes than the depth limit. If no chain ever had so many
    /// nodes, the node is not read.
    @inline(__always)
    func mayBeDeep(_ node: NodeIndex, _ forest: borrowing ChainForest) -> Bool {
        let limit = rules.depthLimit
        return forest.chainHighWater > limit && rules.isEnabled(.deepChain) && forest.nodeCount(ofRoot: node) > limit
    }

    /// Adds a root's chain to those that the sweep searches. Returns false, and adds nothing, if the chain is settled
    /// or there is no room.
    mutating func addToDepthSearch(_ view: NodeView, _ forest: ChainForest) -> Bool {
        let chain = forest.chain(of: view.index)
        guard chain.liveCount > 0,
            sweep!.longChains.count < WarningSweep.longChainLimit
        else { return false }
        sweep!.longChains.append(view.id)
        return true
    }

    /// Searches the long chains of the sweep. A chain keeps its last result if its node count changed by less than a
    /// sixteenth. Returns false if the budget was used up before all chains were searched.
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
            switch sweep!.depth!.step(forest, deeperThan: rules.depthLimit, budget: &budget) {
            case .unfinished: return false
            case .finished(let isDeep): depths[id] = (count, isDeep)
            // Stores nothing, so the next sweep searches the chain again; an earlier result stands until then.
            case .invalidated: break
            }
            if depths[id]?.isDeep == true { recordDeepChain(root, forest) }
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
        sweep!.found[WarningKind.deepChain.index].add(
            Warning(.deepChain, view.id, since: view.created, amount: rules.options[.deepChain]))
    }
}
