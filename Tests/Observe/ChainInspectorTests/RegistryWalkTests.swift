import Testing

@testable import ChainInspector

/// When the collector reads the registry again after losses.
@Suite struct RegistryWalkTests {
    private let millisecond: UInt64 = 1_000_000
    private let interval: UInt64 = 250_000_000
    private var walk = RegistryWalk()

    /// Returns whether a walk is due, and performs it: it takes a second of work, and no time.
    private mutating func walks(losses: UInt64, at milliseconds: UInt64) -> Bool {
        let now = milliseconds * millisecond
        guard walk.isDue(losses, now: now, interval: interval) else { return false }
        walk.begin(epoch: now, recoverableCount: losses)
        walk.duration = 1_000 * millisecond
        while walk.claimShard() != nil { _ = walk.fetched(of: 1) }
        return true
    }

    /// Returns at which of the times a walk was due, given the count of losses at each.
    private func times(of counts: [(losses: UInt64, time: UInt64)]) -> [UInt64] {
        var copy = self
        return counts.filter { copy.walks(losses: $0.losses, at: $0.time) }.map(\.time)
    }

    @Test func walksTakeFivePercentWhileLossesGoOn() {
        #expect(times(of: (1...400).map { ($0, $0 * 100) }) == [100, 20_100])
    }

    /// One walk a pause is early, so that what a burst has lost is not missing for long.
    @Test func theLastLossesOfABurstAreFoundSoon() {
        #expect(
            times(of: [(1, 1_000), (2, 1_400), (3, 1_600), (4, 1_800), (4, 2_049), (4, 2_050), (4, 30_000)]) == [
                1_000, 2_050,
            ])
    }

    /// The next burst has to wait for the pause.
    @Test func oneWalkAPauseIsEarly() {
        #expect(
            times(of: [(1, 1_000), (2, 1_100), (2, 1_400), (3, 1_500), (3, 21_399), (3, 21_400)]) == [
                1_000, 1_400, 21_400,
            ])
    }
}

// SPDX-License-Identifier: MIT
