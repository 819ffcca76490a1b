import ChainEvents

/// "Was here and will not come back" in an ``IDTable``.
let goneSlot = UInt32.max - 1

/// From id to slot, in pages of 256 ids: nothing ever doubles at once, and neighbours are found in one cache line.
///
/// Ids that were removed are remembered: in their page while it has others, then as 256 bits, then, when the whole
/// page is gone, as part of a range of pages; ids being handed out in blocks, ranges melt into few.
struct IDTable: @unchecked Sendable {
    // Sendable: a value; the pages are changed only after makeUnique() saw that nobody else holds them.
    private var storage = PageStorage()
    private var lastKey = UInt64.max
    private var lastPage: UnsafeMutablePointer<UInt32>?
    private var retired: [UInt64: SIMD4<UInt64>] = [:]
    private var goneRanges: [ClosedRange<UInt64>] = []

    /// Copies the pages if somebody else holds them too.
    mutating func makeUnique() {
        guard !isKnownUniquelyReferenced(&storage) else { return }
        storage = PageStorage(copying: storage)
        (lastKey, lastPage) = (.max, nil)
    }

    /// The slot of an id, or ``goneSlot``, or ``noSlot`` if it was never entered.
    func find(_ id: NodeID) -> UInt32 {
        let key = id.rawValue >> 8
        if let page = key == lastKey ? lastPage : storage.page(key) { return page[Int(id.rawValue & 255)] }
        return findRetired(id)
    }

    /// As ``find(_:)``, and remembers the page.
    @inline(__always)
    mutating func look(up id: NodeID) -> UInt32 {
        let key = id.rawValue >> 8
        if key == lastKey { return lastPage.unsafelyUnwrapped[Int(id.rawValue & 255)] }
        guard let page = storage.page(key) else { return findRetired(id) }
        (lastKey, lastPage) = (key, page)
        return page[Int(id.rawValue & 255)]
    }

    /// Enters an id that is not there.
    mutating func insert(_ id: NodeID, _ slot: UInt32) {
        let key = id.rawValue >> 8
        let page = storage.page(key) ?? addPage(key)
        (lastKey, lastPage) = (key, page)
        page[Int(id.rawValue & 255)] = slot
        page[PageStorage.liveCount] += 1
    }

    /// Removes an id for good.
    mutating func remove(_ id: NodeID) {
        let key = id.rawValue >> 8
        guard let page = storage.page(key) else { return }
        page[Int(id.rawValue & 255)] = goneSlot
        page[PageStorage.liveCount] -= 1
        page[PageStorage.goneCount] += 1
        if page[PageStorage.liveCount] == 0 { retire(key, page) }
    }

    /// The keys from `first` on of all pages that have a slot, in order; a page's ids are `key << 8` to
    /// `key << 8 | 255`. Sorts them.
    func keys(from first: UInt64) -> [UInt64] { storage.keys.filter { $0 >= first }.sorted() }

    /// How many ranges of pages that are gone are remembered.
    var rangeCount: Int { goneRanges.count }

    private func findRetired(_ id: NodeID) -> UInt32 {
        let key = id.rawValue >> 8
        if let bits = retired[key] {
            return bits[Int(id.rawValue >> 6 & 3)] >> (id.rawValue & 63) & 1 == 1 ? goneSlot : noSlot
        }
        let position = rangePosition(key)
        return position < goneRanges.count && goneRanges[position].contains(key) ? goneSlot : noSlot
    }

