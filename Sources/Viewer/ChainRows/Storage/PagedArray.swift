// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainModel

/// A sparse array by node index or slot, in pages of 256 elements. Growing never moves an element.
///
/// An element that was never written reads as zero bytes. A value with copy-on-write; reading costs two loads and
/// changes no reference count.
struct PagedArray<Element: BitwiseCopyable> {
    /// Changed in place only if `isKnownUniquelyReferenced`, because copies of the array share it.
    private var table = PageTable<Element>(pageLength: 256)
    /// The table's pages, stored beside the reference to the table to save a load.
    private var pages: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
    private var pageCount: UInt32 = 0
    /// The value of an element that was never written.
    private let zero: Element

    init() {
        pages = table.pages
        zero = withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { buffer in
            UnsafeMutableRawBufferPointer(buffer).initializeMemory(as: UInt8.self, repeating: 0)
            return buffer[0]
        }
    }

    subscript(index: UInt32) -> Element {
        @inline(__always) get {
            let page = index >> 8
            guard page < pageCount, let elements = pages[Int(page)] else { return zero }
            return elements[Int(index & 255)]
        }
        @inline(__always) _modify {
            let page = index >> 8
            if page >= pageCount || !isKnownUniquelyReferenced(&table) || pages[Int(page)] == nil {
                makePage(Int(page))
            }
            yield &pages[Int(page)].unsafelyUnwrapped[Int(index & 255)]
        }
    }

    @inline(__always)
    func prefetch(_ index: UInt32) {
        let page = index >> 8
        if page < pageCount, let elements = pages[Int(page)] { chain_prefetch(elements + Int(index & 255)) }
    }

    @inline(never)
    private mutating func makePage(_ page: Int) {
        makeUnique()
        if page >= pageCount || pages[page] == nil { table.add(page) }
        (pages, pageCount) = (table.pages, UInt32(table.count))
    }

    private mutating func makeUnique() {
        guard !isKnownUniquelyReferenced(&table) else { return }
        table = table.copy()
        pages = table.pages
    }

    mutating func removeAll() { self = PagedArray() }
}
