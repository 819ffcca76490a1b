import ChainEvents

@testable import ChainWire

extension Message: Equatable {
    /// Whether all fields are equal.
    public static func == (left: Message, right: Message) -> Bool {
        switch (left, right) {
        case (.greeting(let left), .greeting(let right)): left == right
        case (.hello(let left), .hello(let right)): left == right
        case (.batch(let left), .batch(let right)): left == right
        case (.command(let left), .command(let right)): left == right
        case (.unknownCommand(let left), .unknownCommand(let right)): left == right
        case (.reply(let left), .reply(let right)): left == right
        case (.farewell(let left), .farewell(let right)): left == right
        case (.dumpPart(let left), .dumpPart(let right)): left == right
        default: false
        }
    }
}

extension EventBatch: Equatable {
    /// Whether all fields are equal.
    public static func == (left: EventBatch, right: EventBatch) -> Bool {
        left.process == right.process && left.sequence == right.sequence && left.time == right.time
            && left.sites == right.sites && left.threads == right.threads && left.executors == right.executors
            && left.nodes == right.nodes && left.events == right.events && left.texts == right.texts
            && left.loss == right.loss && left.resync == right.resync && left.frames == right.frames
            && left.stateNodeCount == right.stateNodeCount
    }
}

/// Returns the bytes of a stream of messages.
func stream(_ messages: [Message]) throws(WireError) -> [UInt8] {
    var writer = MessageWriter()
    writer.writePreamble()
    for message in messages { try writer.write(message) }
    return writer.bytes
}

/// Returns the messages of a stream that comes in pieces. The pieces have the lengths in `cuts`, in turn.
func messages(of bytes: some Sequence<UInt8>, cuts: [Int] = [.max]) throws(WireError) -> [Message] {
    let bytes = Array(bytes)
    var reader = MessageReader(limit: Wire.programMessageLimit)
    var messages: [Message] = []
    var (start, turn) = (0, 0)
    repeat {
        let count = min(max(1, cuts[turn % cuts.count]), bytes.count - start)
        bytes[start..<start + count].withUnsafeBytes { reader.append($0) }
        while let message = try reader.next() { messages.append(message) }
        (start, turn) = (start + count, turn + 1)
    } while start < bytes.count
    return messages
}

/// One message of every kind and form, with every field set to something of its own: the golden files of version 1.
enum Samples {
    static let process = ProcessKey(rawValue: 0x0807_0605_0403_0201)

    static let all: [(name: String, message: Message)] = [
        (
            "greeting-watch",
            .greeting(ClientHello(purpose: .watch, isReadOnly: true, pid: 4243, name: "ada", token: "s3cret"))
        ),
        ("greeting-look", .greeting(ClientHello(purpose: .look))),
        ("greeting-command", .greeting(ClientHello(purpose: .command, pid: -1, name: "grüße 🚢"))),
        ("hello", .hello(hello)),
        ("hello-outside", .hello(outsideHello)),
        ("batch-empty", .batch(EventBatch(process: process, sequence: 1, time: 2))),
        ("batch-events", .batch(events)),
        ("batch-nodes", .batch(nodes)),
        ("batch-renamed", .batch(renamed)),
        ("batch-remote", .batch(remote)),
        ("batch-outside", .batch(outside)),
        ("command-cancel-node", command(.cancel(.node(NodeID(7)), by: "ada"))),
        ("command-cancel-chain", command(.cancel(.chain(NodeID(.max)), by: ""))),
        ("command-cancel-nodes", command(.cancel(.nodes([NodeID(7), NodeID(8), NodeID(9)]), by: "ada"))),
        ("command-resync", command(.resync)),
        ("command-describe", command(.describe(NodeID(7)))),
        ("command-thread-stack", command(.threadStack(NodeID(7)))),
        ("command-nodes-of-tasks", command(.nodesOfTasks([3, 0x1_0000_0002]))),
        ("command-dump", command(.dump(last: 30_000_000_000))),
        ("command-frames", command(.frames(.nodes([NodeID(7), NodeID(8)])))),
        ("command-frames-of-part", command(.frames(.part(63)))),
        ("command-unknown", .unknownCommand(id: 5)),
        ("reply-accepted", .reply(CommandReply(command: 5, outcome: .accepted(count: 3)))),
        ("reply-refused", .reply(CommandReply(command: 5, outcome: .refused("Viewers may look only")))),
        ("reply-described", .reply(CommandReply(command: 5, outcome: .described(detail)))),
        ("reply-frames", .reply(CommandReply(command: 5, outcome: .frames(frames)))),
        ("reply-nodes", .reply(CommandReply(command: 5, outcome: .nodes([NodeID(7), .none])))),
        ("farewell-stopped", .farewell(Goodbye(.stopped, "The inspector was stopped"))),
        ("farewell-refused", .farewell(Goodbye(.refused, "Another user"))),
        ("farewell-busy", .farewell(Goodbye(.busy, "50 viewers are attached"))),
        ("farewell-misunderstood", .farewell(Goodbye(.misunderstood, ""))),
        ("farewell-other", .farewell(Goodbye(.other, "Because"))),
        ("dump-part", .dumpPart(DumpPart(command: 5, offset: 0x1_0000_0002, bytes: [1, 2, 3, 0xFF]))),
    ]

