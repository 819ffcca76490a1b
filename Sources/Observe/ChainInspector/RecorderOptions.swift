// SPDX-License-Identifier: MIT

/// The sizes and contents of a recorder's rings.
package struct RecorderOptions: Sendable {
    /// How many events of a thread may wait for the collector, at least 16. A text takes the room of further events.
    package var ringCapacity = 16_384
    /// The most bytes of all rings and their blocks together.
    package var ringByteLimit = 32 << 20
    /// The most bytes of one event's text; the rest is cut off.
    package var textLimit = 480
    /// Whether the summaries of errors are recorded; they may hold secrets.
    package var capturesErrorText = true

    package init() {}

    var usableRingCapacity: Int { max(16, min(ringCapacity, 1 << 24)) }

    /// The most bytes of a text: at most a quarter of a ring, and no more than fit into the 15 bits of a slot's length.
    var usableTextLimit: Int { max(0, min(textLimit, usableRingCapacity / 4 * RingSlot.size, 0x7FFF)) }
}
