// SPDX-License-Identifier: MIT

import ChainModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A forest as text: each live node with its state, call site, thread, time in that state, and what it waits for. The
/// program's texts are escaped for terminals.
struct LiveTree {
    private let forest: ChainForest
    private let now: UInt64
    /// Whether settled nodes without live descendants are listed.
    private let showsSettled: Bool
    /// How many nodes may still be listed.
    private var linesLeft: Int
    private(set) var text = ""
    /// Live nodes listed so far.
    private var liveCount = 0

    /// Draws at most `limit` nodes, but at least one. O(nodes).
    init(of forest: ChainForest, now: UInt64, settled: Bool, limit: Int) {
        self.forest = forest
        self.now = now
        showsSettled = settled
        linesLeft = max(limit, 1)
        for root in forest.roots {
            guard linesLeft > 0 else { break }
            draw(root)
        }
        let left = forest.totals.counts.liveCount - liveCount
        if linesLeft == 0, left > 0 { text += "… and \(left) more that are alive\n" }
    }

    /// Draws one tree: the nodes that ``liveNodes(under:)`` returns, or all nodes if settled nodes are listed, too.
    private mutating func draw(_ root: NodeIndex) {
        let shown = showsSettled ? nil : liveNodes(under: root)
        // The nodes decide, not the chain's state, because a settled chain may have a handler that has not returned.
        if let shown, shown.isEmpty { return }
        var depth = 0
        var walk = TreeWalk(root)
        while let (index, change) = walk.next(in: forest) {
            depth += change
            if let shown, !shown.contains(index) { continue }
            guard linesLeft > 0 else { return }
            linesLeft -= 1
            for _ in 0..<min(depth, 20) { text += "  " }
            if depth > 20 { text += "(\(depth)) " }
            append(index, isRoot: index == root)
        }
    }

    /// Returns the nodes of a tree that are live or have a running handler, and the ancestors of these nodes. Stops
    /// once as many nodes are found as may still be listed.
    private func liveNodes(under root: NodeIndex) -> Set<NodeIndex> {
        var shown: Set<NodeIndex> = []
        var walk = TreeWalk(root)
        while shown.count < linesLeft, let (index, _) = walk.next(in: forest) {
            guard forest.state(of: index).isLive || isOnThread(index) else { continue }
            var next: NodeIndex? = index
            while let node = next, shown.insert(node).inserted { next = forest.treeParent(of: node) }
        }
        return shown
    }

    /// Returns whether the node is settled, and its handler has not returned.
    private func isOnThread(_ index: NodeIndex) -> Bool { forest.node(index).marks.contains(.stillOnThread) }

    private mutating func append(_ index: NodeIndex, isRoot: Bool) {
        let view = forest.node(index)
        if view.isLive { liveCount += 1 }
        text += "\(view.stateWord) \(view.kind.word) \(view.id)"
        if let label = forest.label(of: index) { text += " \(escaped(label))" }
        if let summary = forest.summary(of: index) { text += ": \(escaped(summary))" }
        if let site = forest.site(of: index) { text += " (\(escaped(site.description)))" }
        if view.activity == .running {
            text += "\(view.isLive ? "" : " still") on \(thread(view.thread))"
        }
        appendTimes(view)
        if let canceller = forest.canceller(of: index), view.marks.contains(.cancelRequested) {
            text += ", to be cancelled by \(escaped(canceller))"
        }
        if let blocker = forest.blockerText(of: index) { text += ", waits for \(escaped(blocker))" }
        if isRoot {
            let counts = forest.chain(of: index).counts
            let count = NodeState.allCases.reduce(0) { $0 + counts[$1] }
            if count > 1 { text += ", \(counts.liveCount) of \(count) alive" }
        }
        text += "\n"
    }

    private mutating func appendTimes(_ view: NodeView) {
        if view.activity == .running {
            if let started = forest.lastSwitchTime(of: view.index) ?? view.started {
                text += " for \(readable(from: started))"
            }
            if let stall = forest.stall(of: view.index) {
                text += ", blocked\(stall.wait.words) for \(readable(from: stall.since))"
            }
        } else if view.isLive {
            text += view.marks.contains(.seenLate) ? " for at least " : " for "
            let since =
                view.isSuspended ? forest.lastSwitchTime(of: view.index) : view.state == .queued ? view.queued : nil
            text += readable(from: since ?? view.created)
        }
    }

    private func readable(from time: UInt64) -> String {
        ChainInspector.readable(now > time ? now - time : 0)
    }

    private func thread(_ id: ThreadID) -> String {
        if let name = forest.threads[id] { return "\(escaped(name)) [\(id)]" }
        return id == 0 ? "some thread" : "thread \(id)"
    }
}

/// A pre-order walk over one tree, without a stack, for trees of any depth.
private struct TreeWalk {
    private let root: NodeIndex
    private var current: NodeIndex?

    init(_ root: NodeIndex) { self.root = root }

    /// Returns the next node and the change of the depth; nil after the last node.
    mutating func next(in forest: ChainForest) -> (index: NodeIndex, change: Int)? {
        guard var node = current else {
            current = root
            return (root, 0)
        }
        if let child = forest.firstChild(of: node) {
            current = child
            return (child, forest.indentsChildren(of: node) ? 1 : 0)
        }
        var change = 0
        while node != root {
            if let sibling = forest.nextSibling(of: node) {
                current = sibling
                return (sibling, change)
            }
            guard let parent = forest.treeParent(of: node) else { return nil }
            if forest.indentsChildren(of: parent) { change -= 1 }
            node = parent
        }
        return nil
    }
}

/// Returns a text of the program for a terminal, with control characters, line separators and marks of writing
/// direction written as `\n` or `\u{…}`.
func escaped(_ text: String) -> String {
    func isHostile(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
    guard text.unicodeScalars.contains(where: isHostile) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        if isHostile(scalar) {
            result += scalar == "\n" ? "\\n" : "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Returns a moment as text: `2026-11-21 20:25:40 UTC`.
func dateText(nanosecondsSince1970 nanoseconds: UInt64) -> String {
    var seconds = time_t(nanoseconds / 1_000_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
        strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%d %H:%M:%S UTC", &parts)
        return String(cString: buffer.baseAddress!)
    }
}
