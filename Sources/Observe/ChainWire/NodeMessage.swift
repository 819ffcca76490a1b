// SPDX-License-Identifier: MIT

import ChainEvents

/// Fields of a snapshot that are often absent, one bit each. Part of the wire format: a new field gets the next bit and
/// comes last, so that older readers can read all fields before it.
struct NodeFields: OptionSet {
    let rawValue: UInt32

    static let parent = NodeFields(rawValue: 1)
    static let creator = NodeFields(rawValue: 1 << 1)
    static let adopted = NodeFields(rawValue: 1 << 2)
    static let adoptedAt = NodeFields(rawValue: 1 << 3)
    static let created = NodeFields(rawValue: 1 << 4)
    static let queued = NodeFields(rawValue: 1 << 5)
    static let started = NodeFields(rawValue: 1 << 6)
    static let ended = NodeFields(rawValue: 1 << 7)
    static let settled = NodeFields(rawValue: 1 << 8)
    static let seen = NodeFields(rawValue: 1 << 9)
    static let cancelRequestedAt = NodeFields(rawValue: 1 << 10)
    static let label = NodeFields(rawValue: 1 << 11)
    static let canceller = NodeFields(rawValue: 1 << 12)
    static let summary = NodeFields(rawValue: 1 << 13)
    static let members = NodeFields(rawValue: 1 << 14)
    /// The times of the members.
    static let memberTimes = NodeFields(rawValue: 1 << 15)
    static let renameCount = NodeFields(rawValue: 1 << 16)
    static let remoteParent = NodeFields(rawValue: 1 << 17)
    static let switched = NodeFields(rawValue: 1 << 18)
}

/// Bits of a snapshot's `marks` above the eight bits of ``SnapshotFlags``. Part of the wire format.
enum SnapshotMark {
    static let isExternal: UInt32 = 1 << 16
    static let cancelRequested: UInt32 = 1 << 17
    static let isSeparate: UInt32 = 1 << 18
}

extension NodeSnapshot {
    fileprivate var marks: UInt32 {
        UInt32(flags.rawValue) | (isExternal ? SnapshotMark.isExternal : 0)
            | (cancelRequested ? SnapshotMark.cancelRequested : 0) | (isSeparate ? SnapshotMark.isSeparate : 0)
    }
}

extension MessageWriter {
    ///     node   0      4        8    16     20       24         26     27           28      32
    ///            ├ size ┼ fields ┼ id ┼ site ┼ thread ┼ executor ┼ kind ┼ settlement ┼ marks ┼ fields …
    ///
    /// `size` counts the bytes of the whole node. `fields` has a bit for each optional field that follows. The fields
    /// stand in the order of their bits (``NodeFields``):
    /// - parent, creator, adopted, adopted at, created, queued, started, ended, settled, seen, cancel requested at:
    ///   8 bytes each
    /// - label, canceller, summary: texts
    /// - members, their times: each a count (4), and that many numbers (8)
    /// - count of renamings: 8 bytes
    /// - parent in another process: its key (8), and the node (8)
    /// - time of the last switch: 8 bytes
    ///
    /// Numbers of value 0, absent texts and empty lists are left out.
    mutating func write(_ node: NodeSnapshot) {
        let start = bytes.count
        append(atMost: Wire.nodeSize + 11 * 8) { room in
            func put<Number: FixedWidthInteger>(_ number: Number, _ offset: Int) {
                room.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
            }
            var fields: NodeFields = []
            var count = Wire.nodeSize
            func add(_ number: UInt64, _ field: NodeFields) {
                guard number != 0 else { return }
                fields.insert(field)
                put(number, count)
                count += 8
            }
            add(node.parent.rawValue, .parent)
            add(node.creator.rawValue, .creator)
            add(node.adopted.rawValue, .adopted)
            add(node.adoptedAt, .adoptedAt)
            add(node.created, .created)
            add(node.queued, .queued)
            add(node.started, .started)
            add(node.ended, .ended)
            add(node.settled, .settled)
            add(node.seen, .seen)
            add(node.cancelRequestedAt, .cancelRequestedAt)
            if node.label != nil { fields.insert(.label) }
            if node.canceller != nil { fields.insert(.canceller) }
            if node.summary != nil { fields.insert(.summary) }
            if !node.members.isEmpty { fields.insert(.members) }
            if !node.memberTimes.isEmpty { fields.insert(.memberTimes) }
            if node.renameCount != 0 { fields.insert(.renameCount) }
            if node.remoteParent != nil { fields.insert(.remoteParent) }
            if node.switched != 0 { fields.insert(.switched) }
            put(UInt32(count), 0)
            put(fields.rawValue, 4)
            put(node.id.rawValue, 8)
            put(node.site, 16)
            put(node.thread, 20)
            put(node.executor, 24)
            put(node.kind.rawValue, 26)
            put(node.settlement.rawValue, 27)
            put(node.marks, 28)
            return count
        }
        let plainEnd = bytes.count
        appendTextsAndLists(of: node)
        if bytes.count > plainEnd { setSize(from: start, at: start) }
    }

