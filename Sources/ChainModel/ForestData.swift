import ChainEvents

/// All that a ``ChainForest`` consists of, and the steps that change it.
struct ForestData: Sendable {
    /// The observed process.
    let process: ProcessKey
    /// What is kept.
    var limits: ForestLimits
    /// Counts of everything.
    var totals = ForestTotals()
    /// The latest event counts.
    var loss = EventCounts()
    /// The time of the latest batch, in nanoseconds of the process's clock.
    var now: UInt64 = 0
    /// Call sites by number.
    var sites: [SiteID: CodeLocation] = [:]
    /// Names of threads, or of the queues that they were serving.
    var threads: [ThreadID: String] = [:]
    /// How many times a thread number got a different name.
    var renameCount = 0
    /// Names of executors.
    var executors: [ExecutorID: String] = [:]
    /// The load of each executor by its number; executors beyond the end have none.
    var loads: [ExecutorLoad] = []
    /// The roots in order of (creation, id).
    var roots = ForestRoots()

    var nodes = Slab<NodeRecord>(shift: 12)
    var chains = Slab<ChainRecord>(shift: 10)
    var extras = Slab<NodeExtra>(shift: 9)
    var links = Slab<LinkRecord>(shift: 9)
    var evictedCounts = Slab<EvictedCounts>(shift: 6)
    var childCounts = Slab<StateCounts>(shift: 6)
    /// By slot, what ``NodeRecord/thenCount`` has no room for.
    var thenCountOverflow: [UInt32: UInt32] = [:]
    var ids = IDTable()
    var texts = TextPool()
    var log = ChangeLog()
    /// Where a child was last put in between, for parents by the last bits of their slot.
    var insertionHints = [UInt32](repeating: noSlot, count: 16)
    /// Nodes that became known in this batch only because another node names them.
    var referenced: [NodeID] = []
    var resyncGeneration: UInt8 = 0
    var resyncEpoch: UInt64?
    /// By thread, what it waits for, from the outside in.
    var threadWaits: [ThreadID: [ThreadWait]] = [:]
    var threadWaitHighWater = 0
    /// How many threads were waiting when ended waits were dropped last.
    var waitCountAfterPruning = 0
    /// How many waits are refused for lack of room before ended ones are searched again.
    var refusedWaitCount = 0
    /// How many names were left when unused ones were dropped.
    var threadCountAfterPruning = 0, siteCountAfterPruning = 0
    /// Nodes of chains in which nothing is live.
    var settledChainNodeCount = 0
    var settledChains = EvictionQueue()
    var settledLeaves = EvictionQueue()
    /// Roots of chains over the limit.
    var longChains: [UInt32] = []
    var longChainHighWater = 0

    /// Makes an empty forest.
    init(process: ProcessKey, limits: ForestLimits) {
        self.process = process
        self.limits = limits
    }
}
