/// The layout of the file (`PID.rings`) of a program's rings: the buffers that its threads write events into. The file
/// is mapped and shared, so that its bytes outlive the program. All numbers are little-endian. The article *The
/// recording* has the layout.
package enum RingFileFormat {
    /// The first eight bytes: `chainri` and a byte that is not text.
    package static let magic: [UInt8] = [0x63, 0x68, 0x61, 0x69, 0x6E, 0x72, 0x69, 0x9E]
    /// The version of the layout. Readers accept their own version only.
    package static let version: UInt32 = 1

    // The header: magic, version (u32), flags (u32), process (u64), the most slots that one event takes (u64), and the
    // counts of anchors, sites and rings that were written so far (u64 each).
    package static let versionOffset = 8, flagsOffset = 12, processOffset = 16, eventSlotsOffset = 24
    package static let anchorCountOffset = 32, siteCountOffset = 40, ringCountOffset = 48
    /// A flag: slots have ticks of the cycle counter, which anchors translate to times; without the flag, slots have
    /// nanoseconds.
    package static let cycleCounterFlag: UInt32 = 1

    /// Anchors: ticks and nanoseconds of the same moment. The newest overwrite the oldest.
    package static let anchorsOffset = 64, anchorLimit = 64, anchorSize = 16
    /// Rings: slots (offset), capacity, head (offset), tail (offset), u64 each; the thread's name, 32 bytes; the thread
    /// (u32), zero (u32); and 15 boundaries (u64): slots at which an event begins, the newest overwriting the oldest.
    package static let ringsOffset = anchorsOffset + anchorLimit * anchorSize, ringLimit = 512, ringSize = 192
    package static let nameOffset = 32, nameSize = 32, threadOffset = 64, boundariesOffset = 72, boundaryCount = 15
    /// Sites: address (u64) and line (u32) as in the slots, and the number (u32) that stands for the site in batches.
    package static let sitesOffset = ringsOffset + ringLimit * ringSize, siteLimit = 8192, siteSize = 16
    /// The most bytes of a file. Readers refuse a longer one.
    package static let sizeLimit = 1 << 30
    /// The offset at which the rings' memory begins.
    package static let headerSize = 256 << 10

    /// A slot: ticks, node, other, address of the site (u64 each), line (u32), length of the text (u16), detail (u16),
    /// kind and flags (u8 each), and 6 unused bytes. The text follows in slots of its own.
    package static let slotSize = 48
    /// The bit of the length of a text that was cut.
    package static let cutBit: UInt16 = 0x8000
}
