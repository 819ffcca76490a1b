/// Which nodes the next looks at the warnings have to go to: by slot, two bits each, and a moment for each 16 of them.
///
/// Who changed is in it, and who has something that other nodes end. Who only has to grow older is found by the moment.
struct WatchList: Sendable {
    /// 64 slots.
    private struct Word: Sendable {
        /// For the next look, and for the one after it. Read and written as one: who reads both after writing one waits.
        var looks = SIMD2<UInt64>()
        var next: UInt64 { looks.x }
        var later: UInt64 { looks.y }
        var dues = SIMD4<UInt64>(repeating: .max)
    }

    private var words: [Word] = []

    /// How many times 64 slots there may be.
    var wordCount: Int { words.count }

    /// Has room for so many slots.
    mutating func reserve(_ slotCount: Int) {
        let missing = (slotCount + 63) / 64 - words.count
        guard missing > 0 else { return }
        words.append(contentsOf: repeatElement(Word(), count: missing))
    }

    /// The next look goes to a slot, for which there is room.
    @inline(__always)
    mutating func insert(_ slot: UInt32) { words[Int(slot >> 6)].looks |= SIMD2(Self.bit(slot), 0) }

    /// The look after the next one goes to a slot, for which there is room; the next one only where it does already, and
    /// that is wanted.
    @inline(__always)
    mutating func insertLater(_ slot: UInt32, keepsNext: Bool) {
        let (bit, looks) = (Self.bit(slot), words[Int(slot >> 6)].looks)
        if keepsNext, looks.x & bit != 0 { return }
        words[Int(slot >> 6)].looks = (looks & SIMD2(~bit, .max)) | SIMD2(0, bit)
    }

    /// No look goes to a slot, but those at a moment.
    @inline(__always)
    mutating func remove(_ slot: UInt32) {
        words[Int(slot >> 6)].looks &= SIMD2(repeating: ~Self.bit(slot))
    }

    @inline(__always)
    private static func bit(_ slot: UInt32) -> UInt64 { 1 << UInt64(slot & 63) }

    /// A look goes to a slot at a moment, and to those around it.
    mutating func insert(_ slot: UInt32, at moment: UInt64) {
        let quarter = Int(slot >> 4 & 3)
        words[Int(slot >> 6)].dues[quarter] = min(words[Int(slot >> 6)].dues[quarter], moment)
    }

    /// When those of a word become due by the passing of time alone; nil for never.
    func due(_ word: Int) -> UInt64? {
        let due = words[word].dues.min()
        return due == .max ? nil : due
    }

    /// Takes the slots of a word out that are to be looked at now: also those around one whose moment has come. Whether
    /// others wait for the look after this one.
    mutating func take(_ word: Int, at now: UInt64, isWhole: Bool) -> (bits: UInt64, areOthersLeft: Bool) {
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
