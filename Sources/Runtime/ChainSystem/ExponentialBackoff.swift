// SPDX-License-Identifier: MIT

/// The delays between attempts, in nanoseconds: each delay is twice the delay before, up to a limit.
package struct ExponentialBackoff: Sendable {
    private let first: UInt64
    private let limit: UInt64
    private var upcoming: UInt64

    package init(first: UInt64, limit: UInt64) {
        self.first = first
        self.limit = limit
        upcoming = first
    }

    /// Returns the delay after one more failed attempt.
    package mutating func next() -> UInt64 {
        defer { upcoming = min(upcoming * 2, limit) }
        return upcoming
    }

    /// Begins with the first delay again.
    package mutating func reset() { upcoming = first }
}
