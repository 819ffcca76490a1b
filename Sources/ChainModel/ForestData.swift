/// All that a ``ChainForest`` consists of, and the steps that change it.
final class ForestData: @unchecked Sendable {
    // @unchecked Sendable, @exclusivity(unchecked): only a ChainForest reaches in, and changes the data only after
    // isKnownUniquelyReferenced() saw that no other forest shares it. No method calls out.
    let process: ProcessKey
    /// What is kept.
    @exclusivity(unchecked) var limits: ForestLimits
    /// Counts of everything.
    @exclusivity(unchecked) var totals = ForestTotals()
    /// Counts of chains that never fall.
    @exclusivity(unchecked) var history = ChainHistory()
    /// Roots of chains that got or lost an outcome that counts, since the end of the last batch; some more than once.
    @exclusivity(unchecked) var changedOutcomes: [UInt32] = []

    // Unchecked for the reason above: what batches say of themselves.
    /// The latest event counts.
    @exclusivity(unchecked) var loss = EventCounts()
    /// The time of the latest batch, in nanoseconds of the process's clock.
    @exclusivity(unchecked) var now: UInt64 = 0

    // Unchecked for the reason above: names.
    /// Call sites by number.
    @exclusivity(unchecked) var sites: [SiteID: CodeLocation] = [:]
    /// Names of threads, or of the queues that they were serving.
    @exclusivity(unchecked) var threads: [ThreadID: String] = [:]
    /// How many times a thread number got a different name.
    @exclusivity(unchecked) var renameCount = 0
    @exclusivity(unchecked) var executors: [ExecutorID: String] = [:]

    // Unchecked for the reason above: loads, and names left when unused ones were dropped.
    /// The load of each executor by its number; executors beyond the end have none.
    @exclusivity(unchecked) var loads: [ExecutorLoad] = []
    @exclusivity(unchecked) var threadCountAfterPruning = 0, siteCountAfterPruning = 0

    // Unchecked for the reason above: records.
    /// The roots in order of (creation, id).
    @exclusivity(unchecked) var roots = ForestRoots()
    @exclusivity(unchecked) var nodes = Slab<NodeRecord>(shift: 12)
    @exclusivity(unchecked) var chains = Slab<ChainRecord>(shift: 10)
    @exclusivity(unchecked) var extras = Slab<NodeExtra>(shift: 9)
    @exclusivity(unchecked) var links = Slab<LinkRecord>(shift: 9)
    @exclusivity(unchecked) var childCounts = Slab<StateCounts>(shift: 6)

    // Unchecked for the reason above: tables beside the records.
    /// By slot, what ``NodeRecord/thenCount`` has no room for.
    @exclusivity(unchecked) var thenCountOverflow: [UInt32: UInt32] = [:]
    @exclusivity(unchecked) var remoteParents = RemoteParents()
    @exclusivity(unchecked) var ids = IDTable()
    @exclusivity(unchecked) var texts = TextPool()
    @exclusivity(unchecked) var log = ChangeLog()
    /// Where a child was last put in between, for parents by the last bits of their slot.
    @exclusivity(unchecked) var insertionHints = [UInt32](repeating: noSlot, count: 16)

    // Unchecked for the reason above: what is known of chains, and of a batch.
    /// By chain record, a node of a long main line from which on its end is searched.
    @exclusivity(unchecked) var lineEnds: [UInt32: UInt32] = [:]
    /// The most nodes that a chain has had.
    @exclusivity(unchecked) var chainHighWater: UInt32 = 0
    /// The roots of live chains, and the slot of the oldest as of the last batch.
    @exclusivity(unchecked) var liveRoots = LiveRoots()
    @exclusivity(unchecked) var oldestLive = noSlot
    /// Nodes that became known in this batch only because another node names them.
    @exclusivity(unchecked) var referenced: [NodeID] = []

    // Unchecked for the reason above: resync and waits.
    @exclusivity(unchecked) var resyncGeneration: UInt8 = 0
    @exclusivity(unchecked) var resyncEpoch: UInt64?
    /// By thread, what it waits for, from the outside in.
    @exclusivity(unchecked) var threadWaits: [ThreadID: [ThreadWait]] = [:]
    @exclusivity(unchecked) var threadWaitHighWater = 0
    /// How many threads were waiting when ended waits were dropped last.
    @exclusivity(unchecked) var waitCountAfterPruning = 0
    /// How many waits are refused for lack of room before ended ones are searched again.
    @exclusivity(unchecked) var refusedWaitCount = 0

    // Unchecked for the reason above: retention.
    /// Nodes of chains in which nothing is live.
    @exclusivity(unchecked) var settledChainNodeCount = 0
    @exclusivity(unchecked) var settledChains = EvictionQueue()
    @exclusivity(unchecked) var settledLeaves = EvictionQueue()
    /// Roots of chains over the limit.
    @exclusivity(unchecked) var longChains: [UInt32] = []
    @exclusivity(unchecked) var longChainHighWater = 0
    /// Nodes that keep their chains from being evicted, at most ``ChainForest/pinLimit``.
    @exclusivity(unchecked) var pins: [ForestPin] = []

    /// Makes an empty forest.
    init(process: ProcessKey, limits: ForestLimits) {
        self.process = process
        self.limits = limits
    }

    /// Copies all data, so that the copy can be changed.
    init(copying other: ForestData) {
        process = other.process
        limits = other.limits
        totals = other.totals
        history = other.history
        changedOutcomes = other.changedOutcomes
        loss = other.loss
        now = other.now
        sites = other.sites
        threads = other.threads
        renameCount = other.renameCount
        executors = other.executors
        loads = other.loads
        roots = other.roots
        nodes = other.nodes
        chains = other.chains
        extras = other.extras
        links = other.links
        childCounts = other.childCounts
        thenCountOverflow = other.thenCountOverflow
        remoteParents = other.remoteParents
        ids = other.ids
        texts = other.texts
        log = other.log
        insertionHints = other.insertionHints
        lineEnds = other.lineEnds
        liveRoots = other.liveRoots
        oldestLive = other.oldestLive
        referenced = other.referenced
        resyncGeneration = other.resyncGeneration
        resyncEpoch = other.resyncEpoch
        threadWaits = other.threadWaits
        threadWaitHighWater = other.threadWaitHighWater
        waitCountAfterPruning = other.waitCountAfterPruning
        refusedWaitCount = other.refusedWaitCount
        threadCountAfterPruning = other.threadCountAfterPruning
        siteCountAfterPruning = other.siteCountAfterPruning
        settledChainNodeCount = other.settledChainNodeCount
        settledChains = other.settledChains
        settledLeaves = other.settledLeaves
        longChains = other.longChains
        longChainHighWater = other.longChainHighWater
        chainHighWater = other.chainHighWater
        pins = other.pins
        detach()
    }
}
