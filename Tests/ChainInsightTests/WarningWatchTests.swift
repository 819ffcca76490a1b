import ChainEvents
import ChainModel
import Testing

@testable import ChainInsight

/// What is found though looks go only to who changed or is due.
@Suite struct WarningWatchTests {
    /// A node whose parent settles long after does not change itself, and is told from its parent's settlement on.
    @Test func whoWaitedForAParentIsSeenWhenThatHasSettled() {
        var watched = WarningTableTests.Watched()
        watched.telling.make(1, .delay)
        watched.telling.make(2, .map, under: 1)
        watched.pass(100_000)
        #expect(watched.nodes(.neverSettled) == [])
        watched.telling.fulfill(1)
        watched.pass(59_500)
        #expect(watched.nodes(.neverSettled) == [])
        watched.pass(1_000)
        #expect(watched.nodes(.neverSettled) == [2])
    }

    @Test func aRingIsFoundByItsLastLink() {
        var watched = WarningTableTests.Watched()
        for node in 1...9 as ClosedRange<UInt64> {
            watched.telling.make(node, .promise)
            watched.pass(2_000)
            // Each waits for the one before; then the first for the last.
            if node > 1 { watched.telling.adopt(node, node - 1) }
        }
        watched.pass(5_000)
        #expect(watched.counts == [:])
        watched.telling.adopt(1, 9)
        watched.pass(1_000)
        #expect(watched.nodes(.ringOfWaits) == [1])
        #expect(watched.table.warnings(of: .ringOfWaits).first?.amount == 9)
    }

    /// A combinator does not change itself when a member settles that stands under another node, but waits for the next
    /// one from then on.
    @Test(arguments: [1, 100, 5_000] as [UInt64])
    func aRingIsFoundThatTheSettlementOfAMemberCloses(settledCount: UInt64) {
        var watched = WarningTableTests.Watched()
        let (group, waiter, last, origin) = (1, 2, 3, 4) as (UInt64, UInt64, UInt64, UInt64)
        watched.telling.make(group, .all)
        watched.telling.make(waiter, .then, under: group)
        watched.telling.make(last, .promise)
        watched.telling.make(origin, .promise)
        watched.telling.fulfill(origin)
        let members = 10..<(10 + settledCount)
        for member in members {
            watched.telling.make(member, .map, under: origin)
            watched.telling.member(group, member)
        }
        watched.telling.member(group, last)
        watched.telling.adopt(last, waiter)
        watched.pass(2_000)
        for member in members.dropLast() { watched.telling.fulfill(member) }
        watched.pass(1_000)
        #expect(watched.counts == [:])
        watched.telling.fulfill(members.upperBound - 1)
        watched.pass(1_000)
        #expect(watched.nodes(.ringOfWaits) == [group])
        #expect(watched.table.warnings(of: .ringOfWaits).first?.amount == 3)
    }

    /// Only they are looked at, whatever else is there.
    @Test func whoLosesAMemberIsLookedAtAlone() {
        var watched = WarningTableTests.Watched()
        for group in 0..<100 as Range<UInt64> {
            let node = 1 + group * 10
            watched.telling.make(node, .all)
            watched.telling.make(node + 4, .promise)
            watched.telling.fulfill(node + 4)
            for member in 1...3 as ClosedRange<UInt64> {
                watched.telling.make(node + member, .map, under: node + 4)
                watched.telling.member(node, node + member)
            }
        }
        watched.pass(4_000)
        watched.telling.fulfill(502)
        watched.follow()
        var list = watched.table.watch
        let now = watched.telling.now
        let slots = (0..<list.wordCount).flatMap { word in
            let bits = list.take(word, at: now, isWhole: false).bits
            return (0..<64).filter { bits >> UInt64($0) & 1 != 0 }.map { UInt32(word * 64 + $0) }
        }
        let changed = [501, 505].compactMap { watched.telling.forest.index(of: NodeID($0))?.rawValue }
        // The root of the member's chain has other counts.
        #expect(slots.sorted() == changed.sorted())
    }

    /// Of many nodes that only grow older none is looked at before it is due.
    @Test func whoOnlyGrowsOlderIsLeftAlone() {
        var watched = WarningTableTests.Watched()
        for node in 1...1_000 as ClosedRange<UInt64> { watched.telling.make(node, .pending, external: true) }
        watched.pass(2_000)
        watched.telling.make(2_000, .pending, external: true)
        watched.pass(100)
        var list = watched.table.watch
        let watchedCount = (0..<list.wordCount).reduce(0) {
            $0 + list.take($1, at: watched.telling.now, isWhole: false).bits.nonzeroBitCount
        }
        #expect(watchedCount <= 1)
        watched.pass(60_000)
        #expect(watched.table.count(of: .neverSettled) == 1_001)
    }
}
