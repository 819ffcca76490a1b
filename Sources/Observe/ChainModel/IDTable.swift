// SPDX-License-Identifier: MIT

/// What an ``IDTable`` returns for an id that was removed for good.
let evictedSlot = UInt32.max - 1

/// Slots by id, in pages of 256 consecutive ids: growing moves no slots, and neighbours share a cache line.
///
/// Ids that were removed for good are remembered. Withdrawn ids, which may be inserted again, are not. A page with live
/// ids (ids that have a slot) marks its removed ids. A page without live ids is replaced by 256 bits, or by a part of a
/// range of pages if all its ids were removed. Programs hand ids out in blocks, so few ranges remain.
///
/// Past a limit, the lower half of the pages without live ids is forgotten. From then on, all ids up to these pages
/// count as removed, except ids of pages that still had live ids.
///
/// A copy shares its pages until ``detach()``, which must come before the first change of either table.
struct IDTable: @unchecked Sendable {
    // @unchecked Sendable: a value; ForestData detaches each copy before it changes it.
    private var table = PageTable<UInt32>(pageLength: IDPage.length)
    private var directory = PageDirectory()
    /// Numbers of pages that were removed from `table`, to be reused.
    private var freeNumbers: [UInt32] = []
    /// The key of ``lastPage``; `.max`, which is no page's key, if there is none.
    private var lastKey = UInt64.max
    /// The page that was used last, cached because ids that come one after another are often neighbours.
    private var lastPage: PageDirectory.Page?
    /// By key of a page without live ids, a bit for each removed id.
    private var retired: [UInt64: SIMD4<UInt64>] = [:]
    /// The keys of pages of which all ids were removed, in sorted ranges.
    private var evictedRanges: [ClosedRange<UInt64>] = []
    /// The least key of a page that was not forgotten.
    private var rememberedKey: UInt64 = 0
    /// The most pages without live ids, and ranges of such pages, that are remembered.
    private let rememberedLimit: Int

    init(rememberedLimit: Int = 32_768) { self.rememberedLimit = rememberedLimit }

    /// Copies the pages, which were shared with another table.
    mutating func detach() {
        table = table.copy()
        directory.replacePages { table.pages[Int($0[IDPage.number])].unsafelyUnwrapped }
        (lastKey, lastPage) = (.max, nil)
    }

    /// Returns the slot of an id; ``evictedSlot`` if the id counts as removed for good. Returns ``noSlot`` for any
    /// other id that is not in the table.
    ///
    /// Mutating although it changes nothing: a call of a non-mutating method on a class's property copies the table
    /// first. The copy takes five retains, 25 % of `screen.fold.10k`.
    @inline(__always)
    mutating func find(_ id: NodeID) -> UInt32 {
        let key = id.rawValue >> 8
        if let page = key == lastKey ? lastPage : directory.page(key) { return page[Int(id.rawValue & 255)] }
        return findRetired(id)
    }

    /// Returns the same as ``find(_:)``, and caches the id's page for the next call.
    @inline(__always)
    mutating func findCachingPage(_ id: NodeID) -> UInt32 {
        let key = id.rawValue >> 8
        if key == lastKey { return lastPage.unsafelyUnwrapped[Int(id.rawValue & 255)] }
        guard let page = directory.page(key) else { return findRetired(id) }
        (lastKey, lastPage) = (key, page)
        return page[Int(id.rawValue & 255)]
    }

    /// Inserts an id that is not in the table: a new id, a withdrawn id, or an id of a forgotten page.
    mutating func insert(_ id: NodeID, _ slot: UInt32) {
        let key = id.rawValue >> 8
        let page = directory.page(key) ?? addPage(key)
        (lastKey, lastPage) = (key, page)
        page[Int(id.rawValue & 255)] = slot
        page[IDPage.liveCount] += 1
    }

    /// Removes an id for good.
    mutating func remove(_ id: NodeID) { free(id, leaving: evictedSlot) }

    /// Removes an id that may be inserted again.
    mutating func withdraw(_ id: NodeID) { free(id, leaving: noSlot) }

    @inline(__always)
    private mutating func free(_ id: NodeID, leaving mark: UInt32) {
        let key = id.rawValue >> 8
        guard let page = key == lastKey ? lastPage : directory.page(key) else { return }
        (lastKey, lastPage) = (key, page)
        page[Int(id.rawValue & 255)] = mark
        page[IDPage.liveCount] -= 1
        if mark == evictedSlot { page[IDPage.evictedCount] += 1 }
        if page[IDPage.liveCount] == 0 { retire(key, page) }
    }

