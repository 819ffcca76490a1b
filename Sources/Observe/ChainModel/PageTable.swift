// SPDX-License-Identifier: MIT

/// Pages of equal length, each found by its number. A page keeps its address until it is removed.
///
/// The table is the only owner of the manually managed memory of ``Slab``, `IDTable` and the arrays that are parallel
/// to a forest. A structure with a table may cache ``pages``, and must read them again after ``add(_:)``.
package final class PageTable<Element: BitwiseCopyable> {
    package typealias Page = UnsafeMutablePointer<Element>

    /// How many elements a page has.
    package let pageLength: Int
    // @exclusivity(unchecked): only the structure that owns the table accesses it. Access to that structure is checked,
    // and its methods call no foreign code.
    /// The pages with the numbers below ``count``; nil for a number without a page.
    @exclusivity(unchecked) package private(set) var pages: UnsafeMutablePointer<Page?>
    /// One more than the greatest number that a page has had; ``removeLast(_:)`` lowers it.
    @exclusivity(unchecked) package private(set) var count = 0
    private var capacity = 16

    /// Makes a table without pages.
    package init(pageLength: Int) {
        self.pageLength = pageLength
        pages = .allocate(capacity: capacity)
        pages.initialize(repeating: nil, count: capacity)
    }

    deinit {
        for number in 0..<count { pages[number]?.deallocate() }
        pages.deallocate()
    }

    /// Copies all pages.
    package func copy() -> PageTable {
        let copy = PageTable(pageLength: pageLength)
        if count > 0 { copy.reserve(count) }
        copy.count = count
        for number in 0..<count {
            guard let page = pages[number] else { continue }
            let new = makePage()
            new.update(from: page, count: pageLength)
            copy.pages[number] = new
        }
        return copy
    }

    /// Adds a page filled with zeros under a number that has no page.
    @discardableResult
    package func add(_ number: Int) -> Page {
        reserve(number + 1)
        count = max(count, number + 1)
        let page = makePage()
        pages[number] = page
        return page
    }

    /// Removes the page of a number, if there is one.
    package func remove(_ number: Int) {
        pages[number]?.deallocate()
        pages[number] = nil
    }

    /// Removes the pages with the last `pageCount` numbers below ``count``.
    package func removeLast(_ pageCount: Int) {
        for _ in 0..<min(pageCount, count) {
            count -= 1
            remove(count)
        }
    }

    private func makePage() -> Page {
        let size = pageLength * MemoryLayout<Element>.stride
        // Aligned to a cache line, so that as few elements as possible cross the boundary of two cache lines.
        let page = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        page.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        return page.bindMemory(to: Element.self, capacity: pageLength)
    }

    private func reserve(_ minimum: Int) {
        guard minimum > capacity else { return }
        let old = capacity
        capacity = max(minimum, 2 * capacity)
        let wider = UnsafeMutablePointer<Page?>.allocate(capacity: capacity)
        wider.moveInitialize(from: pages, count: old)
        (wider + old).initialize(repeating: nil, count: capacity - old)
        pages.deallocate()
        pages = wider
    }
}