    /// The first range that ends at `key` or later.
    private func rangePosition(_ key: UInt64) -> Int {
        var (low, high) = (0, goneRanges.count)
        while low < high {
            let middle = (low + high) / 2
            if goneRanges[middle].upperBound < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func addPage(_ key: UInt64) -> UnsafeMutablePointer<UInt32> {
        let page = storage.add(key)
        if let bits = retired.removeValue(forKey: key) {
            for offset in 0..<256 where bits[offset >> 6] >> UInt64(offset & 63) & 1 == 1 {
                page[offset] = goneSlot
                page[PageStorage.goneCount] += 1
            }
        } else if key == 0 {
            page[0] = goneSlot
            page[PageStorage.goneCount] = 1
        }
        return page
    }

    private mutating func retire(_ key: UInt64, _ page: UnsafeMutablePointer<UInt32>) {
        if page[PageStorage.goneCount] == 256 {
            addGone(key)
        } else {
            var bits = SIMD4<UInt64>.zero
            for offset in 0..<256 where page[offset] == goneSlot { bits[offset >> 6] |= 1 << UInt64(offset & 63) }
            retired[key] = bits
        }
        storage.remove(key)
        (lastKey, lastPage) = (.max, nil)
    }

    private mutating func addGone(_ key: UInt64) {
        let position = rangePosition(key)
        let joinsPrevious = position > 0 && goneRanges[position - 1].upperBound + 1 == key
        let joinsNext = position < goneRanges.count && key + 1 == goneRanges[position].lowerBound
        switch (joinsPrevious, joinsNext) {
        case (true, true):
            goneRanges[position - 1] = goneRanges[position - 1].lowerBound...goneRanges[position].upperBound
            goneRanges.remove(at: position)
        case (true, false): goneRanges[position - 1] = goneRanges[position - 1].lowerBound...key
        case (false, true): goneRanges[position] = key...goneRanges[position].upperBound
        case (false, false): goneRanges.insert(key...key, at: position)
        }
    }
}

/// Pages by number: open addressing with linear probing, at most half full.
private final class PageStorage {
    typealias Page = UnsafeMutablePointer<UInt32>
    /// Behind the 256 slots of a page: how many are taken, how many are gone.
    static let liveCount = 256, goneCount = 257
    private static let length = 258

    // @exclusivity(unchecked): only the IDTable that holds this reaches in, from methods of a value that is checked
    // itself, none of which calls out.
    @exclusivity(unchecked) private var places: [UInt64]
    @exclusivity(unchecked) private var pages: [Page?]
    @exclusivity(unchecked) private var count = 0

    init() {
        places = Array(repeating: 0, count: 64)
        pages = Array(repeating: nil, count: 64)
    }

    init(copying other: PageStorage) {
        places = other.places
        count = other.count
        pages = other.pages.map { old in
            guard let old else { return nil }
            let new = Page.allocate(capacity: Self.length)
            new.initialize(from: old, count: Self.length)
            return new
        }
    }

    deinit { for page in pages { page?.deallocate() } }

    var keys: [UInt64] { places.indices.compactMap { pages[$0] == nil ? nil : places[$0] } }

    @inline(__always)
    private func home(_ key: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & (pages.count &- 1)
    }

    func page(_ key: UInt64) -> Page? {
        var place = home(key)
        while let page = pages[place] {
            if places[place] == key { return page }
            place = (place &+ 1) & (pages.count &- 1)
        }
        return nil
    }

    func add(_ key: UInt64) -> Page {
        if count * 2 >= pages.count { grow() }
        let page = Page.allocate(capacity: Self.length)
        page.initialize(repeating: noSlot, count: 256)
        (page + 256).initialize(repeating: 0, count: 2)
        put(key, page)
        count += 1
        return page
    }

    func remove(_ key: UInt64) {
        var hole = home(key)
        while places[hole] != key || pages[hole] == nil { hole = (hole + 1) & (pages.count - 1) }
        pages[hole]?.deallocate()
        pages[hole] = nil
        count -= 1
        // Closes the gap: who was pushed past it moves back.
        var place = (hole + 1) & (pages.count - 1)
        while let page = pages[place] {
            let distance = (place - home(places[place])) & (pages.count - 1)
            if distance >= (place - hole) & (pages.count - 1) {
                pages[hole] = page
                places[hole] = places[place]
                pages[place] = nil
                hole = place
            }
            place = (place + 1) & (pages.count - 1)
        }
    }

    private func put(_ key: UInt64, _ page: Page) {
        var place = home(key)
        while pages[place] != nil { place = (place + 1) & (pages.count - 1) }
        places[place] = key
        pages[place] = page
    }

    private func grow() {
        let (oldPlaces, oldPages) = (places, pages)
        places = Array(repeating: 0, count: oldPlaces.count * 2)
        pages = Array(repeating: nil, count: oldPages.count * 2)
        for (key, page) in zip(oldPlaces, oldPages) {
            if let page { put(key, page) }
        }
    }
}
