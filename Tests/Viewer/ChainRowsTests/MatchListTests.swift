import ChainEvents
import ChainInsight
import ChainModel
import EventScripts
import SeededNumbers
import Testing

@testable import ChainRows

/// The list of matches, while nodes are tested and after.
@Suite struct MatchListTests {
    /// Orders of two nodes, many of which match. Chains are made, settle, move, are evicted, and cease to match.
    private struct World {
        var forest = ChainForest(process: ScriptedForest.process, limits: ForestLimits(settledNodeLimit: 1_500))
        var outline = Outline()
        var random: SeededGenerator
        var lastID: UInt64 = 0
        var live: [UInt64] = [], settled: [UInt64] = []
        var time: UInt64 = 1_000_000_000

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            var script = BatchScript(sequence: 1, time: time)
            for _ in 0..<2_000 { make(in: &script) }
            apply(script)
        }

        mutating func make(in script: inout BatchScript) {
            lastID += 2
            live.append(lastID - 1)
            script.make(lastID - 1, .promise, "order \(lastID)")
            script.make(lastID, .then, Bool.random(using: &random) ? "charge" : nil, under: lastID - 1)
        }

        mutating func apply(_ script: BatchScript) {
            forest.apply(script.batch)
            forest.evictSettled(now: time, budget: 400)
            outline.update(forest.consumeChanges(), of: forest, now: time)
            outline.archive(in: forest, now: time, pinned: nil)
        }

        /// Applies random events, as between two slices.
        mutating func step(_ number: Int) {
            time += 100_000_000
            var script = BatchScript(sequence: UInt64(number + 2), time: time)
            for _ in 0..<Int.random(in: 0...60, using: &random) { make(in: &script) }
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                let node = live.remove(at: Int.random(in: 0..<live.count, using: &random))
                script.fulfill(node)
                script.fulfill(node + 1)
                settled.append(node)
            }
            // A new node makes a settled chain live, which moves it from the end of the list to its beginning.
            for _ in 0..<min(8, settled.count) {
                lastID += 1
                let node = settled.randomElement(using: &random)!
                if forest.index(of: NodeID(node)) != nil { script.make(lastID, .work, "again", under: node) }
            }
            apply(script)
        }

        /// Checks the list of matches against a walk over all chains.
        mutating func check(_ what: Comment) {
            outline.weighNoted(in: forest)
            var keys: [ChainList.Key] = []
            for root in forest.roots {
                var next: NodeIndex? = root
                while let node = next {
                    if outline.isMatch(node) {
                        keys.append(outline.key(ofRoot: root)!.key)
                        break
                    }
                    next = forest.next(after: node, within: root)
                }
            }
            let list = outline.sorted.groups[0].list
            var listed: [ChainList.Key] = []
            while let line = list.nearest(to: listed.last, forward: true, isFiltered: true) { listed.append(line.key) }
            #expect(listed == keys.sorted(), what)
            #expect(list.rows[true] == keys.reduce(0) { $0 + (list.rows(of: $1)?[true] ?? 0) }, what)
        }
    }

    @Test(arguments: Seeds.upTo(24))
    func matchesAreListedWhileEverythingChanges(seed: UInt64) throws {
        var world = try World(seed: seed)
        let query = ["order", "charge", "state:pending", "order 1", "not state:pending"][Int(seed % 5)]
        world.outline.setFilter(try Query(query), in: world.forest, now: world.time)
        #expect(world.outline.filter.hasWork)
        var number = 0
        while world.outline.filter.hasWork, number < 2_000 {
            _ = world.outline.scan(in: world.forest, budget: 200)
            if number.isMultiple(of: 2) { world.step(number) }
            if seed.isMultiple(of: 3), number == 4 {
                world.outline.setOrder(TreeOrder(column: .node), in: world.forest, now: world.time)
            }
            _ = world.outline.continueOrder(in: world.forest, divisor: 4)
            number += 1
        }
        #expect(!world.outline.filter.hasWork && number > 8, "\(number) slices")
        while world.outline.hasWork(.sorting) {
            _ = world.outline.continueOrder(in: world.forest, divisor: 1)
        }
        world.check("seed \(seed), \(query)")
        for number in 0..<5 {
            world.step(1_000 + number)
            _ = world.outline.advanceOrder(in: world.forest, at: world.time)
            while world.outline.hasWork(.sorting) {
                _ = world.outline.continueOrder(in: world.forest, divisor: 1)
            }
        }
        world.check("seed \(seed), \(query), later")
    }
}

// SPDX-License-Identifier: MIT
