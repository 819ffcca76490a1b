// SPDX-License-Identifier: MIT

import ChainModel

extension ProfileCount {
    /// The buffers of a walk: the counted nodes, and the path to the current node.
    struct Scratch: Sendable {
        /// A counted node.
        struct Entry {
            /// The index of its frame.
            var frame: Int
            /// The index of the owner: the entry under which this entry stands. The owner is the node with the handler
            /// that made this node, or the node that waits for it; -1 for the root.
            var owner: Int
            var begin: UInt64
            var end: UInt64
            var node: NodeIndex
            var id: NodeID
            var isFailed: Bool
        }

        /// A node on the path from the root to the current node.
        struct Level {
            /// The index of the entry under which the nodes below this node stand; -1 if those nodes are not counted.
            var entry: Int
            /// The index of the entry under which this node stands.
            var owner: Int
            var settled: UInt64?
        }

        var entries: [Entry] = []
        var levels: [Level] = []
        /// The indices of the entries, sorted by owner and then by begin, without the root.
        var order: [Int] = []
        /// For each entry, the time during which at least one entry under it had begun and not settled, in nanoseconds.
        var covered: [UInt64] = []
    }

    /// Counts the nodes of a settled chain in pre-order; returns how many were read. O(n log n), because its nodes are
    /// sorted by begin.
    mutating func walk(_ root: NodeIndex, _ view: NodeView, _ forest: ChainForest) -> Int {
        var scratch = Scratch()
        swap(&scratch, &self.scratch)
        defer { swap(&scratch, &self.scratch) }
        scratch.entries.removeAll(keepingCapacity: true)
        scratch.levels.removeAll(keepingCapacity: true)
        let chain = forest.chain(of: root)
        let frame = frame(under: -1, SiteKey(site: canonicalNumber(of: view.site, forest), kind: view.kind))
        guard frame >= 0 else {
            omittedCount += chain.nodeCount
            return 1
        }
        scratch.entries.append(
            .init(
                frame: frame, owner: -1, begin: view.created, end: max(view.created, chain.settled ?? 0), node: root,
                id: view.id, isFailed: chain.outcome.isFailure))
        scratch.levels.append(.init(entry: 0, owner: 0, settled: view.settled))
        var (depth, readCount) = (0, 1)
        var cursor = forest.next(after: root, within: root, depth: &depth)
        while let node = cursor, readCount < Self.nodeLimit {
            readCount += 1
            scratch.levels.removeLast(scratch.levels.count - depth)
            visit(node, under: scratch.levels[depth - 1], &scratch, forest)
            cursor = forest.next(after: node, within: root, depth: &depth)
        }
        if cursor != nil { omittedCount += chain.nodeCount - readCount }
        measureCoverage(&scratch)
        for (entry, covered) in zip(scratch.entries, scratch.covered) { add(entry, covered, forest) }
        return readCount
    }

    private mutating func visit(
        _ node: NodeIndex, under above: Scratch.Level, _ scratch: inout Scratch, _ forest: ChainForest
    ) {
        let view = forest.node(node)
        // A node that continues a promise (`hasParent`) stands beside that promise, under the same owner. Any other
        // node stands under the node above it in the tree.
        let owner = view.hasParent ? above.owner : above.entry
        var level = Scratch.Level(entry: owner, owner: owner, settled: view.settled)
        defer { scratch.levels.append(level) }
        guard view.state != .skipped, let end = view.settled else { return }
        let begin = max(view.created, view.hasParent ? above.settled ?? 0 : 0)
        // The time of a node that was cancelled before its parent settled never began.
        guard begin <= end else { return }
        guard owner >= 0 else { return omittedCount += 1 }
        let key = SiteKey(site: canonicalNumber(of: view.site, forest), kind: view.kind)
        let frame = frame(under: scratch.entries[owner].frame, key)
        guard frame >= 0 else {
            omittedCount += 1
            level.entry = -1
            return
        }
        let isFailed = view.state == .rejected || view.state == .abandoned
        level.entry = scratch.entries.count
        scratch.entries.append(
            .init(frame: frame, owner: owner, begin: begin, end: end, node: node, id: view.id, isFailed: isFailed))
    }

