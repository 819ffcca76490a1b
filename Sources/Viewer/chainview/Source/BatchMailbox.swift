// SPDX-License-Identifier: MIT

import ChainBus
import ChainEvents
import ChainSystem

/// A bounded buffer between a source and one reader of its batches. The events that do not fit are counted in the
/// batches that follow (``EventCounts/lostAtClient``).
final class BatchMailbox: Observer {
    private struct Losses {
        /// The events that were dropped so far, by program.
        var dropped: [ProcessKey: UInt64] = [:]
        /// The events that were dropped before the first batch of the next mail.
        var passed: [ProcessKey: UInt64] = [:]
    }

    private let mailbox: Mailbox<EventBatch>
    private let losses = Lock(Losses())

    /// - Parameters:
    ///   - limit: the maximum number of events, nodes and batches that wait.
    ///   - waits: whether the source waits for room, instead of dropping batches.
    ///   - patience: how long it waits; nil for no limit.
    ///   - wake: called on the source's thread when the mailbox is no longer empty.
    init(limit: Int, waits: Bool, patience: Duration? = nil, wake: @escaping @Sendable () -> Void) {
        if waits, let patience {
            mailbox = Mailbox(limit: limit, patience: patience, cost: Self.cost, wake: wake)
        } else {
            mailbox = Mailbox(limit: limit, overflow: waits ? .wait : .drop, cost: Self.cost, wake: wake)
        }
    }

    /// Returns what a batch takes of the limit.
    static func cost(of batch: EventBatch) -> Int { 1 + batch.events.count + batch.nodes.count }

    func on(_ event: StreamEvent<EventBatch>) {
        guard case .next(let batch) = event else { return mailbox.on(event) }
        guard !mailbox.push(batch) else { return }
        losses.withLock { $0.dropped[batch.process, default: 0] += UInt64(batch.events.count) }
    }

    /// Removes and returns the waiting batches; never blocks.
    func drain() -> (batches: [EventBatch], hasDropped: Bool) {
        let mail = mailbox.drain()
        var batches = mail.elements
        losses.withLock { losses in
            if !losses.passed.isEmpty {
                for index in batches.indices {
                    let count = losses.passed[batches[index].process] ?? 0
                    batches[index].loss.lostAtClient = batches[index].loss.lostAtClient.addingClamped(count)
                }
            }
            // The drops come after the drained batches.
            if mail.droppedCount > 0 { losses.passed = losses.dropped }
        }
        return (batches, mail.droppedCount > 0)
    }

    /// The cost of the waiting batches.
    var waitingCost: Int { mailbox.waitingCost }

    /// Refuses batches from now on.
    func close() { mailbox.close() }
}
