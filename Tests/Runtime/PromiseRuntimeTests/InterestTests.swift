import PromiseRuntime
import Testing

/// Work that counts how often it was stopped, two links above the promise that the program gets.
private struct Source {
    let promise: Promise<Int>
    /// The promise that the program gets.
    let mapped: Promise<Int>
    private let resolver: Resolver<Int>
    private let stops = Box(0)

    init(_ isolated: IsolatedRuntime) {
        (promise, resolver) = isolated.run { Promise<Int>.pending() }
        mapped = promise.map { $0 + 1 }.map { $0 + 1 }
        let stops = stops
        resolver.onCancel { stops.change { $0 += 1 } }
    }

    var stopCount: Int { stops.value }
    func finish() { resolver.fulfill(1) }
}

extension AnyPromise {
    /// Whether a task waits for the promise.
    fileprivate var isAwaited: Bool { facts().callbackCount > 0 }
}

/// The operations that can withdraw from a promise.
enum Withdrawal: CaseIterable, Sendable {
    case timeout, retry, `repeat`, sequence, forEach, race, all, any, follower, resolver, coldAll, coldChain
    case timedOutRetry, nested
}

/// A promise is needed as long as it has a pending consumer, or never had one (TheRules, X2).
@Suite(.nothingLeft) struct InterestTests {
    private let isolated = IsolatedRuntime()

    /// Starts to consume a promise by the operation; returns a closure that makes the operation withdraw.
    private func consume(_ withdrawal: Withdrawal, _ work: Promise<Int>) -> () -> Void {
        let advance = { [isolated] in
            isolated.runAll()
            isolated.clock.advance(by: .seconds(5))
        }
        switch withdrawal {
        case .timeout:
            work.timeout(.seconds(1)).catch { _ in 0 }
            return advance
        case .retry: return cancelling(isolated.run { Promise.retry(3) { work } })
        case .repeat:
            return cancelling(
                isolated.run {
                    Promise.repeat {
                        work
                    } until: { _ in
                        true
                    }
                })
        case .sequence: return cancelling(isolated.run { Promise.sequence([1]) { _ in work } })
        case .forEach: return cancelling(isolated.run { Promise.forEach([1, 2], concurrency: 2) { _ in work } })
        case .race:
            let (winner, resolver) = isolated.run { Promise<Int>.pending() }
            let race = isolated.run { Promise.race([work, winner], cancellingLosers: true) }
            return {
                resolver.fulfill(1)
                withExtendedLifetime(race) {}
            }
        case .all: return cancelling(isolated.run { Promise.all([work], cancellingLosers: true) })
        case .any: return cancelling(isolated.run { Promise.any([work], cancellingLosers: true) })
        case .follower: return cancelling(isolated.run { Promise.resolve(0) }.then { _ in work })
        case .resolver:
            let (promise, resolver) = isolated.run { Promise<Int>.pending() }
            resolver.resolve(work)
            return { promise.cancel() }
        case .coldAll:
            let awaiter = isolated.run { Chain().all([Chain().then { work }]).async() }
            return cancelling(awaiter.promise)
        case .coldChain:
            let awaiter = isolated.run { Chain().then { work }.timeout(.seconds(1)).catch { _ in 0 }.async() }
            return {
                advance()
                withExtendedLifetime(awaiter) {}
            }
        case .timedOutRetry:
            isolated.run { Promise.retry(3) { work } }.timeout(.seconds(1)).catch { _ in 0 }
            return advance
        case .nested:
            let inner = isolated.run { Promise.sequence([1]) { _ in Promise.retry(2) { work } } }
            return cancelling(isolated.run { Promise.resolve(0) }.then { _ in inner.map { $0[0] } })
        }
    }

    private func cancelling<Value>(_ promise: Promise<Value>) -> () -> Void {
        { promise.cancel("no longer needed") }
    }

    @Test("X2 the last consumer's withdrawal stops the source", arguments: Withdrawal.allCases)
    func reachesTheSource(withdrawal: Withdrawal) throws {
        let source = Source(isolated)
        let withdraw = consume(withdrawal, source.mapped)
        isolated.runAll()
        #expect(source.stopCount == 0)
        withdraw()
        isolated.runAll()
        #expect(source.stopCount == 1)
        #expect(try error(of: source.promise) is PromiseCancelledError)
    }

    @Test("X2 a promise with another consumer goes on", arguments: Withdrawal.allCases)
    func anotherConsumer(withdrawal: Withdrawal) throws {
        let source = Source(isolated)
        let other = source.promise.map { $0 + 10 }
        let withdraw = consume(withdrawal, source.mapped)
        isolated.runAll()
        withdraw()
        isolated.runAll()
        #expect(source.stopCount == 0)
        #expect(!source.promise.isSettled)
        #expect(try error(of: source.mapped) is PromiseCancelledError)
        source.finish()
        isolated.runAll()
        #expect(try value(of: other) == 11)
    }

