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
    /// A batch for a recorder.
    struct Part {
        var batch: EventBatch
        /// Whether the batch is a part of a keyframe; else it is recorded as it came.
        var isKeyframe = false
        /// Whether the keyframe that begins with this part corrects the batches before: some of them are missing.
        var followsGap = false
    }

    fileprivate struct State {
        /// For a recorder, the most settled nodes of its keyframes; else nil.
        let settledLimit: Int?
        /// The batches that are ready; the batches before ``queueStart`` were fetched.
        var queue: [Part] = []
        var queueStart = 0
        /// How far the state is sent; nil while none is being sent.
        var sending: StateSending?
        /// Whether the state has to be sent again, because a batch was dropped or the state was requested.
        var isStale = false
        /// Whether a keyframe has to be made, although no batch was dropped.
        var isKeyframeDue = false
        /// Whether the last keyframe has only a part of a walk over the registry, so that the next one corrects it.
        var isWalkCut = false
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
        var walk: StateWalk
        let epoch: UInt64
        /// Whether the subscriber has got an earlier state, and so has nodes already.
        let isRepeated: Bool
        let isKeyframe: Bool
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
    private let state: Lock<State>

    /// A flag in an object of its own, because the mailbox's closure is made before the subscription is complete.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    init(
        _ collector: Collector, mailboxLimit: Int, isPrompt: Bool, callsProgram: Bool, settledLimit: Int?,
        onReady: @escaping @Sendable () -> Void
    ) {
        let flag = Flag()
        self.isPrompt = isPrompt
        self.callsProgram = callsProgram
        self.collector = collector
        self.onReady = onReady
        state = Lock(State(settledLimit: settledLimit))
        isWoken = flag
        mailbox = Mailbox(
            limit: mailboxLimit, cost: { 1 + $0.events.count + $0.nodes.count },
            wake: { flag.isSet.store(true, ordering: .relaxed) })
    }

    /// Returns the next batch; nil if no batch is ready. Never waits for the program. While the state is being sent, it
    /// may wait a few milliseconds for the collector.
    public func next() -> EventBatch? { nextPart()?.batch }

    /// Returns the next batch, as ``next()`` does, and what a recorder needs to know about it.
    ///
    /// A recorder gets each batch as it was published. A state comes between these batches, as a keyframe: the batches
    /// that a viewer would get that attaches at its beginning, up to the state's end. At its end it contains all batches
    /// before. After the first, keyframes come on request (``requestKeyframe()``), and after a loss.
    func nextPart() -> Part? {
        if let part = dequeue() { return part }
        // While a part of the state is still to be sent, mail is fetched only together with such a part. A subscriber
        // that is always late always has mail, and would otherwise never get the state.
        if !owesState {
            fillQueue { $0.take($1) }
            if let part = dequeue() { return part }
        }
        return owesState ? collector.withState { nextStatePart($0) } : nil
    }

    /// Requests a keyframe for a recorder, unless one is being made. It is made once a walk over the registry that is
    /// under way has ended.
    func requestKeyframe() { state.withLock { if $0.sending == nil { $0.isKeyframeDue = true } } }

    /// Whether a part of the state is still to be sent.
    private var owesState: Bool {
        state.withLock { !$0.isDisposed && ($0.sending != nil || $0.beginsState) }
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
        state.withLock { if $0.settledLimit == nil { $0.isStale = true } else { $0.isKeyframeDue = true } }
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

    /// Moves the mail to the queue by `take`.
    private func fillQueue(_ take: (inout State, EventBatch) -> Void) {
        let mail = mailbox.drain()
        guard !mail.isEmpty else { return }
        state.withLock { state in
            state.queue.removeFirst(state.queueStart)
            state.queueStart = 0
            for batch in mail.elements { take(&state, batch) }
            if mail.droppedCount > 0 {
                // Parts of the registry walk under way may be among the dropped batches.
                state.isStale = true
                state.walkEpoch = nil
            }
            if mail.ending != nil { state.hasEnded = true }
        }
    }

    private func dequeue() -> Part? {
        state.withLock { state in
            guard state.queueStart < state.queue.count else { return nil }
            var part = state.queue[state.queueStart]
            state.queueStart += 1
            if state.queueStart == state.queue.count { (state.queue, state.queueStart) = ([], 0) }
            state.number(&part.batch)
            return part
        }
    }

    /// Enqueues the next part of the state, and returns the next batch. Called under the collector's lock, so that no
    /// batch is applied while the part is made.
    private func nextStatePart(_ collected: borrowing CollectorState) -> Part? {
        fillQueue { $0.take($1, collected.forest) }
        state.withLock { state in
            if state.sending != nil {
                state.continueState(collected)
            } else if state.beginsState {
                // The epoch is the time of the last batch before the state: all nodes that the subscriber has were
                // created by then.
                state.beginState(collected, epoch: state.queue.last?.batch.time ?? state.lastTime)
            }
        }
        return dequeue()
    }
}

