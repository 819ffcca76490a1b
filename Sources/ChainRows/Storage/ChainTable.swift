/// What is known of each chain besides the forest: some marks, 16 bytes that lie side by side, and its place in the order, 8
/// bytes, 12 where it has a group. Pages never move, and an order's keys are put in the place of another's at once.
struct ChainTable {
    struct Bits: OptionSet {
        let rawValue: UInt8
        /// Folded by itself; what the user says is in ``RowModel/bits``.
        static let folded = Bits(rawValue: 1)
        /// Waits in a queue for its retirement.
        static let due = Bits(rawValue: 2)
        /// The user may have folded or unfolded something in it, so its rows have to be counted.
        static let mayHoldFolds = Bits(rawValue: 4)
        /// Settled for a while, and folded for that.
        static let retired = Bits(rawValue: 8)
        /// Waits for its place to be looked up anew.
        static let stale = Bits(rawValue: 16)
        /// Its rows may be kept: no other chain has to be looked for among those whose are.
        static let mayHaveShape = Bits(rawValue: 32)
    }

    /// What an order says of each chain.
    struct Keys {
        var ranks = PagedArray<UInt64>(filler: 0)
        /// The group's number, and in the last four bits the state that the chain counts as in it.
        var groups = PagedArray<UInt32>(filler: 0)
    }

    /// What is asked each time that a chain changes.
    private struct Marks: BitwiseCopyable {
        var id: UInt64 = 0
        /// The rows of the chain, so that only what changes is looked for in the lists.
        var weight: UInt16 = 1
        var matchWeight: UInt16 = 0
        /// For which filter the matches were counted; for another one nothing is found.
        var round: UInt16 = 0
        var bits: UInt8 = 0
    }

    var keys = Keys()
    private var marks = PagedArray<Marks>(filler: Marks())
    private(set) var count = 0
    private var free: [UInt32] = []
    private var round: UInt16 = 0

    func key(_ place: Int) -> RootKey {
        RootKey(group: keys.groups[UInt32(place)] >> 4, rank: keys.ranks[UInt32(place)], id: id(place))
    }

    func id(_ place: Int) -> UInt64 { marks[UInt32(place)].id }

    mutating func setKey(_ key: RootKey, of place: Int) {
        let place = UInt32(place)
        if keys.ranks[place] != key.rank { keys.ranks[place] = key.rank }
        if keys.groups[place] >> 4 != key.group { keys.groups[place] = key.group << 4 | keys.groups[place] & 15 }
    }

    func has(_ bit: Bits, _ place: Int) -> Bool { marks[UInt32(place)].bits & bit.rawValue != 0 }

    mutating func set(_ bit: Bits, _ isSet: Bool, _ place: Int) {
        if isSet {
            marks[UInt32(place)].bits |= bit.rawValue
        } else {
            marks[UInt32(place)].bits &= ~bit.rawValue
        }
    }

    /// The rows that a chain takes in the list of all; nil for more than are kept here.
    func weight(_ place: Int) -> Int? { Self.known(marks[UInt32(place)].weight) }

    mutating func setWeight(_ weight: Int, _ place: Int) { marks[UInt32(place)].weight = UInt16(clamping: weight) }

    /// The rows that it takes while what does not match is hidden, 0 where nothing of it does; nil for more than are kept.
    func matchWeight(_ place: Int) -> Int? {
        let marks = marks[UInt32(place)]
        return marks.round == round ? Self.known(marks.matchWeight) : 0
    }

    mutating func setMatchWeight(_ weight: Int, _ place: Int) {
        var known = marks[UInt32(place)]
        (known.matchWeight, known.round) = (UInt16(clamping: weight), round)
        marks[UInt32(place)] = known
    }

    private static func known(_ weight: UInt16) -> Int? { weight == .max ? nil : Int(weight) }

    /// No chain matches.
    mutating func forgetMatches() {
        round &+= 1
        // The numbers have gone round: an old one must not be taken for a new one.
        if round == 0 { for place in 0..<count { setMatchWeight(0, place) } }
    }

    /// Takes a mark from all chains.
    mutating func clear(_ bit: Bits) { for place in 0..<count where has(bit, place) { set(bit, false, place) } }

    /// Takes a place for a chain.
    mutating func take(_ key: RootKey, _ bits: Bits) -> Int {
        var place = count
        if let old = free.popLast() { place = Int(old) } else { count += 1 }
        setKey(key, of: place)
        marks[UInt32(place)] = Marks(id: key.id, bits: bits.rawValue)
        return place
    }

    /// Gives a place back.
    mutating func release(_ place: Int) {
        free.append(UInt32(place))
        if keys.groups[UInt32(place)] != 0 { keys.groups[UInt32(place)] = 0 }
    }

    /// Something of the marks of a chain and of its key, so that they come near.
    func warmth(_ place: Int) -> UInt64 { marks[UInt32(place)].id ^ keys.ranks[UInt32(place)] }
}
