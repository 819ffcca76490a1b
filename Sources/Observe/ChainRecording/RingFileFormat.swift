// SPDX-License-Identifier: MIT

/// The layout of the file (`PID.rings`) of a program's rings: the buffers that its threads write events into. The file
/// is mapped and shared, so that its bytes outlive the program. All numbers are little-endian. The article *The
/// recording* has the layout.
package enum RingFileFormat {
    /// The first eight bytes: `chainri` and a byte that is not text.
    package static let magic: [UInt8] = [0x63, 0x68, 0x61, 0x69, 0x6E, 0x72, 0x69, 0x9E]
    /// The version of the layout. Readers accept their own version only.
    package static let version: UInt32 = 2

    // The header: magic, version (u32), flags (u32), process (u64), the bytes of a block (u64), the counts of anchors,
    // sites and blocks that were made so far (u64 each), and where the head and the tail are in a ring (u32 each).
    package static let versionOffset = 8, flagsOffset = 12, processOffset = 16, blockSizeOffset = 24
    package static let anchorCountOffset = 32, siteCountOffset = 40, blockCountOffset = 48
    package static let headPlaceOffset = 56, tailPlaceOffset = 60
    /// A flag: slots have ticks of the cycle counter, which anchors translate to times; without the flag, slots have
    /// nanoseconds.
    package static let cycleCounterFlag: UInt32 = 1

    /// Anchors: ticks and nanoseconds of the same moment. The newest overwrite the oldest.
    package static let anchorsOffset = 64, anchorLimit = 64, anchorSize = 16
    /// Sites: address (u64) and line (u32) as in the slots, and the number (u32) that stands for the site in batches.
    package static let sitesOffset = anchorsOffset + anchorLimit * anchorSize, siteLimit = 8192, siteSize = 16
    /// Rings: the headers of the program's rings, whose head and tail (u64 each) are for readers.
    package static let ringsOffset = 132 << 10, ringLimit = 8192, ringSize = 256
    /// The most bytes of a file. Readers refuse a longer one.
    package static let sizeLimit = 1 << 30
    /// The offset at which the blocks begin, one after the other.
    package static let headerSize = 9 << 18

    /// The header of a block: the numbers of its first slot and of the slot after its last (u64 each; the second is
    /// greater than the head while the thread writes into the block), the number of its ring plus one (u64; 0 for
    /// none), two fields of the program (u64 each), the thread's number (u32), a field of the program (u8), and the
    /// thread's name. The slots follow.
    package static let blockStartOffset = 0, blockEndOffset = 8, blockRingOffset = 16, blockNextOffset = 24
    package static let blockFreedOffset = 32, blockThreadOffset = 40, blockIsInFileOffset = 44
    package static let blockNameOffset = 48, nameSize = 32, blockHeaderSize = 128

    /// A slot: ticks, node, other, address of the site (u64 each), line (u32), length of the text (u16), detail (u16),
    /// kind and flags (u8 each), and 6 unused bytes. The text follows in slots of its own.
    package static let slotSize = 48
    /// The bit of the length of a text that was cut.
    package static let cutBit: UInt16 = 0x8000
}