extension BatchSubscription.State {
    /// Whether a state begins with the next part. A keyframe that is due waits for the end of a walk over the registry,
    /// because what the end changes would be missing after the keyframe.
    fileprivate var beginsState: Bool { isStale || isKeyframeDue && walkEpoch == nil }

    /// Enqueues a batch that was published.
    fileprivate mutating func take(_ batch: EventBatch) {
        var batch = batch
        filterMark(of: &batch)
        queue.append(BatchSubscription.Part(batch: batch))
    }

    /// Enqueues a batch that was published while a state was being sent or requested. The forest has applied the batch.
    fileprivate mutating func take(_ batch: EventBatch, _ forest: borrowing ChainForest) {
        var batch = batch
        if settledLimit != nil {
            take(batch)
            guard sending != nil else { return }
            if batch.resync != nil { (isKeyframeDue, isWalkCut) = (true, true) }
            batch.resync = nil
        }
        sending?.withhold(from: &batch, forest)
        filterMark(of: &batch)
        queue.append(BatchSubscription.Part(batch: batch, isKeyframe: settledLimit != nil))
    }

    /// Enqueues the first batch of the state: the name tables, and the mark `begin`.
    fileprivate mutating func beginState(_ collected: borrowing CollectorState, epoch: UInt64) {
        let isKeyframe = settledLimit != nil
        sending = BatchSubscription.StateSending(
            walk: StateWalk(settledLimit: settledLimit), epoch: epoch, isRepeated: !isKeyframe && sequence > 0,
            isKeyframe: isKeyframe)
        let followsGap = isStale || isWalkCut
        (isStale, isKeyframeDue, isWalkCut) = (false, false, false)
        walkEpoch = nil
        var batch = collected.makeBatch()
        batch.loss = collected.counts
        batch.resync = .begin(epoch: epoch)
        batch.stateNodeCount = UInt64(collected.forest.totals.counts.nodeCount)
        collected.addNames(to: &batch)
        queue.append(BatchSubscription.Part(batch: batch, isKeyframe: isKeyframe, followsGap: followsGap))
    }

    /// Enqueues the next part of the nodes; the last part has the waits and the mark `end`.
    fileprivate mutating func continueState(_ collected: borrowing CollectorState) {
        guard let (hasBegun, isKeyframe) = sending.map({ ($0.walk.hasBegun, $0.isKeyframe) }) else { return }
        var batch = collected.makeBatch()
        batch.loss = collected.counts
        if !hasBegun, isStale, !isKeyframe {
            // No part was enqueued yet, so the parts will include the dropped events; only names may be missing.
            isStale = false
            collected.addNames(to: &batch)
        }
        let limit = isKeyframe ? collected.options.keyframeChunkLimit : collected.options.chunkLimit
        batch.nodes = sending!.walk.next(of: collected.forest, limit: limit)
        if let sent = sending, sent.walk.isAtEnd {
            sending = nil
            batch.resync = .end(epoch: sent.epoch)
            // All waits are sent with the last part, because the waits for nodes that were not sent yet were withheld.
            batch.events = collected.forest.waitEvents
        }
        queue.append(BatchSubscription.Part(batch: batch, isKeyframe: isKeyframe))
    }

    /// Removes from a batch the mark of a walk over the registry if this subscriber does not get the whole walk.
    fileprivate mutating func filterMark(of batch: inout EventBatch) {
        switch batch.resync {
        case .begin(let epoch)?:
            if sending == nil || settledLimit != nil { walkEpoch = epoch } else { batch.resync = nil }
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
    /// so that new nodes are shown before the settled ones are read; if the state is repeated, because the subscriber
    /// shows an earlier state of the node; and if it is a keyframe, which has few of the settled nodes.
    private mutating func isWithheld(_ id: NodeID, _ forest: borrowing ChainForest) -> Bool {
        if walk.hasSent(id) { return false }
        // An evicted node comes in no part. Without its events, a subscriber that has the node would take it for live
        // until the end of the state, and then for lost.
        guard let isInFlight = forest.isInFlight(id) else { return !isRepeated }
        if isInFlight || isRepeated || isKeyframe { walk.request(id) }
        return true
    }
}
