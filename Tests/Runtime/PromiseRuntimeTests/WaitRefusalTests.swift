import ChainTesting
import Foundation
import PromiseRuntime
import TestWaits
import Testing

/// Waits that could not end, or would stop other work, are refused at once (TheRules, C4).
struct WaitRefusalTests {
    private static let limit = waitLimit

    /// A combinator with a member that needs an executor.
    enum Group: CaseIterable, Sendable {
        case all, nestedAll, any, race, allSettled, sequence, forEach, retry, `repeat`, coldAll

        /// Returns the promise to wait for. The operation calls `member` when it needs its member.
        func make(_ member: @escaping @Sendable () -> Promise<Int>) -> Promise<Int> {
            let other = Promise.resolve(1)
            return switch self {
            case .all: Promise.all([other, member()]).map { $0.count }
            case .nestedAll: Promise.all([Promise.all([member(), other]).map { $0.count }, other]).map { $0.count }
            case .any: Promise.any([Promise<Int>.reject(Failure()), member()])
            case .race: Promise.race([member()]).map { $0 }
            case .allSettled: Promise.allSettled([other, member()]).map { $0.count }
            case .sequence: Promise.sequence([1, 2], on: InlineExecutor.shared) { _ in member() }.map { $0.count }
            case .forEach: Promise.forEach([1], on: InlineExecutor.shared) { _ in member() }.map { 1 }
            case .retry: Promise.retry(2, on: InlineExecutor.shared) { member() }.map { $0 }
            case .repeat:
                Promise.repeat(on: InlineExecutor.shared) {
                    member()
                } until: { _ in
                    true
                }.map { $0 }
            case .coldAll:
                Chain().all([Chain(taking: Void.self).then { member() }]).map { $0[0] }.async().promise
            }
        }
    }

    @Test("C4 get on a serial executor that a member needs, of any combinator", arguments: Group.allCases)
    func members(_ group: Group) throws {
        let queue = DispatchExecutor(label: "serial")
        let (gate, resolver) = Promise<Int>.pending()
        let isNeeded = Latch()
        // Made before the combinator, so that it already waits for its gate, with a handler for the queue.
        let member = gate.map(on: queue) { $0 }
        let waited = group.make {
            isNeeded.open()
            return member
        }
        try isNeeded.wait("the member")
        // Repeated, because some operations begin to wait for the member a little later.
        let result = Box<RefusedWaitError.Reason?>(nil)
        try eventually("the refusal") {
            result.value = try? refusal(on: queue, waited)
            return result.value != nil
        }
        #expect(result.value == .serialExecutor("serial"))
        #expect(try refusal(on: DispatchExecutor(label: "other"), waited) == nil)
        resolver.fulfill(1)
        _ = try value(of: waited)
    }

    /// Waits for a moment in a handler on the executor, and returns the reason of a refusal, or nil.
    private func refusal(on executor: any PromiseExecutor, _ waited: Promise<Int>) throws -> RefusedWaitError.Reason? {
        let reason = Box<RefusedWaitError.Reason?>(nil)
        let waiting = Promise(on: executor) {
            do { _ = try waited.get(timeout: .milliseconds(1)) } catch {
                reason.value = (error as? RefusedWaitError)?.reason
            }
        }
        try outcome(waiting).get()
        return reason.value
    }

    @Test("C4 E2 waits nested deeper than the pool has threads")
    func nestedWaits() throws {
        @Sendable func nested(_ depth: Int, on pool: PoolExecutor) -> Promise<Int> {
            Promise(on: pool) { depth == 600 ? 0 : try nested(depth + 1, on: pool).get(timeout: Self.limit) + 1 }
        }
        let pool = PoolExecutor(name: "nested", width: 2)
        let error = try error(of: nested(0, on: pool)) as? RefusedWaitError
        #expect(error?.reason == .exhaustedPool("nested"))
        #expect(error?.description.contains("without a nested wait") == true)
        // The promises that are no longer awaited nest waits of their own, and end, too.
        try eventually("the pool at rest") { pool.threadCounts.live == pool.threadCounts.sleeping }
        #expect(try value(of: nested(570, on: PoolExecutor(name: "less nested", width: 2))) == 30)
    }

    @Test("C4 E2 without a thread left in the pool, a promise that needs none can be awaited")
    func nothingNeeded() throws {
        let pool = PoolExecutor(name: "full", width: 1, policy: PoolPolicy(extraLimit: 0, isWatched: false))
        let (gate, resolver) = Promise<Int>.pending(on: ManualExecutor())
        let waiting = Promise(on: pool) { try gate.get(timeout: Self.limit) }
        try eventually("the wait") { pool.threadCounts.blocked == 1 }
        resolver.fulfill(4)
        #expect(try value(of: waiting) == 4)
    }

    @Test("C4 E2 beside a thread that only looks blocked, and resumes by itself, the last thread may wait")
    func besideABlockedHandler() throws {
        let now = Box<UInt64>(1)
        let probe = ThreadProbe(now: { now.value }, cpuTime: { _ in 1 }, isWaiting: { _ in true })
        let pool = PoolExecutor(
            name: "two", width: 1, policy: PoolPolicy(extraLimit: 1, isWatched: false, probe: probe))
        let (begun, resume) = (Latch(), Latch())
        pool.execute {
            begun.open()
            _ = try? resume.wait("the test")
        }
        try begun.wait("the handler that blocks")
        for _ in 0..<15 {
            pool.checkBlocks()
            now.change { $0 += 10_000_000 }
        }
        #expect(pool.threadCounts.blocked == 1)
        let waiting = Promise(on: pool) { try Promise(on: pool) { 4 }.get(timeout: Self.limit) }
        try eventually("the wait") { pool.threadCounts.blocked == 2 }
        resume.open()
        #expect(try value(of: waiting) == 4)
    }

