import ChainEvents
import Foundation
import PromiseRuntime
import SeededNumbers
import Synchronization
import Testing

/// Cancelling against settling against registering, on real threads (TheRules, S1, X1 to X4).
@Suite(.nothingLeft) struct CancellationRaceTests {
    private static let rounds = Seeds.rounds(1_500)

    private struct Round: Sendable {
        let promise: Promise<Int>
        let resolver: Resolver<Int>
        let early: Promise<Int>
        let values = Box(0)
        let cleanUps = Box(0)
        let lateCalls = Box(0)
        let cancelCalls = Box(0)

        init() {
            (promise, resolver) = Promise<Int>.pending()
            let (values, cleanUps) = (values, cleanUps)
            early = promise.then(
                { value -> Promise<Int> in
                    values.change { $0 += 1 }; return Promise<Int>.resolve(value)
                },
                onRejected: { error -> Promise<Int> in
                    cleanUps.change { $0 += 1 }
                    throw error
                })
        }
    }

    /// A barrier for threads.
    private final class Meeting: Sendable {
        private let arrivals = Atomic(0)

        func arrive() { arrivals.add(1, ordering: .acquiringAndReleasing) }

        /// Waits until `count` threads have arrived in all. Looks `spins` times before it yields to other threads, so
        /// that two threads that have a core each continue at the same moment.
        func wait(for count: Int, spins: Int = 10_000) {
            var looks = 0
            while arrivals.load(ordering: .acquiring) < count {
                looks += 1
                if looks > spins { sched_yield() }
            }
        }
    }

    private func rounds(_ runtime: ChainRuntime) -> [Round] { runtime.run { (0..<Self.rounds).map { _ in Round() } } }

    @Test func x1CancelAgainstFulfilAgainstRegister() throws {
        let runtime = ChainRuntime(executor: PoolExecutor(name: "race", width: 2))
        let rounds = rounds(runtime)
        try onThreads(3) { thread in
            for round in rounds {
                switch thread {
                case 0: round.promise.cancel("race")
                case 1: round.resolver.fulfill(1)
                default:
                    round.resolver.onCancel { round.cancelCalls.change { $0 += 1 } }
                    round.promise.anyway { _ in round.lateCalls.change { $0 += 1 } }
                }
            }
        }
        for round in rounds { try outcome(round.early) }
        try eventually("all late handlers") { rounds.allSatisfy { $0.lateCalls.value == 1 } }
        var (cancelledCount, fulfilledCount) = (0, 0)
        for round in rounds {
            let early = try #require(round.early.result)
            switch try #require(round.promise.result) {
            case .success(let value):
                fulfilledCount += 1
                #expect(value == 1)
                #expect(round.cancelCalls.value == 0)
                // The child may have been fulfilled, or cancelled in whatever state it was.
                if case .success = early { #expect(round.values.value == 1 && round.cleanUps.value == 0) }
                #expect(round.values.value + round.cleanUps.value <= 2 && round.values.value <= 1)
            case .failure(let error):
                cancelledCount += 1
                #expect(error is PromiseCancelledError)
                #expect(round.values.value == 0)
                if case .success = early { Issue.record("a value came out of a cancelled promise") }
            }
        }
        try eventually("clean-up") {
            rounds.allSatisfy { round in
                guard case .failure? = round.promise.result else { return true }
                return round.cleanUps.value == 1 && round.cancelCalls.value == 1
            }
        }
        #expect(cancelledCount + fulfilledCount == Self.rounds)
    }

    /// The threads meet at each round, so that the parent is fulfilled between any two steps of the cancellation.
    @Test func x3ANodeRunsOneHandlerOnce() throws {
        let runtime = ChainRuntime(executor: PoolExecutor(name: "race", width: 2))
        let rounds = rounds(runtime)
        let meeting = Meeting()
        try onThreads(2) { thread in
            for (number, round) in rounds.enumerated() {
                meeting.arrive()
                meeting.wait(for: 2 * (number + 1))
                if thread == 0 { round.early.cancel() } else { round.resolver.fulfill(1) }
            }
        }
        try eventually("one handler each") {
            rounds.allSatisfy { $0.values.value + $0.cleanUps.value >= 1 }
        }
        for round in rounds {
            #expect(round.values.value + round.cleanUps.value == 1, "either the value or the cancellation")
            #expect(try round.promise.result?.get() == 1, "never its parent")
        }
    }

