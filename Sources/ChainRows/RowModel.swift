import ChainModel

/// The rows of one program's chains, in the order of the screen.
///
/// It is updated from a forest's changes. The whole forest is read for a rebuild, a scan of the filter, a new order and
/// a new fold level. A rebuild follows changes that were too many to list. The parts:
///
///     ForestChanges            update(_:of:now:)
///          │
///          ├─ Filter/    FilterScan      which nodes match, how many of each chain; MatchCollection lists chains
///          ├─ Folding/   Folds           folded and tagged nodes; queues of chains and nodes to fold later
///          ├─ Foreign/   ForeignTable    chains drawn under nodes of other programs; nodes with chains of others
///          ├─ Storage/   ChainTable      by chain: marks, weight (its number of rows), key
///          │
///          ▼                   a key is (group, rank, id); a rank is 64 bits made by SortRank
///     list of chains           Order/  GroupedLists ▸ WeightedSortedList: chains by key, rows summed by chunk
///          │                           IncrementalSort makes new lists in slices beside the old ones
///          ▼                   row ▸ chain and offset, chain ▸ row: O(log n)
///     list of nodes            Chain/  up to 256 nodes: ChainWalk, with the rows cached
///          │                           more nodes: LongChainIndex, a chunked list for each
///          ▼
///     rows                     outlineRows(from:count:in:): node, depth, guides, flags
///
/// In the usual order live chains come first, newest first, so that the nodes that run in the newest are on the screen.
/// A chain that settles folds to one row in the next tick, and moves to the archived chains, newest first, after a
/// delay. The chain of the selection does neither. As long as no chain is live, the chain that settled last does
/// neither. What the user folded stays folded, and what the user unfolded stays unfolded.
///
/// Costs: the number of rows of a chain without folds is its number of nodes, O(1). A chain of up to 256 nodes that has
/// folds is walked again after a change to it. Long work is done in slices, see ``work(_:in:now:divisor:)``. A value
/// with copy-on-write, for one thread.
package struct RowModel {
    /// The delays before a settled chain is archived, in nanoseconds.
    struct ArchiveDelay {
        /// How long a settled chain stays among the live chains.
        static let settled: UInt64 = 400_000_000
        /// The delay after which archiving a chain that holds the selection is tried again.
        static let postponed: UInt64 = 1_000_000_000
    }

    /// The maximum number of unfolded chains, not counting archived chains. New chains past the limit are folded from
    /// the beginning, so a storm of chains is a list of single rows.
    static let unfoldedLimit = 24

    /// The rows of a walked chain.
    struct CachedRows {
        /// The number of nodes of the chain when it was walked.
        var nodeCount: Int
        var rows: [TreeRow]
        /// The number of rows, including the rows of other programs' chains between them.
        var height: Int
    }

    /// A settled chain that is not folded.
    struct UnfoldedChain: Equatable {
        /// The root.
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
    /// The progress of making ``matchList``; nil once it is complete.
    var collection: MatchCollection?
    var slots = ChainTable()
    /// 1 + the slot of a root, by node index; 0 for a node that is no root.
    var slotOf = PagedArray<UInt32>()
    /// The folded and tagged nodes.
    var folds = Folds()
    /// The chains that are drawn in other programs' trees, and the nodes with chains of other programs.
    var foreign = ForeignTable()
    /// The nodes of long chains.
    var longChains: LongChainIndex
    /// The maximum number of nodes of a chain that is walked; see ``isLong(_:)``.
    let walkLimit: Int
    /// The indices in ``longChains`` of the node lists that are not read completely yet.
    var unfinishedLists: [Int] = []
    /// How many nodes may still be read into new lists before the next slice of reading.
    var readBudget = RowModel.firstReadCount
    /// The pass over all node indices that is under way.
    var pass: Pass?
    /// Nodes with many children that are not folded yet: the selection is in them, or no tick has come since they were
    /// noted.
    var pendingLarge: [NodeIndex: NodeID] = [:]
    /// Whether ``pendingLarge`` has new nodes since the last tick.
    var hasNewLarge = false
    /// The selected node when ``pendingLarge`` was folded last.
    var lastSelected: NodeIndex?
    /// Nodes that may be finished (fulfilled or skipped, with all nodes inside), to be tested and folded later.
    var finishedQueue: NodeQueue
    /// The last node that was new in this update and around which finished nodes were unfolded.
    var openedAround: NodeIndex?
    /// By node, the low bits of the node id that has an entry in ``finishedQueue``; 0 for none.
    var queuedIDs = PagedArray<UInt32>()
    /// Settled chains to archive.
    var archiveQueue: NodeQueue
    /// The number of chains that are not archived and were not folded automatically.
    var unfoldedCount = 0
    /// Chains of several nodes that settled since the last tick and were not folded automatically before.
    var settledUnfolded: [NodeIndex] = []
    /// The chain that settled last, which stays open while no chain is live.
    var lastUnfolded: UnfoldedChain?
    /// The rows of walked chains, by root, as shown while no filter hides nodes.
    var cachedRows: [NodeIndex: CachedRows] = [:]
    /// The rows of walked chains, by root, as shown while a filter hides nodes.
    var cachedMatchRows: [NodeIndex: CachedRows] = [:]
    /// The maximum number of entries of each cache; a full cache is emptied.
    static let cacheLimit = 512

    /// The least number of entries that a queue has room for. A queue of nodes has room for twice the number of nodes
    /// in the forest if that is more. The queue of chains to reposition has room for twice the number of chains if that
    /// is more.
    static let leastQueueLimit = 16_384

    /// Makes an empty model. Chains of more than `walkLimit` nodes are kept in lists, in chunks of at most `chunkLimit`
    /// nodes. Until the filter has found all matches, at most `walkLimit` of the chains with matches are listed, not
    /// counting chains of 65,535 rows or more. `queueLimit` replaces ``leastQueueLimit``.
    package init(walkLimit: Int = 256, chunkLimit: Int = 256, queueLimit: Int? = nil) {
        let queueLimit = queueLimit ?? Self.leastQueueLimit
        self.walkLimit = walkLimit
        finishedQueue = NodeQueue(leastLimit: queueLimit)
        archiveQueue = NodeQueue(leastLimit: queueLimit)
        order = Order(queueLimit: queueLimit)
        longChains = LongChainIndex(chunkLimit: chunkLimit)
    }

    /// The lists on the screen.
    var shown: GroupedLists { filter.hidesUnmatched ? matchList : list }
}
