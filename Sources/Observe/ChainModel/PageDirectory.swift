// SPDX-License-Identifier: MIT

/// The pages of an ``IDTable`` by key: open addressing with linear probing, at most half full.
struct PageDirectory {
    typealias Page = UnsafeMutablePointer<UInt32>

    private struct Entry {
        var key: UInt64 = 0
        var page: Page?
    }

    private var entries = [Entry](repeating: Entry(), count: 64)
    private var count = 0

    private var mask: Int { entries.count &- 1 }

    /// Calls `body` with each key that has a page, in no order.
    func forEachKey(_ body: (UInt64) -> Void) {
        for entry in entries where entry.page != nil { body(entry.key) }
    }

    /// Returns the index at which the search for a key begins.
    @inline(__always)
    private func home(_ key: UInt64) -> Int { Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & mask }

    /// Returns the page of a key; nil if the key has no page.
    @inline(__always)
    func page(_ key: UInt64) -> Page? {
        var index = home(key)
        while let page = entries[index].page {
            if entries[index].key == key { return page }
            index = (index &+ 1) & mask
        }
        return nil
    }

    /// Adds a page under a key that has no page.
    mutating func insert(_ key: UInt64, _ page: Page) {
        if count * 2 > mask { grow() }
        store(Entry(key: key, page: page))
        count += 1
    }

    /// Removes a key that has a page.
    mutating func remove(_ key: UInt64) {
        var hole = home(key)
        while entries[hole].key != key || entries[hole].page == nil { hole = (hole + 1) & mask }
        entries[hole].page = nil
        count -= 1
        // Backward shift: an entry that was pushed past the hole moves into it, because look-ups stop at a hole.
        var index = (hole + 1) & mask
        while entries[index].page != nil {
            let distance = (index - home(entries[index].key)) & mask
            if distance >= (index - hole) & mask {
                entries[hole] = entries[index]
                entries[index].page = nil
                hole = index
            }
            index = (index + 1) & mask
        }
    }

    /// Replaces each page by what `replacement` returns for it.
    mutating func replacePages(_ replacement: (Page) -> Page) {
        for index in entries.indices { entries[index].page = entries[index].page.map(replacement) }
    }

    private mutating func store(_ entry: Entry) {
        var index = home(entry.key)
        while entries[index].page != nil { index = (index + 1) & mask }
        entries[index] = entry
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: Entry(), count: 2 * old.count)
        for entry in old where entry.page != nil { store(entry) }
    }
}
