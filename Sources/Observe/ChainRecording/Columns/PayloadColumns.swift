// SPDX-License-Identifier: MIT

/// A codec for the chunks of recordings, without a library. It puts values of one kind together in a column of words;
/// times and node ids are delta-encoded. A column is stored in byte planes (see ``Column``). Planes of zeroes are left
/// out, so that a third of the size remains. The article *The recording, byte by byte* describes the order.
///
/// The *head* is what remains of the messages after their nodes and events are moved into the columns. The *numbers* of
/// a node are its first optional fields, which take 64 bits each. The *rest* has the bytes of nodes that are in no
/// column.
///
/// Messages are parsed only to find their nodes and events, and every payload that is packed is restored byte for byte.
package struct PayloadColumns: PayloadCodec {
    /// The size of the header: four 32-bit counts (bytes of the head, events, nodes, numbers), then a byte for each
    /// column. Such a byte has a bit for each stored plane.
    package static let headerSize = 16 + columnCount
    /// The mark of a message with its nodes and events in the columns: the last byte of the message's header in the
    /// head.
    static let inColumnsMark: UInt8 = 1

    // Sizes on the wire, in bytes.
    static let messageHeaderSize = 8, batchHeaderSize = 96
    static let eventSize = 40, nodeSize = 32
    /// The counts of words of 8 bytes in an event and in the fixed part of a node, and the count of columns. Each of
    /// these words makes a column, and one more column has the numbers of all nodes.
    static let eventWords = 5, nodeWords = 4, columnCount = 10
    /// The bits of the numbers among the bits of a node's optional fields, and how many such bits there are.
    static let numberBits: UInt32 = 0x7FF, numberFields = 11
    /// The index of the bit of the first number that is a time. The numbers after it are times, too.
    static let firstTimeBit = 3

    package init() {}

    package var codec: ChunkCodec { .columns }

    package func packed(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
        Self.columns(of: payload).flatMap { $0.count < payload.count ? $0 : nil }
    }

    package func unpacked(_ stored: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        Self.payload(of: stored, count: count)
    }

    /// Returns how many bytes the numbers of a node take; `fields` has the bits of its optional fields.
    static func numberBytes(_ fields: UInt32) -> Int { 8 * (fields & numberBits).nonzeroBitCount }
}

/// The counts of events, of nodes, and of the numbers of all nodes in a payload.
struct ColumnCounts {
    var events = 0, nodes = 0, numbers = 0

    /// Returns the count of words in a column.
    func rows(_ column: Int) -> Int {
        column < PayloadColumns.eventWords ? events : column < PayloadColumns.columnCount - 1 ? nodes : numbers
    }

    /// The count of words in all columns.
    var words: Int { PayloadColumns.eventWords * events + PayloadColumns.nodeWords * nodes + numbers }
}

/// A stored column of words: a plane with the lowest byte of each word, then a plane with the second bytes, and so on.
/// Planes of zeroes are left out.
struct Column {
    let start: UnsafeRawPointer
    let count: Int
    /// A bit for each plane that is stored.
    let planes: UInt8

    /// Returns the planes that these words need.
    static func planes(of words: UnsafeBufferPointer<UInt64>) -> UInt8 {
        // Without branches, for the vectorizer.
        let all = words.reduce(0, |)
        return (0..<8).reduce(0) { planes, plane in
            all >> UInt64(8 * plane) & 0xFF == 0 ? planes : planes | 1 << UInt8(plane)
        }
    }

    /// Writes the planes of these words, and moves `bytes` past them.
    static func store(
        _ words: UnsafeBufferPointer<UInt64>, _ planes: UInt8, into bytes: inout UnsafeMutableRawPointer
    ) {
        for plane in 0..<8 where planes >> UInt8(plane) & 1 != 0 {
            let into = bytes.assumingMemoryBound(to: UInt8.self)
            let shift = UInt64(8 * plane)
            for index in 0..<words.count { into[index] = UInt8(truncatingIfNeeded: words[index] &>> shift) }
            bytes += words.count
        }
    }

    /// Reads `count` words from `first` on: one plane after another, because word by word takes three times as many
    /// instructions.
    @inline(__always)
    func load(_ first: Int, _ count: Int, into words: UnsafeMutablePointer<UInt64>) {
        guard planes != 0 else { return words.update(repeating: 0, count: count) }
        var bytes = start.assumingMemoryBound(to: UInt8.self) + first
        var rest = planes
        while rest != 0 {
            let shift = UInt64(8 * rest.trailingZeroBitCount)
            if rest == planes {
                for index in 0..<count { words[index] = UInt64(bytes[index]) &<< shift }
            } else {
                for index in 0..<count { words[index] |= UInt64(bytes[index]) &<< shift }
            }
            rest &= rest &- 1
            bytes += self.count
        }
    }
}

/// Returns the zigzag encoding of a difference: a small number for a small difference of either sign.
@inline(__always)
func zigzagEncoded(_ difference: UInt64) -> UInt64 {
    let signed = Int64(bitPattern: difference)
    return UInt64(bitPattern: (signed << 1) ^ (signed >> 63))
}

/// Returns the difference with this zigzag encoding.
@inline(__always)
func zigzagDecoded(_ value: UInt64) -> UInt64 { (value >> 1) ^ (0 &- (value & 1)) }

/// The values from which the next differences are taken, and the positions of the next numbers.
struct ColumnState {
    var eventTime: UInt64 = 0, eventNode: UInt64 = 0
    var nodeID: UInt64 = 0
    /// The first of the times among the numbers of the latest node that has such a time.
    var nodeTime: UInt64 = 0
    /// The index of the next number among all numbers, by field.
    var nextNumber = [Int](repeating: 0, count: PayloadColumns.numberFields)

    /// - Parameter counts: by field, how many nodes have it.
    init(counts: [Int]) {
        for field in 1..<nextNumber.count { nextNumber[field] = nextNumber[field - 1] + counts[field - 1] }
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
