// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

// Pinning: pinned chains are kept beyond the limits of the forest.
extension World {
    /// Pins the chain of a node, or unpins it; returns what was done, or why it was not, in words.
    mutating func togglePin(of node: NodeIndex, in programIndex: Int) -> (words: String, isRefused: Bool) {
        let root = programs[programIndex].forest.root(of: node)
        let name = NodeText.safe(NodeText.name(of: root, in: programs[programIndex].forest))
        guard !programs[programIndex].forest.isChainPinned(node) else {
            programs[programIndex].forest.unpin(node)
            return ("unpinned: \(name) may be evicted again", false)
        }
        do throws(ChainForest.PinRefusal) {
            try programs[programIndex].forest.pin(node)
            let count = programs[programIndex].forest.pins.count
            return ("pinned: \(name) is kept until P unpins it (\(count) of \(ChainForest.pinLimit))", false)
        } catch {
            switch error {
            case .tooMany(let limit): return ("\(limit) nodes are pinned, the limit; P on one unpins it", true)
            case .tooLarge(let count, let limit):
                let (count, limit) = (CountText.grouped(count), CountText.grouped(limit))
                return ("its chain has \(count) nodes: up to \(limit) can be pinned", true)
            }
        }
    }
}
