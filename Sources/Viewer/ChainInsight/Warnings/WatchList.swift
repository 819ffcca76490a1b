// SPDX-License-Identifier: MIT

/// The nodes that the next sweeps examine: two bits for each slot, and a due time for each group of 16 slots.
///
/// Contains changed nodes, and nodes that each sweep examines, such as nodes with a running handler or a warning. Nodes
/// that only grow older are found by due time.
struct WatchList: Sendable {
    /// For each group of 64 slots, their bits for the next sweep (x) and for the sweep after the next (y). Both are one
    /// vector that is always written whole: reading both after writing one would be a store-forwarding stall.
    private var words: [SIMD2<UInt64>] = []
    /// For each group of 64 slots, the due times of its four groups of 16. They are not in `words`, because a change of
    /// a node needs the bits only.
    private var dues: [SIMD4<UInt64>] = []

    /// How many words of 64 slots there are.
    var wordCount: Int { words.count }

    /// Makes room for slots.
    mutating func reserve(_ slotCount: Int) {
        let missing = (slotCount + 63) / 64 - words.count
        guard missing > 0 else { return }
        words.append(contentsOf: repeatElement(SIMD2(), count: missing))
        dues.append(contentsOf: repeatElement(SIMD4(repeating: .max), count: missing))
    }

    /// Adds a slot, for which there is room, to the next sweep.
    @inline(__always)
    mutating func insert(_ slot: UInt32) { words[Int(slot >> 6)] |= SIMD2(Self.bit(slot), 0) }

    /// Moves or adds a slot, for which there is room, to the sweep after the next one. With `keepsNext`, a slot of the
    /// next sweep stays there.
    @inline(__always)
    mutating func insertLater(_ slot: UInt32, keepsNext: Bool) {
        let (bit, word) = (Self.bit(slot), words[Int(slot >> 6)])
        if keepsNext, word.x & bit != 0 { return }
        words[Int(slot >> 6)] = (word & SIMD2(~bit, .max)) | SIMD2(0, bit)
    }

    /// Removes a slot from the next sweeps. Its due time stays.
    @inline(__always)
    mutating func remove(_ slot: UInt32) {
        words[Int(slot >> 6)] &= SIMD2(repeating: ~Self.bit(slot))
    }

    @inline(__always)
    private static func bit(_ slot: UInt32) -> UInt64 { 1 << UInt64(slot & 63) }

    /// Makes a slot due at a moment, and with it the other slots of its group of 16.
    mutating func insert(_ slot: UInt32, at moment: UInt64) {
        let quarter = Int(slot >> 4 & 3)
        dues[Int(slot >> 6)][quarter] = min(dues[Int(slot >> 6)][quarter], moment)
    }

    /// Returns when the first slot of a word becomes due; nil if none does.
    func due(_ word: Int) -> UInt64? {
        let due = dues[word].min()
        return due == .max ? nil : due
    }

    /// Removes and returns the slots of a word that this sweep has to examine. These are the slots that were added to
    /// this sweep, and each due group of 16 slots; in a whole sweep, all slots. Also returns whether slots are left for
    /// the sweep after this one.
    mutating func removeSlots(_ word: Int, at now: UInt64, isWhole: Bool) -> (bits: UInt64, areOthersLeft: Bool) {
        if isWhole {
            (words[word], dues[word]) = (SIMD2(), SIMD4(repeating: .max))
            return (.max, false)
        }
        let old = words[word]
        var bits = old.x
        for quarter in 0..<4 where dues[word][quarter] <= now {
            bits |= 0xffff << UInt64(16 * quarter)
            dues[word][quarter] = .max
        }
        let later = old.y & ~bits
        if bits | old.x | old.y != 0 { words[word] = SIMD2(later, 0) }
        return (bits, later != 0)
    }
}
