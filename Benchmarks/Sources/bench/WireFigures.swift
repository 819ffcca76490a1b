// SPDX-License-Identifier: MIT

import Calibration
import ChainBus
import ChainEvents
import ChainInspector
import ChainWire
import PromiseRuntime
import Synchronization

/// The cost of an event on the wire, and of a node in the state for a late viewer, in bytes and in time. A program pays
/// for writing once a viewer; 200,000 events a second should not be noticeable.
let wireFigures = [
    Figure(name: "wire.event.bytes", limit: 48, unit: "bytes", runs: 1) { bytesOfAnEvent() },
    Figure(name: "wire.node.write", peer: .sort, limit: 2) { writingEach(Wires.nodes, of: Wires.nodeCount) },
    Figure(name: "wire.node.read", peer: .sort, limit: 4.5) { readingEach(Wires.nodes, of: Wires.nodeCount) },
    Figure(name: "wire.state.of-1000000-nodes", peer: .sort, limit: 7, unit: "ms", runs: 3) { stateThereAndBack() },
]

/// An event beside a copy of the bytes that it takes on the wire.
let wireComparisons = [
    Comparison(
        family: "wire", name: "event.write", turns: 9, ours: { writingEach(Wires.events, of: Wires.eventCount) },
        peers: [.init(name: "memcpy", limit: 8) { copyingEach(Wires.events, of: Wires.eventCount) }]),
    Comparison(
        family: "wire", name: "event.read", turns: 9, ours: { readingEach(Wires.events, of: Wires.eventCount) },
        peers: [.init(name: "memcpy", limit: 22) { copyingEach(Wires.events, of: Wires.eventCount) }]),
]

/// The messages that are measured.
private enum Wires {
    static let eventCount = 4_000
    static let nodeCount = 4_000

    static let events: Message = {
        var batch = EventBatch(process: ProcessKey(rawValue: 1), sequence: 1, time: 1)
        batch.events = (0..<UInt64(eventCount)).map {
            ChainEvent(
                time: $0, EventKind.allCases[Int($0) % EventKind.allCases.count], node: NodeID($0 / 5),
                other: NodeID($0 / 7), site: 3, thread: 4242, detail: 17, flags: .handlerEnded)
        }
        return .batch(batch)
    }()

    static let nodes: Message = .batch(state(1...UInt64(nodeCount)))

    /// Returns a batch of labelled links, half of them settled.
    static func state(_ ids: ClosedRange<UInt64>) -> EventBatch {
        var batch = EventBatch(process: ProcessKey(rawValue: 1), sequence: 1, time: 1)
        batch.nodes = ids.map { id in
            var node = NodeSnapshot(id: NodeID(id), kind: .map)
            (node.parent, node.site, node.thread, node.executor) = (NodeID(id &- 1), 7, 4242, 1)
            (node.created, node.queued, node.started) = (id, id + 1, id + 2)
            if id % 2 == 0 { (node.ended, node.settled, node.settlement) = (id + 3, id + 3, .fulfilled) }
            node.label = "reserve stock"
            return node
        }
        return batch
    }
}

private func bytes(of messages: [Message]) -> [UInt8] {
    var writer = MessageWriter()
    writer.writePreamble()
    for message in messages { try? writer.write(message) }
    return writer.bytes
}

private func writingEach(_ message: Message, of count: Int) -> Double {
    var writer = MessageWriter()
    return nanosecondsEach(50) {
        writer.removeAll()
        try? writer.write(message)
    } / Double(count)
}

private func copyingEach(_ message: Message, of count: Int) -> Double {
    let original = bytes(of: [message])
    var copy = [UInt8](repeating: 0, count: original.count)
    return nanosecondsEach(500) {
        copy.withUnsafeMutableBytes { copy in original.withUnsafeBytes { copy.copyMemory(from: $0) } }
        use(copy)
    } / Double(count)
}

private func readingEach(_ message: Message, of count: Int) -> Double {
    let stream = bytes(of: Array(repeating: message, count: 50))
    return nanosecondsEach(1) { precondition(read(stream) == 50) } / Double(50 * count)
}

/// Reads a stream in pieces of 64 KiB, as from a socket; returns the number of messages.
private func read(_ stream: [UInt8]) -> Int {
    var reader = MessageReader(limit: Wire.programMessageLimit)
    var count = 0
    stream.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: 64 << 10) {
            reader.append(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 64 << 10, bytes.count)]))
            while let message = try? reader.next() {
                use(message)
                count += 1
            }
        }
    }
    precondition(reader.isAtBoundary)
    return count
}

/// Returns the milliseconds of writing and reading a million nodes, in chunks as a program sends them.
private func stateThereAndBack() -> Double {
    var milliseconds = 0.0
    var writer = MessageWriter()
    for chunk in 0..<250 as Range<UInt64> {
        let first = chunk * 4_000 + 1
        let state = Message.batch(Wires.state(first...(first + 3_999)))
        milliseconds +=
            nanosecondsEach(1) {
                writer.removeAll()
                writer.writePreamble()
                try? writer.write(state)
                precondition(read(writer.bytes) == 1)
            } / 1_000_000
    }
    return milliseconds
}

/// Returns the bytes on the socket for an event of a shop, including everything that a viewer gets: labels and errors,
/// tables, message headers, the preamble. A hundred orders a tick of the collector (20 ms) are some 150,000 events a
/// second.
private func bytesOfAnEvent() -> Double {
    struct Declined: Error, CustomStringConvertible { let description = "card declined: insufficient funds" }
    let runtime = ChainRuntime(executor: InlineExecutor.shared)
    var options = InspectorOptions()
    options.collection = .manual
    guard let inspector = try? Inspector.start(runtime: runtime, options: options) else {
        fatalError("a new runtime is recorded by none")
    }
    defer { inspector.stop() }
    let socket = Socket()
    let subscription = inspector.batches.subscribe { socket.take($0) }
    defer { subscription.dispose() }
    for order in 0..<10_000 {
        runtime.run {
            let stock = Promise.all([
                Promise.resolve(order, label: "warehouse Hamburg"), Promise.resolve(order, label: "warehouse Lyon"),
            ])
            let sold = stock.map(label: "reserve stock") { $0[0] }
                .map(label: "charge card") { number in
                    if number % 10 == 0 { throw Declined() }
                    return number
                }
                .then(label: "order \(order)") { Promise.resolve($0) }
            use(sold.anyway(label: "release basket") { _ in })
        }
        if order % 100 == 99 { inspector.collectNow() }
    }
    return Double(socket.byteCount) / Double(socket.eventCount)
}

/// Counts what would be sent.
private final class Socket: Sendable {
    private let state = Mutex<(writer: MessageWriter, bytes: Int, events: Int)>((MessageWriter(), Wire.preambleSize, 0))

    var byteCount: Int { state.withLock { $0.bytes } }
    var eventCount: Int { state.withLock { $0.events } }

    func take(_ batch: EventBatch) {
        state.withLock { state in
            state.writer.removeAll()
            try? state.writer.write(.batch(batch))
            state.bytes += state.writer.bytes.count
            state.events += batch.events.count
        }
    }
}
