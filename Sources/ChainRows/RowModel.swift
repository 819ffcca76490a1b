import ChainModel

/// The rows of one program's chains: which there are, and in which order.
///
/// It is updated from a forest's changes, never by walking the forest:
///
///     ForestChanges            update(_:of:now:)
///          │
///          ├─ Filter/    FilterScan      which nodes match, how many of each chain; MatchCollection lists these
///          ├─ Folding/   Folds           what is folded and tagged; queues of what folds later
///          ├─ Foreign/   ForeignTable    chains that are drawn under nodes of other programs, and such nodes
///          ├─ Storage/   ChainTable      16 bytes a chain: marks, weight (its number of rows), key
///          │
///          ▼                   a key is (group, rank, id); a rank is 64 bits made by SortRank
///     list of chains           Order/  GroupedLists ▸ WeightedSortedList: chains by key, rows summed by chunk
///          │                           IncrementalSort makes new lists in slices beside the old ones
///          ▼                   row ▸ chain and offset, chain ▸ row: O(log n)
///     list of nodes            Chain/  up to 256 nodes: ChainWalk, with the rows cached
///          │                           more nodes: LongChainIndex, one chunked list a chain
///          ▼
///     rows                     lines(from:count:in:): node, depth, guides, flags
///
/// Live chains come first, newest first, so that what runs in the newest is on the screen. A chain that settles folds
/// to one row at once, and moves to the archived chains after a moment, newest first. The one around the selection
/// stays, and so does the one that settled last while nothing is live. What the user folded or unfolded stays so.
///
/// Costs: a chain without folds has as many rows as nodes, O(1); another one is walked after a change. Long work goes in
/// slices, see ``work(_:in:now:share:)``. A value with copy-on-write, for one thread.
package struct RowModel {
    /// How long a settled chain stays among the live ones before it is archived, in nanoseconds.
    struct ArchiveDelay {
        static let settled: UInt64 = 400_000_000
        /// The longer delay of a chain that holds the selection.
        static let postponed: UInt64 = 1_000_000_000
    }

    /// How many live chains are unfolded at one time; chains beyond that arrive folded, so that a storm is a list of
    /// rows.
    static let openLimit = 24

    struct CachedRows {
        var nodeCount: Int
        var rows: [TreeRow]
        /// The number of rows with the foreign ones between them.
        var height: Int
    }

    /// A settled chain that is not folded.
    struct OpenChain: Equatable {
        var node: NodeIndex
        var id: NodeID
    }

    /// All chains, by key.
    var list = GroupedLists()
    /// The chains with a match, by key.
    var matchList = GroupedLists()
    /// The order of both lists.
    var order: Order
    var filter = FilterScan()
    /// Not nil while the list of matches is made.
    var collection: MatchCollection?
    var slots = ChainTable()
    /// 1 + the slot of a root, by node index; 0 for a node that is no root.
    var slotOf = PagedArray<UInt32>()
    /// What is folded and tagged.
    var folds = Folds()
    /// What is drawn in other programs' trees, and of other programs in this one.
    var foreign = ForeignTable()
    /// The chains of more than `longFrom` nodes.
    var lists: LongChainIndex
    let longFrom: Int
    /// Lists that are not complete, and how many nodes may be read at once before the next tick.
    var unfinishedLists: [Int] = []
    var readBudget = RowModel.firstReadCount
    var pass: Pass?
    /// Nodes with many children that are not folded yet: the selection is in them, or no tick has come since.
    var pendingLarge: [NodeIndex: NodeID] = [:]
    var hasNewLarge = false
    var lastSelected: NodeIndex?
    /// Finished nodes that fold themselves later.
    var finishedQueue: NodeQueue
    /// By node, the low bits of the id that has an entry in ``finishedQueue``; 0 for none.
    var queuedIDs = PagedArray<UInt32>()
    /// Settled chains to archive.
    var archiveQueue: NodeQueue
    var openCount = 0
    /// Chains that settled unfolded since the last tick.
    var settledOpen: [NodeIndex] = []
    /// The chain that settled last, which stays open while nothing is live.
    var lastOpen: OpenChain?
    var cachedRows: [NodeIndex: CachedRows] = [:]
    var cachedMatchRows: [NodeIndex: CachedRows] = [:]
    static let cacheLimit = 512

    /// The least limit of a queue of nodes. A queue's limit is twice the nodes of the forest where that is more.
    static let leastQueueLimit = 16_384

    /// Keeps chains of more than `longFrom` nodes in lists, in chunks of at most `chunkLimit` nodes. More matches than
    /// `longFrom` are listed when all are found.
    package init(longFrom: Int = 256, chunkLimit: Int = 256, queueLimit: Int? = nil) {
        let queueLimit = queueLimit ?? Self.leastQueueLimit
        self.longFrom = longFrom
        finishedQueue = NodeQueue(leastLimit: queueLimit)
        archiveQueue = NodeQueue(leastLimit: queueLimit)
        order = Order(queueLimit: queueLimit)
        lists = LongChainIndex(chunkLimit: chunkLimit)
    }

    /// The lists on the screen.
    var shown: GroupedLists { filter.hidesRest ? matchList : list }
}
