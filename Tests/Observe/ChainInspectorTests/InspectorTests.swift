import CChainRuntime
import ChainEvents
import ChainModel
import ChainSystem
import Foundation
import PromiseRuntime
import TerminalHarness
import TestWaits
import Testing

@testable import ChainInspector

@Suite struct InspectorTests {
    @Test func startsOncePerRuntime() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let first = try Inspector.start(name: "first", runtime: runtime, options: .alone)
        #expect(try Inspector.start(name: "second", runtime: runtime, options: .alone) === first)
        #expect(first.info.name == "first" && first.info.pid == getpid())
        let other = try Inspector.start(runtime: ChainRuntime(executor: ManualExecutor()), options: .alone)
        #expect(other !== first && other.info.key != first.info.key)
        other.stop()
        first.stop()
        first.stop()
        let third = try Inspector.start(name: "third", runtime: runtime, options: .alone)
        #expect(third !== first && third.info.key != first.info.key)
        third.stop()
    }

    @Test func refusesARuntimeThatIsRecordedAlready() {
        let runtime = ChainRuntime(sink: Recorder(clock: RealClock()), executor: ManualExecutor())
        #expect(throws: InspectorError.runtimeIsRecorded) { try Inspector.start(runtime: runtime, options: .alone) }
    }

    @Test func collectsByItselfAndRecordsNothingAfterItsStop() throws {
        let executor = ManualExecutor()
        let runtime = ChainRuntime(executor: executor)
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        let seen = Lock<[NodeID]>([])
        let isOver = Lock(false)
        let subscription = inspector.batches.subscribe(
            onNext: { batch in seen.withLock { $0 += batch.events.filter { $0.kind == .created }.map(\.node) } },
            onCompleted: { isOver.withLock { $0 = true } })
        let promise = runtime.run { Promise<Int>(label: "one") { 1 } }
        #expect(wait { seen.withLock { $0 } == [promise.id] })
        executor.runAll()
        inspector.stop()
        #expect(isOver.withLock { $0 })
        #expect(inspector.dump(settled: true).contains("fulfilled"))
        #expect(
            inspector.eventCounts.madeCount == inspector.eventCounts.deliveredCount + inspector.eventCounts.lostInRings)
        let made = inspector.eventCounts.madeCount
        runtime.run { _ = Promise.resolve(2) }
        inspector.collectNow()
        #expect(inspector.eventCounts.madeCount == made)
        subscription.dispose()
        // A subscriber after the stop gets the last state and the end.
        let late = inspector.subscribe()
        var forest = ChainForest(process: inspector.info.key)
        while let batch = late.next() { forest.apply(batch) }
        #expect(forest.index(of: promise.id) != nil)
        #expect(late.isEnded)
    }

    /// As one with its progress in its name.
    @Test func aSpanThatIsRenamedAgainAndAgainHasItsLastName() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        var options = InspectorOptions.alone
        options.collection = .manual
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let span = try #require(
            runtime.run { SpanNode.start("copy", in: nil, site: CallSite(fileID: "a", line: 1)) { [] } })
        for left in (0..<70_000).reversed() {
            span.rename(to: "\(left) files left")
            if left % 1_000 == 0 { inspector.collectNow() }
        }
        #expect(inspector.dump().contains(" 0 files left"))
        #expect(span.snapshot().renameCount == 70_000)
        span.end(throwing: nil)
    }

    /// A service may start before the system's clock is set.
    @Test func theOffsetToTheTimeOfDayFollowsAClockThatIsSet() {
        let start = ProcessDescription(key: Bench.process, pid: 1, name: "p", wallOffset: 5_000, startTime: 9_000)
        var info = start
        for offset in [1_000_005_000, UInt64(bitPattern: -999_995_000)] {
            info.correct(wallOffset: offset)
            #expect(info == start)
        }
        info.correct(wallOffset: 1_000_005_001)
        #expect(info.wallOffset == 1_000_005_001 && info.startTime == 1_000_009_001)
        info.correct(wallOffset: 3_000)
        #expect(info.wallOffset == 3_000 && info.startTime == 7_000)
        info.startTime = 1_700_000_000_000_000_000
        info.correct(wallOffset: 30_000_000_003_000)
        #expect(info.startTime == 1_700_000_000_000_000_000, "the machine was suspended")
    }

    @Test func aClockOfSwiftThatIsTheSystemsIsNotVirtual() throws {
        let folder = ScratchFolder()
        var options = folder.options()
        options.endpoints = nil
        let executor = ManualExecutor()
        let runtimes = [
            ChainRuntime(clock: .continuous, executor: executor), ChainRuntime(clock: .suspending, executor: executor),
        ]
        for runtime in runtimes {
            let inspector = try Inspector.start(runtime: runtime, options: options)
            defer { inspector.stop() }
            #expect(!inspector.addresses.isEmpty)
            #expect(inspector.info.startTime != 0 && inspector.info.wallOffset != 0)
            #expect(inspector.dump().contains(" UTC: "))
            runtime.run { _ = Promise.resolve(1) }
            #expect(wait { inspector.eventCounts.deliveredCount > 0 })
        }
        let still = try Inspector.start(
            runtime: ChainRuntime(clock: StillClock(), executor: executor), options: options)
        defer { still.stop() }
        #expect(still.addresses.isEmpty && still.info.startTime == 0 && still.info.wallOffset == 0)
    }

    #if os(Linux)
        @Test func leavesNoThreadBehind() throws {
            let runtime = ChainRuntime(executor: ManualExecutor())
            let inspector = try Inspector.start(runtime: runtime, options: .alone)
            // Other inspectors of this process have such threads, too: this one's is found by its number.
            let threads = Lock<Set<UInt32>>([])
            let observing = inspector.batches.subscribe(onNext: { _ in
                let thread = chain_thread_id()
                threads.withLock { _ = $0.insert(thread) }
            })
            let isCollector = { (thread: UInt32) in self.name(of: thread) == "chain-collector" }
            #expect(
                wait {
                    _ = runtime.run { Promise.resolve(1) }
                    return threads.withLock { $0 }.contains(where: isCollector)
                })
            let collector = try #require(threads.withLock { $0 }.first(where: isCollector))
            inspector.stop()
            observing.dispose()
            #expect(wait { !isCollector(collector) })
        }

        private func name(of thread: UInt32) -> String? {
            try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
    #endif

    @Test func mayBeStoppedByAnObserverOnItsOwnThread() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        let isOver = Lock(false)
        _ = inspector.batches.subscribe(
            onNext: { [weak inspector] batch in if !batch.events.isEmpty { inspector?.stop() } },
            onCompleted: { isOver.withLock { $0 = true } })
        runtime.run { _ = Promise.resolve(1) }
        #expect(wait { isOver.withLock { $0 } })
    }

    /// As `DispatchQueue.main.sync` in an observer does, while the main thread stops the inspector.
    @Test func stopsAlthoughAnObserverWaitsForTheCaller() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        let (isObserved, isStopped, isOver) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let subscription = inspector.batches.subscribe(onNext: { batch in
            guard !batch.events.isEmpty else { return }
            isObserved.signal()
            _ = isStopped.waitForSignal()
            isOver.signal()
        })
        runtime.run { _ = Promise.resolve(1) }
        #expect(isObserved.waitForSignal())
        inspector.stop()
        isStopped.signal()
        #expect(isOver.waitForSignal())
        subscription.dispose()
    }

    @Test func onAVirtualClockItCollectsOnlyWhenAsked() throws {
        let clock = StillClock()
        let runtime = ChainRuntime(clock: clock, executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let times = Lock<[UInt64]>([])
        _ = inspector.batches.subscribe(onNext: { batch in times.withLock { $0 += batch.events.map(\.time) } })
        let (promise, resolver) = runtime.run { Promise<Int>.pending(label: "late") }
        clock.advance(by: 250)
        resolver.fulfill(1)
        #expect(times.withLock { $0 }.isEmpty)
        inspector.collectNow()
        #expect(times.withLock { $0 }.first == 1_000)
        #expect(times.withLock { $0 }.last == 1_250)
        #expect(inspector.info.wallOffset == 0)
        #expect(inspector.dump(settled: true).contains("late"))
        _ = promise
    }

    @Test func showsPromisesWithTheirExecutorsSitesAndErrors() throws {
        struct Declined: Error, CustomStringConvertible { var description: String { "card expired" } }
        let executor = ManualExecutor(name: "till")
        let runtime = ChainRuntime(executor: executor)
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let viewer = inspector.subscribe()
        let line = UInt32(#line + 1)
        let promise = runtime.run { Promise<Int>(label: "charge") { throw Declined() } }
        let caught = promise.catch { _ in 0 }
        executor.runAll()
        inspector.collectNow()
        var forest = ChainForest(process: inspector.info.key)
        while let batch = viewer.next() { forest.apply(batch) }
        let index = try #require(forest.index(of: promise.id))
        #expect(forest.state(of: index) == .rejected)
        #expect(forest.label(of: index) == "charge")
        #expect(forest.summary(of: index) == "card expired")
        #expect(forest.site(of: index)?.fileName == "InspectorTests.swift")
        #expect(forest.site(of: index)?.line == line)
        #expect(forest.executors[forest.node(index).executor] == "till")
        let child = try #require(forest.index(of: caught.id))
        #expect(forest.state(of: child) == .fulfilled)
        #expect(forest.treeParent(of: child) == index)
    }

    @Test func withholdsErrorTextsIfNotCaptured() throws {
        struct Secret: Error {}
        var options = InspectorOptions.alone
        options.capturesErrorText = false
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let promise = runtime.run { Promise<Int>.reject(Secret()) }
        inspector.collectNow()
        #expect(inspector.dump(settled: true).contains("rejected"))
        #expect(!inspector.dump(settled: true).contains("Secret"))
        _ = promise.result
    }

    @Test func aLossIsRepairedFromTheRegistry() throws {
        var options = InspectorOptions.alone
        options.ringCapacity = 64
        options.collection = .manual
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let kept = runtime.run { (0..<30).map { Promise<Int>.pending(label: "kept \($0)") } }
        inspector.collectNow()
        runtime.run {
            // Far more than a ring holds; all of these are released at once.
            for number in 0..<200 { _ = Promise<Int>.resolve(number) }
            for (_, resolver) in kept.prefix(10) { resolver.fulfill(1) }
        }
        inspector.collectNow()
        #expect(inspector.eventCounts.lostInRings > 0)
        let viewer = inspector.subscribe()
        var forest = ChainForest(process: inspector.info.key)
        while let batch = viewer.next() { forest.apply(batch) }
        for (number, pair) in kept.enumerated() {
            let index = try #require(forest.index(of: pair.promise.id))
            #expect(forest.node(index).isLive == (number >= 10))
        }
        #expect(forest.totals.counts.liveCount == 20)
    }
}

// SPDX-License-Identifier: MIT
