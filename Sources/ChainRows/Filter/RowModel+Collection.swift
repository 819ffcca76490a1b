import ChainModel

/// The progress of listing the chains with matches after a new filter: of adding them to the list of matches.
///
/// Matches are found in the order of node indices. Listing a chain when its match is found costs a search and a move
/// within a chunk: 300 ns among a million chains. So only the first chains, for the screen, are listed when their
/// matches are found. The other chains are listed once all nodes are tested, by a walk over the list of all chains,
/// each after the previous one.
struct MatchCollection {
    /// How many chains were listed when their matches were found.
    var listedCount = 0
    /// Whether all nodes are tested and the walk has begun. Once it has begun, chains are listed when matches are
    /// found.
    var isWalking = false
    /// The group that the walk is in.
    fileprivate var group = 0
    /// The last chain of the group that the walk has passed; nil at the beginning.
    fileprivate var last: WeightedSortedList.Entry?
}

extension WeightedSortedList {
    /// Returns the index of the first chunk with chains after an entry; ``chunkCount`` if there is none.
    fileprivate func firstChunk(behind entry: Entry) -> Int {
        guard let chunk = chunk(of: entry) else { return 0 }
        return entries(chunk).last.map { entry < $0 } == true ? chunk : chunk + 1
    }
}

extension RowModel {
    /// Returns whether a chain with matches is in the list of matches.
    func isListed(_ slot: Int) -> Bool { collection == nil || slots.has(.listed, slot) }

    /// Lists a chain with matches, unless it is to be listed later.
    mutating func listMatch(_ key: RootKey, _ slot: Int, weight: Int) {
        if let collection, !collection.isWalking {
            // Past the limit, a chain is listed only if its weight does not fit into the table: only the list can store
            // it.
            guard collection.listedCount < walkLimit || weight >= UInt16.max else { return }
            self.collection!.listedCount += 1
        }
        matchList.insert(key, weight: weight)
        slots.set(.listed, true, slot)
    }

    /// Lists chains with matches that were found before. Visits `budget` chains, rounded up to whole chunks.
    mutating func collectMatches(in forest: borrowing ChainForest, budget: Int) {
        guard var walk = collection else { return }
        walk.isWalking = true
        collection = walk
        var rest = budget
        while walk.group < list.lists.count {
            let all = list.lists[walk.group]
            var chunk = walk.last.map { all.firstChunk(behind: $0) } ?? 0
            while chunk < all.chunkCount, rest > 0 {
                let entries = all.entries(chunk)
                listFoundMatches(entries, of: all, in: forest)
                rest -= entries.count
                walk.last = entries.last
                chunk += 1
            }
            guard chunk >= all.chunkCount else { return collection = walk }
            (walk.group, walk.last) = (walk.group + 1, nil)
        }
        collection = nil
    }

    /// Lists the chains of a chunk that have matches. Each step reads what the step before has prefetched, because in
    /// the order of the list no chain is in the caches.
    private mutating func listFoundMatches(
        _ entries: [WeightedSortedList.Entry], of all: borrowing WeightedSortedList, in forest: borrowing ChainForest
    ) {
        let roots = entries.map { entry in
            let root = forest.index(of: NodeID(entry.id))?.rawValue
            if let root { slotOf.prefetch(root) }
            return root
        }
        let numbers = roots.map { root in
            let number = root.map { slotOf[$0] } ?? 0
            if number != 0 { slots.prefetchMarks(number - 1) }
            return number
        }
        for (entry, number) in zip(entries, numbers) where number != 0 {
            let slot = Int(number - 1)
            guard let weight = slots.matchWeight(slot), weight != 0, !slots.has(.listed, slot) else { continue }
            let key = all.key(entry)
            // While all chains are read anew, the list may hold old keys.
            guard pass == nil || slots.key(slot) == key else { continue }
            listMatch(key, slot, weight: weight)
        }
    }
}
