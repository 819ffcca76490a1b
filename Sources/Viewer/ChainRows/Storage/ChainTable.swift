// SPDX-License-Identifier: MIT

import ChainModel

/// The chains of a forest by slot. A slot is the index of a chain in the table; pages never move.
struct ChainTable {
    struct Bits: OptionSet, BitwiseCopyable {
        let rawValue: UInt16
        /// The chain was folded automatically; the user's folds are in ``Folds``.
        static let folded = Bits(rawValue: 1)
        /// The chain has an entry in the queue of chains to archive.
        static let awaitsArchive = Bits(rawValue: 2)
        /// The number of the chain's rows may differ from the number of its nodes, so the rows are counted by a walk.
        static let isWalked = Bits(rawValue: 4)
        /// The chain is archived: it settled a while ago, and is folded.
        static let archived = Bits(rawValue: 8)
        /// The chain waits to be repositioned.
        static let outdated = Bits(rawValue: 16)
        /// The chain has settled, as of its last update.
        static let settled = Bits(rawValue: 32)
        /// The chain is drawn under a node of another program: it has no rows in the list of all chains.
        static let elsewhere = Bits(rawValue: 64)
        /// The chain may have rows in ``WalkedChains``, or a deadline; other chains need no look-up there.
        static let mayHaveRows = Bits(rawValue: 128)
        /// The chain's rows are to be counted by ``Outline/weighNoted(in:)``.
        static let isNoted = Bits(rawValue: 256)
        /// The rows that the chain has while a filter hides nodes are to be counted there.
        static let hasNewMatches = Bits(rawValue: 512)
        /// The chain has rows while a filter hides nodes, or had some with an earlier filter.
        static let isListedMatch = Bits(rawValue: 1_024)
    }

    struct Chain: BitwiseCopyable {
        /// The root's id; 0 in a free slot.
        var id: UInt64 = 0
        /// The index of the root.
        var root: UInt32 = 0
        /// The number of rows while no filter hides nodes.
        var rows: UInt32 = 1
        var bits: Bits = []
    }

    private var chains = PagedArray<Chain>()
    /// 1 + the slot of a root, by node index; 0 for a node that is not a root.
    private var numbers = PagedArray<UInt32>()
    private var free: [UInt32] = []
    /// The number of slots, free slots included.
    private(set) var bound: UInt32 = 0
    /// How many chains there are.
    var count: Int { Int(bound) - free.count }

    subscript(slot: UInt32) -> Chain {
        @inline(__always) get { chains[slot] }
        @inline(__always) _modify { yield &chains[slot] }
    }

    /// Returns the slot of a root; nil for a node that is not a root, or whose chain was not added yet.
    @inline(__always)
    func slot(of root: NodeIndex) -> UInt32? {
        let number = numbers[root.rawValue]
        return number == 0 ? nil : number - 1
    }

    func root(_ slot: UInt32) -> NodeIndex { NodeIndex(rawValue: chains[slot].root) }

    @inline(__always)
    func has(_ bit: Bits, _ slot: UInt32) -> Bool { chains[slot].bits.contains(bit) }

    mutating func set(_ bit: Bits, _ isSet: Bool, _ slot: UInt32) {
        if isSet { chains[slot].bits.insert(bit) } else { chains[slot].bits.remove(bit) }
    }

    /// Adds a chain, in `slot` if that is free; returns its slot.
    mutating func add(_ root: NodeIndex, id: NodeID, in slot: UInt32?) -> UInt32 {
        let slot = slot ?? free.popLast() ?? bound
        bound = max(bound, slot + 1)
        chains[slot] = Chain(id: id.rawValue, root: root.rawValue)
        numbers[root.rawValue] = slot + 1
        return slot
    }

    /// Removes a chain. Its slot stays in use until ``release(_:)``.
    mutating func remove(_ slot: UInt32) {
        numbers[chains[slot].root] = 0
        chains[slot] = Chain()
    }

    mutating func release(_ slot: UInt32) { free.append(slot) }

    /// Returns whether a slot still has the chain of a root: while all chains are read anew, the root may have been
    /// evicted, and another node may have its index.
    func isCurrent(_ slot: UInt32, in forest: borrowing ChainForest) -> Bool {
        let chain = chains[slot]
        let root = NodeIndex(rawValue: chain.root)
        return chain.id != 0 && forest.contains(NodeID(chain.id), at: root) && forest.isRoot(root)
    }

    /// Prefetches a chain.
    func prefetch(_ root: NodeIndex) { if let slot = slot(of: root) { chains.prefetch(slot) } }
}
