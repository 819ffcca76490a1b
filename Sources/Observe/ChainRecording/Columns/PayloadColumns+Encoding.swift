// SPDX-License-Identifier: MIT

extension PayloadColumns {
    /// A message of a payload: its part of the head, then its nodes, then its events. If its nodes and events are not
    /// moved into the columns, the whole message is in the head.
    private struct Part {
        var head: Range<Int>
        var nodeCount = 0
        /// The offset at which the nodes end, and the events begin.
        var nodesEnd: Int
        var eventCount = 0
        /// Whether its nodes and events are in the columns.
        var isInColumns = false
    }

    /// Returns a payload in columns, at most `headerSize` bytes longer. Nil if the payload does not consist of whole
    /// messages with the last byte of each header 0, or if a difference has no encoding.
    package static func columns(of payload: UnsafeRawBufferPointer) -> [UInt8]? {
        var parts: [Part] = []
        var fieldCounts = [Int](repeating: 0, count: numberFields)
        var offset = 0
        while offset < payload.count {
            guard payload.count - offset >= messageHeaderSize, payload[offset + 7] == 0 else { return nil }
            let length = Int(payload.number(at: offset, as: UInt32.self))
            guard length <= payload.count - offset - messageHeaderSize else { return nil }
            let end = offset + messageHeaderSize + length
            parts.append(part(of: payload, offset..<end, &fieldCounts))
            offset = end
        }
        var counts = ColumnCounts(numbers: fieldCounts.reduce(0, +))
        var head = 0
        for part in parts {
            counts.events += part.eventCount
            counts.nodes += part.nodeCount
            head += part.head.count
        }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: counts.words) { words in
            var writer = ColumnWriter(
                payload: payload, words: words, counts: counts, state: ColumnState(counts: fieldCounts))
            for part in parts {
                writer.moveNodes(part.nodeCount, at: part.head.upperBound)
                writer.moveEvents(part.eventCount, at: part.nodesEnd)
            }
            return writer.isWhole ? bytes(of: payload, parts, head, words, counts, rest: writer.rest) : nil
        }
    }

    private static func bytes(
        of payload: UnsafeRawBufferPointer, _ parts: [Part], _ headCount: Int,
        _ words: UnsafeMutableBufferPointer<UInt64>,
        _ counts: ColumnCounts, rest: [Range<Int>]
    ) -> [UInt8] {
        var (columns, first) = ([UnsafeBufferPointer<UInt64>](), 0)
        for column in 0..<columnCount {
            columns.append(UnsafeBufferPointer(rebasing: words[first..<first + counts.rows(column)]))
            first += counts.rows(column)
        }
        let planes = columns.map { Column.planes(of: $0) }
        var size = headerSize + headCount + rest.reduce(0) { $0 + $1.count }
        for (column, planes) in zip(columns, planes) { size += column.count * planes.nonzeroBitCount }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            var into = UnsafeMutableRawPointer(buffer.baseAddress!)
            for count in [headCount, counts.events, counts.nodes, counts.numbers] {
                into.storeBytes(of: UInt32(count).littleEndian, as: UInt32.self)
                into += 4
            }
            into.copyMemory(from: planes, byteCount: columnCount)
            into += columnCount
            for part in parts {
                into.copyMemory(from: payload.baseAddress! + part.head.lowerBound, byteCount: part.head.count)
                if part.isInColumns { into.storeBytes(of: inColumnsMark, toByteOffset: 7, as: UInt8.self) }
                into += part.head.count
            }
            for (column, planes) in zip(columns, planes) { Column.store(column, planes, into: &into) }
            for range in rest {
                into.copyMemory(from: payload.baseAddress! + range.lowerBound, byteCount: range.count)
                into += range.count
            }
            filled = size
        }
    }

    /// Returns where the nodes and events of a message are. Finds none if the message is not a batch, or if its names
    /// are followed by anything but whole nodes and events.
    private static func part(of payload: UnsafeRawBufferPointer, _ message: Range<Int>, _ counts: inout [Int]) -> Part {
        let whole = Part(head: message, nodesEnd: message.upperBound)
        let body = message.lowerBound + messageHeaderSize
        guard payload[message.lowerBound + 4] == 3, message.upperBound - body >= batchHeaderSize,
            payload.number(at: body + 60, as: UInt32.self) == eventSize
        else { return whole }
        func count(_ offset: Int) -> Int { Int(payload.number(at: body + offset, as: UInt32.self)) }
        var offset = body + batchHeaderSize
        for (list, fixed) in [(72, 8), (76, 4), (80, 4), (84, 0)] {
            for _ in 0..<count(list) {
                guard message.upperBound - offset >= fixed + 4 else { return whole }
                offset += fixed + 4 + Int(payload.number(at: offset + fixed, as: UInt32.self))
                guard offset <= message.upperBound else { return whole }
            }
        }
        let nodes = offset
        var numbers = [Int](repeating: 0, count: counts.count)
        for _ in 0..<count(88) {
            guard message.upperBound - offset >= nodeSize else { return whole }
            let fields = payload.number(at: offset + 4, as: UInt32.self)
            let size = Int(payload.number(at: offset, as: UInt32.self))
            guard size >= nodeSize + numberBytes(fields), size <= message.upperBound - offset else { return whole }
            for field in numbers.indices where fields >> UInt32(field) & 1 != 0 { numbers[field] += 1 }
            offset += size
        }
        guard message.upperBound - offset == eventSize * count(92) else { return whole }
        for field in counts.indices { counts[field] += numbers[field] }
        return Part(
            head: message.lowerBound..<nodes, nodeCount: count(88), nodesEnd: offset, eventCount: count(92),
            isInColumns: true)
    }
}

