import ChainEvents
import Testing

@testable import ChainWire

struct RoundTripTests {
    private func roundTrip(_ message: Message) throws -> Message? {
        var writer = MessageWriter()
        writer.writePreamble()
        try writer.write(message)
        var reader = MessageReader(limit: Wire.batchLimit)
        writer.bytes.withUnsafeBytes { reader.append($0) }
        let read = try reader.next()
        #expect(reader.isAtBoundary)
        return read
    }

    @Test func aBatch() throws {
        var batch = EventBatch(process: ProcessKey(rawValue: 7), sequence: 3, time: 99)
        batch.sites = [1: Site(fileID: "Shop/Order.swift", line: 41), 9: Site(fileID: "", line: 0)]
        batch.threads = [4242: "worker-1"]
        batch.executors = [3: "pool"]
        batch.texts = ["order 17", "naïve \u{1B}[31m"]
        batch.loss = Loss(madeCount: 1, deliveredCount: 2, lostInRings: 3, lostAtClient: 4)
        batch.resync = .end(epoch: 12)
        batch.events = EventKind.allCases.map {
            ChainEvent(
                time: 5, $0, node: NodeID(1 << 40), other: NodeID(2), site: 1, text: 1, thread: 4242, detail: 17,
                flags: [.hasParent, .byViewer])
        }
        var node = NodeSnapshot(id: NodeID(8), kind: .all)
        (node.parent, node.created, node.settled, node.settlement) = (NodeID(3), 5, 77, .cancelled)
        (node.isExternal, node.cancelRequested, node.canceller) = (true, true, "ada")
        (node.label, node.summary, node.flags) = ("", "declined", [.byViewer, .unhandled])
        (node.members, node.memberTimes) = ([NodeID(1), NodeID(2)], [6, 7])
        batch.nodes = [NodeSnapshot(id: NodeID(1), kind: .promise), node]
        guard case .batch(let read)? = try roundTrip(.batch(batch)) else {
            Issue.record("no batch came back")
            return
        }
        #expect(read.process == batch.process)
        #expect(read.sequence == batch.sequence)
        #expect(read.time == batch.time)
        #expect(read.sites == batch.sites)
        #expect(read.threads == batch.threads)
        #expect(read.executors == batch.executors)
        #expect(read.texts == batch.texts)
        #expect(read.nodes == batch.nodes)
        #expect(read.events == batch.events)
        #expect(read.loss == batch.loss)
        #expect(read.resync == batch.resync)
    }

    @Test(arguments: [
        Command.Request.cancel(.node(NodeID(1)), by: "ada"), .cancel(.chain(NodeID(2)), by: ""),
        .cancel(.nodes([NodeID(3), NodeID(4)]), by: "ada"), .cancel(.nodes([]), by: "ada"), .resync,
        .describe(NodeID(5)),
    ])
    func aCommand(request: Command.Request) throws {
        let command = Command(id: 3, process: ProcessKey(rawValue: .max), request: request)
        guard case .command(let read)? = try roundTrip(.command(command)) else {
            Issue.record("no command came back")
            return
        }
        #expect(read == command)
    }

    @Test(arguments: [
        CommandReply.Outcome.accepted(count: 3), .refused("no"),
        .described(NodeDetail(node: NodeID(4), entries: [NodeDetail.Entry(name: "error", text: "long\nstory")])),
    ])
    func aReply(outcome: CommandReply.Outcome) throws {
        guard case .reply(let read)? = try roundTrip(.reply(CommandReply(command: 9, outcome: outcome))) else {
            Issue.record("no reply came back")
            return
        }
        #expect(read == CommandReply(command: 9, outcome: outcome))
    }
}
