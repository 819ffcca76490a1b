// SPDX-License-Identifier: MIT

import ChainEvents

/// The request of a command, by number. Part of the wire format: never renumbered, only added to.
enum RequestKind: UInt32, CaseIterable {
    case cancelNode = 1
    case cancelChain = 2
    case cancelNodes = 3
    case resync = 4
    case describe = 5
    case dump = 6
    case frames = 7
    case framesOfPart = 8
    case threadStack = 9
    case nodesOfTasks = 10
}

/// The outcome of a command, by number. Part of the wire format.
enum OutcomeKind: UInt32, CaseIterable {
    case accepted = 1
    case refused = 2
    case described = 3
    case frames = 4
    case nodes = 5
}

extension MessageWriter {
    ///     command   0    8         16        20           24
    ///               ├ id ┼ process ┼ request ┼ node count ┼ node (8) … ┼ requester (text) ┼ dump: nanoseconds (8)
    ///                                                                               ┼ framesOfPart: part (4)
    mutating func write(_ command: ViewerCommand) {
        append(command.id)
        append(command.process.rawValue)
        switch command.request {
        case .cancel(.node(let node), let viewer): write(.cancelNode, [node], by: viewer)
        case .cancel(.chain(let node), let viewer): write(.cancelChain, [node], by: viewer)
        case .cancel(.nodes(let nodes), let viewer): write(.cancelNodes, nodes, by: viewer)
        case .resync: write(.resync, [], by: "")
        case .describe(let node): write(.describe, [node], by: "")
        case .threadStack(let node): write(.threadStack, [node], by: "")
        case .nodesOfTasks(let numbers): write(.nodesOfTasks, numbers.map { NodeID($0) }, by: "")
        case .frames(.nodes(let nodes)): write(.frames, nodes, by: "")
        case .frames(.part(let part)):
            write(.framesOfPart, [], by: "")
            append(part)
        case .dump(let span):
            write(.dump, [], by: "")
            append(span)
        }
    }

    private mutating func write(_ kind: RequestKind, _ nodes: [NodeID], by viewer: String) {
        append(kind.rawValue)
        append(UInt32(nodes.count))
        for node in nodes { append(node.rawValue) }
        append(viewer)
    }

    /// Writes a command with the unknown request 0, for tests: a program has to answer such a command, too.
    mutating func writeUnknownCommand(_ id: UInt64) {
        append(id)
        append(UInt64(0))
        append(UInt32(0))
        append(UInt32(0))
        append("")
    }

    ///     reply   0         8         12
    ///             ├ command ┼ outcome ┼ accepted: count (8)
    ///                                 ┼ refused: reason (text)
    ///                                 ┼ described: node (8), entry count (4), name and text of each
    ///                                 ┼ frames: time (8), tasks (4), parts (4), tasks read (4), stack count (4),
    ///                                           text of each, entry count (4), node (8) and stack (4) of each
    mutating func write(_ reply: CommandReply) {
        append(reply.command)
        switch reply.outcome {
        case .accepted(let count):
            append(OutcomeKind.accepted.rawValue)
            append(UInt64(max(0, count)))
        case .refused(let reason):
            append(OutcomeKind.refused.rawValue)
            append(reason)
        case .described(let detail):
            append(OutcomeKind.described.rawValue)
            append(detail.node.rawValue)
            append(UInt32(detail.entries.count))
            for entry in detail.entries {
                append(entry.name)
                append(entry.text)
            }
        case .frames(let reading):
            append(OutcomeKind.frames.rawValue)
            write(reading)
        case .nodes(let nodes):
            append(OutcomeKind.nodes.rawValue)
            append(UInt32(nodes.count))
            for node in nodes { append(node.rawValue) }
        }
    }

    /// Writes the fields of ``OutcomeKind/frames``, which a batch can have, too.
    mutating func write(_ reading: FrameReading) {
        append(reading.time)
        for count in [reading.taskCount, reading.partCount, reading.readCount, UInt32(reading.stacks.count)] {
            append(count)
        }
        for stack in reading.stacks { append(stack) }
        append(UInt32(reading.entries.count))
        for entry in reading.entries {
            append(entry.node.rawValue)
            append(entry.stack)
        }
    }
}

