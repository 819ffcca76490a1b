import ChainEvents
import Foundation
import PromiseRuntime
import SeededNumbers
import Testing

/// An error with a description that runs a closure.
private struct TalkingError: Error, CustomStringConvertible {
    var action: @Sendable () -> Void

    var description: String {
        action()
        return "talking"
    }
}

/// A value with a description that runs a closure.
private struct TalkingValue: Sendable, CustomStringConvertible {
    var action: @Sendable () -> Void

    var description: String {
        action()
        return "talking"
    }
}

/// A sink that drops everything.
private final class NullSink: EventSink {
    func record(_ record: EventRecord, text: String?) {}
}

@Suite(.nothingLeft) struct SafetyTests {
    // MARK: S1

    @Test(arguments: [false, true])
    func s1AnyOperationFromAnyThread(isRecording: Bool) throws {
        let pool = PoolExecutor(name: "hammer", width: 3)
        let runtime = ChainRuntime(executor: pool)
        if isRecording { _ = runtime.startRecording(into: NullSink(), capturesValues: true) }
        let alive = Box(0)
        let twice = Log<Int>()
        for round in 0..<20 {
            let shared = runtime.run { (0..<8).map { _ in Promise<Int>.pending() } }
            try onThreads(4) { thread in
                var random = SeededGenerator(seed: UInt64(round * 4 + thread))
                runtime.run {
                    for step in 0..<60 {
                        let (promise, resolver) = shared.randomElement(using: &random)!
                        let canary = Canary(alive)
                        let calls = Box(0)
                        let once: @Sendable () -> Void = {
                            canary.touch()
                            if calls.change({
                                $0 += 1; return $0
                            }) > 1 {
                                twice.add(step)
                            }
                        }
                        switch Int.random(in: 0..<18, using: &random) {
                        case 0:
                            _ = promise.map {
                                once(); return $0
                            }
                        case 1:
                            promise.catch { _ in
                                once(); return 0
                            }
                        case 2: promise.anyway { _ in once() }.map { $0 }.failed { _ in }
                        case 3: resolver.fulfill(step)
                        case 4: resolver.reject(Failure())
                        case 5: promise.cancel("\(step)")
                        case 6:
                            promise.map {
                                once(); return $0
                            }.cancel()
                        case 7:
                            _ = promise.then { _ in
                                once(); return shared[0].promise
                            }
                        case 8: resolver.resolve(shared.randomElement(using: &random)!.promise)
                        case 9: resolver.onCancel(once)
                        case 10: _ = (promise.parent, promise.root, promise.snapshot(), promise.isCancelled)
                        case 11: Promise.race([promise, shared[1].promise]).done { _ in once() }
                        case 12:
                            Promise.all([promise, shared[2].promise], cancellingLosers: true).anyway { _ in once() }
                        case 13: promise.timeout(.microseconds(50)).anyway { _ in once() }
                        case 14: promise.delay(.microseconds(20)).ignore { _ in once() }
                        case 15: Promise.sequence([0, 3], concurrency: 2) { shared[$0].promise }.done { _ in once() }
                        case 16: _ = runtime.liveNode(promise.id)?.isSettled
                        default: _ = promise.result.map { "\($0)" }
                        }
                    }
                }
            }
            shared.forEach { $0.promise.cancel() }
        }
        try eventually("the release of all closures") { alive.value == 0 }
        #expect(twice.entries == [], "handlers that ran twice")
        if isRecording { try eventually("an empty registry") { runtime.liveNodeCount == 0 } }
    }

    // MARK: S4

    /// Runs `action` here, then on another thread, where it would wait for ever for a lock that this thread holds.
    private func bothHereAndElsewhere(_ action: @escaping @Sendable () -> Void) {
        action()
        let done = Latch()
        Thread {
            action(); done.open()
        }.start()
        do { try done.wait("a thread that calls back") } catch {}
    }

    @Test func s4DescriptionsMayCallBack() throws {
        let isolated = IsolatedRuntime()
        _ = isolated.runtime.startRecording(into: NullSink(), capturesValues: true)
        let itself = Box<(promise: AnyPromise, use: @Sendable () -> Void)?>(nil)
        let calls = Box(0)
        let act: @Sendable () -> Void = {
            // Once, because the promises that `use` makes are described, too.
            guard let target = itself.replace(nil) else { return }
            calls.change { $0 += 1 }
            self.bothHereAndElsewhere { target.use() }
        }
        let (broken, reject) = isolated.run { Promise<Int>.pending() }
        itself.value = (
            broken,
            {
                broken.catch { _ in 0 }
                broken.map { $0 }.cancel()
                broken.cancel()
                reject.fulfill(3)
                _ = broken.snapshot()
            }
        )
        reject.reject(TalkingError(action: act))
        #expect(calls.value == 1)
        isolated.runAll()
        let (fine, fulfill) = isolated.run { Promise<TalkingValue>.pending() }
        itself.value = (
            fine,
            {
                fine.done { _ in }.cancel(); fulfill.reject(Failure())
            }
        )
        fulfill.fulfill(TalkingValue(action: act))
        #expect(calls.value == 2)
        isolated.runAll()
        itself.value = nil
    }

