// SPDX-License-Identifier: MIT

/// All that a ``ChainForest`` consists of, and the steps that change it.
final class ForestData: @unchecked Sendable {
    // @unchecked Sendable, @exclusivity(unchecked): only a ChainForest accesses the data, and changes it only after
    // isKnownUniquelyReferenced() saw that no other forest shares it. Only `willEvict` is foreign code, which reads.
    let process: ProcessKey
    /// Whether the process is read from outside, so that its nodes are older than is known.
    let isReadFromOutside: Bool
    /// How many nodes are kept, and for how long.
    @exclusivity(unchecked) var limits: ForestLimits
    /// Counts of the whole forest.
    @exclusivity(unchecked) var totals = ForestTotals()
    /// Counts of all chains since the forest was made.
    @exclusivity(unchecked) var history = ChainHistory()
    /// Roots of chains that may have got or lost an outcome counted by ``ChainHistory`` since the end of the last
    /// batch; some roots are listed more than once.
    @exclusivity(unchecked) var changedOutcomes: [UInt32] = []

    // Unchecked for the reason above: facts of batches.
    /// The latest event counts.
    @exclusivity(unchecked) var loss = EventCounts()
    /// The time of the latest batch, in nanoseconds of the process's clock.
    @exclusivity(unchecked) var now: UInt64 = 0

    // Unchecked for the reason above: names.
    /// Call sites by number.
    @exclusivity(unchecked) var sites: [SiteID: CodeLocation] = [:]
    /// Names of threads, or of the queues that the threads were serving.
    @exclusivity(unchecked) var threads: [ThreadID: String] = [:]
    /// How often the number of a thread got a different name.
    @exclusivity(unchecked) var threadRenameCount = 0
    @exclusivity(unchecked) var executors: [ExecutorID: String] = [:]

    // Unchecked for the reason above: loads, and how many names were left when unused ones were last dropped.
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
    /// By slot, what ``NodeRecord/operationChildCount`` has no room for.
    @exclusivity(unchecked) var operationChildCountOverflow: [UInt32: UInt32] = [:]
    @exclusivity(unchecked) var remoteParents = RemoteParents()
    @exclusivity(unchecked) var frames = TaskFrames()
    @exclusivity(unchecked) var taskWaits = TaskWaits()
    /// How many nodes are separate chains, see ``HandlerFlags/isSeparate``.
    @exclusivity(unchecked) var separateCount = 0
    @exclusivity(unchecked) var ids = IDTable()
    @exclusivity(unchecked) var texts = TextPool()
    @exclusivity(unchecked) var log = ChangeLog()
    /// What is called before a node or chain is evicted, while there is a caller who counts them.
    @exclusivity(unchecked) var willEvict: ((Departure) -> Void)?
    /// By the last four bits of a parent's slot, the child that was last inserted before another child.
    @exclusivity(unchecked) var insertionHints = [UInt32](repeating: noSlot, count: 16)

    // Unchecked for the reason above: chains, and the batch that is applied.
    /// By slot of the chain record, the node of a long main line (see ``ChainOutcome``) from which the search for the
    /// line's end begins.
    @exclusivity(unchecked) var lineEnds: [UInt32: UInt32] = [:]
    /// The most nodes that a chain has had.
    @exclusivity(unchecked) var chainHighWater: UInt32 = 0
    /// The state of the search for ``oldestLive``.
    @exclusivity(unchecked) var liveRoots = LiveRoots()
    /// The slot of the root of the oldest live chain, as of the last batch or eviction.
    @exclusivity(unchecked) var oldestLive = noSlot
    /// Nodes that became known in this batch only because another node refers to them.
    @exclusivity(unchecked) var referenced: [NodeID] = []

    // Unchecked for the reason above: resync and waits.
    /// The number of the resync that began last; 0 before the first one.
    @exclusivity(unchecked) var resyncGeneration: UInt8 = 0
    /// The time at which the current resync began; nil if there is none.
    @exclusivity(unchecked) var resyncEpoch: UInt64?
    /// The waits of each thread, outermost first.
    @exclusivity(unchecked) var threadWaits: [ThreadID: [ThreadWait]] = [:]
    /// The maximum number of threads that waited at the same time.
    @exclusivity(unchecked) var threadWaitHighWater = 0
    /// How many threads were waiting when waits without an end event were last dropped.
    @exclusivity(unchecked) var waitCountAfterPruning = 0
    /// How many more waits are refused for lack of room before the table is searched for ended waits again.
    @exclusivity(unchecked) var remainingWaitRefusals = 0
    /// The threads that are blocked in the system while they run a node, by thread.
    @exclusivity(unchecked) var stalls: [ThreadID: ThreadStall] = [:]
    /// The number of stalls at which those without an end event are dropped.
    @exclusivity(unchecked) var stallRoom = ForestData.leastStallRoom

    // Unchecked for the reason above: retention.
    /// How many nodes are in chains without a live node.
    @exclusivity(unchecked) var settledChainNodeCount = 0
    /// Roots of settled chains.
    @exclusivity(unchecked) var settledChains = EvictionQueue()
    /// Settled leaves of live and *revived* chains; see ``NodeBits/evictsLeaves``.
    @exclusivity(unchecked) var settledLeaves = EvictionQueue()
    /// The part of either queue that is evicted last; see ``ForestLimits/failedChainLimit``.
    @exclusivity(unchecked) var failedChains = FailedChains()
    @exclusivity(unchecked) var failedLeaves = EvictionQueue()
    /// Roots of chains with more nodes than ``ForestLimits/chainNodeLimit``; some roots are listed more than once.
    @exclusivity(unchecked) var longChains: [UInt32] = []
    /// The most entries that ``longChains`` has had.
    @exclusivity(unchecked) var longChainHighWater = 0
    /// Nodes that keep their chains from being evicted, at most ``ChainForest/pinLimit``.
    @exclusivity(unchecked) var pins: [ForestPin] = []

    /// Makes an empty forest.
    init(process: ProcessKey, limits: ForestLimits, isReadFromOutside: Bool = false) {
        self.process = process
        self.isReadFromOutside = isReadFromOutside
        self.limits = limits
    }

    /// Copies all data, so that the copy can be changed.
    init(copying other: ForestData) {
        process = other.process
        isReadFromOutside = other.isReadFromOutside
        limits = other.limits
        totals = other.totals
        history = other.history
        changedOutcomes = other.changedOutcomes
        loss = other.loss
        now = other.now
        sites = other.sites
        threads = other.threads
        threadRenameCount = other.threadRenameCount
        executors = other.executors
        loads = other.loads
        roots = other.roots
        nodes = other.nodes
        chains = other.chains
        extras = other.extras
        links = other.links
        childCounts = other.childCounts
        operationChildCountOverflow = other.operationChildCountOverflow
        remoteParents = other.remoteParents
        frames = other.frames
        taskWaits = other.taskWaits
        separateCount = other.separateCount
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
        remainingWaitRefusals = other.remainingWaitRefusals
        stalls = other.stalls
        stallRoom = other.stallRoom
        threadCountAfterPruning = other.threadCountAfterPruning
        siteCountAfterPruning = other.siteCountAfterPruning
        settledChainNodeCount = other.settledChainNodeCount
        settledChains = other.settledChains
        settledLeaves = other.settledLeaves
        failedChains = other.failedChains
        failedLeaves = other.failedLeaves
        longChains = other.longChains
        longChainHighWater = other.longChainHighWater
        chainHighWater = other.chainHighWater
        pins = other.pins
        detach()
    }
}
