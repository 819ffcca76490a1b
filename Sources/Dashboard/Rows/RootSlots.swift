/// What is known of each chain besides the forest: its key and some marks, 18 bytes a chain (22 where it has a group).
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
        /// It takes more than one row.
        static let isTall = Bits(rawValue: 32)
        /// Its rows may be kept: no other chain has to be looked for among those whose are.
        static let mayHaveShape = Bits(rawValue: 64)
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

    /// Takes a mark from all chains.
    mutating func clear(_ bit: Bits) { for place in 0..<count where has(bit, place) { set(bit, false, place) } }

    /// Takes a place for a chain.
    mutating func take(_ key: RootKey, _ marks: Bits) -> Int {
        var place = count
        if let old = free.popLast() { place = Int(old) } else { count += 1 }
        setKey(key, of: place)
        bits[UInt32(place)] = marks.rawValue
        return place
    }

    /// Gives a place back.
    mutating func release(_ place: Int) {
        free.append(UInt32(place))
        if keys.groups[UInt32(place)] != 0 { keys.groups[UInt32(place)] = 0 }
    }
}