    private static func command(_ request: ViewerCommand.Request) -> Message {
        .command(ViewerCommand(id: 5, process: process, request: request))
    }

    private static let hello = Hello(
        process: ProcessDescription(
            key: process, pid: 4242, name: "checkout", wallOffset: 0x1122_3344_5566_7788,
            startTime: 1_700_000_000_000_000_000, isReadOnly: true),
        capabilities: [.values, .errors, .isNarrowed], time: 123_456_789,
        totals: ProcessTotals(
            chainCount: 1, nodeCount: 2, liveCount: 3, runningCount: 4, rejectedCount: 5, viewerCount: 6))

    /// Added to version 1: programs whose tasks are read from outside.
    private static let outsideHello: Hello = {
        var hello = Self.hello
        hello.process.isReadFromOutside = true
        hello.process.missingTaskFacts = [.outcome, .symbols]
        return hello
    }()

    private static let detail = NodeDetail(
        node: NodeID(7),
        entries: [NodeDetail.Entry(name: "error", text: "one\ntwo"), NodeDetail.Entry(name: "value", text: "")])

    private static let frames = FrameReading(
        time: 0x1_0000_0002, taskCount: 100_003, partCount: 64, readCount: 3,
        stacks: ["Stock.reserve(Int)\norder(Int)", ""],
        entries: [FrameReading.Entry(node: NodeID(7), stack: 0), FrameReading.Entry(node: NodeID(9), stack: 1)])

    /// Every kind of event of version 1, every flag, and the tables.
    private static let events: EventBatch = {
        var batch = EventBatch(process: process, sequence: 2, time: 1_000_000)
        batch.sites = [
            1: CodeLocation(fileID: "Shop/Order.swift", line: 41), 0x0101: CodeLocation(fileID: "", line: 0),
        ]
        batch.threads = [4242: "main", 4243: "worker-1"]
        batch.executors = [1: "pool", 0x0201: "queue"]
        batch.texts = ["order 17", "", "naïve \u{1B}[31m"]
        batch.loss = EventCounts(madeCount: 10, deliveredCount: 7, lostInRings: 2, lostAtClient: 1)
        batch.resync = .begin(epoch: 999_999)
        batch.events = (1...19).compactMap(EventKind.init).enumerated().map { index, kind in
            ChainEvent(
                time: 1_000 + UInt64(index), kind, node: NodeID(0x0102_0304_0506_0708), other: NodeID(UInt64(index)),
                site: 1, text: UInt32(index % 4), thread: 4242, detail: 0x1011,
                flags: EventFlags(rawValue: UInt8(1 << (index % 5))))
        }
        return batch
    }()

