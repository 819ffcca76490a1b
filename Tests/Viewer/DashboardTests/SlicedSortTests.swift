import ChainEvents
import ChainInsight
import ChainModel
import SeededNumbers
import Testing

@testable import ChainRows
@testable import Dashboard

@Suite struct SlicedSortTests {
    /// A sort in slices, while nodes change, gives the order of a naive sort.
    @Test(arguments: 1...4) func aSlicedSortGivesTheOrderOfANaiveOne(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var forest = ChainForest(process: Script.process.key)
        var outline = Outline()
        var next: UInt64 = 1
        var live: [UInt64] = []
        func change(_ time: Double) {
            var script = Script(sequence: UInt64(time), time: time)
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0...3:
                    script.make(next, .promise, "n\(next % 9)", site: "A/A.swift:\(next % 4 + 1)")
                    live.append(next)
                    next += 1
                case 4:
                    guard let some = live.randomElement(using: &random) else { continue }
                    script.make(next, .then, "t", under: some)
                    live.append(next)
                    next += 1
                case 5: if let some = live.randomElement(using: &random) { script.start(some) }
                default:
                    guard let some = live.randomElement(using: &random) else { continue }
                    script.fulfill(some)
                    live.removeAll { $0 == some }
                }
            }
            forest.apply(script.batch)
            forest.evictSettled(now: script.batch.time)
            outline.update(forest.consumeChanges(), of: forest, now: script.batch.time)
        }
        forest.limits.settledNodeLimit = 60
        for step in 0..<30 { change(Double(step)) }
        for round in 0..<6 {
            var order = outline.sorted.order
            while order == outline.sorted.order {
                order = TreeOrder(
                    column: SortColumn.allCases.randomElement(using: &random)!,
                    isInverted: Bool.random(using: &random), isGrouped: Bool.random(using: &random))
            }
            let time = Double(100 + round * 1_000)
            outline.setOrder(order, in: forest, now: forest.now, count: 1)
            var ticks = 0.0
            while outline.isSorting {
                change(time + ticks)
                if Int.random(in: 0..<3, using: &random) == 0, let id = live.randomElement(using: &random),
                    let node = forest.index(of: NodeID(id)), outline.chains.slot(of: node) != nil
                {
                    outline.fold(node, Bool.random(using: &random), in: forest)
                }
                outline.archive(in: forest, now: forest.now, pinned: nil)
                // The order that is still shown is updated meanwhile.
                if Int.random(in: 0..<4, using: &random) == 0 {
                    _ = outline.advanceOrder(in: forest, at: forest.now)
                    outline.repositionOutdated(in: forest, count: 5)
                }
                outline.continueSorting(in: forest, count: 6)
                ticks += 1
                if ticks > 2_000 { break }
            }
            #expect(!outline.isSorting && ticks > 1, "it took \(ticks) ticks")
            // Once more, because a sort by growing durations, as of an earlier time, may have been under way.
            for _ in 0..<2 {
                outline.orderMoment = 0
                _ = outline.advanceOrder(in: forest, at: forest.now)
                while outline.hasWork(.sorting) { _ = outline.continueOrder(in: forest, divisor: 1) }
            }
            for group in outline.sorted.groups.groups { outline.setUnfolded(group.site, true) }
            let naive = NaiveRows(forest: forest, outline: outline, needle: "", hides: false).rows()
            let rows = outline.outlineRows(from: 0, count: naive.count + 5, in: forest).map { outlineRow in
                switch outlineRow {
                case .tree(let row): NaiveRows.Row.node(row.node)
                case .group(let site): NaiveRows.Row.group(site)
                case .foreign(let rows): NaiveRows.Row.node(rows.caller.node)
                }
            }
            #expect(rows == naive, "seed \(seed), round \(round), \(order)")
            #expect(outline.rowCount == naive.count)
            for group in outline.sorted.groups.screenOrder where order.isGrouped {
                let group = outline.sorted.groups[group]
                let roots = forest.roots.filter {
                    (forest.site(of: $0) ?? CodeLocation(fileID: "", line: 0)) == group.site
                }
                for status in ChainStatus.allCases {
                    let count = roots.count { forest.chain(of: $0).status == status }
                    #expect(group.counts[status] == count, "seed \(seed), round \(round)")
                }
            }
        }
    }
}

// SPDX-License-Identifier: MIT
