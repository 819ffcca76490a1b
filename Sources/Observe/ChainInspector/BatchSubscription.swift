// SPDX-License-Identifier: MIT

import ChainBus
import ChainModel
import ChainSystem
import Synchronization

/// One subscriber's stream: first the whole state of the forest, live nodes first, then the batches that follow.
///
/// The subscriber fetches batches with ``next()`` when it can. Between two fetches, batches wait in a mailbox with a
/// limit. Batches that do not fit are dropped and counted. After a drop the whole state is sent again, between
/// `Resync.begin` and `.end`. This corrects the subscriber's forest: nodes that are not in the state have ended.
///
///     let subscription = try Inspector.start().subscribe(onReady: { wakeUp() })
///
///     while let batch = subscription.next() { send(batch) }
///
/// Safe from any thread, but batches are in order only if one thread fetches them. Numbers of batches
/// (`EventBatch.sequence`) are the subscription's own, without gaps.
public final class BatchSubscription: Disposable {
    fileprivate struct State {
        /// The batches that are ready; the batches before ``queueStart`` were fetched.
        var queue: [EventBatch] = []
        var queueStart = 0
        /// How far the state is sent; nil while none is being sent.
        var sending: StateSending?
        /// Whether the state has to be sent again, because a batch was dropped or the state was requested.
        var isStale = false
        /// The epoch of the walk over all live promises that is under way, if this subscriber got all of the walk so
        /// far; else nil.
        var walkEpoch: UInt64?
        /// The number of the last batch.
        var sequence: UInt64 = 0
        /// The time of the last batch.
        var lastTime: UInt64 = 0
        var lostCount: UInt64 = 0
        var isDisposed = false
        /// Whether the inspector was stopped, so that nothing follows the queued batches.
        var hasEnded = false
    }

    /// A state that is being sent.
    fileprivate struct StateSending {
        var walk = StateWalk()
        let epoch: UInt64
        /// Whether the subscriber has got an earlier state, and so has nodes already.
        let isRepeated: Bool
    }

    /// Whether the collector looks at the rings more often for this subscriber.
    let isPrompt: Bool
    /// Whether ``notify()`` may run code of the program.
    let callsProgram: Bool
    private let collector: Collector
    private let mailbox: Mailbox<EventBatch>
    /// Whether the mailbox went from empty to not empty, and the subscriber was not notified yet.
    private let isWoken: Flag
    private let onReady: @Sendable () -> Void
    private let state = Lock(State())

    /// A flag in an object of its own, because the mailbox's closure is made before the subscription is complete.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    init(
        _ collector: Collector, mailboxLimit: Int, isPrompt: Bool, callsProgram: Bool,
        onReady: @escaping @Sendable () -> Void
    ) {
        let flag = Flag()
        self.isPrompt = isPrompt
        self.callsProgram = callsProgram
        self.collector = collector
        self.onReady = onReady
        isWoken = flag
        mailbox = Mailbox(
            limit: mailboxLimit, cost: { 1 + $0.events.count + $0.nodes.count },
            wake: { flag.isSet.store(true, ordering: .relaxed) })
    }

    /// Returns the next batch; nil if no batch is ready. Never waits for the program. While the state is being sent, it
    /// may wait a few milliseconds for the collector.
    public func next() -> EventBatch? {
        if let batch = dequeue() { return batch }
        // While a part of the state is still to be sent, mail is fetched only together with such a part. A subscriber
        // that is always late always has mail, and would otherwise never get the state.
        if !owesState {
            fillQueue { $0.filterMark(of: &$1) }
            if let batch = dequeue() { return batch }
        }
        return owesState ? collector.withState { nextStatePart($0) } : nil
    }

    /// Whether a part of the state is still to be sent.
    private var owesState: Bool {
        state.withLock { !$0.isDisposed && ($0.sending != nil || $0.isStale) }
    }

    /// How many events were dropped because this subscriber was slow.
    public var lostCount: UInt64 { state.withLock { $0.lostCount } }

    /// Whether the inspector was stopped and all batches were fetched.
    public var isEnded: Bool {
        state.withLock { $0.hasEnded && $0.queue.isEmpty && $0.sending == nil && !$0.isStale }
    }

    /// Whether the whole state was requested and is not being sent yet.
    var awaitsState: Bool { state.withLock { $0.isStale } }

    /// Requests the whole state again.
    public func requestState() {
        state.withLock { $0.isStale = true }
        onReady()
    }

    /// Ends the subscription; ``next()`` returns nil after this call.
    public func dispose() {
        let isFirst = state.withLock { state in
            defer { state.isDisposed = true }
            return !state.isDisposed
        }
        guard isFirst else { return }
        collector.remove(self)
        _ = mailbox.drain()
        state.withLock { ($0.queue, $0.queueStart) = ([], 0) }
    }

    // MARK: The collector's side

    /// Enqueues the beginning of the present state; under the collector's lock.
    func begin(_ collected: borrowing CollectorState) {
        // A reconnected viewer may have nodes already: those made up to the epoch that are missing from the state count
        // as ended. So the epoch is a time up to which all rings were read.
        state.withLock { $0.beginState(collected, epoch: collected.previousPassTime) }
    }

    /// Enqueues a batch; under the collector's lock.
    func push(_ batch: EventBatch) {
        guard !mailbox.push(batch) else { return }
        state.withLock { $0.lostCount += UInt64(batch.events.count) }
    }

    /// Refuses batches after this call; under the collector's lock.
    func end() { mailbox.on(.completed) }

    /// Returns whether the mailbox went from empty to not empty since the last call.
    func claimWake() -> Bool {
        isWoken.isSet.load(ordering: .relaxed) && isWoken.isSet.exchange(false, ordering: .relaxed)
    }

    func notify() { onReady() }

    // MARK: The subscriber's side

    /// Moves the mail to the queue. `filter` removes what this subscriber is not to get.
    private func fillQueue(_ filter: (inout State, inout EventBatch) -> Void) {
        let mail = mailbox.drain()
        guard !mail.isEmpty else { return }
        state.withLock { state in
            state.queue.removeFirst(state.queueStart)
            state.queueStart = 0
            for var batch in mail.elements {
                filter(&state, &batch)
                state.queue.append(batch)
            }
            if mail.droppedCount > 0 {
                // Parts of the registry walk under way may be among the dropped batches.
                state.isStale = true
                state.walkEpoch = nil
            }
            if mail.ending != nil { state.hasEnded = true }
        }
    }

    private func dequeue() -> EventBatch? {
        state.withLock { state in
            guard state.queueStart < state.queue.count else { return nil }
            var batch = state.queue[state.queueStart]
            state.queueStart += 1
            if state.queueStart == state.queue.count { (state.queue, state.queueStart) = ([], 0) }
            state.number(&batch)
            return batch
        }
    }

    /// Enqueues the next part of the state, and returns the next batch. Called under the collector's lock, so that no
    /// batch is applied while the part is made.
    private func nextStatePart(_ collected: borrowing CollectorState) -> EventBatch? {
        fillQueue { state, batch in
            state.sending?.withhold(from: &batch, collected.forest)
            state.filterMark(of: &batch)
        }
        state.withLock { state in
            if state.sending != nil {
                state.continueState(collected)
            } else if state.isStale {
                // The epoch is the time of the last batch before the state: all nodes that the subscriber has were
                // created by then.
                state.beginState(collected, epoch: state.queue.last?.time ?? state.lastTime)
            }
        }
        return dequeue()
    }
}

