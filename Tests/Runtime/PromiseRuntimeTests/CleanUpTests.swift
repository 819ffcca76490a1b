import ChainEvents
import Foundation
import PromiseRuntime
import Testing

/// The state of a node when it is cancelled.
enum CancelMoment: CaseIterable, Sendable { case waiting, queued, parentRejected }

@Suite(.nothingLeft) struct CleanUpTests {
    private func seen(_ error: any Error) -> String { error is PromiseCancelledError ? "cancelled" : "\(error)" }

    private func seen(_ result: Result<Int, any Error>) -> String {
        switch result {
        case .success(let value): "\(value)"
        case .failure(let error): seen(error)
        }
    }

    /// Attaches every operation with a handler for clean-up, each of which logs its argument.
    private func cleanUps(of root: Promise<Int>, _ log: Log<String>) -> [AnyPromise] {
        [
            root.catch {
                log.add("catch \(self.seen($0))"); return 0
            },
            root.recover(includingCancellation: true) {
                log.add("recover \(self.seen($0))"); return Promise<Int>.resolve(0)
            },
            root.recover {
                log.add("recover without asking \(self.seen($0))"); return Promise<Int>.resolve(0)
            },
            root.failed { log.add("failed \(self.seen($0))") },
            root.anyway { log.add("anyway \(self.seen($0))") },
            root.finally { log.add("finally cancelled") },
            root.ignore { (outcome: Result<Int, any Error>) -> Int in
                log.add("ignore \(self.seen(outcome))"); return 0
            },
            root.then({ (_: Int) -> Promise<Int> in
                log.add("value"); return .resolve(0)
            }) {
                log.add("onRejected \(self.seen($0))")
                return .resolve(0)
            },
        ]
    }

