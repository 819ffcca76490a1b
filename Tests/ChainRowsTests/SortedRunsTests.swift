import SeededNumbers
import Testing

@testable import ChainRows

@Suite struct SortedRunsTests {
    typealias Item = SortedRuns.Item

    /// However ids, ranks and groups lie, as the standard library would sort them.
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
        // What goes with a chain goes with it.
        #expect(items.allSatisfy { $0.weight == $0.key.id & 1_023 && $0.matchWeight == $0.key.id & 7 })
    }

    /// One that is copied in the middle of it is another one.
    @Test func aCopyIsAnotherOne() {
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

    private func rest(of runs: SortedRuns) -> [Item] {
        var runs = runs
        return Array(AnyIterator { runs.popFirst() })
    }
}
