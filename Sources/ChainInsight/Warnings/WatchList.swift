/// The nodes that the next sweeps examine: by slot, two bits each, and one due time for each 16 slots.
///
/// Contains changed nodes and nodes with a condition that other nodes end. Nodes that only grow older are found by due
/// time.
struct WatchList: Sendable {
    /// 64 slots.
    private struct Word: Sendable {
        /// Bits for the next sweep and for the one after it. One vector, because reading both after writing one is a
        /// store-forwarding stall.
        var looks = SIMD2<UInt64>()
        var next: UInt64 { looks.x }
        var later: UInt64 { looks.y }
        var dues = SIMD4<UInt64>(repeating: .max)
    }

    private var words: [Word] = []

    /// How many words of 64 slots there are.
    var wordCount: Int { words.count }

    /// Makes room for slots.
    mutating func reserve(_ slotCount: Int) {
        let missing = (slotCount + 63) / 64 - words.count
        guard missing > 0 else { return }
        words.append(contentsOf: repeatElement(Word(), count: missing))
    }

    /// Adds a slot, for which there is room, to the next sweep.
    @inline(__always)
    mutating func insert(_ slot: UInt32) { words[Int(slot >> 6)].looks |= SIMD2(Self.bit(slot), 0) }

    /// Adds a slot, for which there is room, to the sweep after the next one. With `keepsNext`, it stays in the next
    /// sweep if it is there.
    @inline(__always)
    mutating func insertLater(_ slot: UInt32, keepsNext: Bool) {
        let (bit, looks) = (Self.bit(slot), words[Int(slot >> 6)].looks)
        if keepsNext, looks.x & bit != 0 { return }
        words[Int(slot >> 6)].looks = (looks & SIMD2(~bit, .max)) | SIMD2(0, bit)
    }

    /// Removes a slot from all sweeps, except by its due time.
    @inline(__always)
    mutating func remove(_ slot: UInt32) {
        words[Int(slot >> 6)].looks &= SIMD2(repeating: ~Self.bit(slot))
    }

    @inline(__always)
    private static func bit(_ slot: UInt32) -> UInt64 { 1 << UInt64(slot & 63) }

    /// Makes a slot due at a moment, together with its neighbours.
    mutating func insert(_ slot: UInt32, at moment: UInt64) {
        let quarter = Int(slot >> 4 & 3)
        words[Int(slot >> 6)].dues[quarter] = min(words[Int(slot >> 6)].dues[quarter], moment)
    }

    /// When a slot of a word becomes due; nil for never.
    func due(_ word: Int) -> UInt64? {
        let due = words[word].dues.min()
        return due == .max ? nil : due
    }

    /// Removes and returns the slots of a word that are to be examined now, and the neighbours of due ones. Returns
    /// whether others wait for the sweep after this one.
    mutating func removeSlots(_ word: Int, at now: UInt64, isWhole: Bool) -> (bits: UInt64, areOthersLeft: Bool) {
        if isWhole {
            words[word] = Word()
            return (.max, false)
        }
        var bits = words[word].next
        for quarter in 0..<4 where words[word].dues[quarter] <= now {
            bits |= 0xffff << UInt64(16 * quarter)
            words[word].dues[quarter] = .max
        }
        let later = words[word].later & ~bits
        if bits | words[word].next | words[word].later != 0 { words[word].looks = SIMD2(later, 0) }
        return (bits, later != 0)
    }
}
