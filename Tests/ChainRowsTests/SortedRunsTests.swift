import SeededNumbers
import Testing

@testable import ChainRows

@Suite struct SortedRunsTests {
    typealias Item = SortedRuns.Item

    /// The order is that of the standard library's sort, however ids, ranks and groups are distributed.
    @Test(arguments: 1...12) func chainsComeInTheOrderOfTheirKeys(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = [0, 1, 2, SortedRuns.runLength, 7_000][seed % 5]
        let (groups, ranks): (UInt32, UInt64) = (seed.isMultiple(of: 3) ? 300 : 0, seed % 4 == 0 ? 2 : .max)
        var ids = (0..<UInt64(count)).map { $0 * 977 + 5 }
        if !seed.isMultiple(of: 2) { ids.shuffle(using: &random) }
        var runs = SortedRuns()
        var keys: [RootKey] = []
        for id in ids {
            let key = RootKey(
                group: .random(in: 0...groups, using: &random), rank: .random(in: 0...ranks, using: &random), id: id)
            keys.append(key)
            runs.append(Item(key: key, weight: UInt16(id & 1_023), matchWeight: UInt16(id & 7)))
        }
        runs.close()
        #expect(runs.isEmpty == (count == 0))
        let items = rest(of: runs)
        #expect(items.map(\.key) == keys.sorted())
        // Each key keeps its weights.
        #expect(items.allSatisfy { $0.weight == $0.key.id & 1_023 && $0.matchWeight == $0.key.id & 7 })
    }

    /// Also when it is made after some elements were popped.
    @Test func aCopyIsIndependent() {
        var random = SeededGenerator(seed: 7)
        var runs = SortedRuns()
        for id in 0..<UInt64(5_000) {
            runs.append(Item(key: RootKey(rank: .random(in: 0...1 << 40, using: &random), id: id), weight: 1))
        }
        runs.close()
        for _ in 0..<1_000 { #expect(runs.popFirst() != nil) }
        let copy = runs
        let keys = rest(of: runs).map(\.key)
        while runs.popFirst() != nil {}
        #expect(runs.isEmpty && keys.count == 4_000 && keys == keys.sorted())
        #expect(rest(of: copy).map(\.key) == keys)
    }

    /// Returns the elements that are left, in their order.
    private func rest(of runs: SortedRuns) -> [Item] {
        var runs = runs
        return Array(AnyIterator { runs.popFirst() })
    }
}