    @Test func x1ManyCancellersOneOutcome() throws {
        let runtime = ChainRuntime(executor: PoolExecutor(name: "race", width: 2))
        let rounds = rounds(runtime)
        try onThreads(4) { thread in
            for round in rounds {
                if thread == 3 { round.resolver.reject(Failure()) } else { round.promise.cancel("\(thread)") }
            }
        }
        for round in rounds { try outcome(round.early) }
        try eventually("clean-up") { rounds.allSatisfy { $0.cleanUps.value >= 1 } }
        #expect(rounds.allSatisfy { $0.cleanUps.value == 1 && $0.values.value == 0 })
    }

    @Test func x2CancelAgainstFollow() throws {
        let runtime = ChainRuntime(executor: PoolExecutor(name: "race", width: 2))
        let rounds: [(outer: Promise<Int>, write: Resolver<Int>, inner: Promise<Int>, keep: Resolver<Int>)] =
            runtime.run {
                (0..<Self.rounds).map { _ in
                    let (outer, inner) = (Promise<Int>.pending(), Promise<Int>.pending())
                    return (outer.promise, outer.resolver, inner.promise, inner.resolver)
                }
            }
        try onThreads(2) { thread in
            for round in rounds {
                if thread == 0 { round.outer.cancel() } else { round.write.resolve(round.inner) }
            }
        }
        for round in rounds {
            #expect(try error(of: round.outer) is PromiseCancelledError)
            #expect(try error(of: round.inner) is PromiseCancelledError, "whichever came first")
        }
    }

    /// A thread that loses its core while it links must find its link alive afterwards. Only optimised code can fail
    /// here: retains that the compiler moved below the unlocking crashed it within seconds.
    @Test func x2CancelAgainstFollowOnMoreThreadsThanCores() throws {
        #if DEBUG
            let batches: UInt64 = 20
        #else
            let batches: UInt64 = 500
        #endif
        typealias Pair = (promise: Promise<Int>, resolver: Resolver<Int>)
        let runtime = ChainRuntime(executor: PoolExecutor(name: "race", width: 1))
        for _ in Seeds.upTo(batches) {
            let rounds: [(outer: Pair, inner: Pair)] = runtime.run {
                (0..<8_000).map { _ in (Promise<Int>.pending(), Promise<Int>.pending()) }
            }
            // Two threads each follow and cancel in a quarter of the rounds, one right behind the other.
            let meetings = (0..<4).map { _ in Meeting() }
            try onThreads(8) { thread in
                let (quarter, meeting) = (thread / 2, meetings[thread / 2])
                for (number, round) in rounds[quarter * 2_000..<(quarter + 1) * 2_000].enumerated() {
                    if thread.isMultiple(of: 2) {
                        meeting.arrive()
                        round.outer.resolver.resolve(round.inner.promise)
                    } else {
                        meeting.wait(for: number + 1, spins: 0)
                        round.outer.promise.cancel()
                    }
                }
            }
            #expect(rounds.allSatisfy { $0.outer.promise.isCancelled && $0.inner.promise.isCancelled })
        }
    }

    @Test func x2CancelAgainstSequence() throws {
        let runtime = ChainRuntime(executor: PoolExecutor(name: "race", width: 2))
        for _ in 0..<150 {
            let made = Log<(Promise<Int>, Resolver<Int>)>()
            let whole = runtime.run {
                Promise.sequence(0..<6, concurrency: 2) { (_: Int) -> Promise<Int> in
                    let pair = Promise<Int>.pending()
                    made.add((pair.promise, pair.resolver))
                    if made.count < 3 { pair.resolver.fulfill(0) }
                    return pair.promise
                }
            }
            try onThreads(2) { thread in
                if thread == 0 { whole.cancel() } else { made.entries.first?.1.fulfill(1) }
            }
            #expect(try error(of: whole) is PromiseCancelledError)
            try eventually("the end of what was started") { made.entries.allSatisfy { $0.0.isSettled } }
        }
    }
}

// SPDX-License-Identifier: MIT
