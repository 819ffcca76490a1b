import ChainEvents
import ChainTesting
import Dispatch
import PromiseRuntime
import TestWaits
import Testing

/// Records the events of waits.
private final class WaitSink: EventSink {
    let waits = Log<EventRecord>()

    func record(_ record: EventRecord, text: String?) {
        if [.awaited, .awaitEnded].contains(record.kind) { waits.add(record) }
    }
}

/// TheRules, C4 and P8: blocking waits for an outcome.
struct AwaiterTests {
    private static let limit = waitLimit

    @Test("C4 await returns the value or the error, at once if it is settled")
    func outcomes() throws {
        let (good, bad) = (Chain().map { 4 }, Chain().map { () -> Int in throw Failure("hoge") })
        let results = try elsewhere { [good, bad].map { $0.async().await(timeout: Self.limit) } }
        #expect(try results[0].get() == 4)
        #expect(results[1].error as? Failure == Failure("hoge"))

        let awaiter = good.async()
        #expect(try elsewhere { awaiter.await(timeout: Self.limit) }.get() == 4)
        #expect(awaiter.isCompleted)
        #expect(try awaiter.await(timeout: .zero).get() == 4)
        #expect(try awaiter.result?.get() == 4)
    }

    @Test("C4 C5 awaited under virtual time, by a thread that the events name")
    func virtual() throws {
        let run = RecordedRun()
        let chain = Chain().then { Promise.delay(.seconds(3600)) }.map { 4 }
        let awaiter = run.record { chain.async() }
        let result = Box<Result<Int, any Error>?>(nil)
        let end = Latch()
        let hasFailed = Box<Bool>(false)
        Promise {
            try onThreads(1) { _ in
                result.value = awaiter.await()
                end.open()
            }
        }.catch { _ in hasFailed.value = true }
        try eventually("the wait") { run.batch.events.contains { $0.kind == .awaited } }
        #expect(!awaiter.isCompleted)
        run.runUntilIdle()
        try end.wait()
        #expect(try result.value?.get() == 4)
        #expect(!hasFailed.value)
        #expect(run.clock.elapsed == .seconds(3600))
        let waits = run.batch.events.filter { [.awaited, .awaitEnded].contains($0.kind) }
        #expect(waits.map(\.kind) == [.awaited, .awaitEnded])
        #expect(waits[0].thread == waits[1].thread && waits[0].node == waits[1].node)
        #expect(waits[0].other == .none)
    }

    @Test("C4 a timeout by the runtime's clock ends the wait and leaves the chain alone")
    func timedOut() throws {
        let run = RecordedRun()
        let awaiter = run.record { Chain().then { Promise.delay(.seconds(9)) }.map { 4 }.async() }
        let result = Box<Result<Int, any Error>?>(nil)
        let end = Latch()
        let waiting = Promise {
            result.value = awaiter.await(timeout: .seconds(1))
            end.open()
        }
        try eventually("the wait") { run.batch.events.contains { $0.kind == .awaited } }
        // The timer may be set a moment after the event was recorded.
        try eventually("the limit") { run.clock.nextDeadline != nil }
        run.clock.advance(by: .seconds(1))
        try end.wait()
        try outcome(waiting)
        #expect((result.value?.error as? PromiseTimeoutError)?.limit == .seconds(1))
        #expect(!awaiter.isCompleted)
        for limit in [Duration.zero, .seconds(-1)] {
            #expect((awaiter.await(timeout: limit).error as? PromiseTimeoutError)?.limit == limit)
        }
        run.runUntilIdle()
        #expect(try awaiter.await(timeout: .zero).get() == 4)
    }

    @Test("C4 several threads wait for one chain")
    func several() throws {
        let (gate, resolver) = Promise<Int>.pending()
        let awaiter = Chain().then { gate }.async()
        let results = Log<Int>()
        let ready = Box(0)
        let opener = Promise {
            try eventually("the threads") { ready.value == 4 }
            resolver.fulfill(7)
        }
        try onThreads(4) { _ in
            ready.change { $0 += 1 }
            results.add((try? awaiter.await(timeout: Self.limit).get()) ?? -1)
        }
        try outcome(opener).get()
        #expect(results.entries == [7, 7, 7, 7])
    }

    @Test("C4 completion handlers get the outcome, in order, on the chain's executor; they count as handling an error")
    func completion() throws {
        let run = RecordedRun()
        let seen = Log<String>()
        let own = ManualExecutor()
        do {
            let awaiter = run.record { Chain().map { () -> Int in throw Failure("hoge") }.async() }
            for index in 1...2 { awaiter.onCompletion { seen.add("\(index) \($0.error!)") } }
            awaiter.onCompletion(on: own) { _ in seen.add("own") }
            run.runUntilIdle()
            #expect(seen.entries == ["1 hoge", "2 hoge"])
            #expect(own.runAll() == 1)
            awaiter.onCompletion { _ in seen.add("late") }
            #expect(seen.count == 3, "always later")
            run.runUntilIdle()
        }
        #expect(seen.entries == ["1 hoge", "2 hoge", "own", "late"])
        #expect(run.batch.events.allSatisfy { $0.kind != .unhandled })
    }