    /// Computes for each entry how long at least one entry under it had begun and not settled. This is the length of
    /// the union of these entries' times, within the time of the entry itself.
    private func measureCoverage(_ scratch: inout Scratch) {
        scratch.order.removeAll(keepingCapacity: true)
        scratch.order.append(contentsOf: 1..<max(1, scratch.entries.count))
        scratch.covered.removeAll(keepingCapacity: true)
        scratch.covered.append(contentsOf: repeatElement(0, count: scratch.entries.count))
        // Moved out of `scratch`, so that both arrays can change while its entries are read; moved back for the next
        // walk.
        var (order, covered) = ([Int](), [UInt64]())
        swap(&order, &scratch.order)
        swap(&covered, &scratch.covered)
        scratch.entries.withUnsafeBufferPointer { entries in
            order.sort {
                let (left, right) = (entries[$0], entries[$1])
                return left.owner != right.owner ? left.owner < right.owner : left.begin < right.begin
            }
            // The time of the current owner is accounted for up to `reached`.
            var (owner, reached) = (-1, UInt64(0))
            for index in order {
                let entry = entries[index]
                if entry.owner != owner { (owner, reached) = (entry.owner, entries[entry.owner].begin) }
                let (begin, end) = (max(entry.begin, reached), min(entry.end, entries[owner].end))
                guard end > begin else { continue }
                covered[owner] = covered[owner].addingClamped(end - begin)
                reached = end
            }
        }
        swap(&order, &scratch.order)
        swap(&covered, &scratch.covered)
    }

    private mutating func add(_ entry: Scratch.Entry, _ covered: UInt64, _ forest: ChainForest) {
        frames[entry.frame].add(entry, covered)
        sampleLabel(of: entry.node, forest, entry.frame)
    }

    /// Reads the labels of a frame's 1st, 2nd, 4th, 8th… node only, because reading a label costs more than counting a
    /// node.
    private mutating func sampleLabel(of node: NodeIndex, _ forest: ChainForest, _ frame: Int) {
        let count = frames[frame].count
        guard count & (count - 1) == 0, let label = forest.label(of: node), !label.isEmpty else { return }
        frames[frame].commonLabel.add(label)
    }

    /// Returns the frame of a path, and makes the frame if it is new; -1 if that would exceed a limit.
    private mutating func frame(under parent: Int, _ key: SiteKey) -> Int {
        if let known = indices[Path(parent: parent, key: key)] { return known }
        let depth = parent < 0 ? 0 : frames[parent].depth + 1
        guard frames.count < Self.frameLimit, depth < Self.depthLimit else { return -1 }
        frames.append(Frame(parent: parent < 0 ? nil : parent, key: key, depth: depth))
        indices[Path(parent: parent, key: key)] = frames.count - 1
        return frames.count - 1
    }

    /// Returns the number that stands for a call site: of all its numbers in the program, the number that was counted
    /// first.
    private mutating func canonicalNumber(of site: SiteID, _ forest: ChainForest) -> SiteID {
        if let known = canonical[site] { return known }
        guard let location = forest.sites[site] else { return site }
        let number = numbers[location] ?? site
        numbers[location] = number
        if canonical.count < 16 * Self.frameLimit { canonical[site] = number }
        return number
    }
}

extension ProfileCount.Frame {
    fileprivate mutating func add(_ entry: ProfileCount.Scratch.Entry, _ covered: UInt64) {
        let time = entry.end.subtractingClamped(entry.begin)
        count += 1
        total = total.addingClamped(time)
        ownTime = ownTime.addingClamped(time.subtractingClamped(covered))
        if entry.isFailed { failed += 1 }
        buckets.record(time)
        if entry.end >= newestEnd { (newest, newestEnd) = (entry.id, entry.end) }
        if time >= slowestTotal { (slowest, slowestTotal) = (entry.id, time) }
    }
}
