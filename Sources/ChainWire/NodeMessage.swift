import ChainEvents

/// The fields of a snapshot that are often absent; the bit says that the field follows.
private struct NodeFields: OptionSet {
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
    /// Facts that are nothing but their bit.
    static let isExternal = NodeFields(rawValue: 1 << 30)
    static let cancelRequested = NodeFields(rawValue: 1 << 31)
}

extension NodeSnapshot {
    /// What the shortest takes, in bytes.
    static let leastSize = 28
}

extension MessageWriter {
    ///     node   0    8        12     16       20         22     23           24      25        28
    ///            ├ id ┼ fields ┼ site ┼ thread ┼ executor ┼ kind ┼ settlement ┼ flags ┼ nothing ┼ fields …
    ///
    /// `fields` tells which of these follow, from bit 0 on: parent, creator, adopted, adopted at, created, queued,
    /// started, ended, settled, seen, cancel requested at (8 bytes each); label, canceller, summary (texts); members,
    /// their times (each a count (4) and so many of 8 bytes). Bits 30 and 31 are facts: external, cancel requested.
    mutating func write(_ node: NodeSnapshot) {
        var fields: NodeFields = []
        let numbers: [11 of UInt64] = [
            node.parent.rawValue, node.creator.rawValue, node.adopted.rawValue, node.adoptedAt, node.created,
            node.queued, node.started, node.ended, node.settled, node.seen, node.cancelRequestedAt,
        ]
        for index in numbers.indices where numbers[index] != 0 { fields.insert(NodeFields(rawValue: 1 << index)) }
        if node.label != nil { fields.insert(.label) }
        if node.canceller != nil { fields.insert(.canceller) }
        if node.summary != nil { fields.insert(.summary) }
        if !node.members.isEmpty { fields.insert(.members) }
        if !node.memberTimes.isEmpty { fields.insert(.memberTimes) }
        if node.isExternal { fields.insert(.isExternal) }
        if node.cancelRequested { fields.insert(.cancelRequested) }
        append(node.id.rawValue)
        append(fields.rawValue)
        append(node.site)
        append(node.thread)
        append(node.executor)
        append(node.kind.rawValue)
        append(node.settlement.rawValue)
        append(UInt32(node.flags.rawValue))
        for index in numbers.indices where numbers[index] != 0 { append(numbers[index]) }
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
    }
}

extension NodeSnapshot {
    init(from reader: inout ByteReader) throws(WireError) {
        let id = NodeID(try reader.next(UInt64.self))
        let fields = NodeFields(rawValue: try reader.next(UInt32.self))
        let site = try reader.next(SiteID.self)
        let thread = try reader.next(ThreadID.self)
        let executor = try reader.next(ExecutorID.self)
        self.init(id: id, kind: NodeKind(rawValue: try reader.next(UInt8.self)) ?? .other)
        (self.site, self.thread, self.executor) = (site, thread, executor)
        settlement = Settlement(rawValue: try reader.next(UInt8.self)) ?? .unknown
        flags = SnapshotFlags(rawValue: UInt8(truncatingIfNeeded: try reader.next(UInt32.self)))
        isExternal = fields.contains(.isExternal)
        cancelRequested = fields.contains(.cancelRequested)
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
        if fields.contains(.members) {
            for _ in 0..<(try reader.nextCount(ofSize: 8)) { members.append(NodeID(try reader.next(UInt64.self))) }
        }
        if fields.contains(.memberTimes) {
            for _ in 0..<(try reader.nextCount(ofSize: 8)) { memberTimes.append(try reader.next(UInt64.self)) }
        }
    }
}
