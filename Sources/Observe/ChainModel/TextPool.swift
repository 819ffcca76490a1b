// SPDX-License-Identifier: MIT

import CChainRuntime

/// Reference-counted texts by slot. Equal texts are usually interned once; a text without uses is removed.
struct TextPool: Sendable {
    /// The text and its count are stored together, because most calls read both, and neither is in a cache.
    private struct Entry {
        var text = ""
        /// How often the text is used; in a free slot, the next free slot.
        var useCount: UInt32 = 0
        /// The hash of the text, kept because hashing a long text takes further loads.
        var hash: UInt32 = 0
    }

    private static let pageShift: UInt32 = 9
    /// The entries, in pages, so that growth moves the texts of one page at most.
    private var pages: [[Entry]] = []
    private var firstFree = noSlot
    /// How many texts there are.
    private(set) var count = 0
    /// A cache of hashes and slots of texts, which finds most repeated labels without a dictionary of all texts. A text
    /// is in one of the ``wayCount`` places of its set, the text that was used last in the first place.
    private var recent = [Recent](repeating: Recent(), count: setCount * wayCount)
    private static let setCount = 256, wayCount = 4

    private struct Recent {
        var hash: UInt32 = 0
        var slot = noSlot
    }

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
        let hash = Self.hash(text)
        let first = Self.firstPlace(hash)
        for place in first..<first + Self.wayCount where recent[place].hash == hash {
            let known = recent[place]
            guard known.slot != noSlot, self.text(known.slot) == text else { continue }
            self[useCount: known.slot] += 1
            moveToFront(known, from: place, first)
            return known.slot
        }
        let slot = allocateSlot()
        pages[Int(slot >> Self.pageShift)][Self.offset(slot)] = Entry(text: text, useCount: 1, hash: hash)
        moveToFront(Recent(hash: hash, slot: slot), from: first + Self.wayCount - 1, first)
        return slot
    }

    /// Puts a text into the first place of its set; the texts from there to `place` move on by one.
    private mutating func moveToFront(_ text: Recent, from place: Int, _ first: Int) {
        for index in stride(from: place, to: first, by: -1) { recent[index] = recent[index - 1] }
        recent[first] = text
    }

    /// Removes a use of the text in `slot`, and frees the slot after the last use.
    mutating func release(_ slot: UInt32) {
        guard slot != noSlot else { return }
        let (page, offset) = (Int(slot >> Self.pageShift), Self.offset(slot))
        pages[page][offset].useCount -= 1
        guard pages[page][offset].useCount == 0 else { return }
        let first = Self.firstPlace(pages[page][offset].hash)
        for place in first..<first + Self.wayCount where recent[place].slot == slot { recent[place] = Recent() }
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

    private static func firstPlace(_ hash: UInt32) -> Int { (Int(hash) & (setCount - 1)) * wayCount }

    /// Hashes the whole text, because labels may differ anywhere: 8 bytes in a nanosecond.
    private static func hash(_ text: String) -> UInt32 {
        var text = text
        return text.withUTF8 { bytes in
            let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
            let bytes = UnsafeRawBufferPointer(bytes)
            var hash = UInt64(bytes.count) &* factor
            var offset = 0
            while offset < bytes.count {
                var word: UInt64 = 0
                if offset + 8 <= bytes.count {
                    word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                } else {
                    for byte in bytes[offset...] { word = word << 8 | UInt64(byte) }
                }
                hash = (hash ^ word) &* factor
                hash ^= hash >> 29
                offset += 8
            }
            return UInt32(truncatingIfNeeded: hash >> 32)
        }
    }
}
