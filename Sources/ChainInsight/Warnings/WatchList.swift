/// Which nodes the next look at the warnings has to go to: by slot, a bit each, and a moment for each 64 of them.
///
/// Who changed is in it, and who has something that other nodes end. Who only has to grow older is found by the moment.
struct WatchList: Sendable {
    private var words: [UInt64] = []
    private var dues: [UInt64] = []

    /// How many times 64 slots there may be.
    var wordCount: Int { words.count }

    /// Has room for so many slots.
    mutating func reserve(_ slotCount: Int) {
        let missing = (slotCount + 63) / 64 - words.count
        guard missing > 0 else { return }
        words.append(contentsOf: repeatElement(0, count: missing))
        dues.append(contentsOf: repeatElement(.max, count: missing))
    }

    /// The next look goes to a slot, for which there is room.
    @inline(__always)
    mutating func insert(_ slot: UInt32) { words[Int(slot >> 6)] |= 1 << UInt64(slot & 63) }

    /// A look goes to a slot at a moment, and to those around it.
    mutating func insert(_ slot: UInt32, at moment: UInt64) {
        dues[Int(slot >> 6)] = min(dues[Int(slot >> 6)], moment)
    }

    /// When those of a word become due by the passing of time alone; nil for never.
    func due(_ word: Int) -> UInt64? { dues[word] == .max ? nil : dues[word] }

    /// Takes the slots of a word out that are to be looked at now: all of them where their moment has come.
    mutating func take(_ word: Int, at now: UInt64, isWhole: Bool) -> UInt64 {
        if isWhole || dues[word] <= now {
            (words[word], dues[word]) = (0, .max)
            return .max
        }
        defer { words[word] = 0 }
        return words[word]
    }
}