    @Test(arguments: CancelMoment.allCases)
    func x3CleanUpRunsOnceWithTheCancellation(moment: CancelMoment) throws {
        let isolated = IsolatedRuntime()
        let unhandled = Log<String>()
        isolated.runtime.onUnhandled = { unhandled.add("\($0.error)") }
        let log = Log<String>()
        do {
            let (root, resolver) = isolated.run { Promise<Int>.pending() }
            let nodes = cleanUps(of: root, log)
            switch moment {
            case .waiting: root.cancel()
            case .queued:
                resolver.fulfill(1)
                root.cancel()
            case .parentRejected:
                resolver.reject(Failure())
                root.cancel()
            }
            for node in nodes { #expect(node.isSettled) }
            isolated.runAll()
            nodes.forEach { $0.cancel() }
            isolated.runAll()
        }
        // Links without a handler for the outcome passed it on before the cancellation, so they were not pending.
        let names =
            switch moment {
            case .waiting: ["anyway", "catch", "failed", "finally", "ignore", "onRejected", "recover"]
            case .queued: ["anyway", "finally", "ignore", "onRejected"]
            case .parentRejected: ["anyway", "catch", "failed", "finally", "onRejected", "recover"]
            }
        #expect(log.entries.sorted() == names.map { "\($0) cancelled" })
        // The error that `ignore` passed on is handled like any other.
        #expect(unhandled.entries == (moment == .parentRejected ? ["failed"] : []))
    }

    @Test func x3CleanUpFurtherDownRunsToo() throws {
        let isolated = IsolatedRuntime()
        let log = Log<String>()
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        let last = root.map { $0 + 1 }.failed { log.add("failed \(self.seen($0))") }.map { $0 }
            .anyway { log.add("anyway \(self.seen($0))") }
        root.cancel()
        #expect(log.entries == [], "not on the canceller's stack")
        isolated.runAll()
        #expect(log.entries.sorted() == ["anyway cancelled", "failed cancelled"])
        #expect(try error(of: last) is PromiseCancelledError)
        withExtendedLifetime(resolver) {}
    }

    @Test func x3ARunningHandlerIsNotRunAgain() throws {
        let isolated = IsolatedRuntime()
        let log = Log<String>()
        let node = Box<AnyPromise?>(nil)
        let root = isolated.run { Promise<Int>.reject(Failure("first")) }
        let child = root.catch {
            log.add(self.seen($0))
            node.value?.cancel()
            return 5
        }
        node.value = child
        isolated.runAll()
        #expect(log.entries == ["first"])
        #expect(try error(of: child) is PromiseCancelledError, "what it returned is dropped")
        node.value = nil
    }

    @Test func x3TheOutcomeOfCleanUpIsDropped() throws {
        let isolated = IsolatedRuntime()
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        let (other, otherResolver) = isolated.run { Promise<Int>.pending() }
        let caught = root.catch { _ in 7 }
        let thrown = root.failed { _ in throw Failure("late") }
        let recovered = root.recover { _ in other }
        root.cancel()
        isolated.runAll()
        for promise in [caught, thrown, recovered] { #expect(try error(of: promise) is PromiseCancelledError) }
        #expect(!other.isSettled, "what clean-up returns is dropped, not cancelled")
        withExtendedLifetime((resolver, otherResolver)) {}
    }

    @Test func x3ValueHandlersNeverRun() throws {
        let isolated = IsolatedRuntime()
        let ran = Log<String>()
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        let nodes: [AnyPromise] = [
            root.map {
                ran.add("map"); return $0
            }, root.done { _ in ran.add("done") },
            root.tap { _ in ran.add("tap") },
            root.then { value -> Promise<Int> in
                ran.add("then"); return .resolve(value)
            },
        ]
        resolver.fulfill(1)
        #expect(isolated.executor.pendingCount == 4)
        nodes.forEach { $0.cancel() }
        isolated.runAll()
        #expect(ran.entries == [])
    }

    @Test func x3ACancellationIsNoUnhandledError() throws {
        let isolated = IsolatedRuntime()
        let reported = Log<String>()
        isolated.runtime.onUnhandled = { reported.add("unhandled \($0.error)") }
        isolated.runtime.onAbandoned = { reported.add("abandoned \($0.error)") }
        do {
            let (root, _) = isolated.run { Promise<Int>.pending() }
            _ = root
        }
        #expect(reported.count == 1, "the hook gets the abandoned promise")
        do {
            let (root, resolver) = isolated.run { Promise<Int>.pending() }
            let child = root.map { $0 }
            root.cancel()
            withExtendedLifetime((child, resolver)) {}
        }
        isolated.runAll()
        #expect(reported.count == 1)
    }

    // MARK: X4

    @Test func x4OnCancelRunsOnTheExecutor() throws {
        let isolated = IsolatedRuntime()
        let ran = Box(0)
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        resolver.onCancel { ran.change { $0 += 1 } }
        #expect(!resolver.isCancelled)
        promise.cancel()
        #expect(resolver.isCancelled)
        #expect(ran.value == 0, "not on the canceller's thread")
        isolated.runAll()
        #expect(ran.value == 1)
        resolver.onCancel { ran.change { $0 += 10 } }
        #expect(ran.value == 1)
        isolated.runAll()
        #expect(ran.value == 11, "also when it is registered after")
        promise.cancel()
        isolated.runAll()
        #expect(ran.value == 11)
    }

    @Test func r1PromisesMadeInOnCancelInheritTheRuntime() throws {
        let isolated = IsolatedRuntime()
        let runtime = isolated.runtime
        let isInherited = Box(false)
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        resolver.onCancel { isInherited.value = ChainRuntime.current === runtime }
        promise.cancel()
        isolated.runAll()
        #expect(isInherited.value && ChainRuntime.current !== runtime)
    }

    @Test func x4OnCancelIsDroppedWhenThePromiseSettlesOtherwise() throws {
        let isolated = IsolatedRuntime()
        let alive = Box(0)
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        do {
            let canary = Canary(alive)
            resolver.onCancel { canary.touch() }
        }
        #expect(alive.value == 1)
        resolver.fulfill(1)
        promise.cancel()
        isolated.runAll()
        #expect(alive.value == 0)
        resolver.onCancel { Issue.record("it was not cancelled while pending") }
        isolated.runAll()
    }

    @Test func x4ARunningHandlerSeesItsCancellation() throws {
        let pool = PoolExecutor(name: "x4", width: 1)
        let (started, cancelled) = (Latch(), Latch())
        let seen = Log<Bool>()
        let done = Latch()
        let work = Promise<Int>(on: pool) {
            seen.add(ChainRuntime.isCancelled)
            started.open()
            try cancelled.wait("the cancellation")
            seen.add(ChainRuntime.isCancelled)
            done.open()
            return 1
        }
        try started.wait()
        #expect(!ChainRuntime.isCancelled, "outside of handlers")
        work.cancel()
        cancelled.open()
        try done.wait()
        #expect(seen.entries == [false, true])
    }

    @Test func x4AsyncWorkIsCancelled() async throws {
        let (started, saw) = (Box(false), Box(false))
        let work = Promise<Int>(async: {
            started.value = true
            while !Task.isCancelled { await Task.yield() }
            saw.value = true
            return 1
        })
        try await soon("the task's start") { started.value }
        work.cancel()
        try await soon("the task's end") { saw.value }
        #expect(try error(of: work) is PromiseCancelledError)
    }

    @Test func x4ABodyThatWasCancelledBeforeItRanNeverRuns() throws {
        let isolated = IsolatedRuntime()
        let work = isolated.run {
            Promise<Int> {
                Issue.record("it was cancelled before"); return 1
            }
        }
        work.cancel()
        isolated.runAll()
        #expect(try error(of: work) is PromiseCancelledError)
    }
}

// SPDX-License-Identifier: MIT
