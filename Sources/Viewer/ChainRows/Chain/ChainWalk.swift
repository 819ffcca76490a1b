// SPDX-License-Identifier: MIT

import ChainModel

/// The order in which a chain's nodes are drawn.
///
/// Under a node, one level in, stand its *inner* nodes: members, adopted nodes, nodes that its handler made, and forks
/// (the nodes of several `then` on the node). If exactly one `then` was called on the node, its *continuation* stands
/// after the inner nodes, at the node's own level, so a chain reads as a list. Folding a node hides its inner nodes;
/// folding a root hides everything under it.
package struct ChainWalk {
    /// Returns whether a node at a depth is folded; called for nodes that can be folded.
    package typealias IsFolded = (NodeIndex, _ depth: Int) -> Bool
    /// Returns whether a node is left out, with all nodes under it.
    package typealias IsHidden = (NodeIndex) -> Bool

    /// A node on the stack of the walk, with the inner nodes of the same parent that come after it.
    private struct Pending {
        let node: NodeIndex
        /// The low bits of its id, by which a node is known that was evicted between two steps.
        let id: UInt32
        let depth: UInt16
        let guides: UInt32
        var isContinuation = false
        /// Whether more nodes follow at the node's level, after the node and its continuations.
        var moreAfter = false
        /// Whether the next inner node is still to be found, and ``moreAfter`` with it.
        var leadsOthers = false

        init(_ node: NodeIndex, depth: UInt16, guides: UInt32, in forest: borrowing ChainForest) {
            (self.node, self.depth, self.guides) = (node, depth, guides)
            id = forest.shortID(of: node)
        }

        /// The bit of the node's level in ``TreeRow/guides`` if more nodes follow at that level, else 0. The roots'
        /// level has no bit.
        var ownGuide: UInt32 {
            let level = UInt32(depth)
            return moreAfter && level > 0 && level <= TreeRow.guideLimit ? 1 << (level - 1) : 0
        }
    }

    private let root: NodeIndex
    private var stack: [Pending] = []
    /// The rows so far.
    private(set) var rows: [TreeRow] = []
    /// The low bits of the ids of the rows' nodes.
    private(set) var ids: [UInt32] = []

    /// Whether all rows are made.
    var isDone: Bool { stack.isEmpty }

    /// Begins a walk over a chain.
    init(of root: NodeIndex, in forest: borrowing ChainForest) {
        self.root = root
        stack = [Pending(root, depth: 0, guides: 0, in: forest)]
    }

    /// Returns the rows of a node and of all nodes under it, without folds; at most `limit` rows. O(nodes under it).
    package static func rows(
        of root: NodeIndex, in forest: borrowing ChainForest, limit: Int = .max, isFolded: IsFolded = { _, _ in false },
        isHidden: IsHidden? = nil
    ) -> [TreeRow] {
        var walk = ChainWalk(of: root, in: forest)
        walk.step(limit, in: forest, isFolded: isFolded, isHidden: isHidden)
        return walk.rows
    }

    /// Makes at most `count` more rows. Iterative, so deep chains do not overflow the stack. If a node was evicted since
    /// the last step, its later siblings may be left out.
    ///
    /// One of `callers`, under which rows of other programs' chains are drawn, can be folded, even without inner nodes. The
    /// rows of other programs are not made.
    mutating func step(
        _ count: Int, in forest: borrowing ChainForest, isFolded: IsFolded, isHidden: IsHidden? = nil,
        callers: [NodeIndex: ForeignTable.Caller] = [:], siblings: SiblingOrder? = nil
    ) {
        let limit = count > .max - rows.count ? .max : rows.count + count
        while rows.count < limit, var next = stack.popLast() {
            let node = next.node
            guard forest.contains(node), forest.shortID(of: node) == next.id else { continue }
            if next.leadsOthers, let sibling = Self.inner(from: forest.nextSibling(of: node), in: forest, isHidden) {
                next.moreAfter = true
                var other = Pending(sibling, depth: next.depth, guides: next.guides, in: forest)
                other.leadsOthers = true
                stack.append(other)
            }
            let isRoot = node == root
            var (first, continuation): (NodeIndex?, NodeIndex?) = (nil, nil)
            if forest.childCount(of: node) > 0 {
                continuation = forest.continuation(of: node)
                if let tail = continuation, isHidden?(tail) == true { continuation = nil }
                first = Self.inner(from: forest.firstChild(of: node), in: forest, isHidden)
            }
            var flags: TreeRow.Flags = next.isContinuation ? .continuation : []
            if next.moreAfter { flags.insert(.passing) } else if continuation == nil { flags.insert(.last) }
            if isRoot { flags.insert(.root) }
            if first != nil || (isRoot && continuation != nil) || !callers.isEmpty && callers[node] != nil {
                flags.insert(.foldable)
                if isFolded(node, Int(next.depth)) {
                    flags.insert(.folded)
                } else if first != nil {
                    flags.insert(.openInside)
                }
            }
            rows.append(TreeRow(node: node, depth: next.depth, guides: next.guides, flags: flags))
            ids.append(next.id)
            if flags.contains(.folded), isRoot { return stack = [] }
            if let continuation {
                var tail = Pending(continuation, depth: next.depth, guides: next.guides, in: forest)
                (tail.isContinuation, tail.moreAfter) = (true, next.moreAfter)
                stack.append(tail)
            }
            guard let first, !flags.contains(.folded) else { continue }
            let (depth, guides) = (UInt16(clamping: Int(next.depth) + 1), next.guides | next.ownGuide)
            guard let siblings else {
                var lead = Pending(first, depth: depth, guides: guides, in: forest)
                lead.leadsOthers = true
                stack.append(lead)
                continue
            }
            var inner = [first]
            while let other = Self.inner(from: forest.nextSibling(of: inner.last!), in: forest, isHidden) {
                inner.append(other)
            }
            siblings.sort(&inner, in: forest)
            for (index, node) in inner.enumerated().reversed() {
                var pending = Pending(node, depth: depth, guides: guides, in: forest)
                pending.moreAfter = index + 1 < inner.count
                stack.append(pending)
            }
        }
    }

    /// Returns the first of a node and its later siblings that is an inner node and not hidden.
    private static func inner(
        from node: NodeIndex?, in forest: borrowing ChainForest, _ isHidden: IsHidden?
    ) -> NodeIndex? {
        var next = node
        while let node = next, forest.isContinuation(node) || isHidden?(node) == true {
            next = forest.nextSibling(of: node)
        }
        return next
    }
}

extension ChainForest {
    /// Returns the low bits of a node's id.
    @inline(__always)
    func shortID(of node: NodeIndex) -> UInt32 { UInt32(truncatingIfNeeded: id(of: node).rawValue) }
}
