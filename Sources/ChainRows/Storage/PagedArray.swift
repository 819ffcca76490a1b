import CChainRuntime

/// A sparse array by the forest's node indices, in pages of 256: growing never moves an element.
///
/// A value with copy-on-write. Reading costs two loads and no reference count.
struct PagedArray<Element: BitwiseCopyable> {
    /// Changed only after isKnownUniquelyReferenced() saw that nothing else holds it.
    private var storage: PageStorage<Element>
    /// The storage's table, to save a load.
    private var table: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    private var pageCount: UInt32 = 0

    init(filler: Element) {
        storage = PageStorage(filler: filler)
        table = storage.table
    }

    subscript(index: UInt32) -> Element {
        @inline(__always) get {
            let page = index >> 8
            return page < pageCount ? table[Int(page)][Int(index & 255)] : storage.filler
        }
        @inline(__always) _modify { yield &address(of: index).pointee }
    }

    /// Prefetches an element.
    @inline(__always)
    func prefetch(_ index: UInt32) {
        let page = index >> 8
        if page < pageCount { chain_prefetch(table[Int(page)] + Int(index & 255)) }
    }

    @inline(__always)
    private mutating func address(of index: UInt32) -> UnsafeMutablePointer<Element> {
        let page = index >> 8
        if page >= pageCount || !isKnownUniquelyReferenced(&storage) || table[Int(page)] == storage.blank {
            makePage(Int(page))
        }
        return table[Int(page)] + Int(index & 255)
    }

    @inline(never)
    private mutating func makePage(_ page: Int) {
        makeUnique()
        storage.makePage(page)
        (table, pageCount) = (storage.table, UInt32(storage.count))
    }

    private mutating func makeUnique() {
        guard !isKnownUniquelyReferenced(&storage) else { return }
        storage = PageStorage(copying: storage)
        table = storage.table
    }

    /// Removes everything.
    mutating func removeAll() { self = PagedArray(filler: storage.filler) }

    /// Removes the last pages, at most `count`; returns false if none is left.
    mutating func removeLast(_ count: Int) -> Bool {
        makeUnique()
        storage.removeLast(count)
        pageCount = UInt32(storage.count)
        return pageCount > 0
    }
}

/// The memory of a ``PagedArray``.
private final class PageStorage<Element: BitwiseCopyable> {
    // @exclusivity(unchecked): only the PagedArray that holds this reaches in, from methods of a value that is checked
    // itself, none of which calls out.
    let filler: Element
    /// The page that stands for all pages that were never written.
    let blank: UnsafeMutablePointer<Element>
    @exclusivity(unchecked) var table: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    @exclusivity(unchecked) var count = 0
    private var capacity: Int

    init(filler: Element, capacity: Int = 16) {
        self.filler = filler
        self.capacity = capacity
        blank = Self.page(of: filler)
        table = .allocate(capacity: capacity)
    }

    convenience init(copying other: PageStorage) {
        self.init(filler: other.filler, capacity: other.capacity)
        count = other.count
        for page in 0..<count {
            let old = other.table[page]
            (table + page).initialize(to: old == other.blank ? blank : Self.page(like: old))
        }
    }

    deinit {
        removeLast(count)
        table.deallocate()
        blank.deallocate()
    }

    private static func page(of filler: Element) -> UnsafeMutablePointer<Element> {
        let page = UnsafeMutablePointer<Element>.allocate(capacity: 256)
        page.initialize(repeating: filler, count: 256)
        return page
    }

    private static func page(like other: UnsafeMutablePointer<Element>) -> UnsafeMutablePointer<Element> {
        let page = UnsafeMutablePointer<Element>.allocate(capacity: 256)
        page.initialize(from: other, count: 256)
        return page
    }

    /// Makes room for a page, and allocates it.
    func makePage(_ page: Int) {
        if page >= capacity {
            capacity = max(page + 1, 2 * capacity)
            let wider = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: capacity)
            wider.moveInitialize(from: table, count: count)
            table.deallocate()
            table = wider
        }
        while count <= page {
            (table + count).initialize(to: blank)
            count += 1
        }
        if table[page] == blank { table[page] = Self.page(of: filler) }
    }

    func removeLast(_ number: Int) {
        for _ in 0..<min(number, count) {
            count -= 1
            if table[count] != blank { table[count].deallocate() }
        }
    }
}
