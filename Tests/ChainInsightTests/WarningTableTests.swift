import ChainEvents
import ChainModel
import Testing

@testable import ChainInsight

/// Each kind of warning comes when it should and goes when it should.
@Suite struct WarningTableTests {
    /// A program and the warnings about it.
    struct Watched {
        var telling: Telling
        var table = WarningTable()
        var options = WarningOptions()

        init(limits: ForestLimits = ForestLimits()) { telling = Telling(limits: limits) }

        mutating func follow() {
            table.update(with: telling.forest.consumeChanges(), of: telling.forest, now: telling.now)
        }

        /// Lets time go on, a tick every 100 ms, and looks.
        mutating func pass(_ milliseconds: Double, budget: Int = 16_384) {
            let end = telling.now + Telling.nanoseconds(milliseconds)
            while telling.now < end {
                telling.at(Double(min(end, telling.now + 100_000_000)) / 1_000_000)
                follow()
                table.tick(telling.forest, now: telling.now, options: options, budget: budget)
            }
        }

        /// The kinds that hold, by name, and how many of each.
        var counts: [String: Int] {
            var counts: [String: Int] = [:]
            for kind in WarningKind.allCases where table.count(of: kind) > 0 {
                counts[kind.rawValue] = table.count(of: kind)
            }
            return counts
        }

        func nodes(_ kind: WarningKind) -> [UInt64] {
            table.warnings(of: kind).filter { $0.ended == nil }.map(\.node.rawValue)
        }
    }

    @Test func nothingIsWrongWithWhatGoesWell() {
        var watched = Watched()
        for order in 0..<50 as Range<UInt64> {
            let base = order * 10 + 1
            watched.telling.make(base, .work)
            watched.telling.make(base + 1, .then, under: base)
            watched.telling.make(base + 2, .map, under: base + 1)
            for node in base...(base + 2) {
                watched.telling.queue(node)
                watched.telling.start(node)
                watched.pass(100)
                watched.telling.fulfill(node)
            }
            watched.pass(100)
        }
        watched.pass(100_000)
        #expect(watched.counts == [:])
        #expect(watched.table.isIdle)
    }

    @Test func neverSettledIsWhoNobodyElseHoldsUp() {
        var watched = Watched()
        watched.telling.make(1, .pending, "answer", external: true)
        watched.telling.make(2, .map, under: 1)
        watched.telling.make(3, .delay)
        watched.telling.make(4, .all)
        watched.telling.member(4, 1)
        watched.telling.make(5, .task)
        watched.telling.queue(5)
        watched.telling.start(5)
        watched.telling.make(6, .chain)
        watched.telling.make(7, .then, under: 6)
        watched.pass(59_000)
        #expect(watched.counts == [:])
        watched.pass(2_000)
        #expect(watched.nodes(.neverSettled) == [1, 5])
        #expect(watched.counts == ["never-settled": 2])
        let warning = watched.table.warnings(of: .neverSettled)[0]
        #expect(warning.since == 0)
        #expect(warning.label == "answer")
        watched.telling.fulfill(1)
        watched.follow()
        #expect(watched.nodes(.neverSettled) == [5])
        #expect(watched.table.warnings(of: .neverSettled).map(\.ended) == [nil, watched.telling.now])
        // Its child may run now, and nobody lets it.
        watched.pass(30_000)
        #expect(watched.table.warnings(of: .neverSettled).count == 1)
        watched.pass(31_000)
        #expect(watched.nodes(.neverSettled) == [5, 2])
    }

