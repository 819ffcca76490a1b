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
    /// The storage's, for looking up: asking the storage itself would be counted, and a count waits for all that is read.
    private var directory: PageDirectory
    private var lastKey = UInt64.max
    private var lastPage: UnsafeMutablePointer<UInt32>?
    private var retired: [UInt64: SIMD4<UInt64>] = [:]
    private var goneRanges: [ClosedRange<UInt64>] = []

    init() { directory = storage.directory }

    /// Copies the pages if somebody else holds them too.
    mutating func makeUnique() {
        guard !isKnownUniquelyReferenced(&storage) else { return }
        storage = PageStorage(copying: storage)
        directory = storage.directory
        (lastKey, lastPage) = (.max, nil)
    }

    /// The slot of an id, or ``goneSlot``, or ``noSlot`` if it was never entered.
    @inline(__always)
    func find(_ id: NodeID) -> UInt32 {
        let key = id.rawValue >> 8
        if let page = key == lastKey ? lastPage : directory.page(key) { return page[Int(id.rawValue & 255)] }
        return findRetired(id)
    }

    /// As ``find(_:)``, and remembers the page.
    @inline(__always)
    mutating func look(up id: NodeID) -> UInt32 {
        let key = id.rawValue >> 8
        if key == lastKey { return lastPage.unsafelyUnwrapped[Int(id.rawValue & 255)] }
        guard let page = directory.page(key) else { return findRetired(id) }
        (lastKey, lastPage) = (key, page)
        return page[Int(id.rawValue & 255)]
    }

    /// Enters an id that is not there.
    mutating func insert(_ id: NodeID, _ slot: UInt32) {
        let key = id.rawValue >> 8
        let page = directory.page(key) ?? addPage(key)
        (lastKey, lastPage) = (key, page)
        page[Int(id.rawValue & 255)] = slot
        page[PageStorage.liveCount] += 1
    }

    /// Removes an id for good.
    mutating func remove(_ id: NodeID) {
        let key = id.rawValue >> 8
        guard let page = key == lastKey ? lastPage : directory.page(key) else { return }
        (lastKey, lastPage) = (key, page)
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
        directory = storage.directory
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

/// Where pages are by number: open addressing with linear probing, at most half full.
private struct PageDirectory {
    typealias Page = UnsafeMutablePointer<UInt32>

    struct Place {
        var key: UInt64 = 0
        var page: Page?
    }

    var places: UnsafeMutablePointer<Place>
    var mask: Int

    @inline(__always)
    func home(_ key: UInt64) -> Int { Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & mask }

    @inline(__always)
    func page(_ key: UInt64) -> Page? {
        var place = home(key)
        while let page = places[place].page {
            if places[place].key == key { return page }
            place = (place &+ 1) & mask
        }
        return nil
    }
}

/// The memory of the pages and of their directory.
private final class PageStorage {
    typealias Page = PageDirectory.Page
    private typealias Place = PageDirectory.Place
    /// Behind the 256 slots of a page: how many are taken, how many are gone.
    static let liveCount = 256, goneCount = 257
    private static let length = 258

    // @exclusivity(unchecked): only the IDTable that holds this reaches in, from methods of a value that is checked
    // itself, none of which calls out.
    @exclusivity(unchecked) private(set) var directory: PageDirectory
    @exclusivity(unchecked) private var count = 0

    private var places: UnsafeMutablePointer<Place> { directory.places }
    private var mask: Int { directory.mask }

    init() {
        directory = PageDirectory(places: .allocate(capacity: 64), mask: 63)
        places.initialize(repeating: Place(), count: 64)
    }

    init(copying other: PageStorage) {
        count = other.count
        directory = PageDirectory(places: .allocate(capacity: other.mask + 1), mask: other.mask)
        for place in 0...mask {
            (places + place).initialize(to: other.places[place])
            guard let old = other.places[place].page else { continue }
            let new = Page.allocate(capacity: Self.length)
            new.initialize(from: old, count: Self.length)
            places[place].page = new
        }
    }

    deinit {
        for place in 0...mask { places[place].page?.deallocate() }
        places.deallocate()
    }

    var keys: [UInt64] { (0...mask).compactMap { places[$0].page == nil ? nil : places[$0].key } }

    private func home(_ key: UInt64) -> Int { directory.home(key) }

    func add(_ key: UInt64) -> Page {
        if count * 2 > mask { grow() }
        let page = Page.allocate(capacity: Self.length)
        page.initialize(repeating: noSlot, count: 256)
        (page + 256).initialize(repeating: 0, count: 2)
        put(Place(key: key, page: page))
        count += 1
        return page
    }

    func remove(_ key: UInt64) {
        var hole = home(key)
        while places[hole].key != key || places[hole].page == nil { hole = (hole + 1) & mask }
        places[hole].page?.deallocate()
        places[hole].page = nil
        count -= 1
        // Closes the gap: who was pushed past it moves back.
        var place = (hole + 1) & mask
        while places[place].page != nil {
            let distance = (place - home(places[place].key)) & mask
            if distance >= (place - hole) & mask {
                places[hole] = places[place]
                places[place].page = nil
                hole = place
            }
            place = (place + 1) & mask
        }
    }

    private func put(_ new: Place) {
        var place = home(new.key)
        while places[place].page != nil { place = (place + 1) & mask }
        places[place] = new
    }

    private func grow() {
        let (old, oldMask) = (places, mask)
        directory = PageDirectory(places: .allocate(capacity: oldMask * 2 + 2), mask: oldMask * 2 + 1)
        places.initialize(repeating: Place(), count: mask + 1)
        for place in 0...oldMask where old[place].page != nil { put(old[place]) }
        old.deallocate()
    }
}
