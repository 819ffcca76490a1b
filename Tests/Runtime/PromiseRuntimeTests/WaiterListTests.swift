import Testing

@testable import PromiseRuntime

/// The waiters of one promise under registration, cancellation and settlement (TheRules, P4, P7, S4).
@Suite(.nothingLeft) struct WaiterListTests {
    @Test("P4 any number of waiters: each is delivered to once, in order", arguments: [0, 1, 2, 4, 5, 13, 600])
    func order(count: Int) {
        let isolated = IsolatedRuntime()
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let log = Log<Int>()
        for index in 0..<count { promise.done { _ in log.add(index) } }
        resolver.fulfill(1)
        isolated.runAll()
        #expect(log.entries == Array(0..<count))
    }

    @Test("P4 the order holds for the remaining waiters when others were cancelled", arguments: [1, 2, 3, 7, 10])
    func cancelledBetween(step: Int) {
        let isolated = IsolatedRuntime()
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let log = Log<Int>()
        var expected: [Int] = []
        // Several rounds, so that segments are emptied, unlinked and filled again.
        for round in 0..<5 {
            let links = (0..<300).map { index in promise.done { _ in log.add(round * 300 + index) } }
            for (index, link) in links.enumerated() {
                if index % step == 0 { link.cancel() } else { expected.append(round * 300 + index) }
            }
        }
        resolver.fulfill(1)
        isolated.runAll()
        #expect(log.entries == expected)
    }

    @Test("P7 a long-lived promise keeps few of its many cancelled waiters")
    func nothingPilesUp() {
        let isolated = IsolatedRuntime()
        let alive = Box(0)
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let kept = (0..<10).map { _ in promise.map { $0 } }
        var most = 0
        for _ in 0..<5_000 {
            let canary = Canary(alive)
            promise.done { _ in canary.touch() }.cancel()
            most = max(most, alive.value)
        }
        #expect(most < 40)
        resolver.fulfill(1)
        isolated.runAll()
        #expect(kept.allSatisfy { $0.isSettled })
    }

    @Test("P7 a settled promise with one pending child keeps no segments of waiters that got the outcome")
    func segmentsAfterDelivery() throws {
        let isolated = IsolatedRuntime()
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let child = promise.map { $0 }
        for _ in 0..<1_000 { resolver.onCancel {} }
        resolver.fulfill(1)
        #expect(!child.isSettled)
        var position = WaiterPosition()
        #expect(promise.waiters.next(&position)?.toOpaque() == Unmanaged.passUnretained(child).toOpaque())
        var segmentCount = 1
        var segment = try #require(position.segment)
        while let next = segment._withUnsafeGuaranteedRef({ $0.header.next }) {
            segmentCount += 1
            segment = next
        }
        #expect(segmentCount == 2, "the child's, and the last")
        isolated.runAll()
        #expect(child.isSettled && promise.waiters.isEmpty)
    }

    @Test("P7 a list without entries is swept again after a sweep that was stopped")
    func emptyAfterAStoppedSweep() {
        let list = WaiterList(WaiterSegment.make(capacity: 4))
        list.doneCount = 1
        #expect(list.beginSweep())
        list.abortSweep()
        #expect(list.beginSweep())
    }

    @Test("S1 waiters that come and go on several threads while the promise settles")
    func concurrently() throws {
        let rounds = 60
        let perThread = 200
        for round in 0..<rounds {
            let runtime = ChainRuntime(executor: PoolExecutor(name: "waiters", width: 2))
            let (promise, resolver) = runtime.run { Promise<Int>.pending() }
            let (ran, cleaned) = (Box(0), Box(0))
            let links = Log<Promise<Int>>()
            try onThreads(4) { thread in
                if thread == 3 {
                    // So that it settles somewhere in the middle of the others' work.
                    for _ in 0..<round * 20 { _ = promise.isSettled }
                    return resolver.fulfill(1)
                }
                for index in 0..<perThread {
                    let link = promise.map { value in
                        ran.change { $0 += 1 }; return value
                    }
                    links.add(link)
                    link.anyway(on: InlineExecutor.shared) { _ in cleaned.change { $0 += 1 } }
                    if (index + thread) % 3 == 0 { link.cancel() }
                }
            }
            for link in links.entries { try outcome(link) }
            try eventually("every clean-up") { cleaned.value == 3 * perThread }
            let fulfilled = links.entries.count { if case .success? = $0.result { true } else { false } }
            #expect(ran.value >= fulfilled && ran.value <= 3 * perThread)
        }
    }

    @Test("P7 cancelling the followers of one promise one by one is linear")
    func manyFollowers() throws {
        let isolated = IsolatedRuntime()
        let (source, resolver) = isolated.run { Promise<Int>.pending() }
        let followers = (0..<50_000).map { _ in
            let (promise, resolver) = isolated.run { Promise<Int>.pending() }
            resolver.resolve(source)
            return promise
        }
        // In front, at the back, and in the middle.
        for index in 0..<20_000 { followers[index].cancel() }
        for index in (40_000..<50_000).reversed() { followers[index].cancel() }
        #expect(!source.isSettled)
        for index in 20_000..<40_000 { followers[index].cancel() }
        #expect(try error(of: source) is PromiseCancelledError)
        withExtendedLifetime(resolver) {}
    }
}

// SPDX-License-Identifier: MIT
