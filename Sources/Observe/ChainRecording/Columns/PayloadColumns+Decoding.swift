// SPDX-License-Identifier: MIT

extension PayloadColumns {
    /// Returns the payload of `count` bytes that is stored in columns; nil if the stored bytes are damaged.
    package static func payload(of stored: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        guard let columns = StoredColumns(stored, count: count) else { return nil }
        let counts = columns.counts
        // Room for the words of all nodes, for the nodes' numbers, and for the words of a block of events.
        let fixed = nodeWords * counts.nodes + counts.numbers
        return withUnsafeTemporaryAllocation(
            of: UInt64.self, capacity: fixed + eventWords * ColumnReader.blockSize
        ) { words in
            let nodes = words.baseAddress!
            for column in 0..<nodeWords {
                columns.columns[eventWords + column].load(0, counts.nodes, into: nodes + column * counts.nodes)
            }
            columns.columns[columnCount - 1].load(0, counts.numbers, into: nodes + nodeWords * counts.nodes)
            guard let fieldCounts = fieldCounts(nodes, counts, rest: count - columns.leastCount) else { return nil }

            var isWhole = false
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                guard let base = buffer.baseAddress else { return isWhole = columns.head.isEmpty }
                var reader = ColumnReader(
                    columns: columns, nodes: nodes, block: nodes + fixed, state: ColumnState(counts: fieldCounts),
                    into: UnsafeMutableRawPointer(base))
                isWhole = reader.read()
                filled = isWhole ? count : 0
            }
            return isWhole ? bytes : nil
        }
    }

    /// Returns for each field of numbers how many nodes have it. Nil if the sum is not `counts.numbers`, or if the
    /// nodes have more or fewer bytes outside the columns than `rest`.
    private static func fieldCounts(_ nodes: UnsafeMutablePointer<UInt64>, _ counts: ColumnCounts, rest: Int) -> [Int]?
    {
        var result = [Int](repeating: 0, count: numberFields)
        var left = rest
        for node in 0..<counts.nodes {
            let fields = UInt32(nodes[node] >> 32)
            let more = Int(UInt32(truncatingIfNeeded: nodes[node])) - nodeSize - numberBytes(fields)
            guard more >= 0, more <= left else { return nil }
            left -= more
            for field in result.indices where fields >> UInt32(field) & 1 != 0 { result[field] += 1 }
        }
        return left == 0 && result.reduce(0, +) == counts.numbers ? result : nil
    }
}

/// The parts of a payload that is stored in columns.
private struct StoredColumns {
    private(set) var counts = ColumnCounts()
    let head: UnsafeRawBufferPointer
    private(set) var columns: [Column] = []
    /// The bytes of nodes that are in no column.
    let rest: UnsafeRawBufferPointer
    /// The number of bytes of the payload that are not in ``rest``.
    let leastCount: Int

    /// Nil where the parts do not fit into the stored bytes, or do not make up a payload of `count` bytes.
    init?(_ stored: UnsafeRawBufferPointer, count: Int) {
        guard stored.count >= PayloadColumns.headerSize, let start = stored.baseAddress else { return nil }
        func total(_ index: Int) -> Int { Int(stored.number(at: 4 * index, as: UInt32.self)) }
        let headCount = total(0)
        counts = ColumnCounts(events: total(1), nodes: total(2), numbers: total(3))
        // Each count is under 2^32, so that no sum overflows.
        leastCount = headCount + 8 * counts.words
        guard leastCount <= count, headCount <= stored.count - PayloadColumns.headerSize else { return nil }
        var offset = PayloadColumns.headerSize
        head = UnsafeRawBufferPointer(rebasing: stored[offset..<offset + headCount])
        offset += headCount
        for index in 0..<PayloadColumns.columnCount {
            let column = Column(start: start + offset, count: counts.rows(index), planes: stored[16 + index])
            let size = column.count * column.planes.nonzeroBitCount
            guard size <= stored.count - offset else { return nil }
            columns.append(column)
            offset += size
        }
        rest = UnsafeRawBufferPointer(rebasing: stored[offset...])
        guard rest.count == count - leastCount else { return nil }
    }
}

/// Writes the messages of a payload from its head and its columns. The totals were checked before: as long as no more
/// nodes and events are read than the columns have, the output fits into the payload.
private struct ColumnReader {
    /// The number of events in a block; the words of a block are loaded at one time.
    static let blockSize = 64

    let columns: StoredColumns
    /// The words of the nodes, column by column; then the numbers.
    let nodes: UnsafeMutablePointer<UInt64>
    /// Room for the words of a block of events.
    let block: UnsafeMutablePointer<UInt64>
    private let numbers: UnsafeMutablePointer<UInt64>
    private var state: ColumnState
    private var into: UnsafeMutableRawPointer
    private var rest: UnsafeRawBufferPointer
    /// How many events and how many nodes were written so far.
    private var nextEvent = 0, nextNode = 0

