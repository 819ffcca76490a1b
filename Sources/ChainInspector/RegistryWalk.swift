import ChainEvents

/// Tells the forest who is alive after events were lost: part by part of the runtime's registry, between the marks of a
/// ``Resync``.
struct RegistryWalk {
    /// The epoch and the next part, while a walk is under way.
    private(set) var epoch: UInt64?
    private var shard = 0
    /// Somebody fetches a part right now.
    private var isFetching = false
    /// How many losses the last walk mended, and when it began.
    private var lostCount: UInt64 = 0
    private var begun: UInt64 = 0
    /// Somebody asked for one though nothing was lost.
    var isAsked = false

    /// Whether a walk is to be begun, where `mendableCount` losses are such that all that came before them was read.
    func isDue(_ mendableCount: UInt64, now: UInt64, interval: UInt64) -> Bool {
        guard epoch == nil else { return false }
        return isAsked || (mendableCount > lostCount && (begun == 0 || now >= begun + interval))
    }

    /// Begins at `epoch`; it mends those losses.
    mutating func begin(epoch: UInt64, mendableCount: UInt64) {
        self.epoch = epoch
        begun = epoch
        lostCount = mendableCount
        shard = 0
        isAsked = false
    }

    /// The next part to fetch; nil where there is none, or somebody is at it.
    mutating func fetch() -> Int? {
        guard epoch != nil, !isFetching else { return nil }
        isFetching = true
        return shard
    }

    /// That part was told; gives the epoch if it was the last.
    mutating func fetched(of shardCount: Int) -> UInt64? {
        isFetching = false
        shard += 1
        guard shard >= shardCount, let epoch else { return nil }
        self.epoch = nil
        return epoch
    }
}

extension Collector {
    /// Begins a walk if one is due, and does all of it; other threads' events are collected between its parts.
    func resyncIfDue() {
        let isBegun = withState { state in
            let mendableCount = state.mendableLossCount
            guard state.walk.isDue(mendableCount, now: state.time, interval: options.resyncInterval) else {
                return false
            }
            let epoch = recorder.clock.now
            state.walk.begin(epoch: epoch, mendableCount: mendableCount)
            var batch = state.makeBatch()
            batch.resync = .begin(epoch: epoch)
            state.tell(&batch)
            return true
        }
        guard isBegun else { return }
        while let shard = withState({ $0.walk.fetch() }) {
            // With no lock of ours: these are retained, and the last release may run the program's deinits.
            let nodes = runtime.liveNodes(shard: shard)
            withState { $0.tell(nodes, of: runtime) }
            publish()
            pass()
        }
    }
}

extension CollectorState {
    /// Tells one part of the registry.
    fileprivate mutating func tell(_ nodes: [LiveNode], of runtime: any ObservedRuntime) {
        var rest = nodes[...]
        let end = walk.fetched(of: runtime.shardCount)
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
            if !batch.nodes.isEmpty || batch.resync != nil { tell(&batch) }
        } while !rest.isEmpty
    }
}
