/// The key that chains are sorted by: the group (0 where chains are not grouped), then the rank, then the root's id.
struct RootKey: Hashable, BitwiseCopyable {
    var rank: UInt64
    var id: UInt64
    var group: UInt32 = 0

    init(group: UInt32 = 0, rank: UInt64, id: UInt64) { (self.group, self.rank, self.id) = (group, rank, id) }
}

extension RootKey: Comparable {
    static func < (left: RootKey, right: RootKey) -> Bool {
        if left.group != right.group { return left.group < right.group }
        return left.rank != right.rank ? left.rank < right.rank : left.id < right.id
    }
}

/// Functions of ranks. A rank is 64 bits to sort chains by; its top two bits are the number of one of three sections.
///
/// In an order by duration the first section has durations that still grow, by the moment from which they count. The
/// second section has known durations, which no longer grow, and the last section has the chains without a duration.
/// The rows of the first two sections are merged, see ``WeightedSortedList/Merge``. In other orders the sections follow
/// each other. Inverting an order inverts each section, but not the sequence of the sections.
enum Rank {
    static let payloadBits: UInt64 = 62
    static let payloadMask: UInt64 = (1 << payloadBits) - 1

    /// Returns a rank by its section and payload; `flips` inverts the order within the section.
    static func made(section: UInt64, _ payload: UInt64, flips: Bool = false) -> UInt64 {
        let clamped = min(payload, payloadMask)
        return section << payloadBits | (flips ? ~clamped & payloadMask : clamped)
    }

    static func section(_ rank: UInt64) -> UInt64 { rank >> payloadBits }
    static func payload(_ rank: UInt64) -> UInt64 { rank & payloadMask }
}
