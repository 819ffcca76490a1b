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
    typealias IsFolded = (NodeIndex, _ depth: Int) -> Bool
    /// Returns whether a node is left out, with all nodes under it.
    typealias IsHidden = (NodeIndex) -> Bool

    /// A node on the stack of the walk, with the inner nodes of the same parent that come after it.
    private struct Pending {
        var node: NodeIndex
        /// The low bits of its id, by which a node is known that was evicted between two steps.
        var id: UInt32
        var depth: UInt16
        var guides: UInt32
        var isContinuation: Bool
        /// Whether more nodes follow at the node's level, after the node and its continuations.
        var moreAfter = false
        /// Whether the next inner node is still to be found, and ``moreAfter`` with it.
        var leadsOthers = false

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
        stack = [Self.pending(root, depth: 0, guides: 0, isContinuation: false, in: forest)]
    }

    private static func pending(
        _ node: NodeIndex, depth: UInt16, guides: UInt32, isContinuation: Bool, in forest: borrowing ChainForest
    ) -> Pending {
        Pending(node: node, id: forest.shortID(of: node), depth: depth, guides: guides, isContinuation: isContinuation)
    }

    /// Returns the rows of a node and of all nodes under it, without folds; at most `limit` rows. O(nodes under it).
    package static func rows(
        of root: NodeIndex, in forest: borrowing ChainForest, limit: Int = .max,
        isHidden: ((NodeIndex) -> Bool)? = nil
    ) -> [TreeRow] {
        rows(of: root, in: forest, limit: limit, isFolded: { _, _ in false }, isHidden: isHidden)
    }

    /// Returns at most `limit` rows of a chain. O(its nodes).
    static func rows(
        of root: NodeIndex, in forest: borrowing ChainForest, limit: Int = .max, isFolded: IsFolded,
        isHidden: IsHidden? = nil, foreignRows: [UInt32: Int] = [:]
    ) -> [TreeRow] {
        var walk = ChainWalk(of: root, in: forest)
        walk.step(limit, in: forest, isFolded: isFolded, isHidden: isHidden, foreignRows: foreignRows)
        return walk.rows
    }

    /// Makes at most `count` more rows. Iterative, so deep chains do not overflow the stack. If a node was evicted since
    /// the last step, its later siblings may be left out.
    ///
    /// `foreignRows` has the number of rows of other programs' chains under a node. A node with such rows can be
    /// folded, even without inner nodes. The rows of other programs are not made.
    mutating func step(
        _ count: Int, in forest: borrowing ChainForest, isFolded: IsFolded, isHidden: IsHidden? = nil,
        foreignRows: [UInt32: Int] = [:], siblings: SiblingOrder? = nil
    ) {
        let limit = count > .max - rows.count ? .max : rows.count + count
        while rows.count < limit, var next = stack.popLast() {
            let node = next.node
            guard forest.contains(node), forest.shortID(of: node) == next.id else { continue }
            if next.leadsOthers, let sibling = Self.inner(from: forest.nextSibling(of: node), in: forest, isHidden) {
                next.moreAfter = true
                stack.append(
                    Self.pending(sibling, depth: next.depth, guides: next.guides, isContinuation: false, in: forest))
                stack[stack.count - 1].leadsOthers = true
            }
            let isRoot = node == root
            var (first, continuation): (NodeIndex?, NodeIndex?) = (nil, nil)
            if forest.childCount(of: node) > 0 {
                continuation = forest.continuation(of: node)
                if let tail = continuation, isHidden?(tail) == true { continuation = nil }
                first = Self.inner(from: forest.firstChild(of: node), in: forest, isHidden)
            }
            var flags = next.flags(hasContinuation: continuation != nil)
            if isRoot { flags.insert(.root) }
            if first != nil || (isRoot && continuation != nil) || foreignRows[node.rawValue] != nil {
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
                stack.append(
                    Self.pending(
                        continuation, depth: next.depth, guides: next.guides, isContinuation: true, in: forest))
                stack[stack.count - 1].moreAfter = next.moreAfter
            }
            guard let first, !flags.contains(.folded) else { continue }
            push(first, under: next, in: forest, isHidden, siblings)
        }
    }

    /// Pushes the inner nodes of a node, of which `first` is the first in program order.
    private mutating func push(
        _ first: NodeIndex, under above: Pending, in forest: borrowing ChainForest, _ isHidden: IsHidden?,
        _ siblings: SiblingOrder?
    ) {
        let (depth, guides) = (UInt16(clamping: Int(above.depth) + 1), above.guides | above.ownGuide)
        guard let siblings else {
            stack.append(Self.pending(first, depth: depth, guides: guides, isContinuation: false, in: forest))
            stack[stack.count - 1].leadsOthers = true
            return
        }
        var inner: [NodeIndex] = []
        var next: NodeIndex? = first
        while let node = next {
            inner.append(node)
            next = Self.inner(from: forest.nextSibling(of: node), in: forest, isHidden)
        }
        siblings.sort(&inner, in: forest)
        for index in inner.indices.reversed() {
            stack.append(Self.pending(inner[index], depth: depth, guides: guides, isContinuation: false, in: forest))
            stack[stack.count - 1].moreAfter = index + 1 < inner.count
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
