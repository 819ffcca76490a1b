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

    /// Of many nodes that only grow older none is looked at before it is due.
    @Test func whoOnlyGrowsOlderIsLeftAlone() {
        var watched = WarningTableTests.Watched()
        for node in 1...1_000 as ClosedRange<UInt64> { watched.telling.make(node, .pending, external: true) }
        watched.pass(2_000)
        watched.telling.make(2_000, .pending, external: true)
        watched.pass(100)
        var list = watched.table.watch
        let watchedCount = (0..<list.wordCount).reduce(0) {
            $0 + list.take($1, at: watched.telling.now, isWhole: false).nonzeroBitCount
        }
        #expect(watchedCount <= 1)
        watched.pass(60_000)
        #expect(watched.table.count(of: .neverSettled) == 1_001)
    }
}
