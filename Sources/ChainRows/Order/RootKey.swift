/// The position of a chain: its group (0 where there are none), then its rank, then its root's id.
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

/// Ranks: 64 bits to sort chains by, of which the top two say in which of three sections a chain stands.
///
/// Sorted by a duration, growing durations are in the first section, by the moment from which they count; known ones in
/// the second; chains without one in the last. In other orders the sections follow each other. Inverting an order
/// inverts each section, not their sequence.
enum Rank {
    static let payloadBits: UInt64 = 62
    static let payloadMask: UInt64 = 1 << payloadBits - 1

    static func made(section: UInt64, _ payload: UInt64, flips: Bool = false) -> UInt64 {
        let clamped = min(payload, payloadMask)
        return section << payloadBits | (flips ? ~clamped & payloadMask : clamped)
    }

    static func section(_ rank: UInt64) -> UInt64 { rank >> payloadBits }
    static func payload(_ rank: UInt64) -> UInt64 { rank & payloadMask }
}
