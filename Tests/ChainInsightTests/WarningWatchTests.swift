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
        #expect(watched.nodes(.deadlock) == [1])
        #expect(watched.table.warnings(of: .deadlock).first?.amount == 9)
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
        #expect(watched.nodes(.deadlock) == [group])
        #expect(watched.table.warnings(of: .deadlock).first?.amount == 3)
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
        #expect(slots == [501].compactMap { watched.telling.forest.index(of: NodeID($0))?.rawValue })
    }

    private func looks(_ list: WatchList, at now: UInt64) -> [Int] {
        var list = list
        return (0..<2).map { _ in
            (0..<list.wordCount).reduce(0) { $0 + list.take($1, at: now, isWhole: false).bits.nonzeroBitCount }
        }
    }

    /// Nothing is wrong yet with who was just handed to an executor, and most go on before somebody looks.
    @Test func whoWaitsIsLookedAtTheTimeAfter() {
        var watched = WarningTableTests.Watched()
        watched.pass(2_000)
        for node in 1...100 as ClosedRange<UInt64> {
            watched.telling.make(node, .work)
            watched.telling.queue(node)
        }
        watched.follow()
        #expect(looks(watched.table.watch, at: watched.telling.now) == [0, 100])
        for node in 1...99 as ClosedRange<UInt64> {
            watched.telling.start(node)
            watched.telling.fulfill(node)
        }
        watched.follow()
        #expect(looks(watched.table.watch, at: watched.telling.now) == [0, 1])
        watched.pass(1_500)
        #expect(watched.nodes(.longQueueWait) == [100])
    }

    /// A warning stays as long as it holds, whatever else becomes of its node.
    @Test func whoIsWarnedOfStaysSoWhileOthersChange() {
        var watched = WarningTableTests.Watched()
        watched.telling.make(1, .work)
        watched.telling.queue(1)
        watched.pass(3_000)
        #expect(watched.nodes(.longQueueWait) == [1])
        for link in 2...12 as ClosedRange<UInt64> {
            watched.telling.make(link, .then, under: 1)
            watched.pass(300)
            #expect(watched.nodes(.longQueueWait) == [1] && watched.table.count(of: .longQueueWait) == 1)
        }
    }

    /// Who is in a handler counts at each moment, however short it is there.
    @Test func whoRunsIsLookedAtNext() {
        var watched = WarningTableTests.Watched()
        watched.pass(2_000)
        watched.telling.make(1, .work)
        watched.telling.queue(1)
        watched.follow()
        watched.telling.start(1)
        watched.follow()
        #expect(looks(watched.table.watch, at: watched.telling.now) == [1, 0])
    }

    /// One whose moment comes takes its neighbours along, not more.
    @Test func whoIsDueIsAmongSixteen() {
        var list = WatchList()
        list.reserve(64)
        list.insert(20, at: 500)
        list.insert(60, at: 900)
        #expect(list.due(0) == 500)
        #expect(list.take(0, at: 499, isWhole: false).bits == 0)
        #expect(list.take(0, at: 500, isWhole: false).bits == 0xffff << 16)
        #expect(list.due(0) == 900)
        #expect(list.take(0, at: 900, isWhole: true).bits == .max)
        #expect(list.due(0) == nil)
    }

    /// Looks at very many come less often, but not without end.
    @Test func longLooksCauseLongerPauses() {
        func pause(_ count: UInt64, isWhole: Bool = false) -> UInt64 {
            var sweep = WarningSweep(isWhole: isWhole, findsMoments: false)
            sweep.nodeCount = count
            return WarningTable.pause(after: sweep)
        }
        #expect([0, 50_000, 100_000, 1_000_000].map { pause($0) } == [500, 500, 1_000, 2_000].map { $0 * 1_000_000 })
        #expect(pause(1_000_000, isWhole: true) == 500_000_000)
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