    private mutating func appendTextsAndLists(of node: NodeSnapshot) {
        if let label = node.label { append(label) }
        if let canceller = node.canceller { append(canceller) }
        if let summary = node.summary { append(summary) }
        if !node.members.isEmpty {
            append(UInt32(node.members.count))
            for member in node.members { append(member.rawValue) }
        }
        if !node.memberTimes.isEmpty {
            append(UInt32(node.memberTimes.count))
            for time in node.memberTimes { append(time) }
        }
        if node.renameCount != 0 { append(node.renameCount) }
        if let parent = node.remoteParent {
            append(parent.process.rawValue)
            append(parent.id.rawValue)
        }
        if node.switched != 0 { append(node.switched) }
    }
}

extension NodeSnapshot {
    init(from reader: inout ByteReader) throws(WireError) {
        let size = Int(try reader.peek(UInt32.self))
        guard size >= Wire.nodeSize else { throw .malformed("the size of a node") }
        var own = ByteReader(try reader.nextBytes(size))
        try self.init(whole: &own)
    }

    /// Decodes a node from a reader of its bytes alone; ignores fields of later versions.
    private init(whole reader: inout ByteReader) throws(WireError) {
        _ = try reader.next(UInt32.self)
        let fields = NodeFields(rawValue: try reader.next(UInt32.self))
        let id = NodeID(try reader.next(UInt64.self))
        let site = try reader.next(SiteID.self)
        let thread = try reader.next(ThreadID.self)
        let executor = try reader.next(ExecutorID.self)
        self.init(id: id, kind: NodeKind(rawValue: try reader.next(UInt8.self)) ?? .other)
        (self.site, self.thread, self.executor) = (site, thread, executor)
        settlement = Settlement(rawValue: try reader.next(UInt8.self)) ?? .unknown
        let marks = try reader.next(UInt32.self)
        flags = SnapshotFlags(rawValue: UInt8(truncatingIfNeeded: marks))
        isExternal = marks & SnapshotMark.isExternal != 0
        cancelRequested = marks & SnapshotMark.cancelRequested != 0
        isSeparate = marks & SnapshotMark.isSeparate != 0
        if fields.contains(.parent) { parent = NodeID(try reader.next(UInt64.self)) }
        if fields.contains(.creator) { creator = NodeID(try reader.next(UInt64.self)) }
        if fields.contains(.adopted) { adopted = NodeID(try reader.next(UInt64.self)) }
        if fields.contains(.adoptedAt) { adoptedAt = try reader.next(UInt64.self) }
        if fields.contains(.created) { created = try reader.next(UInt64.self) }
        if fields.contains(.queued) { queued = try reader.next(UInt64.self) }
        if fields.contains(.started) { started = try reader.next(UInt64.self) }
        if fields.contains(.ended) { ended = try reader.next(UInt64.self) }
        if fields.contains(.settled) { settled = try reader.next(UInt64.self) }
        if fields.contains(.seen) { seen = try reader.next(UInt64.self) }
        if fields.contains(.cancelRequestedAt) { cancelRequestedAt = try reader.next(UInt64.self) }
        if fields.contains(.label) { label = try reader.nextText() }
        if fields.contains(.canceller) { canceller = try reader.nextText() }
        if fields.contains(.summary) { summary = try reader.nextText() }
        if fields.contains(.members) { members = try reader.nextNumbers().map { NodeID($0) } }
        if fields.contains(.memberTimes) { memberTimes = try reader.nextNumbers() }
        if fields.contains(.renameCount) { renameCount = try reader.next(UInt64.self) }
        if fields.contains(.remoteParent) {
            let process = ProcessKey(rawValue: try reader.next(UInt64.self))
            remoteParent = NodeKey(process: process, id: NodeID(try reader.next(UInt64.self)))
        }
        if fields.contains(.switched) { switched = try reader.next(UInt64.self) }
    }
}
