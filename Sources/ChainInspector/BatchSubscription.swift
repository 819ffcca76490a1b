import ChainBus
import ChainEvents
import ChainModel
import ChainSystem
import Synchronization

/// One subscriber's place: first the whole state of the forest, in chunks by id, then every batch that follows.
///
/// The subscriber takes batches with ``next()`` when it can. Between two takes they wait in a mailbox with a limit;
/// what does not fit is dropped and counted, and then the whole state is told anew, so that the subscriber's forest
/// becomes right by itself. The state stands between `Resync.begin` and `.end`: whoever it does not name has ended.
///
///     let subscription = try Inspector.start().subscribe(onReady: { wakeUp() })
///
///     while let batch = subscription.next() { send(batch) }
///
/// Safe from any thread, but batches are in order only if one thread takes them. Numbers of batches
/// (`EventBatch.sequence`) are the subscription's own, without gaps.
public final class BatchSubscription: Disposable {
    fileprivate struct State {
        /// Batches that are ready, and which comes next.
        var queue: [EventBatch] = []
        var queueStart = 0
        /// The first id that the state was not told of yet, and the epoch; nil when all of it was told.
        var telling: (next: NodeID, epoch: UInt64)?
        /// Something was missed: the state has to be told once more.
        var isStale = false
        /// The epoch of a walk over the registry whose beginning was passed on.
        var walkEpoch: UInt64?
        var sequence: UInt64 = 0
        var lastTime: UInt64 = 0
        var lostCount: UInt64 = 0
        var isDisposed = false
        /// The inspector was stopped: nothing comes after what is queued.
        var hasEnded = false
    }

    private let collector: Collector
    private let mailbox: Mailbox<EventBatch>
    private let isWoken: Flag
    private let onReady: @Sendable () -> Void
    private let state = Lock(State())

    /// A flag that the mailbox's closure may own.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    init(_ collector: Collector, mailboxLimit: Int, onReady: @escaping @Sendable () -> Void) {
        let flag = Flag()
        self.collector = collector
        self.onReady = onReady
        isWoken = flag
        mailbox = Mailbox(
            limit: mailboxLimit, cost: { 1 + $0.events.count + $0.nodes.count },
            wake: { flag.isSet.store(true, ordering: .relaxed) })
    }

    /// The next batch, or nil if there is none now. Never waits for the program; while the state is being told it may
    /// wait a few milliseconds for the collector.
    public func next() -> EventBatch? {
        if let batch = takeQueued() { return batch }
        fillQueue()
        if let batch = takeQueued() { return batch }
        let hasToTell = state.withLock { !$0.isDisposed && ($0.telling != nil || $0.isStale) }
        return hasToTell ? collector.withState { tell($0) } : nil
    }

    /// How many events were dropped because this subscriber was slow.
    public var lostCount: UInt64 { state.withLock { $0.lostCount } }

    /// Whether the inspector was stopped and all was taken.
    public var isEnded: Bool {
        state.withLock { $0.hasEnded && $0.queue.isEmpty && $0.telling == nil && !$0.isStale }
    }

    /// Has the whole state told anew.
    public func requestState() {
        state.withLock { $0.isStale = true }
        onReady()
    }

    /// Ends the subscription; ``next()`` gives nil from now on.
    public func dispose() {
        let isFirst = state.withLock { state in
            defer { state.isDisposed = true }
            return !state.isDisposed
        }
        guard isFirst else { return }
        collector.remove(self)
        _ = mailbox.drain()
        state.withLock { $0.queue = [] }
    }

    // MARK: The collector's side

    /// Begins with the state as it is; under the collector's lock.
    func begin(_ collected: borrowing CollectorState) {
        // The subscriber may be a viewer that comes back with a forest: a moment up to which all rings were read.
        state.withLock { $0.beginTelling(collected, epoch: collected.previousPassTime) }
    }

    /// Takes a batch; under the collector's lock.
    func push(_ batch: EventBatch) {
        guard !mailbox.push(batch) else { return }
        state.withLock { $0.lostCount += UInt64(batch.events.count) }
    }

    /// Takes no more batches; under the collector's lock.
    func end() { mailbox.on(.completed) }

    /// Whether it is to be told that there is mail.
    func takeWake() -> Bool {
        isWoken.isSet.load(ordering: .relaxed) && isWoken.isSet.exchange(false, ordering: .relaxed)
    }

    func notify() { onReady() }

    // MARK: The subscriber's side

    private func fillQueue() {
        let mail = mailbox.drain()
        guard !mail.isEmpty else { return }
        state.withLock { state in
            state.queue.removeFirst(state.queueStart)
            state.queueStart = 0
            for var batch in mail.elements {
                state.filter(&batch)
                state.queue.append(batch)
            }
            if mail.droppedCount > 0 {
                // Of a walk that it is in the middle of, parts may be missing.
                state.isStale = true
                state.walkEpoch = nil
            }
            if mail.ending != nil { state.hasEnded = true }
        }
    }

    private func takeQueued() -> EventBatch? {
        state.withLock { state in
            guard state.queueStart < state.queue.count else { return nil }
            var batch = state.queue[state.queueStart]
            state.queueStart += 1
            if state.queueStart == state.queue.count { (state.queue, state.queueStart) = ([], 0) }
            state.number(&batch)
            return batch
        }
    }

    /// Tells the next part of the state; under the collector's lock, so that nothing is folded meanwhile.
    private func tell(_ collected: borrowing CollectorState) -> EventBatch? {
        fillQueue()
        if let batch = takeQueued() { return batch }
        state.withLock { state in
            if state.telling != nil {
                state.goOnTelling(collected)
            } else if state.isStale {
                // Whom this subscriber knows was made before the last batch that it got.
                state.beginTelling(collected, epoch: state.lastTime)
            }
        }
        return takeQueued()
    }
}

