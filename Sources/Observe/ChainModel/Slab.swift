// SPDX-License-Identifier: MIT

import CChainRuntime

/// Elements of fixed size in pages, addressed by 32-bit slots. Growing moves no element. The lowest page with a free
/// slot is filled first. A page without elements is freed, unless it is the first.
///
/// A copy shares its elements until ``detach()``, which must come before the first change of either slab.
struct Slab<Element: BitwiseCopyable>: @unchecked Sendable {
    // @unchecked Sendable: a value; ForestData detaches each copy before changing it.
    private var table: PageTable<Element>
    /// The table's pages, kept here because the table is two loads away.
    private var pages: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
    private var pageCount: UInt32 = 0
    private let shift: UInt32
    private var usage: [PageUsage] = []
    /// A bit for each page, set if the page has a free slot: a search skips 64 full pages in one step. Without these
    /// bits, a walk over the pages took 10 % of a viewer's time at 200,000 events a second.
    private var openPages: [UInt64] = []
    /// The words of ``openPages`` before this index are zero.
    private var firstOpenWord = 0
    /// How many elements there are.
    private(set) var count = 0

    private struct PageUsage {
        /// How many slots are allocated.
        var used = 0
        /// The offset from which on no slot was ever allocated.
        var fresh = 0
        /// The offset at which the free list begins.
        var firstFree = noSlot
    }

    /// Makes a slab with pages of `1 << shift` elements.
    init(shift: UInt32) {
        self.shift = shift
        table = PageTable(pageLength: 1 << Int(shift))
        pages = table.pages
    }

    /// The element at an allocated slot.
    @inline(__always) subscript(slot: UInt32) -> UnsafeMutablePointer<Element> { elements[slot] }

    /// The elements without a reference to their memory, which each call would retain. Valid until the next allocation.
    struct Elements {
        fileprivate let pages: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
        fileprivate let shift: UInt32

        /// The element at an allocated slot.
        @inline(__always) subscript(slot: UInt32) -> UnsafeMutablePointer<Element> {
            // A cast, because unoptimised code looks the optional's type up for each call of `unsafelyUnwrapped`.
            unsafeBitCast(pages[Int(slot >> shift)], to: UnsafeMutablePointer<Element>.self)
                + Int(slot & (1 << shift &- 1))
        }
    }

    @inline(__always) var elements: Elements { Elements(pages: pages, shift: shift) }

    /// One more than the greatest slot there may be.
    var bound: Int { Int(pageCount) << Int(shift) }

    /// Returns whether a slot's page exists. Only the element shows whether the slot is allocated.
    @inline(__always)
    func hasPage(of slot: UInt32) -> Bool {
        let page = slot >> shift
        return page < pageCount && pages[Int(page)] != nil
    }

    /// Returns the elements from a slot to the end of its page, at most to `end`; nil if the page does not exist.
    func elements(from slot: UInt32, upTo end: UInt32) -> UnsafeBufferPointer<Element>? {
        guard hasPage(of: slot) else { return nil }
        return UnsafeBufferPointer(start: self[slot], count: Int(min(end, nextPage(after: slot)) - slot))
    }

    /// Returns the first slot of the page after the page of a slot.
    func nextPage(after slot: UInt32) -> UInt32 { (slot >> shift + 1) << shift }

    /// Copies the elements, which were shared with another slab.
    mutating func detach() {
        table = table.copy()
        pages = table.pages
    }

    /// Stores an element in a free slot and returns the slot.
    mutating func allocate(_ element: Element) -> UInt32 {
        let page = lowestOpenPage()
        if page >= Int(pageCount) || pages[page] == nil {
            table.add(page)
            (pages, pageCount) = (table.pages, UInt32(table.count))
        }
        count += 1
        usage[page].used += 1
        if usage[page].used == 1 << Int(shift) { openPages[page >> 6] &= ~(1 << UInt64(page & 63)) }
        var offset = usage[page].fresh
        if usage[page].firstFree != noSlot {
            offset = Int(usage[page].firstFree)
            let next = link(page, offset).load(as: UInt32.self)
            usage[page].firstFree = next
            // The next free slot was freed long ago, so without a prefetch no cache has it at the next allocation.
            if next != noSlot { chain_prefetch(pages[page].unsafelyUnwrapped + Int(next)) }
        } else {
            usage[page].fresh += 1
        }
        let slot = UInt32(page << Int(shift) | offset)
        self[slot].initialize(to: element)
        return slot
    }

    /// Frees a slot. The free list uses bytes 8 to 11 of the element; the other bytes keep their last values.
    mutating func free(_ slot: UInt32) {
        let (page, offset) = (Int(slot >> shift), Int(slot & (1 << shift &- 1)))
        count -= 1
        usage[page].used -= 1
        setOpen(page)
        if usage[page].used == 0, page > 0 {
            table.remove(page)
            usage[page] = PageUsage()
        } else {
            link(page, offset).storeBytes(of: usage[page].firstFree, as: UInt32.self)
            usage[page].firstFree = UInt32(offset)
        }
    }

    /// Returns the lowest page with a free slot; adds a page if all pages are full.
    private mutating func lowestOpenPage() -> Int {
        while firstOpenWord < openPages.count {
            let word = openPages[firstOpenWord]
            if word != 0 { return firstOpenWord << 6 | word.trailingZeroBitCount }
            firstOpenWord += 1
        }
        usage.append(PageUsage())
        setOpen(usage.count - 1)
        return usage.count - 1
    }

    private mutating func setOpen(_ page: Int) {
        let word = page >> 6
        if word == openPages.count { openPages.append(0) }
        openPages[word] |= 1 << UInt64(page & 63)
        firstOpenWord = min(firstOpenWord, word)
    }

    /// Returns where a free slot holds the offset of the next free slot in its page's free list.
    private func link(_ page: Int, _ offset: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(pages[page].unsafelyUnwrapped + offset) + 8
    }
}
