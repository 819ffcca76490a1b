import ChainEvents
import SeededNumbers

@testable import ChainWire

/// Random messages with any field values, likely or not: few ids, so that nodes meet, and ids at the edges of
/// their range; times that go back; cycles.
struct RandomMessages {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func chance(_ percent: Int) -> Bool { pick(1...100) <= percent }

    mutating func stream(of count: Int) -> [Message] { (0..<count).map { _ in message() } }

    mutating func message() -> Message {
        switch pick(0...9) {
        case 0: .greeting(greeting())
        case 1: .hello(hello())
        case 2: .command(command())
        case 3: .unknownCommand(id: number())
        case 4: .reply(reply())
        case 5: .farewell(farewell())
        case 6: .dumpPart(DumpPart(command: number(), offset: number(), bytes: Array(text().utf8)))
        default: .batch(batch())
        }
    }

    // MARK: Values

    private mutating func number() -> UInt64 {
        let edges: [UInt64] = [0, 1, .max, .max - 1, 1 << 63, 1 << 32, 255, 256]
        switch pick(0...9) {
        case 0: return edges[pick(0...edges.count - 1)]
        case 1: return generator.next()
        default: return UInt64(pick(0...100_000))
        }
    }

    private mutating func id() -> NodeID {
        let edges: [UInt64] = [0, .max, .max - 1, 255, 256, 257]
        return NodeID(chance(10) ? edges[pick(0...edges.count - 1)] : UInt64(pick(1...40)))
    }

    private mutating func short() -> UInt32 { UInt32(truncatingIfNeeded: number()) }

    private mutating func text() -> String {
        let parts = [
            "", "order", " ", "\u{1B}[2J", "\0", "ß", "🚢", "\u{202E}", "\r\n", String(repeating: "long", count: 90),
        ]
        return (0..<pick(0...3)).map { _ in parts[pick(0...parts.count - 1)] }.joined()
    }

    private mutating func element<Value>(of values: [Value]) -> Value { values[pick(0...values.count - 1)] }

    private mutating func greeting() -> ClientHello {
        ClientHello(
            purpose: element(of: [.watch, .look, .command]), isReadOnly: chance(50),
            pid: Int32(truncatingIfNeeded: number()), name: text(), token: text(), leavesAfterState: chance(50))
    }

    private mutating func hello() -> Hello {
        var process = ProcessDescription(
            key: ProcessKey(rawValue: number()), pid: Int32(truncatingIfNeeded: number()), name: text(),
            wallOffset: number(), startTime: number(), isReadOnly: chance(50))
        process.missingTaskFacts = TaskFacts(rawValue: short() & 0xFF)
        process.flightRecorder = element(of: FlightRecorderState.allCases)
        // Without a random number of its own, as `switched` below.
        process.isReadFromOutside = process.pid % 3 == 0
        return Hello(
            process: process, capabilities: Hello.Capabilities(rawValue: short() & .max >> 1 & ~0x7_FF00),
            time: number(),
            totals: ProcessTotals(
                chainCount: number(), nodeCount: number(), liveCount: number(), runningCount: number(),
                rejectedCount: number(), viewerCount: number()))
    }

    private mutating func command() -> ViewerCommand {
        let request: ViewerCommand.Request =
            switch pick(0...9) {
            case 0: .cancel(.node(id()), by: text())
            case 1: .cancel(.chain(id()), by: text())
            case 2: .cancel(.nodes((0..<pick(0...5)).map { _ in id() }), by: text())
            case 3: .resync
            case 4: .dump(last: number())
            case 5: .frames(.nodes((0..<pick(0...5)).map { _ in id() }))
            case 6: .frames(.part(short()))
            case 7: .threadStack(id())
            case 8: .nodesOfTasks((0..<pick(0...5)).map { _ in number() })
            default: .describe(id())
            }
        return ViewerCommand(id: number(), process: ProcessKey(rawValue: number()), request: request)
    }

    private mutating func reply() -> CommandReply {
        let outcome: CommandReply.Outcome =
            switch pick(0...4) {
            case 0: .accepted(count: pick(0...Int.max))
            case 1: .refused(text())
            case 2: .frames(frames())
            case 3: .nodes((0..<pick(0...5)).map { _ in id() })
            default:
                .described(
                    NodeDetail(
                        node: id(),
                        entries: (0..<pick(0...3)).map { _ in NodeDetail.Entry(name: text(), text: text()) }))
            }
        return CommandReply(command: number(), outcome: outcome)
    }

