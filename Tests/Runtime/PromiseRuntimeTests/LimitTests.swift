import Foundation
import PromiseRuntime
import Testing

/// TheRules, P7 and X2, timeout and delay of operations that start promises; depth (S4).
struct LimitTests {
    private let isolated = IsolatedRuntime()

    @Test(
        "X2 a limit's reason reaches the promise that an operation started",
        arguments: ["forEach", "repeat", "retry", "both"])
    func reaches(_ operation: String) throws {
        let (bottom, resolver) = isolated.run { Promise<Void>.pending() }
        let calls = Box(0)
        let body: @Sendable () -> Promise<Void> = {
            calls.change { $0 += 1 }
            return bottom
        }
        let limited = isolated.run {
            switch operation {
            case "forEach": Promise.forEach(0..<3) { _ in body() }.timeout(.seconds(2))
            case "repeat": Promise.repeat(body) { false }.timeout(.seconds(2))
            case "retry": Promise.retry(3, body).timeout(.seconds(2))
            default: Promise.retry(3) { Promise.forEach(0..<3) { _ in body() } }.timeout(.seconds(2))
            }
        }
        limited.catch { _ in }
        isolated.runAll()
        isolated.clock.advance(by: .seconds(2))
        isolated.runAll()
        #expect(try error(of: limited) is PromiseTimeoutError)
        let reason = "timed out after \(Duration.seconds(2))"
        #expect(resolver.isCancelled)
        #expect(try error(of: bottom) as? PromiseCancelledError == PromiseCancelledError(reason: reason))
        #expect(calls.value == 1, "no round and no attempt after that")
        #expect(isolated.clock.isIdle)
    }

    @Test("P7 a promise that is settled already is in time, however short the limit, and needs no timer")
    func settledAlready() throws {
        let (value, error) = isolated.run {
            (Promise.resolve(1).timeout(.zero), Promise<Int>.reject(Failure()).timeout(.seconds(-1)))
        }
        #expect(isolated.clock.isIdle)
        isolated.clock.advance(by: .seconds(1))
        #expect(try value.result?.get() == 1)
        #expect(try PromiseRuntimeTests.error(of: error) as? Failure == Failure())
    }

    @Test("X1 cancelling a limit ends its timer and leaves the promise that it limits alone")
    func cancelledLimit() throws {
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let limited = promise.timeout(.seconds(1))
        limited.cancel("enough", by: .viewer("ada"))
        #expect(isolated.clock.isIdle)
        #expect(
            try error(of: limited) as? PromiseCancelledError
                == PromiseCancelledError(reason: "enough", by: .viewer("ada")))
        #expect(!promise.isSettled && !promise.isCancelled)
        resolver.fulfill(1)
        #expect(try value(of: promise) == 1)
    }

    @Test("P7 of two limits the shorter one ends both, with its own error")
    func nested() throws {
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let (inner, outer) = (promise.timeout(.seconds(1)), promise.timeout(.seconds(1)).timeout(.seconds(3)))
        isolated.clock.advance(by: .seconds(1))
        for limited in [inner, outer] {
            #expect((try error(of: limited) as? PromiseTimeoutError)?.limit == .seconds(1))
        }
        #expect(isolated.clock.isIdle)
        #expect(promise.isCancelled, "neither waits for it any more")
        withExtendedLifetime(resolver) {}
    }

    @Test(
        "X1, S4 10,000 delays and limits in a row: settled, cancelled and released with a small stack",
        arguments: [false, true])
    func deep(_ isCancelled: Bool) throws {
        try onThreads(1) { _ in
            let isolated = IsolatedRuntime()
            let (root, resolver) = isolated.run { Promise<Int>.pending() }
            var last = root
            for index in 0..<10_000 { last = index % 2 == 0 ? last.delay(.zero) : last.timeout(.seconds(9)) }
            if isCancelled {
                root.cancel("enough")
                #expect((try? error(of: last)) as? PromiseCancelledError == PromiseCancelledError(reason: "enough"))
            } else {
                resolver.fulfill(7)
                isolated.clock.advance(by: .zero)
                #expect(try! last.result?.get() == 7)
            }
            #expect(isolated.clock.isIdle)
            withExtendedLifetime(resolver) {}
        }
    }
}

// SPDX-License-Identifier: MIT
