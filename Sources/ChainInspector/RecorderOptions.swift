package struct RecorderOptions: Sendable {
    /// Events a thread's ring holds; rounded up to a power of two, at least 16. Texts take further places.
    package var ringCapacity = 16_384
    /// Events a ring holds that is made once half of ``ringByteLimit`` is in use, unless ``ringCapacity`` is less.
    static let crowdedRingCapacity = 4096
    /// Bytes of all rings together.
    package var ringByteLimit = 32 << 20
    /// Bytes of one event's text; the rest is cut off.
    package var textLimit = 480
    /// Whether the summaries of errors are kept; they may hold secrets.
    package var capturesErrorText = true

    package init() {}

    var usableRingCapacity: Int {
        var capacity = 16
        while capacity < min(ringCapacity, 1 << 24) { capacity *= 2 }
        return capacity
    }

    /// At most a quarter of a ring, and at most 15 bits, which is the size of the length.
    var usableTextLimit: Int { max(0, min(textLimit, usableRingCapacity / 4 * RingSlot.size, 0x7FFF)) }
}
