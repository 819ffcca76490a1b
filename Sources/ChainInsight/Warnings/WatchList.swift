/// Which nodes the next looks at the warnings have to go to: by slot, two bits each, and a moment for each 64 of them.
///
/// Who changed is in it, and who has something that other nodes end. Who only has to grow older is found by the moment.
struct WatchList: Sendable {
    /// 64 slots.
    private struct Word: Sendable {
        /// For the next look, and for the one after it.
        var next: UInt64 = 0, later: UInt64 = 0
        var due = UInt64.max
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
    mutating func insert(_ slot: UInt32) { words[Int(slot >> 6)].next |= Self.bit(slot) }

    /// The look after the next one goes to a slot, for which there is room, and the next one does not.
    @inline(__always)
    mutating func insertLater(_ slot: UInt32) {
        words[Int(slot >> 6)].later |= Self.bit(slot)
        words[Int(slot >> 6)].next &= ~Self.bit(slot)
    }

    /// No look goes to a slot, but those at a moment.
    @inline(__always)
    mutating func remove(_ slot: UInt32) {
        words[Int(slot >> 6)].next &= ~Self.bit(slot)
        words[Int(slot >> 6)].later &= ~Self.bit(slot)
    }

    @inline(__always)
    private static func bit(_ slot: UInt32) -> UInt64 { 1 << UInt64(slot & 63) }

    /// A look goes to a slot at a moment, and to those around it.
    mutating func insert(_ slot: UInt32, at moment: UInt64) {
        words[Int(slot >> 6)].due = min(words[Int(slot >> 6)].due, moment)
    }

    /// When those of a word become due by the passing of time alone; nil for never.
    func due(_ word: Int) -> UInt64? { words[word].due == .max ? nil : words[word].due }

    /// Takes the slots of a word out that are to be looked at now: all of them where their moment has come. Whether others
    /// wait for the look after this one.
    mutating func take(_ word: Int, at now: UInt64, isWhole: Bool) -> (bits: UInt64, areOthersLeft: Bool) {
        if isWhole || words[word].due <= now {
            words[word] = Word()
            return (.max, false)
        }
        let (bits, later) = (words[word].next, words[word].later)
        guard bits | later != 0 else { return (0, false) }
        (words[word].next, words[word].later) = (later, 0)
        return (bits, later != 0)
    }
}