    /// Returns the sorted keys of the pages with live ids, from the key `first` on, `limit` at most. The ids of a page
    /// are `key << 8` to `key << 8 | 255`.
    ///
    /// Looks at the keys of all pages, but collects and sorts only the least keys.
    func keys(from first: UInt64, limit: Int) -> [UInt64] {
        var least: [UInt64] = []
        // No page has this key, because keys have 56 bits.
        var bound = UInt64.max
        directory.forEachKey { key in
            guard key >= first, key < bound else { return }
            least.append(key)
            guard least.count >= 2 * limit else { return }
            least.sort()
            least.removeLast(least.count - limit)
            bound = least[limit - 1]
        }
        least.sort()
        return Array(least.prefix(limit))
    }

    /// How many ranges the keys of wholly removed pages form.
    var rangeCount: Int { evictedRanges.count }
    /// How many pages and ranges without live ids are remembered.
    var rememberedCount: Int { retired.count + evictedRanges.count }

    /// Returns whether an id counts as removed only because its page was forgotten. Such an id may never have been in
    /// the table: a thread that seldom makes nodes keeps its block of ids.
    func isForgotten(_ id: NodeID) -> Bool {
        let key = id.rawValue >> 8
        return key < rememberedKey && directory.page(key) == nil && retired[key] == nil && !isInRange(key)
    }

    private func findRetired(_ id: NodeID) -> UInt32 {
        let key = id.rawValue >> 8
        if let bits = retired[key] {
            return bits[Int(id.rawValue >> 6 & 3)] >> (id.rawValue & 63) & 1 == 1 ? evictedSlot : noSlot
        }
        return isInRange(key) || key < rememberedKey ? evictedSlot : noSlot
    }

    private func isInRange(_ key: UInt64) -> Bool {
        let index = rangeIndex(key)
        return index < evictedRanges.count && evictedRanges[index].contains(key)
    }

    /// Returns the index of the first range that ends at `key` or later, or the number of ranges.
    private func rangeIndex(_ key: UInt64) -> Int {
        var (low, high) = (0, evictedRanges.count)
        while low < high {
            let middle = (low + high) / 2
            if evictedRanges[middle].upperBound < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func addPage(_ key: UInt64) -> PageDirectory.Page {
        let number = freeNumbers.popLast() ?? UInt32(table.count)
        let page = table.add(Int(number))
        page.update(repeating: noSlot, count: 256)
        page[IDPage.number] = number
        directory.insert(key, page)
        if let bits = retired.removeValue(forKey: key) {
            for offset in 0..<256 where bits[offset >> 6] >> UInt64(offset & 63) & 1 == 1 {
                page[offset] = evictedSlot
                page[IDPage.evictedCount] += 1
            }
        } else if key == 0 {
            // No node has the id 0. It counts as removed, so that it does not keep the first page out of the ranges.
            page[0] = evictedSlot
            page[IDPage.evictedCount] = 1
        }
        return page
    }

    private mutating func retire(_ key: UInt64, _ page: PageDirectory.Page) {
        if page[IDPage.evictedCount] == 256 {
            addEvicted(key)
        } else if page[IDPage.evictedCount] > 0 {
            var bits = SIMD4<UInt64>.zero
            for offset in 0..<256 where page[offset] == evictedSlot { bits[offset >> 6] |= 1 << UInt64(offset & 63) }
            retired[key] = bits
        }
        let number = page[IDPage.number]
        directory.remove(key)
        table.remove(Int(number))
        freeNumbers.append(number)
        (lastKey, lastPage) = (.max, nil)
        if rememberedCount > rememberedLimit { forgetOlderHalf() }
    }

    private mutating func forgetOlderHalf() {
        let keys = (Array(retired.keys) + evictedRanges.map(\.upperBound)).sorted()
        rememberedKey = max(rememberedKey, keys[keys.count / 2] + 1)
        retired = retired.filter { $0.key >= rememberedKey }
        evictedRanges.removeAll { $0.upperBound < rememberedKey }
    }

    private mutating func addEvicted(_ key: UInt64) {
        let index = rangeIndex(key)
        let joinsPrevious = index > 0 && evictedRanges[index - 1].upperBound + 1 == key
        let joinsNext = index < evictedRanges.count && key + 1 == evictedRanges[index].lowerBound
        switch (joinsPrevious, joinsNext) {
        case (true, true):
            evictedRanges[index - 1] = evictedRanges[index - 1].lowerBound...evictedRanges[index].upperBound
            evictedRanges.remove(at: index)
        case (true, false): evictedRanges[index - 1] = evictedRanges[index - 1].lowerBound...key
        case (false, true): evictedRanges[index] = key...evictedRanges[index].upperBound
        case (false, false): evictedRanges.insert(key...key, at: index)
        }
    }
}

/// Offsets of the fields of a page behind its 256 slots.
private enum IDPage {
    static let liveCount = 256, evictedCount = 257
    /// The page's number in the ``PageTable``.
    static let number = 258
    /// The number of fields and slots.
    static let length = 259
}