    init(
        columns: StoredColumns, nodes: UnsafeMutablePointer<UInt64>, block: UnsafeMutablePointer<UInt64>,
        state: ColumnState, into: UnsafeMutableRawPointer
    ) {
        (self.columns, self.nodes, self.block, self.state, self.into) = (columns, nodes, block, state, into)
        numbers = nodes + PayloadColumns.nodeWords * columns.counts.nodes
        rest = columns.rest
    }

    /// Writes the payload; returns false where the head does not fit the columns.
    mutating func read() -> Bool {
        let (head, counts) = (columns.head, columns.counts)
        var offset = 0
        while offset < head.count {
            guard head.count - offset >= PayloadColumns.messageHeaderSize else { return false }
            var size = PayloadColumns.messageHeaderSize + Int(head.number(at: offset, as: UInt32.self))
            let isInColumns = head[offset + 7] == PayloadColumns.inColumnsMark
            var inColumns = ColumnCounts()
            if isInColumns {
                let least = PayloadColumns.messageHeaderSize + PayloadColumns.batchHeaderSize
                guard head.count - offset >= least else { return false }
                let body = offset + PayloadColumns.messageHeaderSize
                inColumns.nodes = Int(head.number(at: body + 88, as: UInt32.self))
                inColumns.events = Int(head.number(at: body + 92, as: UInt32.self))
                guard inColumns.nodes <= counts.nodes - nextNode, inColumns.events <= counts.events - nextEvent else {
                    return false
                }
                for node in nextNode..<nextNode + inColumns.nodes {
                    size -= Int(UInt32(truncatingIfNeeded: nodes[node]))
                }
                size -= PayloadColumns.eventSize * inColumns.events
                guard size >= least else { return false }
            }
            guard size <= head.count - offset else { return false }
            into.copyMemory(from: head.baseAddress! + offset, byteCount: size)
            if isInColumns { into.storeBytes(of: 0, toByteOffset: 7, as: UInt8.self) }
            into += size
            offset += size
            for _ in 0..<inColumns.nodes { writeNode() }
            writeEvents(inColumns.events)
        }
        return nextEvent == counts.events && nextNode == counts.nodes
    }

    private mutating func writeEvents(_ count: Int) {
        var (time, node, into) = (state.eventTime, state.eventNode, into)
        let (block, size) = (block, Self.blockSize)
        for first in stride(from: nextEvent, to: nextEvent + count, by: size) {
            let rows = min(size, nextEvent + count - first)
            for column in 0..<PayloadColumns.eventWords {
                columns.columns[column].load(first, rows, into: block + column * size)
            }
            for row in 0..<rows {
                time &+= zigzagDecoded(block[row])
                node &+= zigzagDecoded(block[size + row])
                let link = block[2 * size + row]
                Self.store(time, into, 0)
                Self.store(node, into, 8)
                Self.store(link == 0 ? 0 : node &+ zigzagDecoded(link &- 1), into, 16)
                Self.store(block[3 * size + row], into, 24)
                Self.store(block[4 * size + row], into, 32)
                into += PayloadColumns.eventSize
            }
        }
        (state.eventTime, state.eventNode, self.into) = (time, node, into)
        nextEvent += count
    }

    private mutating func writeNode() {
        let count = columns.counts.nodes
        let extent = nodes[nextNode]
        let fields = UInt32(extent >> 32)
        state.nodeID &+= zigzagDecoded(nodes[count + nextNode])
        Self.store(extent, into, 0)
        Self.store(state.nodeID, into, 8)
        Self.store(nodes[2 * count + nextNode], into, 16)
        Self.store(nodes[3 * count + nextNode], into, 24)
        into += PayloadColumns.nodeSize
        writeNumbers(fields)
        let more =
            Int(UInt32(truncatingIfNeeded: extent)) - PayloadColumns.nodeSize - PayloadColumns.numberBytes(fields)
        if more > 0 {
            into.copyMemory(from: rest.baseAddress!, byteCount: more)
            into += more
            rest = UnsafeRawBufferPointer(rebasing: rest[more...])
        }
        nextNode += 1
    }

    private mutating func writeNumbers(_ fields: UInt32) {
        var time: UInt64?
        for field in 0..<PayloadColumns.numberFields where fields >> UInt32(field) & 1 != 0 {
            let isTime = field >= PayloadColumns.firstTimeBit
            let base = isTime ? time ?? state.nodeTime : state.nodeID
            let value = base &+ zigzagDecoded(numbers[state.nextNumber[field]])
            Self.store(value, into, 0)
            if isTime {
                if time == nil { state.nodeTime = value }
                time = value
            }
            into += 8
            state.nextNumber[field] += 1
        }
    }

    @inline(__always)
    private static func store(_ value: UInt64, _ into: UnsafeMutableRawPointer, _ offset: Int) {
        into.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
}
