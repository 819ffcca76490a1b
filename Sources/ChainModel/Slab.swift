/// Elements of fixed size in pages, named by 32-bit slots. Growing moves no element; the lowest page with a free slot is
/// filled first; a page without elements is freed.
///
/// A copy shares its elements until ``detach()``, which must come before the first change of either.
struct Slab<Element: BitwiseCopyable>: @unchecked Sendable {
    // @unchecked Sendable: a value; ForestStorage detaches each copy before it changes it.
    private var table: PageTable<Element>
    /// The table's pages, kept here because the table is two loads away.
    private var pages: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
    private var pageCount: UInt32 = 0
    private let shift: UInt32
    private var usage: [PageUsage] = []
    /// No page before this one has a free slot.
    private var firstOpen = 0
    /// How many elements there are.
    private(set) var count = 0

    private struct PageUsage {
        var used = 0
        /// Slots from here on were never allocated.
        var fresh = 0
        var firstFree = noSlot
    }

    /// Pages hold `1 << shift` elements.
    init(shift: UInt32) {
        self.shift = shift
        table = PageTable(pageLength: 1 << Int(shift))
        pages = table.pages
    }

    /// The element at an allocated slot.
    @inline(__always) subscript(slot: UInt32) -> UnsafeMutablePointer<Element> {
        pages[Int(slot >> shift)].unsafelyUnwrapped + Int(slot & (1 << shift &- 1))
    }

    /// One more than the greatest slot there may be.
    var bound: Int { Int(pageCount) << Int(shift) }

    /// Whether a slot's page exists. Whether the slot itself is allocated, its element says.
    @inline(__always)
    func hasPage(of slot: UInt32) -> Bool {
        let page = slot >> shift
        return page < pageCount && pages[Int(page)] != nil
    }

    /// The elements from a slot on to the end of its page, or to `end`; nil where there is no such page.
    func elements(from slot: UInt32, upTo end: UInt32) -> UnsafeBufferPointer<Element>? {
        guard hasPage(of: slot) else { return nil }
        return UnsafeBufferPointer(start: self[slot], count: Int(min(end, nextPage(after: slot)) - slot))
    }

    /// The first slot of the page after that of a slot.
    func nextPage(after slot: UInt32) -> UInt32 { (slot >> shift + 1) << shift }

    /// Copies the elements, which were shared with another slab.
    mutating func detach() {
        table = table.copy()
        pages = table.pages
    }

    /// Stores an element in a free slot and returns the slot.
    mutating func allocate(_ element: Element) -> UInt32 {
        while firstOpen < usage.count, usage[firstOpen].used == table.pageLength { firstOpen += 1 }
        let page = firstOpen
        if page == usage.count { usage.append(PageUsage()) }
        if page >= Int(pageCount) || pages[page] == nil {
            table.add(page)
            (pages, pageCount) = (table.pages, UInt32(table.count))
        }
        count += 1
        usage[page].used += 1
        var offset = usage[page].fresh
        if usage[page].firstFree != noSlot {
            offset = Int(usage[page].firstFree)
            usage[page].firstFree = link(page, offset).load(as: UInt32.self)
        } else {
            usage[page].fresh += 1
        }
        let slot = UInt32(page << Int(shift) | offset)
        self[slot].initialize(to: element)
        return slot
    }

    /// Frees a slot. The free list uses bytes 8 to 11 of the element; the others keep their last value.
    mutating func free(_ slot: UInt32) {
        let (page, offset) = (Int(slot >> shift), Int(slot & (1 << shift &- 1)))
        count -= 1
        usage[page].used -= 1
        firstOpen = min(firstOpen, page)
        if usage[page].used == 0, page > 0 {
            table.remove(page)
            usage[page] = PageUsage()
        } else {
            link(page, offset).storeBytes(of: usage[page].firstFree, as: UInt32.self)
            usage[page].firstFree = UInt32(offset)
        }
    }

    private func link(_ page: Int, _ offset: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(pages[page].unsafelyUnwrapped + offset) + 8
    }
}
