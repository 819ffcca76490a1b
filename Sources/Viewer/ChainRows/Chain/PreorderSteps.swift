// SPDX-License-Identifier: MIT

import ChainModel

/// Steps from row to row of a chain with nothing folded, from any node on; see ``ChainWalk`` for the order.
///
/// A step is O(1), but at the end of a subtree O(nodes on the way up or down), continuations included.
package enum PreorderSteps {
    /// One step down.
    package struct Step {
        package let node: NodeIndex
        /// How many levels the node is further in than the node before it; negative if it is further out.
        package let levels: Int
    }

    /// Returns the node in the row below another one; nil after the last node under `top`. If `climbs` is false, also
    /// nil if nothing is under `node`, instead of a step up.
    package static func next(
        after node: NodeIndex, within top: NodeIndex, climbs: Bool = true, in forest: borrowing ChainForest
    ) -> Step? {
        if let first = inner(forest.firstChild(of: node), in: forest) { return Step(node: first, levels: 1) }
        if let tail = forest.continuation(of: node) { return Step(node: tail, levels: 0) }
        guard climbs else { return nil }
        var current = node
        var levels = 0
        while current != top, let above = forest.treeParent(of: current) {
            if !forest.isContinuation(current) {
                let sibling = inner(forest.nextSibling(of: current), in: forest)
                if sibling == nil { levels -= 1 }
                if let next = sibling ?? forest.continuation(of: above) { return Step(node: next, levels: levels) }
            }
            current = above
        }
        return nil
    }

    /// Returns the node in the row above another one; nil for `top`.
    package static func previous(
        before node: NodeIndex, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        guard node != top, let above = forest.treeParent(of: node) else { return nil }
        let start = forest.isContinuation(node) ? forest.lastChild(of: above) : forest.previousSibling(of: node)
        guard let start else { return above }
        // A continuation is drawn after its siblings, wherever it is among them.
        let inner = forest.isContinuation(start) ? forest.previousSibling(of: start) : start
        return inner.map { last(under: $0, in: forest) } ?? above
    }

    /// Returns the last node under another one, or the node itself if nothing is under it. O(steps down).
    package static func last(under node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex {
        var current = node
        while let next = forest.continuation(of: current) ?? forest.lastChild(of: current) { current = next }
        return current
    }

    /// Returns the nearest node in a row below (`forward`) or above another one for which a condition holds; nil if
    /// there is none. O(nodes in between).
    static func nearest(
        to node: NodeIndex, forward: Bool, within top: NodeIndex, in forest: borrowing ChainForest,
        where isWanted: (NodeIndex) -> Bool
    ) -> NodeIndex? {
        var current = node
        while let next = step(from: current, forward: forward, within: top, in: forest) {
            if isWanted(next) { return next }
            current = next
        }
        return nil
    }

    private static func step(
        from node: NodeIndex, forward: Bool, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        forward ? next(after: node, within: top, in: forest)?.node : previous(before: node, within: top, in: forest)
    }

    /// Returns the node that is `rows` further down (up if negative), and how many rows were passed (negative if up).
    /// Fewer rows are passed if the first or the last row is reached.
    package static func step(
        from node: NodeIndex, by rows: Int, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> (node: NodeIndex, rows: Int) {
        var (current, done) = (node, 0)
        while done != rows, let next = step(from: current, forward: rows > 0, within: top, in: forest) {
            current = next
            done += rows.signum()
        }
        return (current, done)
    }

    /// Returns how many rows are above a node; nil for more than `limit`.
    package static func number(
        of node: NodeIndex, within top: NodeIndex, limit: Int, in forest: borrowing ChainForest
    ) -> Int? {
        let count = -step(from: node, by: -limit - 1, within: top, in: forest).rows
        return count > limit ? nil : count
    }

    /// Returns the level of a node below `top`; 0 if `top` is `limit` steps up or more.
    package static func depth(
        of node: NodeIndex, within top: NodeIndex, limit: Int = 2_000, in forest: borrowing ChainForest
    ) -> Int {
        var (current, depth, steps) = (node, 0, 0)
        while current != top, let above = forest.treeParent(of: current) {
            guard steps < limit else { return 0 }
            if !forest.isContinuation(current) { depth += 1 }
            (current, steps) = (above, steps + 1)
        }
        return depth
    }

    /// Returns a node, or its next sibling if it is a continuation.
    @inline(__always)
    private static func inner(_ node: NodeIndex?, in forest: borrowing ChainForest) -> NodeIndex? {
        guard let node, forest.isContinuation(node) else { return node }
        return forest.nextSibling(of: node)
    }
}
