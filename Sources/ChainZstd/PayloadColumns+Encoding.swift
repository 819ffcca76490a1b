extension PayloadColumns {
    /// A message of a payload: its head, and behind it nodes, then events, up to its end.
    private struct Part {
        var head: Range<Int>
        var nodeCount = 0
        /// Where the nodes end, and events begin.
        var nodesEnd: Int
        var eventCount = 0
        var isMoved = false
    }

    /// Returns a payload in columns; nil where it is not one of whole messages.
    static func columns(of payload: UnsafeRawBufferPointer) -> [UInt8]? {
        var parts: [Part] = []
        var counts = [Int](repeating: 0, count: 11)
        var offset = 0
        while offset < payload.count {
            guard payload.count - offset >= messageHeaderSize, payload[offset + 7] == 0 else { return nil }
            let length = Int(payload.number(at: offset, as: UInt32.self))
            guard length <= payload.count - offset - messageHeaderSize else { return nil }
            let end = offset + messageHeaderSize + length
            parts.append(part(of: payload, offset..<end, &counts))
            offset = end
        }
        let events = parts.reduce(0) { $0 + $1.eventCount }, nodes = parts.reduce(0) { $0 + $1.nodeCount }
        let head = parts.reduce(0) { $0 + $1.head.count }, numbers = counts.reduce(0, +)
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: headerSize + payload.count) { buffer, filled in
            let start = UnsafeMutableRawPointer(buffer.baseAddress!)
            for (place, count) in [head, events, nodes, numbers].enumerated() {
                start.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 4 * place, as: UInt32.self)
            }
            let columns = ColumnSet(at: start + headerSize + head, events: events, nodes: nodes, numbers: numbers)
            var writer = ColumnWriter(
                payload: payload, columns: columns, state: ColumnState(counts: counts), rest: columns.rest)
            var into = start + headerSize
            for part in parts {
                into.copyMemory(from: payload.baseAddress! + part.head.lowerBound, byteCount: part.head.count)
                if part.isMoved { into.storeBytes(of: movedMark, toByteOffset: 7, as: UInt8.self) }
                into += part.head.count
                writer.moveNodes(part.nodeCount, at: part.head.upperBound)
                writer.moveEvents(part.eventCount, at: part.nodesEnd)
            }
            isWhole = writer.isWhole
            filled = headerSize + payload.count
        }
        return isWhole ? bytes : nil
    }

    /// Finds the nodes and events of a message, where it is a batch with nothing else behind its names.
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
            isMoved: true)
    }
}

/// Moves nodes and events of a payload into columns.
private struct ColumnWriter {
    let payload: UnsafeRawBufferPointer
    let columns: ColumnSet
    var state: ColumnState
    var rest: UnsafeMutableRawPointer
    private var events = 0
    private var nodes = 0
    /// Whether every number could be expressed.
    private(set) var isWhole = true

    init(
        payload: UnsafeRawBufferPointer, columns: ColumnSet, state: ColumnState, rest: UnsafeMutableRawPointer
    ) {
        (self.payload, self.columns, self.state, self.rest) = (payload, columns, state, rest)
    }

    mutating func moveEvents(_ count: Int, at start: Int) {
        for offset in stride(from: start, to: start + count * PayloadColumns.eventSize, by: PayloadColumns.eventSize) {
            let (time, node, other) = (wide(offset), wide(offset + 8), wide(offset + 16))
            columns.time.store(folded(time &- state.eventTime), events, width: 8)
            columns.node.store(folded(node &- state.eventNode), events, width: 8)
            let link = other == 0 ? 0 : folded(other &- node) &+ 1
            // One difference of all has no number.
            if other != 0 && link == 0 { isWhole = false }
            columns.other.store(link, events, width: 8)
            columns.site.store(number(offset + 24), events, width: 4)
            columns.text.store(number(offset + 28), events, width: 4)
            columns.thread.store(number(offset + 32), events, width: 4)
            columns.detail.store(UInt64(payload.number(at: offset + 36, as: UInt16.self)), events, width: 2)
            columns.kind.store(UInt64(payload[offset + 38]), events, width: 1)
            columns.flags.store(UInt64(payload[offset + 39]), events, width: 1)
            (state.eventTime, state.eventNode) = (time, node)
            events += 1
        }
    }

    mutating func moveNodes(_ count: Int, at start: Int) {
        var offset = start
        for _ in 0..<count {
            let (size, fields, id) = (number(offset), number(offset + 4), wide(offset + 8))
            columns.size.store(size, nodes, width: 4)
            columns.fields.store(fields, nodes, width: 4)
            columns.id.store(folded(id &- state.nodeID), nodes, width: 8)
            columns.nodeSite.store(number(offset + 16), nodes, width: 4)
            columns.nodeThread.store(number(offset + 20), nodes, width: 4)
            columns.executor.store(UInt64(payload.number(at: offset + 24, as: UInt16.self)), nodes, width: 2)
            columns.nodeKind.store(UInt64(payload[offset + 26]), nodes, width: 1)
            columns.settlement.store(UInt64(payload[offset + 27]), nodes, width: 1)
            columns.marks.store(number(offset + 28), nodes, width: 4)
            state.nodeID = id
            var place = offset + PayloadColumns.nodeSize
            moveNumbers(UInt32(fields), of: id, at: &place)
            let end = offset + Int(size)
            rest.copyMemory(from: payload.baseAddress! + place, byteCount: end - place)
            rest += end - place
            offset = end
            nodes += 1
        }
    }

    private mutating func moveNumbers(_ fields: UInt32, of id: UInt64, at place: inout Int) {
        var time: UInt64?
        for field in state.numberPlaces.indices where fields >> UInt32(field) & 1 != 0 {
            let value = wide(place)
            let isTime = field >= PayloadColumns.firstTimeBit
            let base = isTime ? time ?? state.nodeTime : id
            columns.numbers.store(folded(value &- base), state.numberPlaces[field], width: 8)
            if isTime {
                if time == nil { state.nodeTime = value }
                time = value
            }
            state.numberPlaces[field] += 1
            place += 8
        }
    }

    @inline(__always)
    private func wide(_ offset: Int) -> UInt64 { payload.number(at: offset, as: UInt64.self) }

    @inline(__always)
    private func number(_ offset: Int) -> UInt64 { UInt64(payload.number(at: offset, as: UInt32.self)) }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
