import SeededNumbers
import Testing

@testable import ChainRows
@testable import Dashboard

/// The tables under the rows: those that are sparse, and those that are sorted.
@Suite struct ChainSorterTests {
    typealias Item = RadixSorter.Item

    /// In slices, and however ids, ranks and groups lie, as the standard library would sort them.
    @Test(arguments: 1...12) func sortsByGroupRankAndID(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = [0, 1, 2, 700, 3_000][seed % 5]
        let (groups, ranks): (UInt32, UInt64) = (seed.isMultiple(of: 3) ? 300 : 0, seed % 4 == 0 ? 2 : .max)
        var ids = (0..<UInt64(count)).map { $0 * 977 + 5 }
        if !seed.isMultiple(of: 2) { ids.shuffle(using: &random) }
        let items = ids.map { id in
            Item(
                rank: .random(in: 0...ranks, using: &random), id: id, group: .random(in: 0...groups, using: &random),
                weight: UInt16(id & 1_023), matchWeight: UInt16(id & 7))
        }
        var sorter = RadixSorter(capacity: count)
        for item in items { sorter.append(item) }
        #expect(sorter.isFull)
        sorter.begin(lastGroup: Int(groups))
        var slices = 0
        while !step(&sorter, budget: .random(in: 1...20_000, using: &random)) { slices += 1 }
        #expect(slices > 1 || count < 3_000)
        #expect(keys(of: sorter) == items.map(\.key).sorted())
        sorter.withItems(0..<count) { sorted in
            // What goes with a chain goes with it.
            for item in sorted { #expect(item.weight == item.id & 1_023 && item.matchWeight == item.id & 7) }
        }
    }

    /// One that is copied in the middle of it is another one.
    @Test func aCopyIsAnotherOne() {
        var random = SeededGenerator(seed: 7)
        var sorter = RadixSorter(capacity: 2_000)
        for id in 0..<UInt64(1_500) {
            sorter.append(Item(rank: .random(in: 0...1 << 40, using: &random), id: id, weight: 1))
        }
        sorter.begin(lastGroup: 0)
        for _ in 0..<40 { #expect(!step(&sorter, budget: 2_000)) }
        var copy = sorter
        while !step(&sorter, budget: 2_000) {}
        while !step(&copy, budget: 3_000) {}
        #expect(keys(of: copy) == keys(of: sorter))
        #expect(keys(of: copy) == keys(of: copy).sorted())
        #expect(keys(of: copy).count == 1_500)
    }

    private func step(_ sorter: inout RadixSorter, budget: Int) -> Bool {
        var budget = budget
        return sorter.step(&budget)
    }

    private func keys(of sorter: RadixSorter) -> [RootKey] {
        var keys: [RootKey] = []
        sorter.withItems(0..<sorter.count) { keys = $0.map(\.key) }
        return keys
    }

    // MARK: Pages

    /// Against an array, with copies that have to stay what they were, and pages that are given back.
    @Test(arguments: 1...6) func pagesAreAValue(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var pages = PagedArray<UInt32>()
        var mirror = [UInt32](repeating: 0, count: 12_000)
        var kept: [(PagedArray<UInt32>, [UInt32])] = []
        for step in 0..<4_000 {
            let index = Int.random(in: 0..<12_000, using: &random)
            switch step % 400 {
            case 399:
                let bound = (mirror.lastIndex { $0 != 0 } ?? 0) >> 8
                let isLeft = pages.removeLast(2)
                for place in max(0, bound - 1) << 8..<12_000 { mirror[place] = 0 }
                if mirror.contains(where: { $0 != 0 }) { #expect(isLeft) }
            case 200: kept.append((pages, mirror))
            case 300 where seed == 3:
                pages.removeAll()
                mirror = mirror.map { _ in 0 }
            default:
                pages[UInt32(index)] += UInt32(step)
                mirror[index] += UInt32(step)
            }
        }
        for (pages, mirror) in kept + [(pages, mirror)] {
            #expect((0..<12_000).map { pages[UInt32($0)] } == mirror)
            #expect(pages[4_000_000] == 0)
        }
    }
}
