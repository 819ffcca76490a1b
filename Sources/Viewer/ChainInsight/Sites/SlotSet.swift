// SPDX-License-Identifier: MIT

/// A set of node indices, as one bit for each possible index.
struct SlotSet: Sendable {
    private var words: [UInt64] = []

    @inline(__always)
    func contains(_ slot: UInt32) -> Bool {
        let word = Int(slot >> 6)
        return word < words.count && words[word] & (1 << UInt64(slot & 63)) != 0
    }

    /// Inserts a slot. Returns whether it was not in the set.
    @inline(__always)
    mutating func insert(_ slot: UInt32) -> Bool {
        let word = Int(slot >> 6)
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        let bit: UInt64 = 1 << UInt64(slot & 63)
        guard words[word] & bit == 0 else { return false }
        words[word] |= bit
        return true
    }

    /// Removes a slot. Returns whether it was in the set.
    @inline(__always)
    mutating func remove(_ slot: UInt32) -> Bool {
        guard contains(slot) else { return false }
        words[Int(slot >> 6)] &= ~(1 << UInt64(slot & 63))
        return true
    }

    mutating func removeAll() { words = [] }
}
