import ChainTesting
import Foundation
import PromiseRuntime
import SeededNumbers
import Testing

/// TheRules, P7: retry and its backoff; X2, S3 for it.
struct RetryTests {
    /// Returns a body that fails `failureCount` times, and is then fulfilled with the number of the attempt.
    private static func failing(_ failureCount: Int, _ attempts: Box<Int> = Box(0)) -> @Sendable () -> Promise<Int> {
        {
            let attempt = attempts.change {
                $0 += 1
                return $0
            }
            return attempt <= failureCount ? .reject(Failure("\(attempt)")) : .resolve(attempt)
        }
    }

    @Test("P7 settled as the first attempt that succeeds, or the last", arguments: 1...5)
    func attempts(_ limit: Int) throws {
        let attempts = Box(0)
        let promise = Promise.retry(limit, Self.failing(2, attempts))
        if limit > 2 {
            #expect(try value(of: promise) == 3)
        } else {
            #expect(try error(of: promise) as? Failure == Failure("\(limit)"))
        }
        #expect(attempts.value == min(limit, 3))
    }

    @Test("P7 a throw of the body is a failed attempt")
    func throwing() throws {
        let attempts = Box(0)
        let promise = Promise.retry(3) { () -> Promise<Int> in
            let attempt = attempts.change {
                $0 += 1
                return $0
            }
            if attempt < 3 { throw Failure() }
            return .resolve(attempt)
        }
        #expect(try value(of: promise) == 3)
    }

    @Test("P7 only errors for which onlyIf is true lead to another attempt; it is not called after the last one")
    func onlyIf() throws {
        let asked = Log<String>()
        let promise = Promise.retry(9, Self.failing(9)) { error in
            asked.add("\(error)")
            return "\(error)" != "3"
        }
        #expect(try error(of: promise) as? Failure == Failure("3"))
        #expect(asked.entries == ["1", "2", "3"])

        let limited = Promise.retry(2, Self.failing(9)) { error in
            asked.add("limited \(error)")
            return true
        }
        #expect(try error(of: limited) as? Failure == Failure("2"))
        #expect(asked.entries.last == "limited 1")

        let throwing = Promise.retry(9, Self.failing(9)) { _ in throw Failure("of the predicate") }
        #expect(try error(of: throwing) as? Failure == Failure("of the predicate"))
    }

    @Test("P7 waits between attempts, by the runtime's clock, none after the last")
    func waits() throws {
        let run = RecordedRun()
        let times = Log<Duration>()
        let promise = run.record {
            Promise<Int>.retry(4, backoff: .exponential(from: .milliseconds(100))) { () -> Promise<Int> in
                times.add(run.clock.elapsed)
                throw Failure()
            }
        }
        promise.catch { _ in 0 }
        #expect(run.runUntilIdle())
        #expect(times.entries == [.zero, .milliseconds(100), .milliseconds(300), .milliseconds(700)])
        #expect(run.clock.elapsed == .milliseconds(700))
    }

