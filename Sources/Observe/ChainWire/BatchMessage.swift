// SPDX-License-Identifier: MIT

import ChainEvents

extension MessageWriter {
    ///     batch   0         8          16     24     32          40      48               56       60           64
    ///             ├ process ┼ sequence ┼ time ┼ made ┼ delivered ┼ lost ─┼ lost at client ┼ resync ┼ event size ┼ epoch
    ///
    ///             72      76        80          84      88      92       96
    ///             ├ sites ┼ threads ┼ executors ┼ texts ┼ nodes ┼ events ┤   the count of each
    ///
    /// The lists follow in the order of their counts. A site is a number (4), a line (4) and a file (text); a thread or
    /// an executor is a number (4) and a name (text). Nodes are drawn in `NodeMessage.swift`, events in
    /// `EventMessage.swift`.
    ///
    /// `resync` is 0, 1 (begin) or 2 (end). Where it begins the whole state, the number of nodes of the state (8)
    /// follows. Last come sections: a kind (4), a size (4) and that many bytes each. Section 1 has the frames of tasks,
    /// as in a reply.
    mutating func write(_ batch: EventBatch) {
        append(batch.process.rawValue)
        append(batch.sequence)
        append(batch.time)
        append(batch.loss.madeCount)
        append(batch.loss.deliveredCount)
        append(batch.loss.lostInRings)
        append(batch.loss.lostAtClient)
        let (mark, epoch): (ResyncMark, UInt64) =
            switch batch.resync {
            case nil: (.none, 0)
            case .begin(let epoch): (.begin, epoch)
            case .end(let epoch): (.end, epoch)
            }
        append(mark.rawValue)
        append(UInt32(Wire.eventSize))
        append(epoch)
        for count in [
            batch.sites.count, batch.threads.count, batch.executors.count, batch.texts.count, batch.nodes.count,
            batch.events.count,
        ] { append(UInt32(count)) }
        // Sorted by number, so that equal batches have equal bytes.
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
        append(batch.events)
        if case .begin = batch.resync, batch.stateNodeCount != nil || batch.frames != nil {
            append(batch.stateNodeCount ?? Wire.unknownCount)
        }
        if let frames = batch.frames {
            append(BatchSection.frames.rawValue)
            append(UInt32(0))
            let start = bytes.count
            write(frames)
            setSize(from: start, at: start - 4)
        }
    }
}

/// What can follow the events of a batch, by number. Part of the wire format: never renumbered, only added to.
enum BatchSection: UInt32, CaseIterable {
    case frames = 1
}

/// The resync mark of a batch, by number. Part of the wire format.
enum ResyncMark: UInt32, CaseIterable {
    case none = 0
    case begin = 1
    case end = 2
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
        let mark = ResyncMark(rawValue: try reader.next(UInt32.self))
        let eventSize = try reader.next(UInt32.self)
        let epoch = try reader.next(UInt64.self)
        switch mark {
        // Marks that this version does not know are ignored.
        case .none?, nil: resync = nil
        case .begin: resync = .begin(epoch: epoch)
        case .end: resync = .end(epoch: epoch)
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
            sites[id] = CodeLocation(fileID: try reader.nextText(), line: line)
        }
        for _ in 0..<threadCount { threads[try reader.next(ThreadID.self)] = try reader.nextText() }
        for _ in 0..<executorCount {
            let id = ExecutorID(exactly: try reader.next(UInt32.self))
            let name = try reader.nextText()
            if let id { executors[id] = name }
        }
        texts.reserveCapacity(min(Int(textCount), reader.restCount / 4))
        for _ in 0..<textCount { texts.append(try reader.nextText()) }
        nodes.reserveCapacity(min(Int(nodeCount), reader.restCount / Wire.nodeSize))
        for _ in 0..<nodeCount { nodes.append(try NodeSnapshot(from: &reader)) }
        events = try reader.nextEvents(Int(eventCount), size: Int(eventSize))
        if mark == .begin, reader.restCount >= 8 {
            let count = try reader.next(UInt64.self)
            stateNodeCount = count == Wire.unknownCount ? nil : count
        }
        try readSections(from: &reader)
    }

    private mutating func readSections(from reader: inout ByteReader) throws(WireError) {
        while reader.restCount >= 8 {
            let kind = BatchSection(rawValue: try reader.next(UInt32.self))
            let size = Int(try reader.next(UInt32.self))
            // What a later version adds may be no section.
            if kind == nil, size > reader.restCount { return }
            var section = ByteReader(try reader.nextBytes(size))
            if kind == .frames { frames = try FrameReading(from: &section) }
        }
    }
}
