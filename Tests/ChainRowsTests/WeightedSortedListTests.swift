import SeededNumbers
import Testing

@testable import ChainRows

@Suite struct WeightedSortedListTests {
    /// A reference list: an array of keys with their weights, in the order of the rows.
    private struct ReferenceList {
        var entries: [(key: RootKey, weight: Int)] = []
        var merge: WeightedSortedList.Merge?

        func precedes(_ left: RootKey, _ right: RootKey) -> Bool {
            guard let merge, Rank.section(left.rank) < 2, Rank.section(right.rank) < 2,
                Rank.section(left.rank) != Rank.section(right.rank)
            else { return left < right }
            let lengths = [left, right].map { key in
                let payload = Rank.payload(key.rank)
                let isGrowing = Rank.section(key.rank) == 0
                let number = isGrowing != merge.isDescending ? Rank.payloadMask - payload : payload
                return isGrowing ? merge.moment - min(merge.moment, number) : number
            }
            if lengths[0] == lengths[1] { return Rank.section(left.rank) == 0 }
            return (lengths[0] > lengths[1]) == merge.isDescending
        }

        /// Returns the index of a key, or the index at which it would be inserted.
        func index(of key: RootKey) -> Int {
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if precedes(entries[middle].key, key) { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func equalsASortedArray(_ seed: UInt64) { check(seed, nil) }

    @Test(arguments: [1, 2, 3] as [UInt64], [true, false])
    func mergesGrowingDurationsWithKnownOnes(_ seed: UInt64, isDescending: Bool) {
        for moment in [0, 150, 1_000] as [UInt64] {
            check(seed &+ moment, WeightedSortedList.Merge(moment: moment, isDescending: isDescending))
        }
    }

    private func check(_ seed: UInt64, _ merge: WeightedSortedList.Merge?) {
        var random = SeededGenerator(seed: seed)
        var list = WeightedSortedList()
        list.merge = merge
        var reference = ReferenceList(merge: merge)
        // Long runs of successive keys, as of new chains, fill chunks.
        var next: UInt64 = 0
        for step in 0..<2_000 {
            let section = UInt64.random(in: 0...2, using: &random)
            var payload = UInt64.random(in: 0...300, using: &random)
            if step % 500 < 300 {
                next += 1
                payload = section == 1 ? 1_000 &- next : next
            }
            let rank = Rank.made(section: section, payload, flips: (section == 0) != (merge?.isDescending ?? true))
            let key = RootKey(rank: rank, id: UInt64.random(in: 1...3, using: &random))
            let index = reference.index(of: key)
            let isListed = index < reference.entries.count && reference.entries[index].key == key
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1, 2:
                let weight = step % 3 == 0 ? Int.random(in: 1...9, using: &random) : 1
                if isListed {
                    reference.entries[index].weight = weight
                    list.setWeight(weight, of: key)
                } else {
                    reference.entries.insert((key, weight), at: index)
                    list.insert(key, weight: weight)
                }
            case 3:
                let removed = list.remove(key)
                #expect(removed == isListed)
                if isListed { reference.entries.remove(at: index) }
            default:
                #expect(list.contains(key) == isListed)
                #expect(
                    list.row(of: key) == (isListed ? reference.entries[..<index].reduce(0) { $0 + $1.weight } : nil))
                #expect(list.key(before: key) == (index > 0 ? reference.entries[index - 1].key : nil))
                let after = isListed ? index + 1 : index
                #expect(list.key(after: key) == (after < reference.entries.count ? reference.entries[after].key : nil))
            }
        }
        #expect(list.count == reference.entries.count)
        #expect(list.rowCount == reference.entries.reduce(0) { $0 + $1.weight })
        #expect(list.first == reference.entries.first?.key && list.last == reference.entries.last?.key)
        var row = 0
        for entry in reference.entries {
            for offset in 0..<entry.weight {
                let found = list.select(row: row + offset)
                #expect(found?.key == entry.key && found?.offset == offset)
            }
            row += entry.weight
        }
        #expect(list.select(row: row) == nil && list.select(row: -1) == nil)
        // Remove all keys.
        for entry in reference.entries.shuffled(using: &random) {
            let wasListed = list.remove(entry.key)
            #expect(wasListed)
        }
        #expect(list.count == 0 && list.rowCount == 0 && list.first == nil && list.select(row: 0) == nil)
    }
}
