import ChainEvents
import Foundation
import PromiseRuntime
import Testing

/// The executors that run a long chain.
enum Runner: CaseIterable, Sendable {
    case inline, manual, pool, serialQueue, thread

    func make() -> any PromiseExecutor {
        switch self {
        case .inline: InlineExecutor.shared
        case .manual: ManualExecutor()
        case .pool: PoolExecutor(name: "runner", width: 2)
        case .serialQueue: DispatchExecutor(label: "runner")
        case .thread: ThreadExecutor(name: "runner", limit: 2)
        }
    }
}

@Suite struct ExecutorTests {
    // MARK: E1

    @Test(arguments: Runner.allCases)
    func e1RunsEachJobOnce(runner: Runner) throws {
        let executor = runner.make()
        let count = Box(0)
        let last = Latch(1_000)
        for _ in 0..<1_000 {
            executor.execute {
                count.change { $0 += 1 }; last.open()
            }
        }
        (executor as? ManualExecutor)?.runAll()
        try last.wait("the jobs")
        #expect(count.value == 1_000)
        #expect(ExecutorNames.name(of: executor.identity.id) == executor.identity.name)
    }

    #if canImport(ObjectiveC)
        /// An object that a test autoreleases.
        private final class Autoreleased: NSObject {
            private let isReleased: Box<Bool>

            init(_ isReleased: Box<Bool>) { self.isReleased = isReleased }

            deinit { isReleased.value = true }
        }

        /// What a handler autoreleases is released before the next handler on its thread, also in a loop of handlers.
        @Test(arguments: Runner.allCases)
        func e1EachHandlerHasAnAutoreleasePool(runner: Runner) throws {
            let executor = runner.make()
            let isReleased = Box(false)
            let (start, resolver) = Promise<Int>.pending()
            let seen = start.map(on: executor) { _ in
                _ = Unmanaged.passRetained(Autoreleased(isReleased)).autorelease()
            }
            .map(on: .inline) { isReleased.value }
            resolver.fulfill(1)
            (executor as? ManualExecutor)?.runAll()
            #expect(try value(of: seen))
        }
    #endif

    @Test func e1ChosenPerRuntimeChainAndHandler() throws {
        let (chain, handler) = (ManualExecutor(name: "chain"), ManualExecutor(name: "handler"))
        let isolated = IsolatedRuntime()
        let promise = isolated.run { Promise<Int>(on: chain) { 1 } }
        #expect(chain.pendingCount == 1 && isolated.executor.pendingCount == 0)
        let result = promise.map(on: handler) { $0 + 1 }.map { $0 + 1 }
        chain.runAll()
        #expect(handler.pendingCount == 1 && chain.pendingCount == 0)
        handler.runAll()
        #expect(chain.pendingCount == 1, "one handler's executor is not its children's")
        chain.runAll()
        #expect(try result.result?.get() == 3)
    }

    // MARK: E2, E3, P4: order

    @Test(arguments: [Runner.inline, .manual, .serialQueue])
    func p4HandlersRunInTheOrderOfRegistration(runner: Runner) throws {
        let executor = runner.make()
        let log = Log<Int>()
        let done = Latch()
        let (promise, resolver) = Promise<Int>.pending(on: executor)
        for index in 0..<500 { promise.done { _ in log.add(index) } }
        resolver.fulfill(1)
        for index in 500..<1_000 { promise.done { _ in log.add(index) } }
        promise.done { _ in done.open() }
        (executor as? ManualExecutor)?.runAll()
        try done.wait()
        #expect(log.entries == Array(0..<1_000))
    }

    @Test(arguments: [Runner.inline, .manual, .pool, .serialQueue])
    func p4HandlersAreNeverNested(runner: Runner) throws {
        let executor = runner.make()
        let depths = Log<Int>()
        let depth = Box(0)
        let done = Latch()
        let alone = runner == .pool ? PoolExecutor(name: "alone", width: 1) : executor
        let work = Promise<Int>(on: alone) {
            depth.change { $0 += 1 }
            for _ in 0..<10 {
                Promise<Int>.resolve(1, on: alone).done { _ in
                    depths.add(
                        depth.change {
                            $0 += 1; return $0
                        })
                    Promise<Int>.resolve(1, on: alone).done { _ in depths.add(depth.value) }
                    depth.change { $0 -= 1 }
                }
            }
            depth.change { $0 -= 1 }
            return 1
        }
        work.done { _ in alone.execute { alone.execute { done.open() } } }
        (alone as? ManualExecutor)?.runAll()
        try done.wait()
        try eventually("all handlers") { depths.count == 20 }
        #expect(depths.entries.allSatisfy { $0 <= 1 })
    }

    @Test func p4InlineInsideAnotherHandlerWaitsForItsEnd() throws {
        let manual = ManualExecutor()
        let log = Log<String>()
        manual.execute {
            Promise<Int>.resolve(1, on: InlineExecutor.shared).done { _ in log.add("inline") }
            log.add("outer ends")
        }
        manual.runAll()
        #expect(log.entries == ["outer ends", "inline"])
    }

