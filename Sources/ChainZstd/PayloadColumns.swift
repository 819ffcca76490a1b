/// The bytes of a payload in another order, in which they compress to a third: numbers of one kind stand together, as
/// differences, the lowest byte of each first, then the second bytes, and so on. *The recording, byte by byte* has the
/// order.
///
/// No more is read of the messages than where the nodes and events of a batch are, so whatever the bytes are, the same
/// ones come back.
enum PayloadColumns {
    /// Four counts of 32 bits: bytes of the head, events, nodes, numbers of nodes.
    static let headerSize = 16
    /// Set in the last byte of a message's header in the head: its nodes and events are in the columns.
    static let movedMark: UInt8 = 1

    static let messageHeaderSize = 8, batchHeaderSize = 96
    static let eventSize = 40, nodeSize = 32
    /// The optional fields of a node that are one number of 64 bits, and stand before all others.
    static let numberBits: UInt32 = 0x7FF
    /// The first of them that is a time.
    static let firstTimeBit = 3

    /// Bytes of a node's numbers.
    static func numberBytes(_ fields: UInt32) -> Int { 8 * (fields & numberBits).nonzeroBitCount }
}

/// Unsigned numbers of `width` bytes: the first byte of all, then the second byte of all.
struct Column {
    let start: UnsafeMutableRawPointer
    let count: Int

    @inline(__always)
    func load(_ index: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for plane in 0..<width {
            value |= UInt64(start.load(fromByteOffset: plane * count + index, as: UInt8.self)) << UInt64(8 * plane)
        }
        return value
    }

    /// The bytes of one place of all numbers, the lowest being 0.
    @inline(__always)
    func plane(_ plane: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: (start + plane * count).assumingMemoryBound(to: UInt8.self), count: count)
    }

    @inline(__always)
    func store(_ value: UInt64, _ index: Int, width: Int) {
        for plane in 0..<width {
            let byte = UInt8(truncatingIfNeeded: value >> UInt64(8 * plane))
            start.storeBytes(of: byte, toByteOffset: plane * count + index, as: UInt8.self)
        }
    }
}

/// A difference as an unsigned number that is small where the difference is, of whichever sign.
@inline(__always)
func folded(_ difference: UInt64) -> UInt64 {
    let signed = Int64(bitPattern: difference)
    return UInt64(bitPattern: (signed << 1) ^ (signed >> 63))
}

@inline(__always)
func unfolded(_ value: UInt64) -> UInt64 { (value >> 1) ^ (0 &- (value & 1)) }

/// The columns of a payload: of its events, of its nodes, and of the numbers of these.
struct ColumnSet {
    let time, node, other, site, text, thread, detail, kind, flags: Column
    let size, fields, id, nodeSite, nodeThread, executor, nodeKind, settlement, marks: Column
    let numbers: Column
    /// What is left of the nodes.
    let rest: UnsafeMutableRawPointer

    /// - Parameter start: behind the head.
    init(at start: UnsafeMutableRawPointer, events: Int, nodes: Int, numbers numberCount: Int) {
        var next = start
        func column(_ count: Int, _ width: Int) -> Column {
            defer { next += count * width }
            return Column(start: next, count: count)
        }
        (time, node, other) = (column(events, 8), column(events, 8), column(events, 8))
        (site, text, thread) = (column(events, 4), column(events, 4), column(events, 4))
        (detail, kind, flags) = (column(events, 2), column(events, 1), column(events, 1))
        (size, fields, id) = (column(nodes, 4), column(nodes, 4), column(nodes, 8))
        (nodeSite, nodeThread, executor) = (column(nodes, 4), column(nodes, 4), column(nodes, 2))
        (nodeKind, settlement, marks) = (column(nodes, 1), column(nodes, 1), column(nodes, 4))
        numbers = column(numberCount, 8)
        rest = next
    }
}

/// What differences are taken from: the numbers before.
struct ColumnState {
    var eventTime: UInt64 = 0, eventNode: UInt64 = 0
    var nodeID: UInt64 = 0
    /// The first time of the node before.
    var nodeTime: UInt64 = 0
    /// The place of the next number, by field.
    var numberPlaces = [Int](repeating: 0, count: 11)

    /// - Parameter counts: numbers by field.
    init(counts: [Int]) {
        for field in 1..<numberPlaces.count { numberPlaces[field] = numberPlaces[field - 1] + counts[field - 1] }
    }
}
