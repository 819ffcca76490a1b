import ChainEvents
import PromiseRuntime
import Testing

/// A clock of Swift's protocol that the test advances.
private final class HandClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var promise: Promise<Void>
        var resolver: Resolver<Void>
    }

    private let state = Box((now: Instant(offset: .seconds(1_000)), sleepers: [Sleeper]()))

    var now: Instant { state.value.now }
    var minimumResolution: Duration { .nanoseconds(1) }
    /// The deadlines of the tasks that sleep.
    var deadlines: [Duration] {
        state.value.sleepers.filter { !$0.promise.isSettled }.map { .seconds(1_000).negated + $0.deadline.offset }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (promise, resolver) = Promise<Void>.pending(on: InlineExecutor.shared)
        let isDue = state.change { state in
            state.sleepers.append(Sleeper(deadline: deadline, promise: promise, resolver: resolver))
            return deadline <= state.now
        }
        if isDue { resolver.fulfill(()) }
        try await promise.value
    }

    func advance(by duration: Duration) {
        let due = state.change { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.resolver.fulfill(()) }
    }
}

extension Duration {
    fileprivate var negated: Duration { .zero - self }
}

/// A clock on which no time passes. It sets a timer of the runtime when a sleep is cancelled.
private struct TimerSettingClock: Clock {
    typealias Instant = HandClock.Instant

    let runtime = Box<ChainRuntime?>(nil)
    let isSleeping = Box(false)
    let isCancelled = Box(false)

    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (promise, resolver) = Promise<Void>.pending(on: InlineExecutor.shared)
        await withTaskCancellationHandler {
            isSleeping.value = true
            try? await promise.value
        } onCancel: {
            guard let runtime = runtime.replace(nil) else { return }
            _ = runtime.clock.schedule(at: ChainInstant(offset: .nanoseconds(5))) {}
            resolver.fulfill(())
            isCancelled.value = true
        }
    }
}

/// Runtimes on a clock of Swift's protocol.
@Suite(.nothingLeft) struct SwiftClockTests {
    private let clock = HandClock()
    private let runtime: ChainRuntime

    init() {
        runtime = ChainRuntime(clock: clock, executor: InlineExecutor.shared)
        NothingLeft.watch(runtime)
    }

    @Test func aDelayEndsAtItsTimeOnTheClock() async throws {
        let tea = runtime.run { Promise.delay(.seconds(180)) }
        try await soon("the sleep") { clock.deadlines == [.seconds(180)] }
        clock.advance(by: .seconds(179))
        #expect(!tea.isSettled)
        clock.advance(by: .seconds(1))
        try await tea.value
    }

    @Test func anEarlierTimerReplacesTheSleep() async throws {
        let order = Log<String>()
        let all = runtime.run {
            let late = Promise.delay(.seconds(5)).done { order.add("late") }
            let early = Promise.delay(.seconds(2)).done { order.add("early") }
            let alsoEarly = Promise.delay(.seconds(2)).done { order.add("also early") }
            return Promise.all([late, early, alsoEarly])
        }
        try await soon("the earlier sleep") { clock.deadlines.contains(.seconds(2)) }
        clock.advance(by: .seconds(2))
        try await soon("the later sleep") { order.count == 2 && clock.deadlines.contains(.seconds(5)) }
        clock.advance(by: .seconds(3))
        _ = try await all.value
        #expect(order.entries == ["early", "also early", "late"])
    }

    @Test func aTimerOfATimerRuns() async throws {
        let done = runtime.run { Promise.delay(.seconds(1)).then { Promise.delay(.seconds(1)) } }
        try await soon("the first sleep") { clock.deadlines == [.seconds(1)] }
        clock.advance(by: .seconds(1))
        try await soon("the second sleep") { clock.deadlines == [.seconds(2)] }
        clock.advance(by: .seconds(1))
        try await done.value
    }

    @Test func aCancelledDelayDoesNotFire() async throws {
        let (cancelled, other) = runtime.run { (Promise.delay(.seconds(1)), Promise.delay(.seconds(2))) }
        cancelled.cancel()
        try await soon("a sleep") { !clock.deadlines.isEmpty }
        clock.advance(by: .seconds(2))
        try await other.value
        #expect(cancelled.isCancelled)
    }

    @Test func s4ACancelledSleepMaySetATimer() async throws {
        let clock = TimerSettingClock()
        let runtime = ChainRuntime(clock: clock)
        clock.runtime.value = runtime
        let first = runtime.clock.schedule(at: ChainInstant(offset: .nanoseconds(9))) {}
        try await soon("the sleep") { clock.isSleeping.value }
        try onThreads(1) { _ in _ = runtime.clock.schedule(at: ChainInstant(offset: .nanoseconds(7))) {} }
        #expect(clock.isCancelled.value)
        first.cancel()
    }

    @Test func aTimerAtZeroIsDue() async throws {
        let isDue = Box(false)
        _ = runtime.clock.schedule(at: ChainInstant(offset: .zero)) { isDue.value = true }
        try await soon("the timer") { isDue.value }
    }

    @Test func theSystemsClocksWork() async throws {
        let continuous = ChainRuntime(clock: .continuous)
        let suspending = ChainRuntime(clock: .suspending)
        try await continuous.run { Promise.delay(.microseconds(1)) }.value
        try await suspending.run { Promise.delay(.microseconds(1)) }.value
        let given: any Clock<Duration> = ContinuousClock()
        try await ChainRuntime(clock: given).run { Promise.delay(.microseconds(1)) }.value
    }
}

// SPDX-License-Identifier: MIT
