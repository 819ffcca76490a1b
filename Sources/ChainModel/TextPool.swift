import CChainRuntime

/// Reference-counted texts by slot. Equal texts are usually interned once; a text without uses is removed.
struct TextPool: Sendable {
    /// The text and its count are stored together, because most calls read both, and neither is in a cache.
    private struct Entry {
        var text = ""
        /// How often the text is used; in a free slot, the next free slot.
        var useCount: UInt32 = 0
        /// The index in ``recent`` that the text hashes to, kept because hashing a long text takes another load.
        var recentIndex: UInt32 = 0
    }

    private static let pageShift: UInt32 = 9
    /// The entries, in pages, so that growth moves the texts of one page at most.
    private var pages: [[Entry]] = []
    private var firstFree = noSlot
    /// How many texts there are.
    private(set) var count = 0
    /// The slot of the last text that was added with each hash: a cache that finds most repeated labels without a
    /// dictionary of all texts.
    private var recent = [UInt32](repeating: noSlot, count: 1024)

    subscript(slot: UInt32) -> String? { slot == noSlot ? nil : text(slot) }

    private func text(_ slot: UInt32) -> String { pages[Int(slot >> Self.pageShift)][Self.offset(slot)].text }

    private static func offset(_ slot: UInt32) -> Int { Int(slot & (1 << pageShift &- 1)) }

    private subscript(useCount slot: UInt32) -> UInt32 {
        get { pages[Int(slot >> Self.pageShift)][Self.offset(slot)].useCount }
        set { pages[Int(slot >> Self.pageShift)][Self.offset(slot)].useCount = newValue }
    }

    /// Prefetches what ``release(_:)`` will read.
    func prefetch(_ slot: UInt32) {
        guard slot != noSlot else { return }
        pages[Int(slot >> Self.pageShift)].withUnsafeBufferPointer {
            chain_prefetch($0.baseAddress! + Self.offset(slot))
        }
    }

    /// Adds a use of `text`, and returns its slot.
    mutating func intern(_ text: String) -> UInt32 {
        let index = Self.cacheIndex(of: text)
        let known = recent[index]
        if known != noSlot, self.text(known) == text {
            self[useCount: known] += 1
            return known
        }
        let slot = allocateSlot()
        pages[Int(slot >> Self.pageShift)][Self.offset(slot)] = Entry(
            text: text, useCount: 1, recentIndex: UInt32(index))
        recent[index] = slot
        return slot
    }

    /// Removes a use of the text in `slot`, and frees the slot after the last use.
    mutating func release(_ slot: UInt32) {
        guard slot != noSlot else { return }
        let (page, offset) = (Int(slot >> Self.pageShift), Self.offset(slot))
        pages[page][offset].useCount -= 1
        guard pages[page][offset].useCount == 0 else { return }
        let index = Int(pages[page][offset].recentIndex)
        if recent[index] == slot { recent[index] = noSlot }
        pages[page][offset] = Entry(useCount: firstFree)
        firstFree = slot
        count -= 1
        guard count == 0 else { return }
        pages = []
        firstFree = noSlot
    }

    /// Replaces a use of the text in `slot` by a use of `text`, and sets `slot` to the slot of `text`. Does nothing if
    /// the texts are equal.
    mutating func replace(_ slot: inout UInt32, with text: String) {
        guard self[slot] != text else { return }
        release(slot)
        slot = intern(text)
    }

    private mutating func allocateSlot() -> UInt32 {
        count += 1
        if firstFree != noSlot {
            let slot = firstFree
            firstFree = self[useCount: slot]
            return slot
        }
        if pages.last.map({ $0.count == 1 << Self.pageShift }) ?? true { pages.append([]) }
        let last = pages.count - 1
        pages[last].append(Entry())
        return UInt32(last) << Self.pageShift | UInt32(pages[last].count - 1)
    }

    /// Hashes the length and the last 8 bytes, because numbered labels differ at their end.
    private static func cacheIndex(of text: String) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            var hash = UInt32(truncatingIfNeeded: bytes.count)
            for byte in bytes.suffix(8) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
            return Int(hash >> 10 & 1023)
        }
    }
}