    // MARK: E2: fairness

    private final class Perpetual: Sendable {
        let stop = Box(false)
        let turns = Box(0)

        /// Makes each next handler ready from the one before, for ever.
        func turn(on executor: any PromiseExecutor) {
            turns.change { $0 += 1 }
            if stop.value { return }
            Promise<Int>.resolve(1, on: executor).done { _ in self.turn(on: executor) }
        }
    }

    @Test func e2SerialQueueLetsOtherBlocksThrough() throws {
        let executor = DispatchExecutor(label: "perpetual")
        let perpetual = Perpetual()
        executor.execute { perpetual.turn(on: executor) }
        try eventually("turns") { perpetual.turns.value > 200 }
        let through = Latch()
        executor.queue.async { through.open() }
        try through.wait("another block of the queue")
        perpetual.stop.value = true
    }

    @Test(arguments: [1, 2]) func e2PoolLetsOtherJobsThrough(width: Int) throws {
        let pool = PoolExecutor(name: "perpetual", width: width)
        let perpetuals = (0..<width + 1).map { _ in Perpetual() }
        for perpetual in perpetuals { pool.execute { perpetual.turn(on: pool) } }
        for perpetual in perpetuals { try eventually("turns of each") { perpetual.turns.value > 200 } }
        let through = Latch(100)
        for _ in 0..<100 { pool.execute { through.open() } }
        try through.wait("jobs from outside")
        perpetuals.forEach { $0.stop.value = true }
    }

    // MARK: E3

    /// Returns the number of this process's threads with names that begin with `prefix`.
    private static func threadCount(named prefix: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name?.hasPrefix(prefix) ?? false
        }
    }

    #if os(Linux)
        @Test func e3PoolThreadsEndWithThePool() throws {
            do {
                let pool = PoolExecutor(name: "mayfly", width: 3)
                #expect(Self.threadCount(named: "mayfly") == 0, "none before the first job")
                let done = Latch(10)
                for _ in 0..<10 { pool.execute { done.open() } }
                try done.wait()
                #expect((1...3).contains(pool.threadCounts.live))
            }
            try eventually("the end of the pool's threads") { Self.threadCount(named: "mayfly") == 0 }
        }

        @Test func e3ManyMembersStartNoThreads() throws {
            let pool = PoolExecutor(name: "many", width: 2, policy: PoolPolicy(isWatched: false))
            let members = (0..<100_000).map { index in Promise<Int>(on: pool) { index } }
            let sum = Promise.all(members).map(on: pool) { $0.reduce(0, +) }
            #expect(try value(of: sum) == 100_000 * 99_999 / 2)
            #expect((1...2).contains(pool.threadCounts.live))
        }
    #endif

    @Test func e3APoolRunsReadyJobsAfterItsRelease() throws {
        let ran = Latch(1_000)
        do {
            let pool = PoolExecutor(name: "last", width: 2)
            for _ in 0..<1_000 { pool.execute { ran.open() } }
        }
        try ran.wait("jobs of a released pool")
    }

    // MARK: Length

    /// A link takes 20 µs under ThreadSanitizer.
    #if TSAN
        private static let length = 20_000
    #else
        private static let length = 100_000
    #endif

    @Test(arguments: Runner.allCases, [false, true])
    func p4LongChainsNeedNoStack(runner: Runner, isSettledFirst: Bool) throws {
        let results = Log<Int>()
        try onThreads(1) { _ in
            let executor = runner.make()
            let (root, resolver) = Promise<Int>.pending(on: executor)
            if isSettledFirst { resolver.fulfill(0) }
            var last = root
            for _ in 0..<Self.length { last = last.map { $0 + 1 } }
            resolver.fulfill(0)
            (executor as? ManualExecutor)?.runAll()
            do { results.add(try value(of: last)) } catch { Issue.record(error) }
        }
        #expect(results.entries == [Self.length])
    }

    @Test func p5LongAdoptionsNeedNoStack() throws {
        let results = Log<Int>()
        try onThreads(1) { _ in
            let (first, resolver) = Promise<Int>.pending(on: InlineExecutor.shared)
            var last = first
            for _ in 0..<100_000 {
                let (next, follower) = Promise<Int>.pending(on: InlineExecutor.shared)
                follower.resolve(last)
                last = next
            }
            resolver.fulfill(7)
            do { results.add(try value(of: last)) } catch { Issue.record(error) }
        }
        #expect(results.entries == [7])
    }

    @Test func x1LongChainsAreCancelledWithoutRecursion() throws {
        let results = Log<Bool>()
        try onThreads(1) { _ in
            let isolated = IsolatedRuntime()
            let (root, resolver) = isolated.run { Promise<Int>.pending() }
            var last = root
            for _ in 0..<Self.length { last = last.map { $0 + 1 } }
            root.cancel()
            results.add(last.isSettled && resolver.isCancelled)
        }
        #expect(results.entries == [true])
    }
}

// SPDX-License-Identifier: MIT
