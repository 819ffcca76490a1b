/// The nodes that the next sweeps examine: by slot, two bits each, and one due time for each 16 slots.
///
/// Contains changed nodes and nodes with a condition that other nodes end. Nodes that only grow older are found by due
/// time.
struct WatchList: Sendable {
    /// By 64 slots, bits for the next sweep and for the one after it. One vector, because reading both after writing one
    /// is a store-forwarding stall.
    private var looks: [SIMD2<UInt64>] = []
    /// By 64 slots, the due times of each 16. Apart, because changes of nodes need the bits only.
    private var dues: [SIMD4<UInt64>] = []

    /// How many words of 64 slots there are.
    var wordCount: Int { looks.count }

    /// Makes room for slots.
    mutating func reserve(_ slotCount: Int) {
        let missing = (slotCount + 63) / 64 - looks.count
        guard missing > 0 else { return }
        looks.append(contentsOf: repeatElement(SIMD2(), count: missing))
        dues.append(contentsOf: repeatElement(SIMD4(repeating: .max), count: missing))
    }

    /// Adds a slot, for which there is room, to the next sweep.
    @inline(__always)
    mutating func insert(_ slot: UInt32) { looks[Int(slot >> 6)] |= SIMD2(Self.bit(slot), 0) }

    /// Adds a slot, for which there is room, to the sweep after the next one. With `keepsNext`, it stays in the next
    /// sweep if it is there.
    @inline(__always)
    mutating func insertLater(_ slot: UInt32, keepsNext: Bool) {
        let (bit, word) = (Self.bit(slot), looks[Int(slot >> 6)])
        if keepsNext, word.x & bit != 0 { return }
        looks[Int(slot >> 6)] = (word & SIMD2(~bit, .max)) | SIMD2(0, bit)
    }

    /// Removes a slot from all sweeps, except by its due time.
    @inline(__always)
    mutating func remove(_ slot: UInt32) {
        looks[Int(slot >> 6)] &= SIMD2(repeating: ~Self.bit(slot))
    }

    @inline(__always)
    private static func bit(_ slot: UInt32) -> UInt64 { 1 << UInt64(slot & 63) }

    /// Makes a slot due at a moment, together with its neighbours.
    mutating func insert(_ slot: UInt32, at moment: UInt64) {
        let quarter = Int(slot >> 4 & 3)
        dues[Int(slot >> 6)][quarter] = min(dues[Int(slot >> 6)][quarter], moment)
    }

    /// When a slot of a word becomes due; nil for never.
    func due(_ word: Int) -> UInt64? {
        let due = dues[word].min()
        return due == .max ? nil : due
    }

    /// Removes and returns the slots of a word that are to be examined now, and the neighbours of due ones. Returns
    /// whether others wait for the sweep after this one.
    mutating func removeSlots(_ word: Int, at now: UInt64, isWhole: Bool) -> (bits: UInt64, areOthersLeft: Bool) {
        if isWhole {
            (looks[word], dues[word]) = (SIMD2(), SIMD4(repeating: .max))
            return (.max, false)
        }
        let old = looks[word]
        var bits = old.x
        for quarter in 0..<4 where dues[word][quarter] <= now {
            bits |= 0xffff << UInt64(16 * quarter)
            dues[word][quarter] = .max
        }
        let later = old.y & ~bits
        if bits | old.x | old.y != 0 { looks[word] = SIMD2(later, 0) }
        return (bits, later != 0)
    }
}
