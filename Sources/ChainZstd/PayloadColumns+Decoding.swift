extension PayloadColumns {
    /// Returns the payload of `count` bytes that these columns are of; nil where there is none.
    static func payload(of columns: UnsafeMutableRawBufferPointer, count: Int) -> [UInt8]? {
        guard columns.count == headerSize + count, let start = columns.baseAddress else { return nil }
        let all = UnsafeRawBufferPointer(columns)
        func total(_ place: Int) -> Int { Int(all.number(at: 4 * place, as: UInt32.self)) }
        let (headCount, eventCount, nodeCount, numberCount) = (total(0), total(1), total(2), total(3))
        // Each count is under 2^32, so that no sum overflows.
        let rest = count - headCount - eventSize * eventCount - nodeSize * nodeCount - 8 * numberCount
        guard rest >= 0 else { return nil }
        let set = ColumnSet(
            at: start + headerSize + headCount, events: eventCount, nodes: nodeCount, numbers: numberCount)
        guard let counts = numberCounts(of: set, rest: rest), counts.reduce(0, +) == numberCount else { return nil }

        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard let base = buffer.baseAddress else { return }
            let head = UnsafeRawBufferPointer(rebasing: all[headerSize..<headerSize + headCount])
            isWhole = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: EventBlocks.capacity) { words in
                var reader = ColumnReader(
                    columns: set, blocks: EventBlocks(set, in: words.baseAddress!),
                    state: ColumnState(counts: counts), into: UnsafeMutableRawPointer(base))
                return reader.read(head, events: eventCount, nodes: nodeCount)
            }
            filled = isWhole ? count : 0
        }
        return isWhole ? bytes : nil
    }

    /// How many numbers the nodes have by field; nil where the sizes of nodes are not those of `rest` bytes more.
    private static func numberCounts(of columns: ColumnSet, rest: Int) -> [Int]? {
        var counts = [Int](repeating: 0, count: 11)
        var left = rest
        for node in 0..<columns.size.count {
            let fields = UInt32(columns.fields.load(node, width: 4))
            let more = Int(columns.size.load(node, width: 4)) - nodeSize - numberBytes(fields)
            guard more >= 0, more <= left else { return nil }
            left -= more
            for field in counts.indices where fields >> UInt32(field) & 1 != 0 { counts[field] += 1 }
        }
        return left == 0 ? counts : nil
    }
}

/// Writes the messages of a payload from its head and its columns. The totals have been checked: what is written in all,
/// if no more is taken than there is, is as long as the payload.
private struct ColumnReader {
    let columns: ColumnSet
    let blocks: EventBlocks
    var state: ColumnState
    var into: UnsafeMutableRawPointer
    private var rest: UnsafeMutableRawPointer
    private var nextEvent = 0
    private var nextNode = 0

    init(columns: ColumnSet, blocks: EventBlocks, state: ColumnState, into: UnsafeMutableRawPointer) {
        (self.columns, self.blocks, self.state, self.into) = (columns, blocks, state, into)
        rest = columns.rest
    }

    /// Returns whether the head is one of these columns.
    mutating func read(_ head: UnsafeRawBufferPointer, events: Int, nodes: Int) -> Bool {
        var offset = 0
        while offset < head.count {
            guard head.count - offset >= PayloadColumns.messageHeaderSize else { return false }
            var size = PayloadColumns.messageHeaderSize + Int(head.number(at: offset, as: UInt32.self))
            let isMoved = head[offset + 7] == PayloadColumns.movedMark
            var counts = (nodes: 0, events: 0)
            if isMoved {
                let least = PayloadColumns.messageHeaderSize + PayloadColumns.batchHeaderSize
                guard head.count - offset >= least else { return false }
                let body = offset + PayloadColumns.messageHeaderSize
                counts.nodes = Int(head.number(at: body + 88, as: UInt32.self))
                counts.events = Int(head.number(at: body + 92, as: UInt32.self))
                guard counts.nodes <= nodes - nextNode, counts.events <= events - nextEvent else { return false }
                for node in nextNode..<nextNode + counts.nodes { size -= Int(columns.size.load(node, width: 4)) }
                size -= PayloadColumns.eventSize * counts.events
                guard size >= least else { return false }
            }
            guard size <= head.count - offset else { return false }
            into.copyMemory(from: head.baseAddress! + offset, byteCount: size)
            if isMoved { into.storeBytes(of: 0, toByteOffset: 7, as: UInt8.self) }
            into += size
            offset += size
            for _ in 0..<counts.nodes { writeNode() }
            writeEvents(counts.events)
        }
        return nextEvent == events && nextNode == nodes
    }

    private mutating func writeEvents(_ count: Int) {
        var (time, node, into) = (state.eventTime, state.eventNode, into)
        blocks.forEach(nextEvent..<nextEvent + count) { count, block in
            for index in 0..<count {
                time &+= unfolded(block.time(index))
                node &+= unfolded(block.node(index))
                let link = block.other(index)
                Self.store(time, into, 0)
                Self.store(node, into, 8)
                Self.store(link == 0 ? 0 : node &+ unfolded(link &- 1), into, 16)
                Self.store(block.siteAndText(index), into, 24)
                Self.store(block.rest(index), into, 32)
                into += PayloadColumns.eventSize
            }
        }
        (state.eventTime, state.eventNode, self.into) = (time, node, into)
        nextEvent += count
    }

    private mutating func writeNode() {
        let index = nextNode
        let size = columns.size.load(index, width: 4)
        let fields = columns.fields.load(index, width: 4)
        state.nodeID &+= unfolded(columns.id.load(index, width: 8))
        Self.store(size | fields << 32, into, 0)
        Self.store(state.nodeID, into, 8)
        Self.store(
            columns.nodeSite.load(index, width: 4) | columns.nodeThread.load(index, width: 4) << 32, into, 16)
        Self.store(
            columns.executor.load(index, width: 2) | columns.nodeKind.load(index, width: 1) << 16
                | columns.settlement.load(index, width: 1) << 24 | columns.marks.load(index, width: 4) << 32, into, 24)
        into += PayloadColumns.nodeSize
        writeNumbers(UInt32(fields))
        let more = Int(size) - PayloadColumns.nodeSize - PayloadColumns.numberBytes(UInt32(fields))
        into.copyMemory(from: rest, byteCount: more)
        into += more
        rest += more
        nextNode += 1
    }

    private mutating func writeNumbers(_ fields: UInt32) {
        var time: UInt64?
        for field in state.numberPlaces.indices where fields >> UInt32(field) & 1 != 0 {
            let isTime = field >= PayloadColumns.firstTimeBit
            let base = isTime ? time ?? state.nodeTime : state.nodeID
            let value = base &+ unfolded(columns.numbers.load(state.numberPlaces[field], width: 8))
            Self.store(value, into, 0)
            if isTime {
                if time == nil { state.nodeTime = value }
                time = value
            }
            into += 8
            state.numberPlaces[field] += 1
        }
    }

    @inline(__always)
    private static func store(_ value: UInt64, _ into: UnsafeMutableRawPointer, _ offset: Int) {
        into.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
}
