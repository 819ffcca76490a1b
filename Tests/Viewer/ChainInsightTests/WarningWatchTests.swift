import ChainEvents
import ChainModel
import Testing

@testable import ChainInsight

/// Sweeps examine only nodes that changed or are due, and find all warnings all the same.
@Suite struct WarningWatchTests {
    /// A node does not change itself when its parent settles long after; its warning counts from the parent's settlement.
    @Test func aNodeIsSeenWhenItsParentHasSettled() {
        var watched = WarningTableTests.Watched()
        watched.script.make(1, .delay)
        watched.script.make(2, .map, under: 1)
        watched.pass(100_000)
        #expect(watched.nodes(.neverSettled) == [])
        watched.script.fulfill(1)
        watched.pass(59_500)
        #expect(watched.nodes(.neverSettled) == [])
        watched.pass(1_000)
        #expect(watched.nodes(.neverSettled) == [2])
    }

    @Test func aDeadlockIsFoundByItsLastLink() {
        var watched = WarningTableTests.Watched()
        for node in 1...9 as ClosedRange<UInt64> {
            watched.script.make(node, .promise)
            watched.pass(2_000)
            // Each waits for the one before; then the first waits for the last.
            if node > 1 { watched.script.adopt(node, node - 1) }
        }
        watched.pass(5_000)
        #expect(watched.counts == [:])
        watched.script.adopt(1, 9)
        watched.pass(1_000)
        #expect(watched.nodes(.deadlock) == [1])
        #expect(watched.table.warnings(of: .deadlock).first?.amount == 9)
    }

    /// A combinator does not change itself when a member settles, but waits for the next member from then on.
    @Test(arguments: [1, 100, 5_000] as [UInt64])
    func aDeadlockClosedByAMembersSettlementIsFound(settledCount: UInt64) {
        var watched = WarningTableTests.Watched()
        let (group, waiter, last, origin) = (1, 2, 3, 4) as (UInt64, UInt64, UInt64, UInt64)
        watched.script.make(group, .all)
        watched.script.make(waiter, .then, under: group)
        watched.script.make(last, .promise)
        watched.script.make(origin, .promise)
        watched.script.fulfill(origin)
        let members = 10..<(10 + settledCount)
        for member in members {
            watched.script.make(member, .map, under: origin)
            watched.script.member(group, member)
        }
        watched.script.member(group, last)
        watched.script.adopt(last, waiter)
        watched.pass(2_000)
        for member in members.dropLast() { watched.script.fulfill(member) }
        watched.pass(1_000)
        #expect(watched.counts == [:])
        watched.script.fulfill(members.upperBound - 1)
        watched.pass(1_000)
        #expect(watched.nodes(.deadlock) == [group])
        #expect(watched.table.warnings(of: .deadlock).first?.amount == 3)
    }

    /// Only the holder is examined, however many nodes there are.
    @Test func onlyTheHolderOfASettledMemberIsExamined() {
        var watched = WarningTableTests.Watched()
        for group in 0..<100 as Range<UInt64> {
            let node = 1 + group * 10
            watched.script.make(node, .all)
            watched.script.make(node + 4, .promise)
            watched.script.fulfill(node + 4)
            for member in 1...3 as ClosedRange<UInt64> {
                watched.script.make(node + member, .map, under: node + 4)
                watched.script.member(node, node + member)
            }
        }
        watched.pass(4_000)
        watched.script.fulfill(502)
        watched.update()
        var list = watched.table.watch
        let now = watched.script.time
        var slots: [UInt32] = []
        for word in 0..<list.wordCount {
            let bits: UInt64 = list.removeSlots(word, at: now, isWhole: false).bits
            for bit in 0..<64 where bits >> UInt64(bit) & 1 != 0 { slots.append(UInt32(word * 64 + bit)) }
        }
        #expect(slots == [501].compactMap { watched.script.forest.index(of: NodeID($0))?.rawValue })
    }

    /// Returns how many nodes each of the next two sweeps examines.
    private func examinedCounts(_ list: WatchList, at now: UInt64) -> [Int] {
        var list = list
        return (0..<2).map { _ in
            (0..<list.wordCount).reduce(0) { $0 + list.removeSlots($1, at: now, isWhole: false).bits.nonzeroBitCount }
        }
    }