extension MessageWriter {
    ///     dump part   0         8        16           20
    ///                 ├ command ┼ offset ┼ byte count ┼ bytes …
    mutating func write(_ part: DumpPart) {
        append(part.command)
        append(part.offset)
        append(UInt32(part.bytes.count))
        append(part.bytes)
    }
}

extension DumpPart {
    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            command: try reader.next(UInt64.self), offset: try reader.next(UInt64.self),
            bytes: Array(try reader.nextBytes(try reader.nextCount(ofSize: 1))))
    }
}

extension Message {
    static func command(from reader: inout ByteReader) throws(WireError) -> Message {
        let id = try reader.next(UInt64.self)
        let process = ProcessKey(rawValue: try reader.next(UInt64.self))
        let kind = RequestKind(rawValue: try reader.next(UInt32.self))
        guard let kind else { return .unknownCommand(id: id) }
        let count = try reader.nextCount(ofSize: 8)
        var nodes: [NodeID] = []
        nodes.reserveCapacity(count)
        for _ in 0..<count { nodes.append(NodeID(try reader.next(UInt64.self))) }
        let viewer = try reader.nextText()
        let request: ViewerCommand.Request
        switch (kind, nodes.first) {
        case (.cancelNode, let node?): request = .cancel(.node(node), by: viewer)
        case (.cancelChain, let node?): request = .cancel(.chain(node), by: viewer)
        case (.describe, let node?): request = .describe(node)
        case (.threadStack, let node?): request = .threadStack(node)
        case (.cancelNodes, _): request = .cancel(.nodes(nodes), by: viewer)
        case (.resync, _): request = .resync
        case (.dump, _): request = .dump(last: try reader.next(UInt64.self))
        case (.frames, _): request = .frames(.nodes(nodes))
        case (.nodesOfTasks, _): request = .nodesOfTasks(nodes.map(\.rawValue))
        case (.framesOfPart, _): request = .frames(.part(try reader.next(UInt32.self)))
        case (_, nil): throw .malformed("a command without a node")
        }
        return .command(ViewerCommand(id: id, process: process, request: request))
    }
}

extension CommandReply {
    init(from reader: inout ByteReader) throws(WireError) {
        let command = try reader.next(UInt64.self)
        self.init(command: command, outcome: try Outcome(from: &reader))
    }
}

extension CommandReply.Outcome {
    fileprivate init(from reader: inout ByteReader) throws(WireError) {
        switch OutcomeKind(rawValue: try reader.next(UInt32.self)) {
        case .accepted: self = .accepted(count: Int(clamping: try reader.next(UInt64.self)))
        case .refused: self = .refused(try reader.nextText())
        case .described:
            var detail = NodeDetail(node: NodeID(try reader.next(UInt64.self)))
            for _ in 0..<(try reader.nextCount(ofSize: 8)) {
                let name = try reader.nextText()
                detail.entries.append(NodeDetail.Entry(name: name, text: try reader.nextText()))
            }
            self = .described(detail)
        case .frames: self = .frames(try FrameReading(from: &reader))
        case .nodes:
            var nodes: [NodeID] = []
            for _ in 0..<(try reader.nextCount(ofSize: 8)) { nodes.append(NodeID(try reader.next(UInt64.self))) }
            self = .nodes(nodes)
        case nil: throw .malformed("what became of a command")
        }
    }
}

extension FrameReading {
    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            time: try reader.next(UInt64.self), taskCount: try reader.next(UInt32.self),
            partCount: try reader.next(UInt32.self), readCount: try reader.next(UInt32.self))
        for _ in 0..<(try reader.nextCount(ofSize: 4)) { stacks.append(try reader.nextText()) }
        for _ in 0..<(try reader.nextCount(ofSize: 12)) {
            let node = NodeID(try reader.next(UInt64.self))
            let stack = try reader.next(UInt32.self)
            guard stack < stacks.count else { throw .malformed("the frames of a task") }
            entries.append(Entry(node: node, stack: stack))
        }
    }
}