/// Moves nodes and events of a payload into the words of columns.
private struct ColumnWriter {
    let payload: UnsafeRawBufferPointer
    let counts: ColumnCounts
    var state: ColumnState
    /// The ranges of the payload with bytes of nodes that are in no column.
    private(set) var rest: [Range<Int>] = []
    /// Whether every difference had an encoding.
    private(set) var isWhole = true
    /// The first word of the next event.
    private var event: UnsafeMutablePointer<UInt64>
    /// The first word of the next node.
    private var node: UnsafeMutablePointer<UInt64>
    /// The column of the numbers.
    private let numbers: UnsafeMutablePointer<UInt64>

    init(
        payload: UnsafeRawBufferPointer, words: UnsafeMutableBufferPointer<UInt64>, counts: ColumnCounts,
        state: ColumnState
    ) {
        (self.payload, self.counts, self.state) = (payload, counts, state)
        event = words.baseAddress!
        node = event + PayloadColumns.eventWords * counts.events
        numbers = node + PayloadColumns.nodeWords * counts.nodes
    }

    mutating func moveEvents(_ count: Int, at start: Int) {
        for offset in stride(from: start, to: start + count * PayloadColumns.eventSize, by: PayloadColumns.eventSize) {
            let (time, node, other) = (word(offset), word(offset + 8), word(offset + 16))
            let link = other == 0 ? 0 : zigzagEncoded(other &- node) &+ 1
            // The greatest encoding cannot be stored, because 1 is added to it.
            if other != 0 && link == 0 { isWhole = false }
            event[0] = zigzagEncoded(time &- state.eventTime)
            event[counts.events] = zigzagEncoded(node &- state.eventNode)
            event[2 * counts.events] = link
            event[3 * counts.events] = word(offset + 24)
            event[4 * counts.events] = word(offset + 32)
            (state.eventTime, state.eventNode) = (time, node)
            event += 1
        }
    }

    mutating func moveNodes(_ count: Int, at start: Int) {
        var offset = start
        for _ in 0..<count {
            let (extent, id) = (word(offset), word(offset + 8))
            let fields = UInt32(extent >> 32)
            node[0] = extent
            node[counts.nodes] = zigzagEncoded(id &- state.nodeID)
            node[2 * counts.nodes] = word(offset + 16)
            node[3 * counts.nodes] = word(offset + 24)
            state.nodeID = id
            node += 1
            let numbersStart = offset + PayloadColumns.nodeSize
            moveNumbers(fields, of: id, at: numbersStart)
            offset += Int(UInt32(truncatingIfNeeded: extent))
            rest.append(numbersStart + PayloadColumns.numberBytes(fields)..<offset)
        }
    }

    private mutating func moveNumbers(_ fields: UInt32, of id: UInt64, at start: Int) {
        var offset = start
        var time: UInt64?
        for field in 0..<PayloadColumns.numberFields where fields >> UInt32(field) & 1 != 0 {
            let value = word(offset)
            let isTime = field >= PayloadColumns.firstTimeBit
            let base = isTime ? time ?? state.nodeTime : id
            numbers[state.nextNumber[field]] = zigzagEncoded(value &- base)
            if isTime {
                if time == nil { state.nodeTime = value }
                time = value
            }
            state.nextNumber[field] += 1
            offset += 8
        }
    }

    @inline(__always)
    private func word(_ offset: Int) -> UInt64 { payload.number(at: offset, as: UInt64.self) }
}
