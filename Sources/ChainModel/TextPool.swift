/// Texts by slot, counted: the same text is usually kept once, and one that nobody uses is gone.
struct TextPool: Sendable {
    private var texts: [String] = []
    private var useCounts: [UInt32] = []
    private var freeSlots: [UInt32] = []
    /// The slot that a text of this hash was last put into: finds most repeated labels without a dictionary of all.
    private var recent = [UInt32](repeating: noSlot, count: 1024)

    /// How many texts there are.
    var count: Int { texts.count - freeSlots.count }

    subscript(slot: UInt32) -> String? { slot == noSlot ? nil : texts[Int(slot)] }

    /// Takes a use of `text`.
    mutating func intern(_ text: String) -> UInt32 {
        let place = text.hashValue & 1023
        let known = recent[place]
        if known != noSlot, Int(known) < texts.count, useCounts[Int(known)] > 0, texts[Int(known)] == text {
            useCounts[Int(known)] += 1
            return known
        }
        let slot: UInt32
        if let free = freeSlots.popLast() {
            slot = free
            texts[Int(slot)] = text
            useCounts[Int(slot)] = 1
        } else {
            slot = UInt32(texts.count)
            texts.append(text)
            useCounts.append(1)
        }
        recent[place] = slot
        return slot
    }

    /// Gives a use back.
    mutating func release(_ slot: UInt32) {
        guard slot != noSlot else { return }
        useCounts[Int(slot)] -= 1
        guard useCounts[Int(slot)] == 0 else { return }
        texts[Int(slot)] = ""
        freeSlots.append(slot)
        guard freeSlots.count == texts.count else { return }
        texts = []
        useCounts = []
        freeSlots = []
    }

    /// Puts `text` into `slot` instead of what is there.
    mutating func replace(_ slot: inout UInt32, with text: String) {
        guard self[slot] != text else { return }
        release(slot)
        slot = intern(text)
    }
}