    /// Every kind of node of version 1, every settlement, every mark and every field.
    private static let nodes: EventBatch = {
        var batch = EventBatch(process: process, sequence: 3, time: 2_000_000)
        batch.resync = .end(epoch: 999_999)
        let settlements: [Settlement] = [
            .pending, .unknown, .fulfilled, .rejected, .skippedFulfilled, .skippedRejected, .abandoned, .cancelled,
        ]
        let kinds = ([1...7, 16...26, 48...57, 64...65, 80...80, 255...255] as [ClosedRange<UInt8>]).joined()
        batch.nodes = kinds.compactMap { NodeKind(rawValue: $0) }.enumerated().map { index, kind in
            var node = NodeSnapshot(id: NodeID(UInt64(index) + 1), kind: kind)
            node.settlement = settlements[index % settlements.count]
            node.flags = SnapshotFlags(rawValue: UInt8(1 << (index % 4)))
            return node
        }
        var full = NodeSnapshot(id: NodeID(1000), kind: .all)
        (full.parent, full.creator, full.adopted, full.adoptedAt) = (NodeID(1), NodeID(2), NodeID(3), 4)
        (full.created, full.queued, full.started, full.ended, full.settled) = (5, 6, 7, 8, 9)
        (full.seen, full.cancelRequestedAt) = (10, 11)
        (full.label, full.canceller, full.summary) = ("label", "ada", "declined")
        (full.members, full.memberTimes) = ([NodeID(12), NodeID(13)], [14, 15])
        (full.site, full.thread, full.executor, full.settlement) = (16, 17, 18, .cancelled)
        (full.isExternal, full.cancelRequested) = (true, true)
        full.flags = [.released, .settledAgain, .unhandled, .byViewer]
        var half = NodeSnapshot(id: NodeID(1001), kind: .then)
        (half.label, half.isExternal, half.created) = ("", true, .max)
        var asked = NodeSnapshot(id: NodeID(1002), kind: .race)
        (asked.members, asked.cancelRequested) = ([NodeID(12)], true)
        batch.nodes += [full, half, asked]
        return batch
    }()

    /// Added to version 1: what tasks wait for, and frames without a request.
    private static let outside: EventBatch = {
        var batch = EventBatch(process: process, sequence: 6, time: 3_000_000)
        batch.texts = ["Store"]
        batch.events = [
            ChainEvent(time: 1, .created, node: NodeID(7), text: 1, detail: UInt16(NodeKind.actor.rawValue)),
            ChainEvent(time: 2, .heldBy, node: NodeID(7), other: NodeID(8), thread: 4242),
            ChainEvent(time: 3, .waitsFor, node: NodeID(9), other: NodeID(7)),
            ChainEvent(time: 3, .waitsFor, node: NodeID(10), detail: WaitTarget.continuation.rawValue),
        ]
        batch.frames = frames
        batch.resync = .begin(epoch: 2_000_000)
        return batch
    }()

    /// Added to version 1: spans that were called from another program.
    private static let remote: EventBatch = {
        var batch = EventBatch(process: process, sequence: 5, time: 3_000_000)
        let caller = NodeKey(process: ProcessKey(rawValue: 0x1f3a_5c7e_9b2d_4f60), id: NodeID(42))
        batch.texts = ["GET /order", caller.text]
        batch.events = [
            ChainEvent(time: 1, .created, node: NodeID(7), text: 1, detail: UInt16(NodeKind.span.rawValue)),
            ChainEvent(time: 2, .remoteParent, node: NodeID(7), text: 2, thread: 4242),
        ]
        var node = NodeSnapshot(id: NodeID(8), kind: .span)
        (node.label, node.renameCount, node.remoteParent) = ("POST /order", 3, caller)
        batch.nodes = [node]
        return batch
    }()

    /// Added to version 1: spans, and nodes that are renamed.
    private static let renamed: EventBatch = {
        var batch = EventBatch(process: process, sequence: 4, time: 3_000_000)
        batch.texts = ["GET", "GET /order/{id}"]
        batch.events = [
            ChainEvent(time: 1, .created, node: NodeID(7), text: 1, detail: UInt16(NodeKind.span.rawValue)),
            ChainEvent(time: 2, .renamed, node: NodeID(7), text: 2, thread: 4242, detail: 1),
        ]
        var node = NodeSnapshot(id: NodeID(8), kind: .span)
        (node.label, node.renameCount, node.members, node.memberTimes) = ("POST /order", 3, [NodeID(7)], [4])
        batch.nodes = [node]
        return batch
    }()
}

// SPDX-License-Identifier: MIT
