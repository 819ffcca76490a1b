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
        var outline = Outline()
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
            outline.update(forest.consumeChanges(), of: forest, now: script.batch.time)
        }
        extend(0, links: 299)
        // Not by the name alone, because that would also find what is live under a named node.
        outline.setFilter(try Query("order not kind:all"), in: forest, now: forest.now)
        while outline.scan(in: forest, budget: 1_000) {}
        for step in 1...80 {
            let before = outline.filter.comparedBytes
            let count = step % 4 + 1
            extend(step, links: count)
            #expect(forest.totals.nodeCount <= 300 + step + 1, "the beginning is evicted")
            // The new nodes, and the new root.
            #expect(outline.filter.comparedBytes - before < (2 * count + 4) * 40, "step \(step)")
            var counts: [NodeIndex: Int] = [:]
            for slot in 0..<UInt32(forest.indexBound) where forest.contains(NodeIndex(rawValue: slot)) {
                let node = NodeIndex(rawValue: slot)
                let isMatch = forest.label(of: node)?.contains("order") == true
                #expect(outline.filter.isMatch(node) == isMatch)
                if isMatch { counts[forest.root(of: node), default: 0] += 1 }
            }
            for root in forest.roots { #expect(outline.matchCount(of: root) == counts[root] ?? 0) }
            #expect(outline.filter.count == counts.values.reduce(0, +))
        }
    }

    /// Changes of a large forest were too many to list: chains have ended, and others have their indices and places.
    @Test func aLargeForestThatIsReadAnewHasTheCountsOfItsMatches() throws {
        let count = UInt64(Outline.smallForest)
        var forest = ChainForest(
            process: ScriptedForest.process,
            limits: ForestLimits(settledNodeLimit: 4_000, settledLeafLimit: 0, changeLimit: 100))
        var outline = Outline()
        func apply(_ sequence: UInt64, _ change: (inout BatchScript) -> Void) {
            var script = BatchScript(sequence: sequence, time: sequence * 1_000_000_000)
            change(&script)
            forest.apply(script.batch)
            forest.evictSettled(now: script.batch.time)
            outline.update(forest.consumeChanges(), of: forest, now: script.batch.time)
        }
        apply(1) { script in
            for root in stride(from: 1, to: count * 2, by: 2) {
                script.make(root, .promise, root % 3 == 0 ? "wanted" : "other")
                script.make(root + 1, .then, root % 4 == 1 ? "wanted" : nil, under: root)
            }
        }
        while outline.isReading { _ = outline.work(.reading, in: forest, now: forest.now, divisor: 1) }
        outline.setFilter(try Query("wanted not kind:all"), in: forest, now: forest.now)
        while outline.filter.hasWork { _ = outline.scan(in: forest, budget: 5_000) }
        func check(_ what: Comment) {
            var (all, listed) = (0, 0)
            for root in forest.roots {
                let matches = [root, forest.firstChild(of: root)].compactMap { $0 }
                    .filter { forest.label(of: $0) == "wanted" }
                #expect(outline.matchCount(of: root) == matches.count, what)
                (all, listed) = (all + matches.count, listed + (matches.isEmpty ? 0 : 1))
            }
            #expect(outline.filter.count == all && all > 0, what)
            var line = outline.sorted.match(from: nil, forward: true)
            var found = 0
            while let next = line {
                found += 1
                line = outline.sorted.match(from: .init(group: 0, key: next.key), forward: true)
            }
            #expect(found == listed, what)
        }
        check("set")
        apply(2) { script in
            for root in stride(from: 1, to: count, by: 2) {
                script.fulfill(root)
                script.fulfill(root + 1)
            }
            for root in stride(from: count * 2 + 1, to: count * 3, by: 2) {
                script.make(root, .promise, root % 5 == 0 ? "wanted" : "other")
                script.make(root + 1, .then, nil, under: root)
            }
        }
        #expect(outline.isReading && outline.filter.hasWork)
        while outline.hasWork {
            for kind in Outline.WorkKind.allCases { _ = outline.work(kind, in: forest, now: forest.now, divisor: 1) }
        }
        outline.weighNoted(in: forest)
        check("read anew")
    }

    /// A forest with a settled promise, node 1, and an outline with a filter.
    private struct SettledPromise {
        var forest = ChainForest(process: ScriptedForest.process)
        var outline = Outline()
        private var sequence: UInt64 = 0

        /// Fulfils the promise at 9 s, to which `count` handlers have been attached, and sets the filter at 10 s.
        init(handlers count: UInt64, filter: String) throws {
            apply { script in
                script.make(1, .promise, at: 1_000_000_000)
                for node in 2..<(2 + count) { script.then(node, on: 1, at: 1_000_000_000) }
                script.fulfill(1, at: 9_000_000_000)
            }
            outline.setFilter(try Query(filter), in: forest, now: forest.now)
            scan()
        }

        mutating func apply(_ change: (inout BatchScript) -> Void) {
            sequence += 1
            var script = BatchScript(sequence: sequence, time: 10_000_000_000)
            change(&script)
            forest.apply(script.batch)
            outline.update(forest.consumeChanges(), of: forest, now: forest.now)
        }

        mutating func scan() { while outline.scan(in: forest, budget: 1_000) {} }
    }

    @Test(arguments: ["total>2s kind:then", "waits-for:parent"])
    func handlersAttachedToASettledPromiseHaveNoOthersTestedAgain(_ filter: String) throws {
        var promise = try SettledPromise(handlers: 500, filter: filter)
        for step in 0..<5 as Range<UInt64> {
            promise.apply { script in
                for node in 0..<4 as Range<UInt64> { script.then(1_000 + step * 4 + node, on: 1) }
            }
            #expect(promise.outline.filter.retestCount == 0)
        }
        #expect(promise.outline.filter.count == 0)
    }

    @Test func anEarlierSettlementOfAParentChangesTheTotal() throws {
        var promise = try SettledPromise(handlers: 3, filter: "total>2s kind:then")
        #expect(promise.outline.filter.count == 0, "1 s has passed since 9 s")
        // The same settlement, reported by another thread that settled it earlier.
        promise.apply { $0.fulfill(1, at: 5_000_000_000) }
        promise.scan()
        #expect(promise.outline.filter.count == 3, "5 s have passed since 5 s")
    }

    @Test func aSettlementThatWasLostBeginsTheTotal() throws {
        var promise = try SettledPromise(handlers: 0, filter: "total>2s kind:then")
        // The parent is only referenced, so its state is *unknown* before it settles and after.
        promise.apply { $0.then(3, on: 2, at: 1_000_000_000) }
        promise.scan()
        #expect(promise.outline.filter.count == 1, "the total counts from the creation")
        promise.apply { $0.record(.released, 2, at: 9_000_000_000) }
        promise.scan()
        #expect(promise.outline.filter.count == 0, "it counts from the release of the parent")
    }

    /// Changes were too many to list, and a new node has the index of an evicted one that matched.
    @Test func aWatchReportsANewNodeAtTheIndexOfAMatch() throws {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 5_000_000, failedChainLimit: 0, changeLimit: 8))
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

// SPDX-License-Identifier: MIT