    /// A node that was just queued is not overdue, and most nodes start before the next sweep.
    @Test func aWaitingNodeIsExaminedInTheSweepAfterTheNext() {
        var watched = WarningTableTests.Watched()
        watched.pass(2_000)
        for node in 1...100 as ClosedRange<UInt64> {
            watched.script.make(node, .work)
            watched.script.queue(node)
        }
        watched.update()
        #expect(examinedCounts(watched.table.watch, at: watched.script.time) == [0, 100])
        for node in 1...99 as ClosedRange<UInt64> {
            watched.script.start(node)
            watched.script.fulfill(node)
        }
        watched.update()
        #expect(examinedCounts(watched.table.watch, at: watched.script.time) == [0, 1])
        watched.pass(1_500)
        #expect(watched.nodes(.longQueueWait) == [100])
    }

    /// A warning stays as long as it holds, whatever else changes of its node.
    @Test func aWarningStaysWhileOtherFactsChange() {
        var watched = WarningTableTests.Watched()
        watched.script.make(1, .work)
        watched.script.queue(1)
        watched.pass(3_000)
        #expect(watched.nodes(.longQueueWait) == [1])
        for link in 2...12 as ClosedRange<UInt64> {
            watched.script.make(link, .then, under: 1)
            watched.pass(300)
            #expect(watched.nodes(.longQueueWait) == [1] && watched.table.count(of: .longQueueWait) == 1)
        }
    }

    /// A thread in a handler counts at each sweep, however short the handler is.
    @Test func aRunningNodeIsExaminedNext() {
        var watched = WarningTableTests.Watched()
        watched.pass(2_000)
        watched.script.make(1, .work)
        watched.script.queue(1)
        watched.update()
        watched.script.start(1)
        watched.update()
        #expect(examinedCounts(watched.table.watch, at: watched.script.time) == [1, 0])
    }

    /// A due node is examined with the rest of its group of 16 slots, and no others.
    @Test func aDueNodeIsExaminedWithItsGroupOfSixteen() {
        var list = WatchList()
        list.reserve(64)
        list.insert(20, at: 500)
        list.insert(60, at: 900)
        #expect(list.due(0) == 500)
        #expect(list.removeSlots(0, at: 499, isWhole: false).bits == 0)
        #expect(list.removeSlots(0, at: 500, isWhole: false).bits == 0xffff << 16)
        #expect(list.due(0) == 900)
        #expect(list.removeSlots(0, at: 900, isWhole: true).bits == .max)
        #expect(list.due(0) == nil)
    }

    /// The pause grows with the length of the sweep, up to a bound.
    @Test func longSweepsCauseLongerPauses() {
        func pause(_ count: UInt64, isWhole: Bool = false) -> UInt64 {
            var sweep = WarningSweep(isWhole: isWhole, findsFaults: false)
            sweep.nodeCount = count
            return WarningTable.pause(after: sweep)
        }
        #expect([0, 50_000, 100_000, 1_000_000].map { pause($0) } == [500, 500, 1_000, 2_000].map { $0 * 1_000_000 })
        #expect(pause(1_000_000, isWhole: true) == 500_000_000)
    }

    /// Among many nodes that only grow older none is examined before it is due.
    @Test func aNodeThatOnlyGrowsOlderIsNotExamined() {
        var watched = WarningTableTests.Watched()
        for node in 1...1_000 as ClosedRange<UInt64> { watched.script.make(node, .pending, external: true) }
        watched.pass(2_000)
        watched.script.make(2_000, .pending, external: true)
        watched.pass(100)
        var list = watched.table.watch
        let watchedCount = (0..<list.wordCount).reduce(0) {
            $0 + list.removeSlots($1, at: watched.script.time, isWhole: false).bits.nonzeroBitCount
        }
        #expect(watchedCount <= 1)
        watched.pass(60_000)
        #expect(watched.table.count(of: .neverSettled) == 1_001)
    }
}

// SPDX-License-Identifier: MIT
