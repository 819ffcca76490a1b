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
        /// Whether the node is the continuation of the last node before it at its level.
        let isContinuation: Bool
    }

    /// Returns the node in the row below another one; nil after the last node under `top`. If `climbs` is false, also
    /// nil if nothing is under `node`, instead of a step up.
    package static func next(
        after node: NodeIndex, within top: NodeIndex, climbs: Bool = true, in forest: borrowing ChainForest
    ) -> Step? {
        if let first = inner(forest.firstChild(of: node), in: forest) {
            return Step(node: first, levels: 1, isContinuation: false)
        }
        if let tail = forest.continuation(of: node) { return Step(node: tail, levels: 0, isContinuation: true) }
        guard climbs else { return nil }
        var current = node
        var levels = 0
        while current != top, let above = forest.treeParent(of: current) {
            if !forest.isContinuation(current) {
                if let sibling = inner(forest.nextSibling(of: current), in: forest) {
                    return Step(node: sibling, levels: levels, isContinuation: false)
                }
                levels -= 1
                if let tail = forest.continuation(of: above) {
                    return Step(node: tail, levels: levels, isContinuation: true)
                }
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
        while true {
            let next =
                forward
                ? self.next(after: current, within: top, in: forest)?.node
                : previous(before: current, within: top, in: forest)
            guard let next else { return nil }
            if isWanted(next) { return next }
            current = next
        }
    }

    /// Returns the node that is `rows` further down (up if negative), and how many rows were passed (negative if up).
    /// Fewer rows are passed if the first or the last row is reached.
    package static func step(
        from node: NodeIndex, by rows: Int, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> (node: NodeIndex, rows: Int) {
        var current = node
        var done = 0
        while done < rows, let next = next(after: current, within: top, in: forest) {
            current = next.node
            done += 1
        }
        while done > rows, let previous = previous(before: current, within: top, in: forest) {
            current = previous
            done -= 1
        }
        return (current, done)
    }

    /// Returns how many rows are above a node; nil for more than `limit`.
    package static func number(
        of node: NodeIndex, within top: NodeIndex, limit: Int, in forest: borrowing ChainForest
    ) -> Int? {
        var current = node
        for number in 0...limit {
            guard let above = previous(before: current, within: top, in: forest) else { return number }
            current = above
        }
        return nil
    }

    /// Returns the level of a node below `top`; 0 if `top` is 2,000 steps up or more.
    package static func depth(of node: NodeIndex, within top: NodeIndex, in forest: borrowing ChainForest) -> Int {
        var current = node
        var depth = 0
        for _ in 0..<climbLimit {
            guard current != top, let above = forest.treeParent(of: current) else { return depth }
            if !forest.isContinuation(current) { depth += 1 }
            current = above
        }
        return 0
    }

    private static let climbLimit = 2_000

    /// Returns a node, or its next sibling if it is a continuation.
    @inline(__always)
    private static func inner(_ node: NodeIndex?, in forest: borrowing ChainForest) -> NodeIndex? {
        guard let node, forest.isContinuation(node) else { return node }
        return forest.nextSibling(of: node)
    }
}
