import ChainEvents
import ChainInsight
import ChainModel

/// The rows of one program's chains: which there are, and in which order.
///
/// It is updated from a forest's changes, never by walking the forest:
///
///     ForestChanges            follow(_:of:now:)
///          │
///          ├─ Filter/    FilterScan      which nodes match, how many of each chain
///          ├─ Folding/   Folds           what is folded and tagged; queues of what folds later
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
/// Live chains come first, oldest first, so that a new chain moves nothing. A settled chain stays for a moment, longer
/// after a rejection; then it folds to one row and moves to the archived chains, newest first. What the user folded or
/// unfolded stays so.
///
/// Costs: a chain without folds has as many rows as nodes, O(1); another one is walked after a change. Long work goes in
/// slices, see ``work(_:in:now:share:)``. A value with copy-on-write, for one thread.
package struct RowModel {
    /// How long a settled chain stays among the live ones, in nanoseconds.
    struct Linger {
        static let settled: UInt64 = 2_500_000_000
        static let rejected: UInt64 = 5_000_000_000
        /// For chains that are one row anyway.
        static let folded: UInt64 = 500_000_000
        static let all = [folded, settled, rejected]
        /// How much longer a chain stays that the user is in.
        static let putOff: UInt64 = 1_000_000_000
    }

    /// Chains that unfold by themselves at one time; more arrive folded, so that a storm is a list of rows.
    static let openLimit = 24

    struct Shape {
        var nodeCount: Int
        var rows: [TreeRow]
    }

    /// All chains, by key.
    var list = GroupedLists()
    /// Only those in which something matches, by key.
    var matchList = GroupedLists()
    /// What the lists are in the order of.
    var order: Order
    var filter = FilterScan()
    var slots = ChainTable()
    /// 1 + the slot of a root's index; 0 for who is none.
    var slotOf = PagedArray<UInt32>(filler: 0)
    /// What is folded and tagged, and by whom.
    var folds = Folds()
    /// Long chains: those of more nodes than `longFrom`.
    var lists: LongChainIndex
    let longFrom: Int
    /// Lists that are still read, and how much may be read at once before the next tick.
    var unread: [Int] = []
    var readLeft = RowModel.firstRead
    var pass: Pass?
    /// Who got many children and is not folded yet, because the user is in it or no tick has come since.
    var waitingLarge: [NodeIndex: NodeID] = [:]
    var hasNewLarge = false
    var lastSelected: NodeIndex?
    /// Nodes that may fold themselves.
    var tidies: NodeQueue
    /// By node, the last bits of the id that has an entry in ``tidies``; 0 for none.
    var tidyOwners = PagedArray<UInt32>(filler: 0)
    /// Settled chains that are to be retired: a queue for each duration in ``Linger/all``, so that each is in order.
    var dues: [NodeQueue]
    var openCount = 0
    var shapes: [NodeIndex: Shape] = [:]
    var matchShapes: [NodeIndex: Shape] = [:]
    static let shapeLimit = 512
    /// What reading ahead gave; nobody needs it.
    var warmed: UInt64 = 0

    /// The least limit of each queue of nodes; the limit is twice the nodes of the forest where those are more.
    package static let leastQueueLimit = 16_384

    /// Chains of more than `longFrom` nodes are kept in lists, in chunks of at most `chunkLimit` nodes.
    package init(longFrom: Int = 256, chunkLimit: Int = 256, queueLimit: Int = RowModel.leastQueueLimit) {
        self.longFrom = longFrom
        tidies = NodeQueue(leastLimit: queueLimit)
        dues = Linger.all.map { _ in NodeQueue(leastLimit: queueLimit) }
        order = Order(queueLimit: queueLimit)
        lists = LongChainIndex(chunkLimit: chunkLimit)
    }

    /// The lists that are on the screen.
    var shown: GroupedLists { filter.hidesRest ? matchList : list }
}
