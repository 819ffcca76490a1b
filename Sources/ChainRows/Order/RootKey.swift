/// Where a chain stands among the chains: in a group (0 where there are none), there by rank, then by its root's id.
struct RootKey: Hashable, BitwiseCopyable {
    var group: UInt32 = 0
    var rank: UInt64
    var id: UInt64
}

extension RootKey: Comparable {
    static func < (left: RootKey, right: RootKey) -> Bool {
        if left.group != right.group { return left.group < right.group }
        return left.rank != right.rank ? left.rank < right.rank : left.id < right.id
    }
}

/// What a list of chains is sorted by: 64 bits of which the first two say in which of three sections a chain stands.
///
/// Sorted by a duration, those whose duration grows stand in the first section, by the moment from which it counts;
/// those whose duration is known in the second; those that have none in the last. Otherwise sections come one after
/// the other, and inverting an order turns each section round, not the sections.
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
