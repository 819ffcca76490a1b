import ChainEvents
import SeededNumbers

/// Random batches without sense: ids, times and counts at the edges of their range, nodes that are their own parents,
/// cycles, times that go back, settlements of unknown nodes. Most ids and times are small, so that they meet.
public struct HostileEvents {
    private static let edges: [UInt64] = [
        0, 1, .max, .max - 1, .max - 255, .max - 256, .max / 2, .max / 2 + 1, 1 << 32, 1 << 48, .max >> 2, .max >> 3,
        UInt64(UInt32.max), 1 << 61, 1 << 62,
    ]

    private var generator: SeededGenerator
    private let idCount: Int
    private let timeUnit: UInt64
    private let lastExecutor: ExecutorID

    /// Makes a generator of batches.
    ///
    /// - Parameters:
    ///   - idCount: The number of small ids.
    ///   - timeUnit: The nanoseconds between two of the 500 small times.
    ///   - lastExecutor: The greatest executor. A forest keeps a load for each executor up to the greatest it has seen.
    public init(seed: UInt64, idCount: Int = 60, timeUnit: UInt64 = 1, lastExecutor: ExecutorID = .max) {
        generator = SeededGenerator(seed: seed)
        self.idCount = idCount
        self.timeUnit = timeUnit
        self.lastExecutor = lastExecutor
    }

    /// Returns a random number below `count`.
    public mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    /// Returns a number at the edge of some integer's range.
    public mutating func edge() -> UInt64 { Self.edges[pick(Self.edges.count)] }

    /// Returns a small id, or once in 15 calls one at an edge.
    public mutating func id() -> NodeID { NodeID(pick(15) == 0 ? edge() : UInt64(pick(idCount))) }

    /// Returns a small time, or once in ten calls one at an edge.
    public mutating func time() -> UInt64 { pick(10) == 0 ? edge() : UInt64(pick(500)) * timeUnit }

    private mutating func number() -> UInt32 { pick(6) == 0 ? UInt32(truncatingIfNeeded: edge()) : UInt32(pick(5)) }

    /// Returns a batch of names, snapshots, events, counts and a resync mark.
    public mutating func batch(_ process: ProcessKey) -> EventBatch {
        var batch = EventBatch(process: process, sequence: edge(), time: time())
        batch.texts = ["a", "b\u{7}"]
        for _ in 0..<pick(4) { batch.threads[number()] = "worker \(pick(3))" }
        for _ in 0..<pick(4) { batch.sites[number()] = CodeLocation(fileID: "Shop/Order.swift", line: number()) }
        for _ in 0..<pick(3) { batch.executors[executor()] = "pool" }
        for _ in 0..<pick(6) { batch.nodes.append(snapshot()) }
        for _ in 0..<pick(50) { batch.events.append(event()) }
        if pick(3) == 0 {
            batch.loss = EventCounts(
                madeCount: edge(), deliveredCount: edge(), lostInRings: edge(), lostAtClient: edge())
        }
        if pick(4) == 0 {
            batch.frames = FrameReading(
                time: time(), stacks: ["a", "b\u{7}"],
                entries: (0..<pick(6)).map { _ in FrameReading.Entry(node: id(), stack: number()) })
        }
        switch pick(6) {
        case 0: batch.resync = .begin(epoch: time())
        case 1: batch.resync = .end(epoch: time())
        default: break
        }
        return batch
    }

    private mutating func executor() -> ExecutorID { pick(4) == 0 ? lastExecutor : ExecutorID(pick(70)) }

    private mutating func event() -> ChainEvent {
        let kind = EventKind.allCases[pick(EventKind.allCases.count)]
        return ChainEvent(
            time: time(), kind, node: id(), other: id(), site: number(), text: number(), thread: number(),
            detail: executor(), flags: EventFlags(rawValue: UInt8(pick(256))))
    }

    private mutating func snapshot() -> NodeSnapshot {
        var node = NodeSnapshot(id: id(), kind: NodeKind.allCases[pick(NodeKind.allCases.count)])
        if pick(2) == 0 { node.parent = id() }
        if pick(2) == 0 { node.creator = id() }
        if pick(3) == 0 { (node.adopted, node.adoptedAt) = (id(), time()) }
        if pick(2) == 0 { (node.created, node.seen) = (time(), time()) }
        if pick(2) == 0 { (node.queued, node.started, node.ended) = (time(), time(), time()) }
        (node.settlement, node.settled) = (Settlement(rawValue: UInt8(pick(8))) ?? .pending, time())
        (node.site, node.thread, node.executor) = (number(), number(), executor())
        (node.cancelRequested, node.cancelRequestedAt) = (pick(2) == 0, time())
        node.members = (0..<pick(4)).map { _ in id() }
        node.memberTimes = (0..<pick(4)).map { _ in time() }
        node.flags = SnapshotFlags(rawValue: UInt8(pick(64)))
        node.summary = pick(3) == 0 ? "c" : nil
        node.remoteParent = pick(3) == 0 ? NodeKey(process: ProcessKey(rawValue: time()), id: NodeID(time())) : nil
        (node.label, node.renameCount) = (pick(3) == 0 ? "d" : nil, pick(2) == 0 ? time() : 0)
        if pick(3) == 0 { node.switched = time() }
        return node
    }
}

// SPDX-License-Identifier: MIT