    @Test("P7 each attempt and each wait is a node under it")
    func tree() {
        let run = RecordedRun()
        let body = Self.failing(2)
        run.record {
            _ = Promise.retry(3, backoff: .constant(.seconds(1)), label: "prices") {
                Promise.delay(.milliseconds(200), label: "ask").then { body() }
            }
        }
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                fulfilled retry prices = 3 · total 2.6s
                  rejected attempt prices 1 of 3 ! 1 · total 0.2s
                    fulfilled delay ask · total 0.2s
                    rejected then ! 1
                      rejected reject ! 1 @0.2s
                  fulfilled delay prices before 2 of 3 · total 1s @0.2s
                  rejected attempt prices 2 of 3 ! 2 · total 0.2s @1.2s
                    fulfilled delay ask · total 0.2s @1.2s
                    rejected then ! 2 @1.2s
                      rejected reject ! 2 @1.4s
                  fulfilled delay prices before 3 of 3 · total 1s @1.4s
                  fulfilled attempt prices 3 of 3 = 3 · total 0.2s @2.4s
                    fulfilled delay ask · total 0.2s @2.4s
                    fulfilled then = 3 @2.4s
                      fulfilled resolve = 3 @2.6s
                """)
    }

    @Test("P7 the waits of a backoff")
    func backoff() {
        let doubling = RetryBackoff.exponential(from: .milliseconds(100), upTo: .seconds(1))
        #expect(
            (1...6).map { doubling.wait(afterFailures: $0) }
                == [100, 200, 400, 800, 1_000, 1_000].map { Duration.milliseconds($0) })
        #expect(doubling.wait(afterFailures: .max) == .seconds(1))
        #expect(RetryBackoff.exponential(from: .zero).wait(afterFailures: 100) == .zero)
        #expect(
            RetryBackoff.exponential(from: .seconds(2), factor: 1).wait(afterFailures: 1_000_000) == .seconds(2))
        #expect(RetryBackoff.exponential(from: .seconds(1)).wait(afterFailures: 1_000) == .seconds(60))
        #expect(RetryBackoff.constant(.seconds(3)).wait(afterFailures: 8) == .seconds(3))
        #expect(RetryBackoff.constant(.seconds(-3)).wait(afterFailures: 1) == .zero)
        #expect(RetryBackoff.none.wait(afterFailures: 1) == .zero)
        #expect(RetryBackoff { .seconds($0) }.wait(afterFailures: 5) == .seconds(5))
    }

    @Test("P7, E2 many attempts that fail at once need no deep stack", arguments: Case.Runner.allCases)
    func long(_ runner: Case.Runner) throws {
        let executor = Case(timing: .already, place: .outside, runner: runner).executor
        try onThreads(1) { _ in
            let attempts = Box(0)
            let count = Seeds.rounds(20_000)
            let promise = Promise.retry(count, on: executor, Self.failing(count - 1, attempts))
            #expect((try? value(of: promise)) == count)
        }
    }

    @Test("X2 a cancelled attempt is the last one, whatever cancelled it")
    func cancelledAttempt() throws {
        let isolated = IsolatedRuntime()
        let made = Log<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        let asked = Log<String>()
        let promise = isolated.run {
            Promise.retry(9) {
                let pair = Promise<Int>.pending()
                made.add(pair)
                return pair.promise
            } onlyIf: { error in
                asked.add("\(error)")
                return true
            }
        }
        isolated.runAll()
        made.entries[0].resolver.reject(Failure())
        isolated.runAll()
        made.entries[1].promise.cancel("no more", by: .viewer("ada"))
        isolated.runAll()
        #expect(
            try error(of: promise) as? PromiseCancelledError
                == PromiseCancelledError(reason: "no more", by: .viewer("ada")))
        #expect(made.count == 2 && asked.entries == ["failed"])
    }

    @Test("X2 cancelling it cancels the current attempt, or the wait", arguments: [false, true])
    func cancelling(_ isWaiting: Bool) throws {
        let isolated = IsolatedRuntime()
        let made = Log<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        let promise = isolated.run {
            Promise.retry(9, backoff: .constant(.seconds(1))) {
                let pair = Promise<Int>.pending()
                made.add(pair)
                return pair.promise
            }
        }
        isolated.runAll()
        if isWaiting {
            made.entries[0].resolver.reject(Failure())
            isolated.runAll()
            #expect(!isolated.clock.isIdle)
        }
        promise.cancel("enough", by: .viewer("ada"))
        let expected = PromiseCancelledError(reason: "enough", by: .viewer("ada"))
        #expect(try error(of: promise) as? PromiseCancelledError == expected)
        if !isWaiting { #expect(try error(of: made.entries[0].promise) as? PromiseCancelledError == expected) }
        #expect(isolated.clock.isIdle)
        isolated.runAll()
        #expect(made.count == 1)
    }

    @Test("X2 a wait that is cancelled from a dashboard ends it")
    func cancelledWait() throws {
        let run = RecordedRun()
        let promise = run.record {
            Promise.retry(3, backoff: .constant(.seconds(5)), label: "load") { () -> Promise<Int> in throw Failure() }
        }
        promise.catch { _ in 0 }
        run.run(until: .seconds(1))
        let delay = try #require(run.promise(labelled: "load before 2 of 3"))
        delay.cancel("no", by: .viewer("ada"))
        run.runUntilIdle()
        #expect(
            try error(of: promise) as? PromiseCancelledError == PromiseCancelledError(reason: "no", by: .viewer("ada")))
        #expect(run.clock.elapsed == .seconds(1))
    }

    @Test("X2 a timeout of an attempt leads to another one; one of the whole ends it")
    func timeouts() throws {
        let isolated = IsolatedRuntime()
        let made = Log<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        let promise = isolated.run {
            Promise.retry(9) {
                let pair = Promise<Int>.pending()
                made.add(pair)
                return pair.promise.timeout(.seconds(1))
            }
        }
        let limited = promise.timeout(.milliseconds(2_500))
        limited.catch { _ in 0 }
        for _ in 0..<10 {
            isolated.runAll()
            isolated.clock.advance(by: .milliseconds(500))
        }
        isolated.runAll()
        #expect(made.count == 3)
        // For the third attempt, too, the cancellation goes from the limit to the source of the work.
        #expect(made.entries.map(\.promise.isCancelled) == [true, true, true])
        #expect(try error(of: limited) is PromiseTimeoutError)
        #expect(
            try error(of: promise) as? PromiseCancelledError
                == PromiseCancelledError(reason: "timed out after \(Duration.milliseconds(2_500))"))
        #expect(isolated.clock.isIdle)
    }

    @Test("S3 errors of earlier attempts are handled; the last one's is the caller's", arguments: [false, true])
    func unhandled(_ isHandled: Bool) {
        let isolated = IsolatedRuntime()
        let reported = Log<String>()
        isolated.runtime.onUnhandled = { reported.add("\($0.error)") }
        isolated.run {
            let promise = Promise.retry(3, Self.failing(9))
            if isHandled { promise.catch { _ in 0 } }
        }
        isolated.runAll()
        #expect(reported.entries == (isHandled ? [] : ["3"]))
    }

    @Test("S2 nothing is left of it, however it ends", arguments: ["fulfilled", "rejected", "cancelled", "waiting"])
    func leaks(_ ending: String) {
        let alive = Box(0)
        let isolated = IsolatedRuntime()
        func make() -> AnyPromise {
            let canary = Canary(alive)
            return Promise.retry(3, backoff: .constant(.seconds(1))) { () -> Promise<Canary> in
                if ending == "fulfilled" { return .resolve(canary) }
                if ending == "cancelled" { return Promise.delay(.seconds(9)).map { canary } }
                throw Failure()
            } onlyIf: { _ in
                canary.touch()
                return true
            }
        }
        weak var released: AnyPromise?
        do {
            let promise = isolated.run(make)
            released = promise
            isolated.runAll()
            if ending == "cancelled" || ending == "waiting" { promise.cancel() }
        }
        for _ in 0..<4 {
            isolated.runAll()
            isolated.clock.advance(by: .seconds(1))
        }
        isolated.runAll()
        #expect(released == nil)
        #expect(alive.value == 0)
    }
}

// SPDX-License-Identifier: MIT
