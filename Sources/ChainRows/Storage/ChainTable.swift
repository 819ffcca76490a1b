/// The chains' marks, weights and keys, by slot.
///
/// A slot is the index of a chain in the table. A chain takes 16 bytes for its id, bits and weights, 8 for its rank,
/// and 4 for its group if chains are grouped. Pages never move. A new order replaces all keys at once.
struct ChainTable {
    struct Bits: OptionSet {
        let rawValue: UInt16
        /// The chain was folded automatically; the user's folds are in ``Folds``.
        static let folded = Bits(rawValue: 1)
        /// The chain has an entry in the queue of chains to archive.
        static let awaitsArchive = Bits(rawValue: 2)
        /// The chain may have folded nodes, or rows of other programs' chains. The number of its rows may then differ
        /// from the number of its nodes, so the rows are counted.
        static let mayHoldFolds = Bits(rawValue: 4)
        /// The chain is archived: it settled a while ago, and is folded.
        static let archived = Bits(rawValue: 8)
        /// The chain waits to be repositioned.
        static let outdated = Bits(rawValue: 16)
        /// The chain's rows may be cached; other chains need no look-up in the cache.
        static let mayHaveCachedRows = Bits(rawValue: 32)
        /// The chain has settled, as of its last update.
        static let settled = Bits(rawValue: 64)
        /// The chain is drawn under a node of another program: its weight in the list of all chains is 0.
        static let elsewhere = Bits(rawValue: 128)
        /// The chain is in the list of matches, which is incomplete while a ``MatchCollection`` runs.
        static let listed = Bits(rawValue: 256)
    }

    /// The keys of all chains in one order.
    struct Keys {
        var ranks = PagedArray<UInt64>()
        /// The group's number, shifted by four bits, and in the low four bits the status by which the group counts the
        /// chain.
        var groups = PagedArray<UInt32>()
    }

    /// The data that each change of a chain reads.
    private struct Marks: BitwiseCopyable {
        var id: UInt64 = 0
        /// The number of rows, so that the lists are searched only when it changes; `.max` if it does not fit.
        var weight: UInt16 = 1
        /// The number of rows while a filter hides nodes, as of ``round``; `.max` if it does not fit.
        var matchWeight: UInt16 = 0
        /// The filter round in which ``matchWeight`` was counted; in another round nothing matches.
        var round: UInt16 = 0
        var bits: UInt16 = 0
    }

    var keys = Keys()
    private var marks = PagedArray<Marks>()
    /// The number of slots, free slots included.
    private(set) var count = 0
    private var free: [UInt32] = []
    /// The number of the filter round, which changes with each new filter.
    private var round: UInt16 = 0

    func key(_ slot: Int) -> RootKey {
        RootKey(group: keys.groups[UInt32(slot)] >> 4, rank: keys.ranks[UInt32(slot)], id: id(slot))
    }

    func id(_ slot: Int) -> UInt64 { marks[UInt32(slot)].id }

    mutating func setKey(_ key: RootKey, of slot: Int) {
        let slot = UInt32(slot)
        if keys.ranks[slot] != key.rank { keys.ranks[slot] = key.rank }
        if keys.groups[slot] >> 4 != key.group { keys.groups[slot] = (key.group << 4) | (keys.groups[slot] & 15) }
    }

    @inline(__always)
    func bits(_ slot: Int) -> Bits { Bits(rawValue: marks[UInt32(slot)].bits) }

    @inline(__always)
    func has(_ bit: Bits, _ slot: Int) -> Bool { marks[UInt32(slot)].bits & bit.rawValue != 0 }

    mutating func set(_ bit: Bits, _ isSet: Bool, _ slot: Int) {
        if isSet {
            marks[UInt32(slot)].bits |= bit.rawValue
        } else {
            marks[UInt32(slot)].bits &= ~bit.rawValue
        }
    }

    /// Returns the number of rows of a chain; nil from 65,535 rows on: then only the lists have the number.
    @inline(__always)
    func weight(_ slot: Int) -> Int? { Self.known(marks[UInt32(slot)].weight) }

    mutating func setWeight(_ weight: Int, _ slot: Int) { marks[UInt32(slot)].weight = UInt16(clamping: weight) }

    /// Returns the number of rows of a chain while a filter hides nodes; 0 without a match, nil if it does not fit.
    func matchWeight(_ slot: Int) -> Int? {
        let marks = marks[UInt32(slot)]
        return marks.round == round ? Self.known(marks.matchWeight) : 0
    }

    mutating func setMatchWeight(_ weight: Int, _ slot: Int) {
        var known = marks[UInt32(slot)]
        if known.round != round { known.bits &= ~Bits.listed.rawValue }
        (known.matchWeight, known.round) = (UInt16(clamping: weight), round)
        marks[UInt32(slot)] = known
    }

    private static func known(_ weight: UInt16) -> Int? { weight == .max ? nil : Int(weight) }

    /// Forgets the matches of all chains.
    mutating func forgetMatches() {
        round &+= 1
        guard round == 0 else { return }
        // Cleared, because the round has wrapped and an old value could be taken for the new one.
        for slot in 0..<count {
            setMatchWeight(0, slot)
            set(.listed, false, slot)
        }
    }

    /// Removes a bit from all chains.
    mutating func clear(_ bit: Bits) { for slot in 0..<count where has(bit, slot) { set(bit, false, slot) } }

    /// Adds a chain; returns its slot.
    mutating func take(_ key: RootKey, _ bits: Bits) -> Int {
        var slot = count
        if let old = free.popLast() { slot = Int(old) } else { count += 1 }
        setKey(key, of: slot)
        marks[UInt32(slot)] = Marks(id: key.id, bits: bits.rawValue)
        return slot
    }

    /// Frees the slot of a removed chain.
    mutating func release(_ slot: Int) {
        free.append(UInt32(slot))
        if keys.groups[UInt32(slot)] != 0 { keys.groups[UInt32(slot)] = 0 }
    }

    /// Prefetches a chain's marks and key.
    func prefetch(_ slot: UInt32) {
        marks.prefetch(slot)
        keys.ranks.prefetch(slot)
    }

    /// Prefetches a chain's marks.
    func prefetchMarks(_ slot: UInt32) { marks.prefetch(slot) }
}
