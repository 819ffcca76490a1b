import ChainEvents
import ChainInsight
import ChainModel
import EventScripts
import Testing

@testable import ChainRows

@Suite struct FilterScanTests {
    /// A chain without an end, such as a queue of promises, is not tested again each time that its beginning is
    /// evicted.
    @Test func evictingTheBeginningOfAChainTestsNewNodesOnly() throws {
        var forest = ChainForest(process: ScriptedForest.process, limits: ForestLimits(chainNodeLimit: 300))
        var rowModel = RowModel()
        var last: UInt64 = 1
        func extend(_ step: Int, links: Int) {
            var script = BatchScript(sequence: UInt64(step + 1), time: UInt64(step + 1) * 10_000_000)
            if step == 0 { script.make(1, .promise, "order 1") }
            for _ in 0..<links {
                script.make(last + 1, .then, (last + 1).isMultiple(of: 3) ? nil : "order \(last + 1)", under: last)
                script.fulfill(last)
                last += 1
            }
            // Other chains match, too, and take the slots of evicted nodes.
            script.make(1_000_000 + UInt64(step), .promise, "order \(step)")
            forest.apply(script.batch)
            forest.evictSettled(now: script.batch.time)
            rowModel.update(forest.consumeChanges(), of: forest, now: script.batch.time)
        }
        extend(0, links: 299)
        rowModel.setFilter(try Query("order"), in: forest, now: forest.now)
        while rowModel.scan(in: forest, budget: 1_000) {}
        for step in 1...80 {
            let before = rowModel.filter.comparedBytes
            let count = step % 4 + 1
            extend(step, links: count)
            #expect(forest.totals.nodeCount <= 300 + step + 1, "the beginning is evicted")
            // The new nodes, and the new root.
            #expect(rowModel.filter.comparedBytes - before < (2 * count + 4) * 40, "step \(step)")
            var counts: [NodeIndex: Int] = [:]
            for slot in 0..<UInt32(forest.indexBound) where forest.contains(NodeIndex(rawValue: slot)) {
                let node = NodeIndex(rawValue: slot)
                let isMatch = forest.label(of: node)?.contains("order") == true
                #expect(rowModel.filter.isMatch(node) == isMatch)
                if isMatch { counts[forest.root(of: node), default: 0] += 1 }
            }
            for root in forest.roots { #expect(rowModel.filter.matchCount(of: root) == counts[root] ?? 0) }
            #expect(rowModel.filter.count == counts.values.reduce(0, +))
        }
    }

    /// Changes were too many to list, and a new node has the index of an evicted one that matched.
    @Test func aWatchReportsANewNodeAtTheIndexOfAMatch() throws {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 5_000_000, changeLimit: 8))
        for (node, time) in [(1, 1), (2, 4)] as [(UInt64, Double)] {
            script.at(time)
            script.make(node, .work)
            script.reject(node)
        }
        _ = script.forest.consumeChanges()
        let index = script.index(1)
        var watch = MatchWatch(try Query("state:rejected"), now: script.time)
        #expect(watch.tick(script.time, in: script.forest, budget: 1_000).isEmpty)
        script.at(8)
        script.forest.evictSettled(now: script.time)
        #expect(script.forest.index(of: NodeID(1)) == nil)
        for node in 3...20 as ClosedRange<UInt64> { script.make(node, .work) }
        script.reject(3)
        #expect(script.index(3) == index)
        let changes = script.forest.consumeChanges()
        #expect(changes.isEverything)
        watch.update(changes, of: script.forest)
        let reported = Set(watch.tick(script.time, in: script.forest, budget: 1_000))
        #expect(reported == [index], "2 matched before")
        #expect(watch.tick(script.time, in: script.forest, budget: 1_000).isEmpty)
    }
}
