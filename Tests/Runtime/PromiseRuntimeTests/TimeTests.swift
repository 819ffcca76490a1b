import ChainEvents
import PromiseRuntime
import Testing

/// TheRules, P7: delay and timeout; R1: the clock; X2.
@Suite(.nothingLeft) struct TimeTests {
    private let isolated = IsolatedRuntime()

    @Test("P7 delay is fulfilled at its time, not before")
    func delay() throws {
        let promise = isolated.run { Promise.delay(.milliseconds(5)) }
        isolated.clock.advance(by: .milliseconds(4))
        #expect(!promise.isSettled)
        isolated.clock.advance(by: .milliseconds(1))
        #expect(promise.isSettled)
    }

    @Test("P7 zero and negative delays are due at once")
    func noDelay() {
        let made = isolated.run { [Promise.delay(.zero), Promise.delay(.seconds(-1))] }
        isolated.clock.advance(by: .zero)
        #expect(made.map(\.isSettled) == [true, true])
    }

    @Test("P7 delays of one deadline are fulfilled in the order in which they were set")
    func order() {
        let seen = Log<Int>()
        isolated.run {
            for index in 0..<100 { Promise.delay(.milliseconds(index % 3)).done { seen.add(index) } }
        }
        isolated.clock.advance(by: .seconds(1))
        isolated.runAll()
        #expect(
            seen.entries == (0..<100).filter { $0 % 3 == 0 } + (0..<100).filter { $0 % 3 == 1 }
                + (0..<100).filter { $0 % 3 == 2 })
    }

    @Test("P7 a link's delay holds a value back, not an error")
    func delayedLink() throws {
        let (value, error) = isolated.run {
            (Promise.resolve(1).delay(.seconds(1)), Promise<Int>.reject(Failure()).delay(.seconds(1)))
        }
        #expect(!value.isSettled && error.isSettled)
        isolated.clock.advance(by: .seconds(1))
        #expect(try value.result?.get() == 1)
        error.catch { _ in 0 }
    }

    @Test("P7 timeout: a promise that is settled, and whose outcome is still being delivered, is in time")
    func timeoutInsideADelivery() throws {
        final class Submitting: PromiseExecutor {
            let identity = ExecutorIdentity(name: "submitting")
            let whenSubmitted = Box<(@Sendable () -> Void)?>(nil)
            func submit(_ job: PromiseJob) {
                whenSubmitted.value?()
                job.run()
            }
        }
        let executor = Submitting()
        let late = Box<Promise<Int>?>(nil)
        let (gate, resolver) = isolated.run { Promise<Int>.pending() }
        executor.whenSubmitted.value = { [clock = isolated.clock] in
            late.value = gate.timeout(.zero)
            clock.advance(by: .zero)
        }
        let child = gate.map(on: executor) { $0 }
        resolver.fulfill(1)
        isolated.runAll()
        executor.whenSubmitted.value = nil
        #expect(try late.value?.result?.get() == 1 && child.result?.get() == 1)
        late.value = nil
    }

    @Test("P7 timeout: in time, too late, and the clean-up of the timer")
    func timeout() throws {
        let (inTime, resolver) = isolated.run { Promise<Int>.pending() }
        let limited = inTime.timeout(.seconds(1))
        resolver.fulfill(1)
        #expect(try limited.result?.get() == 1)
        #expect(isolated.clock.isIdle)

        let (late, lateResolver) = isolated.run { Promise<Int>.pending() }
        let timedOut = late.timeout(.seconds(1))
        isolated.clock.advance(by: .seconds(1))
        guard case .rejected(let error as PromiseTimeoutError) = timedOut.state else {
            return #expect(Bool(false), "did not time out")
        }
        #expect(error.limit == .seconds(1))
        lateResolver.fulfill(2)
        timedOut.catch { _ in 0 }
    }

    @Test("X2 a promise that timed out is cancelled if it has no other consumer", arguments: [false, true])
    func timedOutIsCancelled(_ hasOther: Bool) {
        let stopped = Log<Int>()
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        resolver.onCancel { stopped.add(1) }
        if hasOther { promise.done { _ in } }
        promise.timeout(.seconds(1)).catch { _ in 0 }
        isolated.clock.advance(by: .seconds(1))
        isolated.runAll()
        #expect(promise.isCancelled == !hasOther)
        #expect(stopped.count == (hasOther ? 0 : 1))
        resolver.fulfill(1)
    }

    @Test("P7 cancelling a delay or a timeout cancels its timer")
    func cancelled() {
        let (delay, waiting, resolver) = isolated.run {
            let (promise, resolver) = Promise<Int>.pending()
            return (Promise.delay(.seconds(9)), promise.timeout(.seconds(9)), resolver)
        }
        #expect(!isolated.clock.isIdle)
        delay.cancel()
        waiting.cancel()
        #expect(isolated.clock.isIdle)
        resolver.fulfill(0)
    }

    @Test("R1 the system's clock fires in order, and cancelled timers not at all")
    func systemClock() throws {
        let seen = Log<Int>()
        let latch = Latch()
        let start = SystemClock.shared.now
        var timers: [any ClockTimer] = []
        let due = (0..<200).map { start.advanced(by: .microseconds((200 - $0 % 20) * 50)) }
        for index in 0..<200 {
            timers.append(SystemClock.shared.schedule(at: due[index]) { seen.add(index) })
        }
        // Not exact, because on a busy machine some fire before they are cancelled.
        var late: Set<Int> = []
        for index in stride(from: 0, to: 200, by: 2) {
            timers[index].cancel()
            if SystemClock.shared.now >= due[index] { late.insert(index) }
        }
        let end = start.advanced(by: .milliseconds(20))
        _ = SystemClock.shared.schedule(at: end) { latch.open() }
        try latch.wait()
        #expect(SystemClock.shared.now >= end)
        #expect(seen.entries.allSatisfy { $0 % 2 == 1 || late.contains($0) })
        #expect(Set(seen.entries).count == seen.count)
        #expect(timers.count == 200)
    }

    @Test("R1 timers cancelled while they fire, from other threads", arguments: 0..<20)
    func cancelledWhileFiring(_ round: Int) throws {
        let latch = Latch()
        try onThreads(3) { _ in
            for index in 0..<200 {
                let timer = SystemClock.shared.schedule(after: .microseconds(index % 7)) {}
                timer.cancel()
            }
        }
        _ = SystemClock.shared.schedule(after: .zero) { latch.open() }
        try latch.wait()
    }
}

// SPDX-License-Identifier: MIT
