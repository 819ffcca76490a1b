import ChainEvents

extension MessageWriter {
    ///     batch   0         8          16     24     32          40      48               56       64
    ///             ├ process ┼ sequence ┼ time ┼ made ┼ delivered ┼ lost ─┼ lost at client ┼ resync ┼ epoch
    ///
    ///             72      76        80          84      88      92       96
    ///             ├ sites ┼ threads ┼ executors ┼ texts ┼ nodes ┼ events ┤   how many of each
    ///
    /// Then, in that order, each site: number (4), line (4), file (text); each thread and each executor: number (4),
    /// name (text); each text; each node as drawn at `write(_ node:)`; each event:
    ///
    ///     event   0      8      16      24     28     32       36       38     39      40
    ///             ├ time ┼ node ┼ other ┼ site ┼ text ┼ thread ┼ detail ┼ kind ┼ flags ┤
    ///
    /// `resync` is 0, 1 (begin) or 2 (end). An event's text is 1 + its index among the batch's texts, or 0.
    mutating func write(_ batch: EventBatch) {
        append(batch.process.rawValue)
        append(batch.sequence)
        append(batch.time)
        append(batch.loss.madeCount)
        append(batch.loss.deliveredCount)
        append(batch.loss.lostInRings)
        append(batch.loss.lostAtClient)
        let (mark, epoch): (UInt64, UInt64) =
            switch batch.resync {
            case nil: (0, 0)
            case .begin(let epoch): (1, epoch)
            case .end(let epoch): (2, epoch)
            }
        append(mark)
        append(epoch)
        for count in [
            batch.sites.count, batch.threads.count, batch.executors.count, batch.texts.count, batch.nodes.count,
            batch.events.count,
        ] { append(UInt32(count)) }
        // By number, so that the same batch gives the same bytes.
        for (id, site) in batch.sites.sorted(by: { $0.key < $1.key }) {
            append(id)
            append(site.line)
            append(site.fileID)
        }
        for (id, name) in batch.threads.sorted(by: { $0.key < $1.key }) {
            append(id)
            append(name)
        }
        for (id, name) in batch.executors.sorted(by: { $0.key < $1.key }) {
            append(UInt32(id))
            append(name)
        }
        for text in batch.texts { append(text) }
        for node in batch.nodes { write(node) }
        appendEvents(batch.events)
    }
}

extension EventBatch {
    init(from reader: inout ByteReader) throws(WireError) {
        let process = ProcessKey(rawValue: try reader.next(UInt64.self))
        let sequence = try reader.next(UInt64.self)
        self.init(process: process, sequence: sequence, time: try reader.next(UInt64.self))
        loss.madeCount = try reader.next(UInt64.self)
        loss.deliveredCount = try reader.next(UInt64.self)
        loss.lostInRings = try reader.next(UInt64.self)
        loss.lostAtClient = try reader.next(UInt64.self)
        let mark = try reader.next(UInt64.self)
        let epoch = try reader.next(UInt64.self)
        switch mark {
        case 0: resync = nil
        case 1: resync = .begin(epoch: epoch)
        case 2: resync = .end(epoch: epoch)
        default: throw .malformed("the mark of a resync")
        }
        let siteCount = try reader.next(UInt32.self)
        let threadCount = try reader.next(UInt32.self)
        let executorCount = try reader.next(UInt32.self)
        let textCount = try reader.next(UInt32.self)
        let nodeCount = try reader.next(UInt32.self)
        let eventCount = try reader.next(UInt32.self)
        for _ in 0..<siteCount {
            let id = try reader.next(SiteID.self)
            let line = try reader.next(UInt32.self)
            sites[id] = Site(fileID: try reader.nextText(), line: line)
        }
        for _ in 0..<threadCount { threads[try reader.next(ThreadID.self)] = try reader.nextText() }
        for _ in 0..<executorCount {
            let id = ExecutorID(truncatingIfNeeded: try reader.next(UInt32.self))
            executors[id] = try reader.nextText()
        }
        for _ in 0..<textCount { texts.append(try reader.nextText()) }
        nodes.reserveCapacity(min(Int(nodeCount), reader.restCount / NodeSnapshot.leastSize))
        for _ in 0..<nodeCount { nodes.append(try NodeSnapshot(from: &reader)) }
        try readEvents(Int(eventCount), &reader)
    }

    private mutating func readEvents(_ count: Int, _ reader: inout ByteReader) throws(WireError) {
        guard count <= reader.restCount / Wire.eventSize else { throw .malformed("a batch of events") }
        let bytes = try reader.nextBytes(count * Wire.eventSize)
        events.reserveCapacity(count)
        for start in stride(from: 0, to: bytes.count, by: Wire.eventSize) {
            func field<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
                Number(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: Number.self))
            }
            // What a later version tells is passed over.
            guard let kind = EventKind(rawValue: bytes[start + 38]) else { continue }
            events.append(
                ChainEvent(
                    time: field(0, UInt64.self), kind, node: NodeID(field(8, UInt64.self)),
                    other: NodeID(field(16, UInt64.self)), site: field(24, UInt32.self), text: field(28, UInt32.self),
                    thread: field(32, UInt32.self), detail: field(36, UInt16.self),
                    flags: EventFlags(rawValue: bytes[start + 39])))
        }
    }
}
