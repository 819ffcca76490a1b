// SPDX-License-Identifier: MIT

import ChainEvents
import ChainWire

/// Decodes batches from few bytes. Ids and times come from a small range, so that nodes and events refer to each other,
/// and from the upper edge of the whole range.
struct Script {
    /// The first byte of an input that is a script.
    static let mark: UInt8 = 0x53

    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    init(_ input: Slice<UnsafeBufferPointer<UInt8>>) { rest = input }

    var messages: [Message] {
        var script = self
        return script.run()
    }

    private mutating func run() -> [Message] {
        var messages: [Message] = []
        var batch = EventBatch(process: Fold.process, sequence: 1, time: 1)
        batch.texts = ["a", "b"]
        while !rest.isEmpty {
            let step = next()
            switch step {
            case 200..<230: batch.nodes.append(node())
            case 230..<245:
                batch.time = time()
                if step % 2 == 0 {
                    batch.loss = EventCounts(
                        madeCount: time(), deliveredCount: time(), lostInRings: time(), lostAtClient: time())
                    batch.threads = [UInt32(next() >> 6): "c"]
                    batch.sites = [UInt32(next() & 3): CodeLocation(fileID: "A/B.swift", line: 1)]
                }
                batch.resync = step % 3 == 0 ? .begin(epoch: time()) : step % 3 == 1 ? .end(epoch: time()) : nil
                if step % 5 == 0 {
                    batch.frames = FrameReading(
                        time: time(), stacks: ["a\nb"], entries: [FrameReading.Entry(node: id(), stack: 0)])
                }
                messages.append(.batch(batch))
                batch = EventBatch(process: Fold.process, sequence: batch.sequence + 1, time: batch.time)
                batch.texts = ["a", "b"]
            default: batch.events.append(event(step))
            }
        }
        return messages + [.batch(batch)]
    }

    private mutating func next() -> UInt8 { rest.popFirst() ?? 0 }

    private mutating func id() -> NodeID {
        let byte = next()
        return byte < 250 ? NodeID(UInt64(byte % 48)) : NodeID(.max - UInt64(255 - byte))
    }

    private mutating func time() -> UInt64 {
        let byte = next()
        return byte < 250 ? UInt64(byte) : .max - UInt64(255 - byte)
    }

    private mutating func event(_ step: UInt8) -> ChainEvent {
        let kinds = EventKind.allCases
        let kind = kinds[Int(step) % kinds.count]
        let (node, other, time, facts) = (id(), id(), time(), next())
        return ChainEvent(
            time: time, kind, node: node, other: other, site: UInt32(facts & 3), text: UInt32(facts & 3),
            thread: UInt32(facts >> 6), detail: UInt16(facts), flags: EventFlags(rawValue: facts >> 2))
    }

    private mutating func node() -> NodeSnapshot {
        var node = NodeSnapshot(id: id(), kind: NodeKind(rawValue: next()) ?? .other)
        let facts = next()
        if facts & 1 != 0 { node.parent = id() }
        if facts & 2 != 0 { node.creator = id() }
        if facts & 4 != 0 { (node.adopted, node.adoptedAt) = (id(), time()) }
        if facts & 8 != 0 { node.created = time() }
        if facts & 16 != 0 { (node.queued, node.started) = (time(), time()) }
        if facts & 32 != 0 { (node.ended, node.settled) = (time(), time()) }
        if facts & 64 != 0 {
            node.settlement = Settlement(rawValue: next() % 8) ?? .unknown
            node.summary = "c"
        }
        if facts & 128 != 0 {
            for _ in 0..<next() % 8 { node.members.append(id()) }
            for _ in 0..<next() % 8 { node.memberTimes.append(time()) }
            (node.cancelRequested, node.isExternal) = (next() % 2 == 0, next() % 2 == 0)
            node.cancelRequestedAt = time()
            node.flags = SnapshotFlags(rawValue: next())
        }
        return node
    }
}