    /// A serial executor that does not know which threads run its jobs.
    private final class Unknowing: PromiseExecutor {
        let identity = ExecutorIdentity(name: "unknowing")
        let isSerial = true
        private let queue = DispatchExecutor(label: "unknowing")

        func submit(_ job: PromiseJob) { queue.submit(job) }
    }

    @Test("C4 in a handler that an outer handler runs, for what waits for the end of the outer one")
    func insideAnOuterHandler() throws {
        for executor in [ThreadExecutor.shared, Unknowing()] as [any PromiseExecutor] {
            let own = Box<Promise<Int>?>(nil)
            let isReady = Latch()
            let reason = Box<RefusedWaitError.Reason?>(nil)
            let outer = Promise<Int>(on: executor) {
                try isReady.wait("the test")
                let waited: Promise<Int> = executor.isSerial ? Promise<Int>(on: executor) { 1 } : own.value!.map { $0 }
                let manual = ManualExecutor()
                let inner = Promise<Int>(on: manual) { try waited.get(timeout: Self.limit) }
                manual.runAll()
                reason.value = (inner.result?.error as? RefusedWaitError)?.reason
                return 2
            }
            own.value = outer
            isReady.open()
            #expect(try value(of: outer) == 2)
            let expected: RefusedWaitError.Reason = executor.isSerial ? .serialExecutor("unknowing") : .ownHandler
            #expect(reason.value == expected)
            own.replace(nil)
        }
    }

    @Test("C4 an inline handler waits for one behind it, both moved to the pool")
    func movedHandlers() throws {
        let waiting = Promise(on: ThreadExecutor.shared) {
            let (gate, resolver) = Promise<Int>.pending()
            let start = Promise.resolve(1)
            let first = start.map(on: InlineExecutor.shared) { try gate.get(timeout: Self.limit) + $0 }
            start.done(on: InlineExecutor.shared) { _ in resolver.fulfill(2) }
            return try first.get(timeout: Self.limit)
        }
        #expect(try value(of: waiting) == 3)
    }

    /// The deinit of what a dropped handler holds is such code.
    @Test("C4 code inside a delivery waits for what it settled itself")
    func waitsInsideADelivery() throws {
        final class Token: Sendable {
            let result: Box<Int?>
            init(_ result: Box<Int?>) { self.result = result }
            deinit {
                let (promise, resolver) = Promise<Int>.pending()
                let child = promise.map { $0 }
                resolver.fulfill(1)
                result.value = try? child.get(timeout: WaitRefusalTests.limit)
            }
        }
        let (result, ended) = (Box<Int?>(nil), Latch())
        let (gate, resolver) = Promise<Int>.pending()
        func attach(_ token: Token) { gate.done { _ in withExtendedLifetime(token) {} } }
        attach(Token(result))
        Thread {
            resolver.reject(Failure())
            ended.open()
        }.start()
        try ended.wait("the delivery")
        #expect(result.value == 1)
    }

    @Test("C4 in tasks, which share a few threads: refused, and the tasks go on")
    func tasks() async throws {
        let (gate, resolver) = Promise<Int>.pending()
        @Sendable func wait() -> RefusedWaitError.Reason? {
            guard case .failure(let error) = Result(catching: { try gate.get(timeout: Self.limit) }) else { return nil }
            return (error as? RefusedWaitError)?.reason
        }
        let tasks = (0..<8).map { _ in Task.detached { wait() } }
        for task in tasks { #expect(await task.value == .task) }
        let awaiter = Chain().then { gate }.async()
        @Sendable func waitForChain() -> RefusedWaitError? {
            awaiter.await(timeout: Self.limit).error as? RefusedWaitError
        }
        let error = await Task.detached { waitForChain() }.value
        #expect(error?.reason == .task && error?.description.contains("`try await value`") == true)
        resolver.fulfill(1)
        #expect(wait() == nil, "a settled promise needs no wait")
        #expect(try await awaiter.value == 1)
    }

    @Test("C4 in an inline handler of a timer, which would hold up all timers")
    func timers() throws {
        let (gate, resolver) = Promise<Int>.pending()
        let reason = Box<RefusedWaitError.Reason?>(nil)
        // The handler is attached before the timer is set.
        let (start, starter) = Promise<Void>.pending()
        let waiting = start.delay(.milliseconds(1)).map(on: InlineExecutor.shared) {
            do { _ = try gate.get(timeout: Self.limit) } catch { reason.value = (error as? RefusedWaitError)?.reason }
        }
        starter.fulfill(())
        try outcome(waiting).get()
        #expect(reason.value == .timerThread)
        // On another executor it may wait, also with a limit of the same clock.
        let late = Promise.delay(.milliseconds(1)).map(on: ThreadExecutor.shared) {
            Result { try gate.get(timeout: .milliseconds(1)) }
        }
        #expect(throws: PromiseTimeoutError.self) { try value(of: late).get() }
        resolver.fulfill(1)
    }
}

// SPDX-License-Identifier: MIT
