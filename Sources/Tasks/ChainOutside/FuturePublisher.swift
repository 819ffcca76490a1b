// SPDX-License-Identifier: MIT

import ChainEvents

/// Makes events of the pending futures of SwiftNIO: a node for each, below that of its event loop, which is an executor
/// held by its thread.
///
/// A future is a node while two looks in a row find it pending. It counts as the same one while its place, its type, its
/// event loop and its closures are the same: that it was released, and another one made there, between two looks cannot
/// be told.
struct FuturePublisher {
    private struct Loop {
        let node: NodeID
        let reading: EventLoopReading
        let seen: UInt64
    }

    private struct Future {
        let node: NodeID
        let label: String
        let seen: UInt64
    }

    private var loops: [UInt64: Loop] = [:]
    private var futures: [FutureReading: Future] = [:]
    private var lastNumber: UInt64 = 0
    /// How many futures are pending, with those that have no node.
    private(set) var count = 0

    /// Ids of these nodes begin here.
    static let firstNode = NodeID(1 << 45)

    /// Compares with the last look; returns what has changed. `name` returns the name of a function.
    mutating func update(
        _ now: PendingFutures, at time: UInt64, name: (UInt64) -> String
    ) -> ResourcePublisher.Report {
        var report = ResourcePublisher.Report()
        count = now.count
        let present = Set(now.futures)
        for (reading, future) in futures where !present.contains(reading) {
            futures[reading] = nil
            report.events.append(ChainEvent(time: time, .fulfilled, node: future.node))
        }
        for (address, loop) in loops where now.loops[address] != loop.reading {
            loops[address] = nil
            report.events.append(ChainEvent(time: time, .fulfilled, node: loop.node))
            // They are made again, below the other one.
            for (reading, future) in futures where reading.loop == address {
                futures[reading] = nil
                report.events.append(ChainEvent(time: time, .fulfilled, node: future.node))
            }
        }
        for (address, reading) in now.loops.sorted(by: { $0.key < $1.key })
        where loops[address] == nil && reading.thread != 0 {
            let loop = Loop(node: nextNode(), reading: reading, seen: time)
            loops[address] = loop
            add(loop, to: &report)
        }
        for reading in now.futures where futures[reading] == nil {
            let type = now.loops[reading.loop]?.type ?? ""
            let next = reading.callback == 0 ? "without a callback" : name(reading.callback)
            // A loop whose thread is not known has no node.
            let label = loops[reading.loop] == nil ? "\(next) on \(type) 0x" + String(reading.loop, radix: 16) : next
            let future = Future(node: nextNode(), label: label, seen: time)
            futures[reading] = future
            add(future, of: reading, to: &report)
        }
        return report
    }

    /// Returns the events that report everything again.
    func state() -> ResourcePublisher.Report {
        var report = ResourcePublisher.Report()
        for loop in loops.values.sorted(by: { $0.node < $1.node }) { add(loop, to: &report) }
        for (reading, future) in futures.sorted(by: { $0.value.node < $1.value.node }) {
            add(future, of: reading, to: &report)
        }
        return report
    }

    /// Returns the future of a node; nil if it has none any more. O(n).
    func future(_ node: NodeID) -> FutureReading? { futures.first { $0.value.node == node }?.key }

    private mutating func nextNode() -> NodeID {
        lastNumber += 1
        return NodeID(Self.firstNode.rawValue + lastNumber)
    }

    private func add(_ loop: Loop, to report: inout ResourcePublisher.Report) {
        report.texts.append(loop.reading.threadName)
        report.events.append(
            ChainEvent(
                time: loop.seen, .created, node: loop.node, text: UInt32(report.texts.count),
                detail: UInt16(NodeKind.executor.rawValue), flags: .late))
        report.events.append(
            ChainEvent(time: loop.seen, .heldBy, node: loop.node, thread: loop.reading.thread))
    }

    private func add(_ future: Future, of reading: FutureReading, to report: inout ResourcePublisher.Report) {
        report.texts.append(future.label)
        report.events.append(
            ChainEvent(
                time: future.seen, .created, node: future.node, other: loops[reading.loop]?.node ?? .none,
                text: UInt32(report.texts.count), detail: UInt16(NodeKind.future.rawValue), flags: .late))
    }
}
