// SPDX-License-Identifier: MIT

import ChainEvents

/// A walk over the runtime's registry, shard by shard, that corrects the forest after losses or on request. Its batches
/// are published between the marks of a ``Resync``.
struct RegistryWalk {
    /// The epoch of the walk under way; nil between two walks.
    private(set) var epoch: UInt64?
    /// The next shard of the walk.
    private var shard = 0
    /// Whether a thread fetches a shard now.
    private var isFetching = false
    /// How many losses the last walk corrects: the losses from before the walk began.
    private var lostCount: UInt64 = 0
    /// When the last walk began, in nanoseconds of the program's clock; 0 before the first.
    private var beginning: UInt64 = 0
    /// How long the shards of the walk under way, or of the last walk, have taken, in nanoseconds of the program's
    /// clock.
    var duration: UInt64 = 0
    /// Whether a walk was requested even without losses.
    var isRequested = false

    /// The last count of losses that was seen, and when it was first seen, in nanoseconds of the program's clock.
    private var seen: (count: UInt64, time: UInt64) = (0, 0)
    /// Whether the last walk began before its pause was over.
    private var wasEarly = false

    /// Returns whether to begin a walk, which the caller then does. The pause between the beginnings of two walks for
    /// losses is 20 times the duration of the first walk, so that walks take at most 5 % of a processor. The pause is at
    /// least `interval`. It is at most 240 times `interval`, so very long walks take more. A requested walk begins
    /// without a pause. So does one walk in each pause once no loss has been seen for `interval`: the last losses of a
    /// burst are not wrong on the screen for longer than necessary.
    ///
    /// - Parameter recoverableCount: how many losses a walk can correct, because all events before them were read.
    mutating func isDue(_ recoverableCount: UInt64, now: UInt64, interval: UInt64) -> Bool {
        if recoverableCount != seen.count { seen = (recoverableCount, now) }
        guard epoch == nil else { return false }
        if isRequested { return true }
        guard recoverableCount > lostCount else { return false }
        let pause = max(interval, 20 * min(duration, 12 * interval))
        let isEarly = beginning != 0 && now < beginning.addingClamped(pause)
        if isEarly, wasEarly || now < max(beginning, seen.time).addingClamped(interval) { return false }
        wasEarly = isEarly
        return true
    }

    /// Begins a walk, which corrects `recoverableCount` losses.
    mutating func begin(epoch: UInt64, recoverableCount: UInt64) {
        self.epoch = epoch
        beginning = epoch
        lostCount = recoverableCount
        duration = 0
        shard = 0
        isRequested = false
    }

    /// Claims and returns the next shard to fetch; nil where there is no walk, or another thread fetches a shard.
    mutating func claimShard() -> Int? {
        guard epoch != nil, !isFetching else { return nil }
        isFetching = true
        return shard
    }

    /// Advances to the next shard; returns the epoch if the fetched shard was the last.
    mutating func fetched(of shardCount: Int) -> UInt64? {
        isFetching = false
        shard += 1
        guard shard >= shardCount, let epoch else { return nil }
        self.epoch = nil
        return epoch
    }
}

extension Collector {
    /// Begins a walk if one is due, and completes the walk; new events are collected between two shards.
    func resyncIfDue() {
        let isBegun = withState { state in
            let recoverableCount = state.recoverableLossCount
            guard state.walk.isDue(recoverableCount, now: state.time, interval: options.resyncInterval) else {
                return false
            }
            let epoch = recorder.clock.nanoseconds
            state.walk.begin(epoch: epoch, recoverableCount: recoverableCount)
            var batch = state.makeBatch()
            batch.resync = .begin(epoch: epoch)
            state.publish(&batch)
            return true
        }
        guard isBegun else { return }
        while let shard = withState({ $0.walk.claimShard() }) {
            let start = recorder.clock.nanoseconds
            // The shard is fetched without a lock, because releasing its nodes may run the program's deinits.
            let tasks = tasks.withLock { $0 }
            let own = runtime.shardCount
            let nodes = shard < own ? runtime.liveNodes(shard: shard) : tasks?.liveTasks(shard: shard - own) ?? []
            withState { state in
                state.publish(nodes, of: runtime, shardCount: own + (tasks?.shardCount ?? 0))
                state.walk.duration += recorder.clock.nanoseconds.subtractingClamped(start)
            }
            publish()
            pass()
        }
    }
}

extension CollectorState {
    /// Publishes the nodes of one shard of the registry.
    fileprivate mutating func publish(_ nodes: [LiveNode], of runtime: any ObservedRuntime, shardCount: Int) {
        var rest = nodes[...]
        let end = walk.fetched(of: shardCount)
        repeat {
            let chunk = rest.prefix(options.chunkLimit)
            rest = rest.dropFirst(options.chunkLimit)
            var batch = makeBatch()
            batch.nodes = chunk.map { node in
                var snapshot = node.snapshot
                snapshot.site = number(node.callSite)
                snapshot.label = snapshot.label.map { $0.cut(toBytes: options.textLimit) }
                learn(executor: snapshot.executor, runtime: runtime)
                return snapshot
            }
            if rest.isEmpty, let end { batch.resync = .end(epoch: end) }
            if !batch.nodes.isEmpty || batch.resync != nil { publish(&batch) }
        } while !rest.isEmpty
    }
}