    @Test func abandonedStaysUntilItWasSeen() {
        var watched = Watched(limits: ForestLimits(settledNodeLimit: 0, ageLimit: 1))
        watched.pass(100)
        watched.telling.make(1, .pending, "call", external: true)
        watched.pass(100)
        watched.telling.tell(.abandoned, 1, text: "call")
        watched.pass(100)
        #expect(watched.counts == ["abandoned": 1])
        watched.telling.at(1_000_000)
        watched.telling.forest.retain(now: watched.telling.now)
        #expect(watched.telling.forest.isEvicted(NodeID(1)))
        watched.pass(60_000)
        #expect(watched.counts == ["abandoned": 1])
        let warning = watched.table.warnings(of: .abandoned)[0]
        #expect(warning.label == "call")
        #expect(warning.nodeKind == .pending)
        watched.table.dismiss(warning.id)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.counts == [:])
    }

    @Test func unhandledAndSettledAgainAndMisusedWaits() {
        var watched = Watched()
        watched.telling.make(1, .work)
        watched.telling.reject(1)
        watched.telling.tell(.unhandled, 1, text: "no")
        watched.telling.tell(.released, 1)
        watched.telling.make(2, .pending)
        watched.telling.fulfill(2)
        watched.telling.tell(.settledAgain, 2)
        watched.telling.make(3, .work)
        watched.telling.queue(3)
        watched.telling.start(3)
        watched.telling.make(4, .pending)
        watched.telling.tell(.awaitMisused, 4, other: 3, text: "cannot wait here")
        watched.pass(100)
        #expect(watched.nodes(.unhandledRejection) == [1])
        #expect(watched.nodes(.settledAgain) == [2])
        #expect(watched.nodes(.awaitedOnOwnExecutor) == [3])
        for kind in [WarningKind.unhandledRejection, .settledAgain, .awaitedOnOwnExecutor] {
            watched.table.dismissAll(of: kind)
        }
        watched.telling.fulfill(3)
        watched.telling.fulfill(4)
        watched.pass(2_000)
        #expect(watched.counts == [:])
    }

    @Test func longHandlerAndBlockedWorkerAreTwoThings() {
        var watched = Watched()
        for node in 1...4 as ClosedRange<UInt64> {
            watched.telling.make(node, .work)
            watched.telling.queue(node)
            watched.telling.start(node, on: ThreadID(node))
        }
        watched.telling.make(9, .pending)
        watched.telling.tell(.blocked, 2, text: "for 100 ms")
        watched.telling.tell(.awaited, 9, other: 3, thread: 3)
        // Settled, and still on its thread.
        watched.telling.tell(.cancelled, 4)
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.nodes(.longHandler) == [1, 4])
        #expect(watched.nodes(.blockedWorker) == [2, 3])
        #expect(watched.table.warnings(of: .blockedWorker).map(\.other) == [.none, NodeID(9)])
        watched.options.enabled.remove(.blockedWorker)
        watched.pass(1_000)
        #expect(watched.nodes(.longHandler) == [1, 2, 3, 4])
        watched.options.enabled.insert(.blockedWorker)
        watched.telling.end(4)
        watched.telling.fulfill(1)
        watched.telling.tell(.awaitEnded, 9, other: 3, thread: 3)
        watched.pass(2_000)
        #expect(watched.nodes(.blockedWorker) == [2])
        #expect(watched.nodes(.longHandler) == [3])
    }

    @Test func aTaskIsNoLongHandler() {
        var watched = Watched()
        watched.telling.make(1, .task)
        watched.telling.start(1)
        watched.pass(30_000)
        #expect(watched.counts == [:])
    }

    @Test func ringOfAdoptions() {
        var watched = Watched()
        watched.telling.make(1, .promise)
        watched.telling.make(2, .then, under: 1)
        watched.pass(10)
        watched.telling.make(3, .promise)
        watched.telling.adopt(1, 3)
        watched.telling.adopt(3, 2)
        watched.telling.make(4, .then, under: 2)
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.counts == ["deadlock": 1])
        let ring = watched.table.warnings(of: .deadlock)[0]
        #expect(ring.amount == 3)
        #expect(ring.node == NodeID(1))
        #expect(ring.other == NodeID(3))
        watched.telling.tell(.cancelled, 1)
        watched.follow()
        #expect(watched.counts == [:])
    }

    @Test func ringThroughThreadsThatWait() {
        var watched = Watched()
        // Two handlers, each alone on its executor, wait for what is queued on the other's.
        for node in 1...2 as ClosedRange<UInt64> {
            watched.telling.make(node, .work)
            watched.telling.queue(node, on: ExecutorID(node))
            watched.telling.start(node, on: ThreadID(node))
        }
        for node in 1...2 as ClosedRange<UInt64> {
            watched.telling.make(node + 10, .work)
            watched.telling.queue(node + 10, on: ExecutorID(node))
        }
        watched.telling.tell(.awaited, 12, other: 1, thread: 1)
        watched.pass(100)
        #expect(watched.table.count(of: .deadlock) == 0)
        watched.telling.tell(.awaited, 11, other: 2, thread: 2)
        watched.pass(2_000)
        #expect(watched.nodes(.deadlock) == [1])
        #expect(watched.table.warnings(of: .deadlock)[0].amount == 4)
        // A third handler on one of them may let its queue go on.
        watched.telling.make(3, .work)
        watched.telling.queue(3, on: 2)
        watched.telling.start(3, on: 3)
        watched.pass(2_000)
        #expect(watched.table.count(of: .deadlock) == 0)
    }

    @Test func whatARaceOrATimerCanEndIsNoRing() {
        var watched = Watched()
        watched.telling.make(1, .promise)
        watched.telling.make(2, .race)
        watched.telling.make(3, .then, under: 1)
        watched.telling.make(4, .delay)
        watched.telling.member(2, 3)
        watched.telling.member(2, 4)
        watched.telling.adopt(1, 2)
        watched.pass(5_000)
        #expect(watched.table.count(of: .deadlock) == 0)
    }

    @Test func losersOfARaceThatRunOn() {
        var watched = Watched()
        for node in 1...5 as ClosedRange<UInt64> { watched.telling.make(node, node == 5 ? .delay : .promise) }
        watched.telling.make(6, .race, "mirrors")
        for node in 1...5 as ClosedRange<UInt64> { watched.telling.member(6, node) }
        // Somebody else wants the third, and the fourth was asked to end.
        watched.telling.make(7, .then, under: 3)
        watched.pass(100)
        watched.telling.fulfill(1)
        watched.telling.fulfill(6)
        watched.telling.tell(.cancelRequested, 4, text: "race")
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.nodes(.raceLoserRunning) == [2])
        #expect(watched.table.warnings(of: .raceLoserRunning)[0].other == NodeID(6))
        watched.telling.fulfill(2)
        watched.follow()
        #expect(watched.table.count(of: .raceLoserRunning) == 0)
    }

    @Test func cancellationThatIsIgnored() {
        var watched = Watched()
        watched.telling.make(1, .work)
        watched.telling.queue(1)
        watched.telling.start(1)
        watched.telling.make(2, .then, under: 1)
        watched.options.enabled = [.cancellationIgnored]
        watched.pass(3_000)
        watched.telling.forest.markCancelRequested([NodeID(1), NodeID(2)])
        watched.pass(5_000)
        // The program has not heard of it.
        #expect(watched.counts == [:])
        watched.telling.tell(.cancelRequested, 1, text: "me")
        watched.telling.tell(.cancelRequested, 2, text: "me")
        watched.pass(1_900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.nodes(.cancellationIgnored) == [1])
        watched.telling.tell(.cancelled, 1)
        watched.follow()
        #expect(watched.counts == [:])
    }

    @Test func tooManyThreadsAreCounted() {
        var watched = Watched()
        watched.options.enabled = [.tooManyThreads]
        watched.options.threadLimit = 3
        for node in 1...4 as ClosedRange<UInt64> {
            watched.telling.make(node, .work)
            watched.telling.start(node, on: ThreadID(node))
        }
        // On the same thread inside another, and on none.
        watched.telling.make(5, .work)
        watched.telling.start(5, on: 4)
        watched.telling.make(6, .task)
        watched.telling.start(6, on: 9)
        watched.pass(1_000)
        #expect(watched.table.warnings(of: .tooManyThreads).map(\.amount) == [4])
        watched.telling.fulfill(1)
        watched.pass(1_000)
        #expect(watched.counts == [:])
        #expect(watched.table.warnings(of: .tooManyThreads).count == 1)
        watched.pass(11_000)
        #expect(watched.table.warnings(of: .tooManyThreads).isEmpty)
    }

    @Test func longQueueWaits() {
        var watched = Watched()
        watched.telling.make(1, .work)
        watched.telling.queue(1)
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(700)
        #expect(watched.nodes(.longQueueWait) == [1])
        watched.telling.start(1)
        watched.follow()
        #expect(watched.counts == [:])
    }

    @Test func deepChains() {
        var watched = Watched()
        watched.options.depthLimit = 50
        watched.options.enabled = [.deepChain]
        watched.telling.make(1, .promise)
        for node in 2...50 as ClosedRange<UInt64> { watched.telling.make(node, .then, under: node - 1) }
        watched.telling.make(100, .promise)
        for node in 101...300 as ClosedRange<UInt64> { watched.telling.make(node, .then, under: 100) }
        watched.pass(2_000)
        #expect(watched.counts == [:])
        watched.telling.make(51, .then, under: 50)
        watched.telling.make(52, .then, under: 25)
        watched.telling.make(53, .then, under: 1)
        watched.pass(2_000, budget: 20)
        watched.pass(2_000)
        #expect(watched.nodes(.deepChain) == [1])
        #expect(watched.table.warnings(of: .deepChain)[0].amount == 50)
        for node in 1...53 as ClosedRange<UInt64> { watched.telling.fulfill(node) }
        watched.pass(1_000)
        #expect(watched.counts == [:])
    }

    @Test func lostEventsStayUntilSeenAndComeBack() {
        var watched = Watched()
        watched.pass(100)
        watched.telling.lose(1_204)
        watched.pass(100)
        #expect(watched.table.warnings(of: .lostEvents).map(\.amount) == [1_204])
        watched.telling.lose(6)
        watched.pass(100)
        #expect(watched.table.warnings(of: .lostEvents).map(\.amount) == [1_210])
        watched.table.dismiss(.init(kind: .lostEvents, node: .none))
        watched.pass(1_000)
        #expect(watched.counts == [:])
        watched.telling.lose(3)
        watched.pass(100)
        #expect(watched.table.warnings(of: .lostEvents).map(\.amount) == [3])
    }
}