    private mutating func frames() -> FrameReading {
        let stacks = (0..<pick(0...3)).map { _ in text() }
        let entries = (0..<(stacks.isEmpty ? 0 : pick(0...4))).map { _ in
            FrameReading.Entry(node: id(), stack: UInt32(pick(0...stacks.count - 1)))
        }
        return FrameReading(
            time: number(), taskCount: short(), partCount: short(), readCount: short(), stacks: stacks,
            entries: entries)
    }

    private mutating func farewell() -> Goodbye {
        Goodbye(element(of: [.stopped, .refused, .busy, .misunderstood, .other]), text())
    }

    // MARK: Batches

    mutating func batch(events: ClosedRange<Int> = 0...60, process: UInt64 = 7) -> EventBatch {
        var batch = EventBatch(process: ProcessKey(rawValue: process), sequence: number(), time: number())
        for _ in 0..<pick(0...3) { batch.sites[short()] = CodeLocation(fileID: text(), line: short()) }
        for _ in 0..<pick(0...2) { batch.threads[short()] = text() }
        for _ in 0..<pick(0...2) { batch.executors[ExecutorID(truncatingIfNeeded: number())] = text() }
        batch.texts = (0..<pick(0...4)).map { _ in text() }
        batch.loss = EventCounts(
            madeCount: number(), deliveredCount: number(), lostInRings: number(), lostAtClient: number())
        batch.nodes = (0..<pick(0...6)).map { _ in node() }
        batch.events = (0..<pick(events)).map { _ in event() }
        switch pick(0...5) {
        case 0:
            batch.resync = .begin(epoch: UInt64(pick(0...2)))
            if chance(50) { batch.stateNodeCount = number() }
        case 1: batch.resync = .end(epoch: UInt64(pick(0...2)))
        default: break
        }
        if chance(20) { batch.frames = frames() }
        // The greatest number stands for an unknown one.
        if batch.stateNodeCount == .max { batch.stateNodeCount = nil }
        return batch
    }

    private mutating func event() -> ChainEvent {
        ChainEvent(
            time: number(), element(of: EventKind.allCases), node: id(), other: id(), site: short(),
            text: UInt32(pick(0...5)), thread: short(), detail: UInt16(truncatingIfNeeded: number()),
            flags: EventFlags(rawValue: UInt8(pick(0...255))))
    }

    private mutating func node() -> NodeSnapshot {
        var node = NodeSnapshot(id: id(), kind: element(of: NodeKind.allCases))
        if chance(50) { node.parent = id() }
        if chance(50) { node.creator = id() }
        if chance(30) { (node.adopted, node.adoptedAt) = (id(), number()) }
        if chance(70) { node.created = number() }
        if chance(50) { (node.queued, node.started) = (number(), number()) }
        if chance(50) { (node.ended, node.settled) = (number(), number()) }
        if chance(30) { (node.seen, node.cancelRequestedAt) = (number(), number()) }
        node.settlement = Settlement(rawValue: UInt8(pick(0...7))) ?? .pending
        node.flags = SnapshotFlags(rawValue: UInt8(pick(0...255)))
        (node.isExternal, node.cancelRequested, node.isSeparate) = (chance(50), chance(50), chance(20))
        (node.site, node.thread, node.executor) = (short(), short(), ExecutorID(truncatingIfNeeded: number()))
        if chance(50) { (node.label, node.renameCount) = (text(), chance(50) ? number() : 0) }
        if chance(20) { node.remoteParent = NodeKey(process: ProcessKey(rawValue: number()), id: id()) }
        if chance(30) { (node.canceller, node.summary) = (text(), text()) }
        node.members = chance(30) ? (0..<pick(0...8)).map { _ in id() } : []
        node.memberTimes = chance(30) ? (0..<pick(0...8)).map { _ in number() } : []
        // Without a random number of its own, so that each seed gives the messages that it gave before.
        if node.thread % 3 == 0 { node.switched = node.started ^ UInt64(node.executor) }
        return node
    }

    // MARK: Damage

    /// Changes, drops, doubles or moves some bytes.
    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<pick(1...4) where bytes.count > 1 {
            let offset = pick(0...bytes.count - 1)
            switch pick(0...5) {
            case 0: bytes[offset] = UInt8(pick(0...255))
            case 1: bytes[offset] ^= UInt8(1 << pick(0...7))
            case 2: bytes.removeSubrange(offset...)
            case 3: bytes.removeSubrange(offset..<min(bytes.count, offset + pick(1...8)))
            case 4: bytes.insert(contentsOf: bytes[offset..<min(bytes.count, offset + pick(1...40))], at: offset)
            default: for position in offset..<min(bytes.count, offset + 4) { bytes[position] = 0xFF }
            }
        }
        return bytes
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(pick(0...255)) } }
}

// SPDX-License-Identifier: MIT