    @Test func s4ValuesMayCallBackAsTheyAreReleased() throws {
        let isolated = IsolatedRuntime()
        let count = Box(0)
        let (other, otherResolver) = isolated.run { Promise<Int>.pending() }
        let act: @Sendable () -> Void = {
            count.change { $0 += 1 }
            self.bothHereAndElsewhere {
                other.map { $0 }.cancel()
                _ = isolated.runtime.run { Promise<Int>.resolve(1).done { _ in } }
                otherResolver.fulfill(1)
                isolated.executor.execute {}
            }
        }
        isolated.run {
            _ = Promise<OnRelease>.resolve(OnRelease(act))
            let (root, resolver) = Promise<OnRelease>.pending()
            let kept = OnRelease(act)
            root.map { value in
                withExtendedLifetime(kept) {}; return value
            }.cancel()
            _ = root.anyway { _ in }.map { $0 }
            resolver.fulfill(OnRelease(act))
            Promise.race([Promise<OnRelease>.resolve(OnRelease(act)), root])
                .done { _ in }
            Promise.all([Promise<OnRelease>.resolve(OnRelease(act)), .reject(Failure())]).catch { _ in [] }
        }
        isolated.runAll()
        #expect(count.value == 5)
        #expect(other.isSettled)
    }

    @Test(arguments: [3, 3_000]) func s4SettlingOthersInsideADeliveryLosesNone(count: Int) throws {
        let isolated = IsolatedRuntime()
        let (start, startResolver) = isolated.run { Promise<Int>.pending() }
        let delivered = Box(0)
        let left = Box<[Resolver<Int>]>([])
        // Each unhandled rejection settles another promise, when it is reported between two deliveries.
        isolated.runtime.onUnhandled = { _ in left.change { $0.popLast() }?.fulfill(1) }
        isolated.run {
            for _ in 0..<count {
                let (late, resolver) = Promise<Int>.pending()
                late.done(on: InlineExecutor.shared) { _ in delivered.change { $0 += 1 } }
                left.change { $0.append(resolver) }
                let follower = Promise<Int>.pending().resolver
                // A waiter for the outcome that handles no error.
                follower.onCancel {}
                follower.resolve(start)
            }
        }
        startResolver.reject(Failure())
        #expect(delivered.value == count && left.value.isEmpty)
    }

    @Test func s4HooksMayCallBackAsTheyAreReplaced() throws {
        let runtime = ChainRuntime()
        let count = Box(0)
        for _ in 0..<2 {
            let onUnhandled = OnRelease {
                _ = runtime.onUnhandled; count.change { $0 += 1 }
            }
            let onAbandoned = OnRelease {
                runtime.onAbandoned = nil; count.change { $0 += 1 }
            }
            runtime.onUnhandled = { _ in withExtendedLifetime(onUnhandled) {} }
            runtime.onAbandoned = { _ in withExtendedLifetime(onAbandoned) {} }
        }
        runtime.onUnhandled = nil
        runtime.onAbandoned = nil
        #expect(count.value == 4)
    }

    @Test func s4HooksMayCallBackAsTheyAreCalled() throws {
        let isolated = IsolatedRuntime()
        let count = Box(0)
        isolated.runtime.onUnhandled = { _ in
            count.change { $0 += 1 }
            isolated.runtime.onUnhandled = nil
            _ = isolated.runtime.run { Promise<Int>.resolve(1).done { _ in } }
        }
        isolated.run { _ = Promise<Int>.reject(Failure()) }
        isolated.runAll()
        #expect(count.value == 1)
    }

    @Test func s4CancelledTimersMayCallBackAsTheyAreReleased() throws {
        let clock = SystemClock.shared
        let count = Box(0)
        let timers = Box<[any ClockTimer]>([])
        for _ in 0..<200 {
            let fuse = OnRelease {
                count.change { $0 += 1 }
                clock.schedule(after: .seconds(3_600), {}).cancel()
            }
            timers.change { $0.append(clock.schedule(after: .seconds(3_600)) { withExtendedLifetime(fuse) {} }) }
        }
        timers.value.forEach { $0.cancel() }
        #expect(count.value == 200)
    }
}

// SPDX-License-Identifier: MIT
