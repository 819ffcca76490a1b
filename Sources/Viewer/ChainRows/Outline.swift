// SPDX-License-Identifier: MIT

import ChainModel

/// The rows of one program's chains, in the order of the screen.
///
/// All chains are lines of one sorted list, each with the number of its rows. Only chains on the screen, and those whose
/// rows have to be counted, are walked.
///
///     ForestChanges            update(_:of:now:)
///          │
///          ├─ Filter/    FilterScan      which nodes match, how many of each chain
///          ├─ Folding/   Folds           what the user folded; FinishedNodes: what folds by itself
///          ├─ Foreign/   ForeignTable    chains drawn under nodes of other programs; nodes with chains of others
///          ├─ Storage/   ChainTable      by chain: its root, number of rows and marks
///          │
///          ▼                   a key is a rank, 64 bits made by SortRank, and the root's id
///     list of chains           Order/  SortedChains ▸ ChainList: chains by key, rows summed by chunk
///          │                   row ▸ chain and offset, chain ▸ row
///          ▼
///     rows                     Chain/  ChainWalk: node, depth, guides, flags; WalkedChains keeps the rows until the chain changes
///
/// In the usual order live chains come first, newest first, so that the nodes that run in the newest are on the screen.
/// A chain that settles folds to one row in the next tick, and moves to the archived chains, newest first, after a
/// delay. The chain of the selection does neither. As long as no chain is live, the chain that settled last does
/// neither. What the user folded stays folded, and what the user unfolded stays unfolded.
///
/// Long work is done in slices by a ``Cursor``, see ``work(_:in:now:divisor:)``. A value with copy-on-write, for one
/// thread.
package struct Outline {
    /// How long a settled chain stays among the live chains, in nanoseconds.
    static let archiveDelay: UInt64 = 400_000_000
    /// The delay after which archiving a chain that holds the selection is tried again, in nanoseconds.
    static let postponedArchiveDelay: UInt64 = 1_000_000_000
    /// The maximum number of unfolded chains, not counting archived chains. New chains past the limit are folded from
    /// the beginning, so a storm of chains is a list of single rows.
    static let unfoldedLimit = 24

    /// A settled chain that is not folded.
    struct UnfoldedChain: Equatable {
        /// The root.
        var node: NodeIndex
        var id: NodeID
    }

    var chains = ChainTable()
    /// The chains in the order of the screen.
    var sorted = SortedChains(SortRank(order: TreeOrder()))
    /// The order that is being made.
    var pending: PendingOrder?
    /// The order that was set; ``sorted`` is in it unless ``pending`` is set.
    var wantedOrder = TreeOrder()
    /// The moment at which growing durations are compared, in nanoseconds of the program's clock.
    var orderMoment: UInt64 = 0
    /// The second of the wall clock in which the order was last advanced.
    var orderSecond: UInt64 = 0
    /// How many seconds pass until an order by growing durations is made anew.
    var resortDelay = 0
    /// Changed chains that are repositioned from the next second on, and those that are being repositioned; some may have
    /// been removed, or repositioned by a sort.
    var outdated: [UInt32] = [], repositioning: [UInt32] = []
    /// Groups that the user unfolded.
    var unfoldedSites: Set<CodeLocation> = []

    var filter = FilterScan()
    var folds = Folds()
    /// The chains that are drawn in other programs' trees, and the nodes with chains of other programs.
    var foreign = ForeignTable()
    var walked = WalkedChains()
    /// How many walks over chains there were.
    var walkCount = 0
    /// The pass over all chains or nodes that is under way.
    var pass: Pass?
    /// The slots of chains of which the rows are still to be counted; some may be free again.
    var toWeigh: [UInt32] = []
    /// During an update, the new roots of chains of which the root was evicted, with the slots of these chains.
    var newRoots: [NodeIndex: UInt32] = [:]
    /// The time as of which finished nodes are folded, in nanoseconds of the program's clock.
    var foldTime: UInt64 = 0
    /// By slot, the time at which the next finished node of an unfolded chain folds.
    var foldDeadlines: [UInt32: UInt64] = [:]
    /// The selected node as of the last tick.
    var lastSelected: NodeIndex?
    /// Whether a node has moved since the last tick, so that others may be around the selection.
    var mayHaveMoved = false
    /// Settled chains to archive, in the order of their deadlines.
    var archiveQueue = Queue<ArchiveEntry>()
    var archiveHighWater = 0
    /// Settled chains with the selection in them.
    var postponed: [ArchiveEntry] = []
    /// The limit of ``archiveQueue``: each chain has one entry at most, and as many entries may be stale.
    var archiveLimit: Int
    /// The number of chains that are not archived and were not folded automatically.
    var unfoldedCount = 0
    /// Chains of several nodes that settled since the last tick and were not folded automatically before.
    var settledUnfolded: [NodeIndex] = []
    /// The chain that settled last, which stays open while no chain is live.
    var lastUnfolded: UnfoldedChain?
    /// The wall-clock time of the last tick, in nanoseconds.
    var wall: UInt64 = 0

    /// Makes an empty outline. The queue of chains to archive has room for `queueLimit` entries, or twice the greatest
    /// number of chains so far.
    package init(queueLimit: Int = 16_384) { archiveLimit = queueLimit }
}
