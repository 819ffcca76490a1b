import ChainModel

/// The order in which a chain's nodes are drawn.
///
/// Under a node, one level in, stand its *inner* nodes: members, adopted nodes, nodes that its handler made, and forks
/// (the nodes of several `then` on the node). If exactly one `then` was called on the node, its *continuation* stands
/// after the inner nodes, at the node's own level, so a chain reads as a list. Folding a node hides its inner nodes;
/// folding a root hides everything under it.
package enum ChainWalk {
    /// Returns whether a node at a depth is folded; called for nodes that can be folded.
    typealias IsFolded = (NodeIndex, _ depth: Int) -> Bool
    /// Returns whether a node is left out, with all nodes under it.
    typealias IsHidden = (NodeIndex) -> Bool

    /// A node on the stack of the walk.
    private struct Pending {
        var node: NodeIndex
        var depth: UInt16
        var guides: UInt32
        var isContinuation: Bool
        /// Whether more nodes follow at the node's level, after the node and its continuations.
        var moreAfter: Bool

        /// The bit of the node's level in ``TreeRow/guides`` if more nodes follow at that level, else 0. The roots'
        /// level has no bit.
        var ownGuide: UInt32 {
            let level = UInt32(depth)
            return moreAfter && level > 0 && level <= TreeRow.guideLimit ? 1 << (level - 1) : 0
        }

        /// Returns the flags of its row, apart from the flags of roots and folds.
        func flags(hasContinuation: Bool) -> TreeRow.Flags {
            var flags: TreeRow.Flags = isContinuation ? .continuation : []
            if moreAfter { flags.insert(.passing) } else if !hasContinuation { flags.insert(.last) }
            return flags
        }
    }

    /// Returns the rows of a node and of all nodes under it, without folds; at most `limit` rows. O(nodes under it).
    package static func rows(
        of root: NodeIndex, in forest: borrowing ChainForest, limit: Int = .max,
        isHidden: ((NodeIndex) -> Bool)? = nil
    ) -> [TreeRow] {
        rows(of: root, in: forest, limit: limit, isFolded: { _, _ in false }, isHidden: isHidden)
    }

    /// Returns at most `limit` rows of a chain. O(its nodes); iterative, so deep chains do not overflow the stack.
    ///
    /// `foreignRows` has the number of rows of other programs' chains under a node. A node with such rows can be
    /// folded, even without inner nodes. The rows of other programs are not in the result.
    static func rows(
        of root: NodeIndex, in forest: borrowing ChainForest, limit: Int = .max, isFolded: IsFolded,
        isHidden: IsHidden? = nil, foreignRows: [UInt32: Int] = [:], siblings: SiblingOrder? = nil
    ) -> [TreeRow] {
        var rows: [TreeRow] = []
        var stack = [Pending(node: root, depth: 0, guides: 0, isContinuation: false, moreAfter: false)]
        var inner: [NodeIndex] = []
        while rows.count < limit, let next = stack.popLast() {
            let node = next.node
            let isRoot = node == root
            inner.removeAll(keepingCapacity: true)
            var continuation: NodeIndex?
            if forest.childCount(of: node) > 0 {
                continuation = children(of: node, in: forest, inner: &inner)
                if let isHidden {
                    inner.removeAll(where: isHidden)
                    if let tail = continuation, isHidden(tail) { continuation = nil }
                }
                siblings?.sort(&inner, in: forest)
            }
            var flags = next.flags(hasContinuation: continuation != nil)
            if isRoot { flags.insert(.root) }
            if !inner.isEmpty || (isRoot && continuation != nil) || foreignRows[node.rawValue] != nil {
                flags.insert(.foldable)
                if isFolded(node, Int(next.depth)) {
                    flags.insert(.folded)
                } else if !inner.isEmpty {
                    flags.insert(.openInside)
                }
            }
            rows.append(TreeRow(node: node, depth: next.depth, guides: next.guides, flags: flags))
            if flags.contains(.folded), isRoot { break }
            if let continuation {
                stack.append(
                    Pending(
                        node: continuation, depth: next.depth, guides: next.guides, isContinuation: true,
                        moreAfter: next.moreAfter))
            }
            guard !flags.contains(.folded) else { continue }
            let guides = next.guides | next.ownGuide
            for index in inner.indices.reversed() {
                stack.append(
                    Pending(
                        node: inner[index], depth: UInt16(clamping: Int(next.depth) + 1), guides: guides,
                        isContinuation: false, moreAfter: index + 1 < inner.count))
            }
        }
        return rows
    }

    /// Appends the inner nodes of a node, in order; returns its continuation.
    static func children(
        of node: NodeIndex, in forest: borrowing ChainForest, inner: inout [NodeIndex]
    ) -> NodeIndex? {
        let continuation = forest.continuation(of: node)
        var child = forest.firstChild(of: node)
        while let current = child {
            if current != continuation { inner.append(current) }
            child = forest.nextSibling(of: current)
        }
        return continuation
    }

    /// Returns the nearest node that, when folded, hides a node; nil for a root. O(steps up);
    /// ``RowModel/outer(of:in:)`` is faster in long chains.
    static func outer(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        forest.outer(of: node)
    }
}
