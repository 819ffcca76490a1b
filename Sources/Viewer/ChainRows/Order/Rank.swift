// SPDX-License-Identifier: MIT

/// Functions of ranks. A rank is 64 bits to sort chains by; its top two bits are the number of one of three sections.
///
/// In the usual order the first section has the chains that are not archived, and the second section those that are. In
/// an order by texts the first two sections have texts of different kinds, and in every order a chain without a value
/// belongs to the last section. Inverting an order inverts each section, but not the sequence of the sections.
enum Rank {
    static let payloadBits: UInt64 = 62
    static let payloadMask: UInt64 = (1 << payloadBits) - 1
    /// The greatest duration that is compared, in nanoseconds: 73 years.
    static let longest = payloadMask >> 1

    /// Returns a rank by its section and payload; `flips` inverts the order within the section.
    static func made(section: UInt64, _ payload: UInt64, flips: Bool = false) -> UInt64 {
        let clamped = min(payload, payloadMask)
        return section << payloadBits | (flips ? ~clamped & payloadMask : clamped)
    }

    static func section(_ rank: UInt64) -> UInt64 { rank >> payloadBits }
}
