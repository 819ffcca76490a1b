import ChainEvents
import EventScripts
import SeededNumbers
import Testing

@testable import ChainModel

/// Laws of applying events, on random logs; a failure names its seed.
@Suite struct ApplyPropertyTests {
    private func apply(_ batches: [EventBatch]) -> ChainForest {
        var forest = ChainForest(process: .test)
        for batch in batches { forest.apply(batch) }
        return forest
    }

    private func log(_ seed: UInt64) -> [LogEntry] {
        let count = [60, 200, 600][Int(seed % 3)]
        return RandomLog(
            seed: seed, count: count, threadCount: 1 + Int(seed % 5), isWild: seed % 2 == 0, hasTies: seed % 4 == 1
        ).entries
    }

    @Test(arguments: Seeds.upTo(40))
    func anyInterleavingAndSplitGivesTheSameForest(seed: UInt64) {
        let entries = log(seed)
        var generator = SeededGenerator(seed: seed ^ 0xabcd)
        let plain = apply(entries.batches(upTo: entries.count, using: &generator))
        plain.expectConsistent("seed \(seed)")
        for _ in 0..<3 {
            let other = apply(entries.shuffled(by: &generator).batches(upTo: 40, using: &generator))
            other.expectConsistent("seed \(seed)")
            #expect(firstDifference(plain.dump(facts: true), other.dump(facts: true)) == nil, "seed \(seed)")
            #expect(plain.totals == other.totals, "seed \(seed)")
        }
    }

    @Test(arguments: Seeds.upTo(15))
    func applyingTwiceChangesNothing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let batches = log(seed).batches(upTo: 50, using: &generator)
        let once = apply(batches)
        let twice = apply(batches + batches.reversed())
        twice.expectConsistent("seed \(seed)")
        #expect(firstDifference(once.dump(facts: true), twice.dump(facts: true)) == nil, "seed \(seed)")
    }

    @Test(arguments: Seeds.upTo(30))
    func snapshotAndRemainingEventsGiveTheSameForest(seed: UInt64) {
        let entries = log(seed)
        var generator = SeededGenerator(seed: seed ^ 0x55)
        let shuffled = entries.shuffled(by: &generator)
        let cut = Int.random(in: 0...shuffled.count, using: &generator)
        var whole = apply(Array(shuffled[..<cut]).batches(upTo: 30, using: &generator))
        var late = ChainForest(process: .test)
        var chunks: [[NodeSnapshot]] = []
        var next: NodeID? = NodeID.none
        while let from = next {
            let part = whole.snapshot(from: from, limit: 7)
            chunks.append(part.nodes)
            next = part.next
        }
        for chunk in chunks.shuffled(using: &generator) {
            var batch = EventBatch(process: .test, sequence: 1, time: whole.now)
            batch.nodes = chunk
            late.apply(batch)
        }
        var waits = EventBatch(process: .test, sequence: 1, time: whole.now)
        waits.events = whole.waitEvents
        late.apply(waits)
        late.expectConsistent("seed \(seed)")
        #expect(firstDifference(whole.dump(facts: true), late.dump(facts: true)) == nil, "seed \(seed), state")
        for batch in Array(shuffled[cut...]).batches(upTo: 30, using: &generator) {
            whole.apply(batch)
            late.apply(batch)
        }
        late.expectConsistent("seed \(seed)")
        #expect(firstDifference(whole.dump(facts: true), late.dump(facts: true)) == nil, "seed \(seed), rest")
    }

    /// Compares walks with a recursive descent: each node once, at its depth, in pre-order.
    @Test(arguments: Seeds.upTo(6))
    func walksVisitEveryNode(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let forest = apply(log(seed).batches(upTo: 50, using: &generator))
        func expected(_ node: NodeIndex, _ depth: Int) -> [[Int]] {
            var found = [[Int(node.rawValue), depth]]
            var child = forest.firstChild(of: node)
            while let current = child {
                found += expected(current, depth + 1)
                child = forest.nextSibling(of: current)
            }
            return found
        }
        for root in forest.roots {
            // Also of a subtree, and of its first level alone.
            for top in [root, forest.lastChild(of: root) ?? root] {
                var (found, level, depth): ([[Int]], [NodeIndex], Int) = ([], [], 0)
                var next: NodeIndex? = top
                while let node = next {
                    found.append([Int(node.rawValue), depth])
                    next = forest.next(after: node, within: top, depth: &depth)
                    #expect(forest.next(after: node, within: top) == next)
                }
                #expect(found == expected(top, 0), "seed \(seed)")
                next = forest.firstChild(of: top)
                while let node = next {
                    level.append(node)
                    next = forest.next(after: node, within: top, skippingBelow: true)
                }
                #expect(level.map { [Int($0.rawValue), 1] } == expected(top, 0).filter { $0[1] == 1 }, "seed \(seed)")
            }
        }
    }

    @Test(arguments: Seeds.upTo(12))
    func consumedChangesListEveryChange(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var forest = ChainForest(process: .test, limits: ForestLimits(settledNodeLimit: 20, settledLeafLimit: 10))
        var known: [NodeIndex: String] = [:]
        var first = true
        for batch in log(seed).batches(upTo: 40, using: &generator) {
            let evictedBefore = forest.totals.evictedCount
            forest.apply(batch)
            forest.evictSettled(now: forest.now)
            forest.expectConsistent("seed \(seed)")
            let changes = forest.consumeChanges()
            #expect(changes.isEverything == first)
            if !first {
                // Each node once, because readers that count nodes subtract the evicted ones.
                #expect(changes.evicted.count == Int(forest.totals.evictedCount - evictedBefore), "seed \(seed)")
            }
            for gone in changes.evicted { known[gone.index] = nil }
            for entry in changes.nodes { known[entry.index] = line(entry.index, forest) }
            let actual = all(forest)
            if first { known = actual }
            first = false
            #expect(known == actual, "seed \(seed)")
        }
        #expect(forest.consumeChanges().nodes.isEmpty)
    }

    /// Returns the facts of a node that its readers keep.
    private func line(_ index: NodeIndex, _ forest: ChainForest) -> String {
        let view = forest.node(index)
        let placed = forest.treeParent(of: index).map { forest.id(of: $0) } ?? .none
        var text = "\(view.id) \(view.state) \(placed) \(view.created) \(view.marks) \(forest.childCount(of: index))"
        if forest.isRoot(index) { text += "\(forest.chain(of: index))" }
        return text
    }

    /// Returns the lines of all nodes.
    private func all(_ forest: ChainForest) -> [NodeIndex: String] {
        var result: [NodeIndex: String] = [:]
        for slot in 0..<UInt32(forest.indexBound) where forest.contains(NodeIndex(rawValue: slot)) {
            result[NodeIndex(rawValue: slot)] = line(NodeIndex(rawValue: slot), forest)
        }
        return result
    }
}

/// Returns the first line in which two texts differ, as it is in each; nil if the texts are equal.
func firstDifference(_ left: String, _ right: String) -> String? {
    guard left != right else { return nil }
    let (left, right) = (left.split(separator: "\n"), right.split(separator: "\n"))
    for index in 0..<max(left.count, right.count) {
        let lines = (index < left.count ? left[index] : "(end)", index < right.count ? right[index] : "(end)")
        if lines.0 != lines.1 { return "line \(index):\n\(lines.0)\n\(lines.1)" }
    }
    return nil
}

// SPDX-License-Identifier: MIT
