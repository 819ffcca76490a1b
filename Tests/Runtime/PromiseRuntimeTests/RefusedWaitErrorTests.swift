import ChainEvents
import ChainTesting
import Dispatch
import PromiseRuntime
import TestWaits
import Testing

/// Records the events of waits.
private final class MisuseSink: EventSink {
    let texts = Log<String>()
    let waits = Log<NodeID>()

    func record(_ record: EventRecord, text: String?) {
        if record.kind == .awaitMisused { texts.add(text ?? "") }
        if record.kind == .awaited { waits.add(record.node) }
    }
}

/// TheRules, C4: waits that could not end are refused at once, with an explanation.
struct RefusedWaitErrorTests {
    private static let limit = waitLimit

    /// Waits inside a handler, and returns the reason of a refusal, or nil.
    private func misuse(
        on executor: any PromiseExecutor, _ wait: @escaping @Sendable () -> Result<Int, any Error>
    ) throws -> RefusedWaitError? {
        let result = Box<Result<Int, any Error>?>(nil)
        try outcome(Promise(on: executor) { result.value = wait() }).get()
        return try #require(result.value).error as? RefusedWaitError
    }

    @Test("C4 on the main thread: a failure with both call sites and what to do, and an event")
    @MainActor func mainThread() throws {
        let (sink, executor) = (MisuseSink(), ManualExecutor())
        let runtime = ChainRuntime(sink: sink, executor: executor)
        let made: UInt32 = #line + 1
        let awaiter = runtime.run { Chain().map { 4 }.async() }
        let error = try #require(awaiter.await(timeout: Self.limit).error as? RefusedWaitError)
        #expect(error.reason == .mainThread)
        #expect(error.awaitedSite.line == made && error.site.line == made + 1)
        #expect(
            error.description == """
                The wait at RefusedWaitErrorTests.swift:\(made + 1) for what was started at \
                RefusedWaitErrorTests.swift:\(made) was refused: it is on the main thread. Until the outcome comes \
                nothing else could run there, neither the user interface nor main-queue handlers. Instead use \
                onCompletion { } or then { }, `try await value` in a task, or wait on another thread.
                """)
        #expect(sink.texts.entries == [error.description])
        #expect(throws: RefusedWaitError.self) { try awaiter.promise.get(timeout: Self.limit) }
        #expect(sink.waits.count == 0)
        executor.runAll()
        #expect(try awaiter.await(timeout: .zero).get() == 4, "a settled outcome needs no wait")
    }

    @Test("C4 on the serial executor that the chain uses, in any of its links and inner chains", arguments: 0..<4)
    func serialExecutor(_ variant: Int) throws {
        let (queue, other) = (DispatchExecutor(label: "serial"), DispatchExecutor(label: "other"))
        let chain =
            switch variant {
            case 0: Chain(on: queue).map { 1 }
            case 1: Chain().map { 0 }.map(on: queue) { $0 + 1 }.map { $0 }
            case 2: Chain().map { 0 }.all([Chain(taking: Int.self, on: queue).map { $0 }]).map { $0[0] }
            default: Chain().map { 0 }.seq([Chain(taking: Int.self).map(on: queue) { $0 }]).map { $0[0] }
            }
        // The awaited chain needs the queue, which the waiting handler occupies: it cannot have settled.
        let error = try misuse(on: queue) { chain.async().await(timeout: Self.limit) }
        #expect(error?.reason == .serialExecutor("serial"))
        #expect(error?.description.contains("one handler at a time") == true)
        #expect(try misuse(on: other) { chain.async().await(timeout: Self.limit) } == nil)
    }

    @Test("C4 in work of the queue that is no handler, and on a queue that targets it")
    func dispatchQueue() throws {
        let queue = DispatchExecutor(label: "serial")
        let targeting = DispatchQueue(label: "targeting", target: queue.queue)
        // An executor of its own must not hide the queue that it targets.
        let upper: DispatchExecutor = .queue(targeting)
        #expect(try elsewhere { targeting.sync { upper.isServedHere && queue.isServedHere } })
        #expect(!upper.isServedHere)
        let chain = Chain(on: queue).map { 1 }
        for served in [queue.queue, targeting] {
            let result = try elsewhere { served.sync { chain.async().await(timeout: Self.limit) } }
            #expect((result.error as? RefusedWaitError)?.reason == .serialExecutor("serial"))
        }
        let other = try elsewhere {
            DispatchQueue(label: "elsewhere").sync { chain.async().await(timeout: Self.limit) }
        }
        #expect(try other.get() == 1)
    }

    @Test("C4 in a handler of a ManualExecutor that the chain uses")
    func manual() throws {
        let manual = ManualExecutor(name: "by hand")
        let chain = Chain(on: manual).map { 1 }
        let promise = Promise(on: manual) { try chain.async().await(timeout: Self.limit).get() }
        manual.runAll()
        #expect((promise.result?.error as? RefusedWaitError)?.reason == .serialExecutor("by hand"))
        promise.catch { _ in 0 }
    }

    @Test("C4 in an inline handler and in plain work of an executor with one thread, which the chain uses")
    func oneThread() throws {
        let manual = ManualExecutor(name: "by hand")
        let executors: [any PromiseExecutor] = [
            ThreadExecutor(name: "one", limit: 1), DispatchExecutor(label: "serial"), manual,
        ]
        for executor in executors {
            let chain = Chain(on: executor).map { 1 }
            let results = Log<Result<Int, any Error>>()
            executor.execute { results.add(chain.async().await(timeout: Self.limit)) }
            // Linked before it settles, so that the inline handler runs on the executor's thread.
            let (gate, opener) = Promise<Void>.pending()
            let inline = gate.map(on: executor) {}.done(on: .inline) {
                results.add(chain.async().await(timeout: Self.limit))
            }
            opener.fulfill(())
            #expect(!executor.isServedHere)
            if executor === manual { try elsewhere { _ = manual.runAll() } }
            try outcome(inline).get()
            for result in results.entries {
                #expect((result.error as? RefusedWaitError)?.reason == .serialExecutor(executor.identity.name))
            }
            #expect(results.count == 2)
        }
    }

    @Test("C4 on one of several threads of an executor the others run what the wait needs")
    func severalThreads() throws {
        let threads = ThreadExecutor(name: "two", limit: 2)
        let chain = Chain(on: threads).map { 1 }
        let result = Box<Result<Int, any Error>?>(nil)
        let (gate, opener) = Promise<Void>.pending()
        let inline = gate.map(on: threads) {}.done(on: .inline) {
            result.value = chain.async().await(timeout: Self.limit)
        }
        opener.fulfill(())
        try outcome(inline).get()
        #expect(try result.value?.get() == 1)
    }

    @Test("C4 in a handler that the chain itself waits for")
    func ownHandler() throws {
        let own = Box<Awaiter<Int>?>(nil)
        let ready = Latch()
        let chain = Chain().map { () -> Int in
            try ready.wait()
            return try own.value!.await(timeout: Self.limit).get()
        }.map { $0 + 1 }
        let awaiter = chain.async()
        own.value = awaiter
        ready.open()
        let error = try elsewhere { awaiter.await(timeout: Self.limit) }.error as? RefusedWaitError
        #expect(error?.reason == .ownHandler)
        own.replace(nil)
    }

    @Test("P8 get is refused on the executor of a parent, or of a promise that is followed")
    func get() throws {
        let queue = DispatchExecutor(label: "serial")
        let (gate, resolver) = Promise<Int>.pending()
        let behind = gate.map(on: queue) { $0 }.map { $0 + 1 }
        // Inline, so that the link follows `behind` already.
        let following = Promise.resolve(0).then(on: InlineExecutor.shared) { _ in behind }.map { $0 }
        for promise in [behind, following] {
            let error = try misuse(on: queue) { Result { try promise.get(timeout: Self.limit) } }
            #expect(error?.reason == .serialExecutor("serial"))
        }
        #expect(try misuse(on: queue) { Result { try gate.get(timeout: .milliseconds(1)) } } == nil)
        resolver.fulfill(1)
        for promise in [behind, following] {
            #expect(try elsewhere { Result { try promise.get(timeout: Self.limit) } }.get() == 2)
        }
    }
}

// SPDX-License-Identifier: MIT
