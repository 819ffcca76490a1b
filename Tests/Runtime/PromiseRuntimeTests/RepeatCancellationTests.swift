import Foundation
import PromiseRuntime
import Testing

/// TheRules, X2 to X4: cancelling a repeat.
struct RepeatCancellationTests {
    @Test("X2 a cancelled repeat and its round are rejected with the reason; no other round is started")
    func cancelling() throws {
        let isolated = IsolatedRuntime()
        let made = Log<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        let rounds = Log<Promise<Int>>()
        let stopped = Log<String>()
        let promise = isolated.run {
            Promise.repeat {
                let pair = Promise<Int>.pending()
                pair.resolver.onCancel { stopped.add("stopped") }
                // Another consumer, because of which the promise goes on.
                pair.promise.done { _ in }
                made.add(pair)
                let round = pair.promise.map { $0 }
                rounds.add(round)
                return round
            } until: { _ in
                false
            }
        }
        isolated.runAll()
        made.entries[0].resolver.fulfill(1)
        isolated.runAll()
        #expect(made.count == 2)
        promise.cancel("enough", by: .viewer("ada"))
        let expected = PromiseCancelledError(reason: "enough", by: .viewer("ada"))
        #expect(try error(of: promise) as? PromiseCancelledError == expected)
        try #require(rounds.entries[1].isSettled)
        #expect(try error(of: rounds.entries[1]) as? PromiseCancelledError == expected)
        #expect(!made.entries[1].promise.isSettled && stopped.entries == [])
        made.entries[1].resolver.fulfill(2)
        isolated.runAll()
        #expect(made.count == 2)
    }

    @Test(
        "X2 the reason and the canceller reach the source of the promise that the body returned",
        arguments: [false, true])
    func cancellationReaches(hasOtherConsumer: Bool) throws {
        let isolated = IsolatedRuntime()
        let (source, resolver) = isolated.run { Promise<Int>.pending() }
        let member = source.map { $0 + 1 }
        let other = hasOtherConsumer ? member.map { $0 + 1 } : nil
        let promise = isolated.run {
            Promise.repeat {
                member
            } until: { _ in
                true
            }
        }
        isolated.runAll()
        promise.cancel("enough", by: .viewer("ada"))
        let expected = PromiseCancelledError(reason: "enough", by: .viewer("ada"))
        #expect(try error(of: promise) as? PromiseCancelledError == expected)
        #expect(resolver.isCancelled == !hasOtherConsumer)
        for needed in [source, member] {
            if hasOtherConsumer {
                #expect(!needed.isSettled)
            } else {
                #expect(try error(of: needed) as? PromiseCancelledError == expected)
            }
        }
        #expect(other?.isSettled != true)
    }

    @Test("X2 cancelling it in a pause ends the timer")
    func cancelledInPause() {
        let isolated = IsolatedRuntime()
        let promise = isolated.run {
            Promise.repeat(pause: .seconds(9)) {
                Promise.resolve(0)
            } until: { _ in
                false
            }
        }
        isolated.runAll()
        #expect(!isolated.clock.isIdle)
        promise.cancel()
        #expect(isolated.clock.isIdle)
    }

    @Test("X2 cancelled before its first round: no closure is called, and both are released")
    func cancelledAtOnce() throws {
        let isolated = IsolatedRuntime()
        let (alive, calls) = (Box(0), Log<String>())
        func make() -> Promise<Int> {
            let canary = Canary(alive)
            return Promise.repeat {
                calls.add("body")
                canary.touch()
                return Promise.resolve(0)
            } until: { _ in
                calls.add("until")
                canary.touch()
                return true
            }
        }
        let promise = isolated.run(make)
        #expect(alive.value == 1)
        promise.cancel()
        #expect(alive.value == 0, "S2: a settled node keeps no closures")
        isolated.runAll()
        #expect(calls.entries == [])
        #expect(try error(of: promise) is PromiseCancelledError)
    }

    @Test(
        "X2, X4 cancelled while its body runs: isCancelled is true, and the promise that the body returns is cancelled")
    func cancelledInBody() throws {
        let isolated = IsolatedRuntime()
        let (promise, made) = (Box<Promise<Int>?>(nil), Box<Promise<Int>?>(nil))
        let seen = Box(false)
        promise.value = isolated.run {
            Promise.repeat { () -> Promise<Int> in
                promise.value?.cancel("late")
                seen.value = ChainRuntime.isCancelled
                let (member, resolver) = Promise<Int>.pending()
                resolver.onCancel { _ = resolver }
                made.value = member
                return member
            } until: { _ in
                true
            }
        }
        isolated.runAll()
        #expect(seen.value)
        let member = try #require(made.value)
        #expect(try error(of: member) as? PromiseCancelledError == PromiseCancelledError(reason: "late"))
        promise.value = nil
    }

    @Test("X3 clean-up in a round's branch runs under a cancellation")
    func cleanUp() {
        let isolated = IsolatedRuntime()
        let seen = Log<String>()
        let promise = isolated.run {
            Promise.repeat {
                Promise.delay(.seconds(1)).map { seen.add("value") }.anyway { _ in seen.add("clean-up") }
            } until: { _ in
                false
            }
        }
        // The body returned the last promise of its chain: the chain itself goes on, as under `then`.
        promise.done { _ in seen.add("done") }.failed { _ in seen.add("failed") }
        isolated.runAll()
        promise.cancel()
        isolated.runAll()
        #expect(seen.entries.sorted() == ["clean-up", "failed"])
        isolated.clock.advance(by: .seconds(1))
        isolated.runAll()
    }

    @Test("X2, S1 cancelled from another thread at any moment", arguments: 0..<100)
    func cancelledAnyTime(_ number: Int) throws {
        let made = Log<Promise<Int>>()
        let rounds = Box(0)
        let promise = Promise.repeat { () -> Promise<Int> in
            let round = rounds.change {
                $0 += 1
                return $0
            }
            let member = Promise<Int> { round }
            made.add(member)
            return member
        } until: {
            $0 == 1_000
        }
        promise.failed { _ in }
        try onThreads(1) { _ in
            while rounds.value < number % 10 { sched_yield() }
            promise.cancel()
        }
        try eventually("the end") { promise.isSettled && made.entries.allSatisfy(\.isSettled) }
    }
}

// SPDX-License-Identifier: MIT
