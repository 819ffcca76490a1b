// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

// Pinning: pinned chains are kept beyond the limits of the forest.
extension State {
    /// Pins the chain of the selected node, or unpins it.
    mutating func togglePin() {
        guard let (programIndex, node) = selectedNode else { return notify("there is no chain to pin") }
        let root = world.programs[programIndex].forest.root(of: node)
        let name = NodeText.safe(NodeText.name(of: root, in: world.programs[programIndex].forest))
        if world.programs[programIndex].forest.isChainPinned(node) {
            world.programs[programIndex].forest.unpin(node)
            notify("unpinned: \(name) may be evicted again")
        } else {
            do throws(ChainForest.PinRefusal) {
                try world.programs[programIndex].forest.pin(node)
                let count = world.programs[programIndex].forest.pins.count
                notify("pinned: \(name) is kept until P unpins it (\(count) of \(ChainForest.pinLimit))")
            } catch {
                switch error {
                case .tooMany(let limit): notify("\(limit) nodes are pinned, the limit; P on one unpins it", .warning)
                case .tooLarge(let count, let limit):
                    let (count, limit) = (CountText.grouped(count), CountText.grouped(limit))
                    notify("its chain has \(count) nodes: up to \(limit) can be pinned", .warning)
                }
            }
        }
        updateViewport()
    }
}