extension BatchSubscription.State {
    /// Queues the beginning of the state: the tables and the mark.
    fileprivate mutating func beginTelling(_ collected: borrowing CollectorState, epoch: UInt64) {
        telling = (.none, epoch)
        isStale = false
        walkEpoch = nil
        var batch = collected.makeBatch()
        batch.loss = collected.loss
        batch.resync = .begin(epoch: epoch)
        collected.tellNames(&batch)
        batch.events = collected.forest.waitEvents
        queue.append(batch)
    }

    /// Queues the next chunk of nodes.
    fileprivate mutating func goOnTelling(_ collected: borrowing CollectorState) {
        guard let (first, epoch) = telling else { return }
        var batch = collected.makeBatch()
        batch.loss = collected.loss
        if first == .none, isStale {
            // Nothing was told yet, so all that was missed is in the state; but names may have been missed.
            isStale = false
            collected.tellNames(&batch)
        }
        let (nodes, next) = collected.forest.snapshot(from: first, limit: collected.options.chunkLimit)
        batch.nodes = nodes
        if let next {
            telling = (next, epoch)
        } else {
            telling = nil
            batch.resync = .end(epoch: epoch)
        }
        queue.append(batch)
    }

    /// Takes out of the collector's batch what this subscriber is told otherwise.
    fileprivate mutating func filter(_ batch: inout EventBatch) {
        if let telling {
            // Who was not told yet will be, with all that is in this batch.
            batch.events.removeAll { $0.node >= telling.next }
            batch.nodes.removeAll { $0.id >= telling.next }
        }
        switch batch.resync {
        case .begin(let epoch)?:
            if telling == nil { walkEpoch = epoch } else { batch.resync = nil }
        case .end(let epoch)?:
            if walkEpoch != epoch {
                // It judges by a whole walk, of which this subscriber got a part only.
                batch.resync = nil
                isStale = true
            }
            walkEpoch = nil
        case nil: break
        }
    }

    /// Numbers a batch and adds this subscriber's own losses.
    fileprivate mutating func number(_ batch: inout EventBatch) {
        sequence += 1
        batch.sequence = sequence
        batch.loss.lostAtClient = lostCount
        lastTime = batch.time
    }
}