    @Test("X2 a detached promise goes on", arguments: Withdrawal.allCases)
    func detached(withdrawal: Withdrawal) throws {
        let source = Source(isolated)
        let kept = source.mapped.detached()
        #expect(kept === source.mapped)
        let withdraw = consume(withdrawal, source.mapped)
        isolated.runAll()
        withdraw()
        isolated.runAll()
        #expect(source.stopCount == 0)
        source.finish()
        isolated.runAll()
        #expect(try value(of: source.mapped) == 3)
        source.mapped.cancel()
    }

    @Test("X1 a detached promise can be cancelled, and passes a cancellation down")
    func detachedIsCancelledItself() throws {
        let source = Source(isolated)
        source.promise.detached().cancel()
        isolated.runAll()
        #expect(source.stopCount == 1)
        #expect(try error(of: source.mapped) is PromiseCancelledError)
    }

    @Test("X1 a cancellation by the program goes to no parent")
    func notUpByItself() {
        let source = Source(isolated)
        source.mapped.cancel()
        isolated.runAll()
        #expect(source.stopCount == 0 && !source.promise.isSettled)
        source.finish()
    }

    @Test("X2 consumers withdraw one after another: the last one stops the source")
    func theLastOfMany() {
        let source = Source(isolated)
        let followers = (0..<100).map { _ in isolated.run { Promise.resolve(0) }.then { _ in source.mapped } }
        isolated.runAll()
        for (index, follower) in followers.enumerated() {
            #expect(source.stopCount == 0, "after \(index)")
            follower.cancel()
            isolated.runAll()
        }
        #expect(source.stopCount == 1)
    }

    @Test("X2 a hot combinator leaves its members alone")
    func hotCombinatorsLeaveMembers() {
        let source = Source(isolated)
        isolated.run { Promise.all([source.mapped]) }.cancel()
        isolated.run { Promise.race([source.mapped]) }.cancel()
        isolated.runAll()
        #expect(source.stopCount == 0 && !source.mapped.isSettled)
        // It is no longer a consumer.
        source.mapped.timeout(.seconds(1)).catch { _ in 0 }
        isolated.clock.advance(by: .seconds(2))
        isolated.runAll()
        #expect(source.stopCount == 1)
    }

    @Test("X3 work that clean-up starts in a cancelled branch is cancelled", arguments: [false, true])
    func cleanUpsWork(isRunning: Bool) throws {
        let source = Source(isolated)
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        let child = Box<Promise<Int>?>(nil)
        child.value = root.then({ _ in source.mapped }) { _ in
            if isRunning { child.value?.cancel() }
            return source.mapped
        }
        if isRunning { resolver.reject(Failure()) } else { root.cancel() }
        isolated.runAll()
        #expect(try error(of: child.replace(nil)!) is PromiseCancelledError)
        #expect(source.stopCount == 1)
    }

    @Test("X3 recover runs for a cancellation only on request, and the promise that it returns is cancelled")
    func recovers() throws {
        let (plain, asked) = (Source(isolated), Source(isolated))
        let root = isolated.run { Promise<Int>.reject(PromiseCancelledError(reason: "before")) }
        let passed = root.recover { _ in plain.mapped }
        let recovered = root.recover(includingCancellation: true) { _ in asked.mapped }
        isolated.runAll()
        #expect(try error(of: passed) is PromiseCancelledError)
        #expect(plain.stopCount == 0 && !plain.mapped.isSettled)
        recovered.cancel()
        isolated.runAll()
        #expect(asked.stopCount == 1)
        plain.finish()
    }

    @Test("X2 a cancelled await ends, and stops the source")
    func cancelledAwait() async throws {
        let source = Source(isolated)
        let task = Task { try await source.mapped.value }
        while !source.mapped.isAwaited { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        isolated.runAll()
        #expect(source.stopCount == 1)
    }

    @Test("X2 a cancelled await leaves a promise with another consumer alone")
    func cancelledAwaitOfMany() async throws {
        let source = Source(isolated)
        let tasks = (0..<3).map { _ in Task { try await source.mapped.value } }
        while source.mapped.facts().callbackCount < 3 { await Task.yield() }
        for task in tasks[1...] {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(source.stopCount == 0)
        source.finish()
        isolated.runAll()
        #expect(try await tasks[0].value == 3)
    }

    @Test("X2 a settled promise gives its value to a cancelled task")
    func settledBeforeAwait() async throws {
        let promise = isolated.run { Promise.resolve(4) }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await promise.value
        }
        task.cancel()
        #expect(try await task.value == 4)
    }

    @Test("X2 the usual timeout by a task group works, on the runtime's clock")
    func taskGroup() async throws {
        let source = Source(isolated)
        let limit = isolated.run { Promise.delay(.seconds(5)) }
        let answer = Task {
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { try await source.mapped.value }
                group.addTask {
                    try await limit.value
                    throw Failure("too late")
                }
                defer { group.cancelAll() }
                return try await group.next()!
            }
        }
        try await soon("both waits") { source.mapped.isAwaited && limit.isAwaited }
        isolated.clock.advance(by: .seconds(4))
        isolated.runAll()
        #expect(source.stopCount == 0)
        isolated.clock.advance(by: .seconds(1))
        isolated.runAll()
        await #expect(throws: Failure("too late")) { try await answer.value }
        isolated.runAll()
        #expect(source.stopCount == 1)
    }
}

// SPDX-License-Identifier: MIT
