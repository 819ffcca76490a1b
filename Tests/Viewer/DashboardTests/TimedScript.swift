import ChainEvents

/// Builds a batch of events as ``Script`` does, but with the time and the thread of each event. Times are in
/// milliseconds.
struct TimedScript {
    var batch: EventBatch
    /// By how many nanoseconds the program's clock is ahead of that of ``Script/process``; wraps if it is behind.
    private let lead: UInt64

    init(sequence: UInt64 = 1, of process: ProcessDescription = Script.process) {
        lead = Script.process.wallOffset &- process.wallOffset
        batch = EventBatch(process: process.key, sequence: sequence, time: 0)
    }

    func nanoseconds(_ milliseconds: Double) -> UInt64 { UInt64(milliseconds * 1_000_000) &+ 1 &+ lead }

    mutating func append(
        _ kind: EventKind, _ node: UInt64, _ other: UInt64 = 0, at milliseconds: Double, on thread: ThreadID = 1,
        text: String? = nil, detail: UInt16 = 0, flags: EventFlags = []
    ) {
        if let text { batch.texts.append(text) }
        let time = nanoseconds(milliseconds)
        batch.time = max(batch.time, time)
        batch.loss.madeCount += 1
        batch.loss.deliveredCount += 1
        batch.events.append(
            ChainEvent(
                time: time, kind, node: NodeID(node), other: NodeID(other),
                text: text == nil ? 0 : UInt32(batch.texts.count), thread: thread, detail: detail, flags: flags))
    }

    mutating func make(
        _ node: UInt64, _ kind: NodeKind = .work, _ label: String? = nil, under parent: UInt64 = 0,
        by creator: UInt64 = 0, at milliseconds: Double
    ) {
        append(
            .created, node, parent != 0 ? parent : creator, at: milliseconds, text: label,
            detail: UInt16(kind.rawValue), flags: parent != 0 ? .hasParent : [])
    }

    mutating func queue(_ node: UInt64, at milliseconds: Double, executor: ExecutorID = 1) {
        append(.queued, node, at: milliseconds, detail: executor)
    }

    mutating func start(_ node: UInt64, at milliseconds: Double, on thread: ThreadID) {
        append(.started, node, at: milliseconds, on: thread)
    }

    mutating func fulfill(_ node: UInt64, at milliseconds: Double, on thread: ThreadID) {
        append(.fulfilled, node, at: milliseconds, on: thread, flags: .handlerEnded)
    }

    /// Makes a node that runs from one moment to another and is fulfilled.
    mutating func run(_ node: UInt64, _ label: String, from: Double, to: Double, on thread: ThreadID) {
        make(node, .work, label, at: from)
        queue(node, at: from)
        start(node, at: from, on: thread)
        fulfill(node, at: to, on: thread)
    }
}

// SPDX-License-Identifier: MIT