    @Test("C4 P4 behind a link that is inline by itself, completion handlers run later, on the chain's executor")
    func completionBehindAnInlineLink() throws {
        let run = RecordedRun()
        let own = ManualExecutor()
        let seen = Log<Int>()
        let (promise, resolver) = run.record { Promise<Int>.pending() }
        let (plain, onItsOwn) = run.record { (Chain(promise).async(), Chain(promise, on: own).async()) }
        let last = run.record { Chain(promise, label: "last").asResult().map { try $0.get() }.asResult().async() }
        let inline = run.record { Chain(promise, on: InlineExecutor.shared).async() }
        plain.onCompletion { _ in seen.add(1) }
        onItsOwn.onCompletion { _ in seen.add(2) }
        last.onCompletion { _ in seen.add(3) }
        inline.onCompletion { _ in seen.add(4) }
        resolver.fulfill(7)
        #expect(seen.entries == [4], "only the chain that is inline as a whole completes inside the call")
        #expect(own.runAll() == 1 && seen.entries == [4, 2])
        run.runUntilIdle()
        #expect(seen.entries.sorted() == [1, 2, 3, 4])
        last.onCompletion { _ in seen.add(5) }
        #expect(seen.count == 4, "always later")
        run.runUntilIdle()
        #expect(seen.count == 5)
    }

    @Test("C4 R1 promises made in a completion handler inherit the chain's runtime")
    func completionInheritsTheRuntime() throws {
        let run = RecordedRun()
        let own = ManualExecutor()
        let awaiter = run.record { Chain().map { 4 }.async() }
        let isInherited = Log<Bool>()
        for executor in [nil, own] {
            awaiter.onCompletion(on: executor) { _ in isInherited.add(ChainRuntime.current === run.runtime) }
        }
        run.runUntilIdle()
        own.runAll()
        #expect(isInherited.entries == [true, true])
        #expect(ChainRuntime.current !== run.runtime)
    }

    @Test("C4 Chain(awaiter) continues with the outcome of the launch, which runs once")
    func chainOfAwaiter() throws {
        let run = RecordedRun()
        let count = Box(0)
        let awaiter = run.record {
            Chain().map {
                count.change {
                    $0 += 1; return $0
                }
            }.async()
        }
        let chain = Chain(awaiter).map { $0 * 10 }
        let awaiters = run.record { [chain.async(), chain.async()] }
        run.runUntilIdle()
        #expect(try awaiters.map { try $0.result?.get() } == [10, 10])
        #expect(count.value == 1)
        let link = run.record { Promise.resolve(1).then { _ in awaiter } }
        run.runUntilIdle()
        #expect(try link.result?.get() == 1)
    }

    @Test("C4 value waits without blocking a thread")
    func value() async throws {
        #expect(try await Chain().map { 4 }.async().value == 4)
    }

    @Test("C4 E2 on a worker of the pool it is compensated, also if all workers wait")
    func onThePool() throws {
        let pool = PoolExecutor(name: "alone", width: 1)
        let chain = Chain(on: pool).map { 3 }
        let nested = Chain(on: pool).map { try chain.async().await(timeout: Self.limit).get() + 1 }
        let outer = Chain(on: pool).map { try nested.async().await(timeout: Self.limit).get() + 1 }
        #expect(try elsewhere { outer.async().await(timeout: Self.limit) }.get() == 5)
    }

    @Test("C4 the event of a wait inside a handler names the handler's node")
    func eventsNameTheHandler() throws {
        let sink = WaitSink()
        let runtime = ChainRuntime(sink: sink)
        let (gate, resolver) = runtime.run { Promise<Int>.pending() }
        let waiting = runtime.run { Promise { try gate.get(timeout: Self.limit) } }
        try eventually("the wait") { sink.waits.count == 1 }
        resolver.fulfill(4)
        #expect(try PromiseRuntimeTests.value(of: waiting) == 4)
        #expect(sink.waits.entries.map { [$0.node, $0.other] } == [[gate.id, waiting.id], [gate.id, waiting.id]])
        #expect(sink.waits.entries.map(\.kind) == [.awaited, .awaitEnded])
    }

    @Test("C4 inline handlers that the waiting thread was to run next are run elsewhere")
    func inlineHandlers() throws {
        let promise = Promise {
            let (promise, resolver) = Promise<Int>.pending()
            let first = promise.map(on: InlineExecutor.shared) { $0 + 1 }
            let second = promise.asResult().map(on: InlineExecutor.shared) { try $0.get() + 2 }
            resolver.fulfill(1)
            return [try first.get(timeout: Self.limit), try second.get(timeout: Self.limit)]
        }
        #expect(try PromiseRuntimeTests.value(of: promise) == [2, 3])
    }

    @Test("P8 get returns the value or throws the error, in time or not")
    func get() throws {
        #expect(try elsewhere { Result { try Promise { 4 }.get(timeout: Self.limit) } }.get() == 4)
        #expect(throws: Failure("hoge")) { try Promise<Int>.reject(Failure("hoge")).get() }
        let (promise, resolver) = Promise<Int>.pending()
        let late = try elsewhere { Result { try promise.get(timeout: .milliseconds(1)) } }
        #expect(throws: PromiseTimeoutError.self) { try late.get() }
        #expect(throws: PromiseTimeoutError.self) { try promise.get(timeout: .zero) }
        resolver.fulfill(1)
        #expect(try promise.get() == 1)
    }

    @Test("P8 S2 waits that timed out leave nothing behind, and an error thrown by get is handled")
    func nothingLeft() throws {
        let run = RecordedRun()
        do {
            let (promise, resolver) = run.record { Promise<Int>.pending() }
            for _ in 0..<100 {
                let waiting = Promise { try promise.get(timeout: .seconds(1)) }
                try eventually("the limit") { run.clock.nextDeadline != nil }
                run.clock.advance(by: .seconds(1))
                #expect(throws: PromiseTimeoutError.self) { try outcome(waiting).get() }
            }
            resolver.reject(Failure())
            #expect(throws: Failure.self) { try promise.get() }
        }
        // A worker may hold the last wait's closure a moment longer.
        try eventually("the release") { run.runtime.liveNodeCount == 0 }
        #expect(run.batch.events.allSatisfy { $0.kind != .unhandled })
    }
}

// SPDX-License-Identifier: MIT