extension BatchSubscription.State {
    /// Enqueues the first batch of the state: the name tables, and the mark `begin`.
    fileprivate mutating func beginState(_ collected: borrowing CollectorState, epoch: UInt64) {
        sending = BatchSubscription.StateSending(epoch: epoch, isRepeated: sequence > 0)
        isStale = false
        walkEpoch = nil
        var batch = collected.makeBatch()
        batch.loss = collected.counts
        batch.resync = .begin(epoch: epoch)
        batch.stateNodeCount = UInt64(collected.forest.totals.counts.nodeCount)
        collected.addNames(to: &batch)
        queue.append(batch)
    }

    /// Enqueues the next part of the nodes; the last part has the waits and the mark `end`.
    fileprivate mutating func continueState(_ collected: borrowing CollectorState) {
        guard let hasBegun = sending?.walk.hasBegun else { return }
        var batch = collected.makeBatch()
        batch.loss = collected.counts
        if !hasBegun, isStale {
            // No part was enqueued yet, so the parts will include the dropped events; only names may be missing.
            isStale = false
            collected.addNames(to: &batch)
        }
        batch.nodes = sending!.walk.next(of: collected.forest, limit: collected.options.chunkLimit)
        if let sent = sending, sent.walk.isAtEnd {
            sending = nil
            batch.resync = .end(epoch: sent.epoch)
            // All waits are sent with the last part, because the waits for nodes that were not sent yet were withheld.
            batch.events = collected.forest.waitEvents
        }
        queue.append(batch)
    }

    /// Removes from a batch the mark of a walk over the registry if this subscriber does not get the whole walk.
    fileprivate mutating func filterMark(of batch: inout EventBatch) {
        switch batch.resync {
        case .begin(let epoch)?:
            if sending == nil { walkEpoch = epoch } else { batch.resync = nil }
        case .end(let epoch)?:
            if walkEpoch != epoch {
                // The end is valid only after a whole walk, and this subscriber got only a part of the walk.
                batch.resync = nil
                isStale = true
            }
            walkEpoch = nil
        case nil: break
        }
    }

    /// Sets the number of a batch, and this subscriber's own losses.
    fileprivate mutating func number(_ batch: inout EventBatch) {
        sequence += 1
        batch.sequence = sequence
        batch.loss.lostAtClient = lostCount
        lastTime = batch.time
    }
}

extension BatchSubscription.StateSending {
    /// Removes from a batch what this subscriber gets with a later part of the state. The forest has applied the batch.
    mutating func withhold(from batch: inout EventBatch, _ forest: borrowing ChainForest) {
        for (index, event) in batch.events.enumerated() where event.kind == .awaitMisused && event.other != .none {
            // The fault belongs to the other node, which may have been sent.
            (batch.events[index].node, batch.events[index].other) = (event.other, .none)
        }
        var (events, nodes) = ([ChainEvent](), [NodeSnapshot]())
        for event in batch.events where !isWithheld(event.node, forest) {
            events.append(event)
            walk.request(event.other)
        }
        for node in batch.nodes where !isWithheld(node.id, forest) { nodes.append(node) }
        (batch.events, batch.nodes) = (events, nodes)
    }

    /// Returns whether a later part of the state has a node and its events. The next part has it if the node is live,
    /// so that new nodes are shown before the settled ones are read; and if the state is repeated, because the
    /// subscriber shows an earlier state of the node.
    private mutating func isWithheld(_ id: NodeID, _ forest: borrowing ChainForest) -> Bool {
        if walk.hasSent(id) { return false }
        // An evicted node comes in no part. Without its events, a subscriber that has the node would take it for live
        // until the end of the state, and then for lost.
        guard let isInFlight = forest.isInFlight(id) else { return !isRepeated }
        if isInFlight || isRepeated { walk.request(id) }
        return true
    }
}
