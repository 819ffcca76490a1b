/// What is known of each chain besides the forest: its key and some marks, 18 bytes a chain (22 where it has a group), and
/// two more in pages in which not every chain is one row.
/// Pages never move, and an order's keys are put in the place of another's at once.
struct RootSlots {
    struct Bits: OptionSet {
        let rawValue: UInt8
        /// Folded by itself; what the user says is in ``Outline/bits``.
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
        var ranks = Paged<UInt64>(filler: 0)
        /// The group's number, and in the last four bits the state that the chain counts as in it.
        var groups = Paged<UInt32>(filler: 0)
    }

    var keys = Keys()
    private var ids = Paged<UInt64>(filler: 0)
    private var bits = Paged<UInt8>(filler: 0)
    /// The rows of each chain, so that only what changes is looked for in the lists.
    private var weights = Paged<UInt16>(filler: 1)
    private var matchWeights = Paged<UInt16>(filler: 0)
    private(set) var count = 0
    private var free: [UInt32] = []

    func key(_ place: Int) -> RootKey {
        let place = UInt32(place)
        return RootKey(group: keys.groups[place] >> 4, rank: keys.ranks[place], id: ids[place])
    }

    func id(_ place: Int) -> UInt64 { ids[UInt32(place)] }

    mutating func setKey(_ key: RootKey, of place: Int) {
        let place = UInt32(place)
        if keys.ranks[place] != key.rank { keys.ranks[place] = key.rank }
        if ids[place] != key.id { ids[place] = key.id }
        if keys.groups[place] >> 4 != key.group { keys.groups[place] = key.group << 4 | keys.groups[place] & 15 }
    }

    func has(_ bit: Bits, _ place: Int) -> Bool { bits[UInt32(place)] & bit.rawValue != 0 }

    mutating func set(_ bit: Bits, _ isSet: Bool, _ place: Int) {
        let old = bits[UInt32(place)]
        bits[UInt32(place)] = isSet ? old | bit.rawValue : old & ~bit.rawValue
    }

    /// The rows that a chain takes in the list of all; nil for more than are kept here.
    func weight(_ place: Int) -> Int? {
        let weight = weights[UInt32(place)]
        return weight == .max ? nil : Int(weight)
    }

    mutating func setWeight(_ weight: Int, _ place: Int) {
        let new = UInt16(clamping: weight)
        if weights[UInt32(place)] != new { weights[UInt32(place)] = new }
    }

    /// The rows that it takes while what does not match is hidden, 0 where nothing of it does; nil for more than are kept.
    func matchWeight(_ place: Int) -> Int? {
        let weight = matchWeights[UInt32(place)]
        return weight == .max ? nil : Int(weight)
    }

    mutating func setMatchWeight(_ weight: Int, _ place: Int) {
        let new = UInt16(clamping: weight)
        if matchWeights[UInt32(place)] != new { matchWeights[UInt32(place)] = new }
    }

    /// No chain matches.
    mutating func forgetMatches() { matchWeights.removeAll() }

    /// Takes a mark from all chains.
    mutating func clear(_ bit: Bits) { for place in 0..<count where has(bit, place) { set(bit, false, place) } }

    /// Takes a place for a chain.
    mutating func take(_ key: RootKey, _ marks: Bits) -> Int {
        var place = count
        if let old = free.popLast() { place = Int(old) } else { count += 1 }
        setKey(key, of: place)
        bits[UInt32(place)] = marks.rawValue
        setWeight(1, place)
        setMatchWeight(0, place)
        return place
    }

    /// Gives a place back.
    mutating func release(_ place: Int) {
        free.append(UInt32(place))
        if keys.groups[UInt32(place)] != 0 { keys.groups[UInt32(place)] = 0 }
    }
}
