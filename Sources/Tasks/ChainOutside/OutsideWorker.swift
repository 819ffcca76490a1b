// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSource
import ChainSystem
import Synchronization

/// The thread of an ``OutsideProcess``: it reads, and publishes what has changed.
final class OutsideWorker {
    private let core: OutsideCore
    private let reader: OutsideReader
    private var nextLook: UInt64 = 0
    private var nextScan: UInt64 = 0
    /// The processor time of the pass under way, in nanoseconds.
    private var scanCost: UInt64 = 0
    private var isStopping = false
    /// When the progress of the first pass is to be published next.
    private var nextProgress: UInt64 = 0

    /// Between two looks at the known tasks, at least, in nanoseconds; longer if more than eight processes are read.
    private static var interval: UInt64 { 250_000_000 * max(8, count.load(ordering: .relaxed)) / 8 }
    /// The share of a processor that looks, and that passes may take: a twentieth, of all processes together.
    private static var share: UInt64 { 20 * count.load(ordering: .relaxed) }
    /// How many processes are read, this one included.
    private static let count = Atomic<UInt64>(0)
    /// Between two reports of progress, in nanoseconds.
    private static let progressInterval: UInt64 = 100_000_000
    /// Bytes read at a time, between which changes are published.
    private static let step: UInt64 = 4 << 20

    init(_ core: OutsideCore, _ reader: OutsideReader) { (self.core, self.reader) = (core, reader) }

    func run() {
        Self.count.add(1, ordering: .relaxed)
        defer { Self.count.subtract(1, ordering: .relaxed) }
        let publisher = OutsidePublisher(reader, readsNames: core.readsNames)
        core.status.onNext(.live(publisher.process))
        // Who subscribed before gets the state as it is read.
        core.post { $0.wantsState = false }
        publish(publisher.stateBegin())
        while !isStopping {
            guard reader.isAlive else {
                publish(publisher.allEnded())
                return core.end(.finished)
            }
            work(publisher)
            handleInbox(publisher)
        }
        core.end(.stopped)
    }

    private func work(_ publisher: OutsidePublisher) {
        let now = SystemTime.monotonic
        if now >= nextScan, reader.scan == nil {
            scanCost = 0
            reader.beginScan()
        }
        if now >= nextLook {
            let start = SystemTime.thread
            let changes = reader.look(now: now)
            publish(publisher.changes(changes, reader.surroundings(now: now)))
            if reader.isLookComplete { core.looks.onNext(now) }
            nextLook = now + max(Self.interval, (SystemTime.thread - start) * Self.share)
        }
        guard reader.scan != nil else { return }
        let start = SystemTime.thread
        let isFirst = reader.scanCount == 0
        let changes = reader.advanceScan(limit: Self.step, now: SystemTime.monotonic)
        scanCost += SystemTime.thread - start
        publish(publisher.changes(changes))
        guard reader.scan == nil else {
            let now = SystemTime.monotonic
            guard isFirst, now >= nextProgress else { return }
            nextProgress = now + Self.progressInterval
            return publish(publisher.progress())
        }
        if isFirst {
            if publisher.checkLayout() { core.status.onNext(.live(publisher.process)) }
            publish(publisher.stateEnd())
        }
        // Futures are found by the pass after the one that finds their class.
        guard !isFirst || !reader.needsPass else { return }
        nextScan = SystemTime.monotonic + max(1_000_000_000, scanCost * Self.share)
    }

    private func publish(_ batches: [EventBatch]) {
        for batch in batches { core.batches.onNext(batch) }
    }

    private func handleInbox(_ publisher: OutsidePublisher) {
        let inbox = core.takeInbox(until: reader.scan != nil ? 0 : min(nextLook, nextScan))
        isStopping = inbox.isStopping
        for command in inbox.commands {
            core.replies.onNext(CommandReply(command: command.id, outcome: publisher.answer(command.request)))
        }
        if inbox.wantsState { publish(publisher.state()) }
    }
}
