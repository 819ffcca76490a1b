import ChainTesting
import PromiseRuntime
import Synchronization
import Testing

@Suite struct TaskScopeTests {
    private struct Declined: Error, CustomStringConvertible { var description: String { "card expired" } }

    @Test func scopesNestThroughChildTasksAndTasks() async {
        let run = RecordedRun()
        await run.record {
            await withChain("order 17") {
                async let score = withChain("fraud score") { 3 }
                #expect(await score == 3)
                await withTaskGroup { group in group.addTask { await withChain("item") {} } }
                await Task { await withChain("mail") {} }.value
                await Task.detached { await withChain("elsewhere") {} }.value
            }
        }
        assertChain(
            run,
            matches: """
                fulfilled task order 17
                  fulfilled task fraud score
                  fulfilled task item
                  fulfilled task mail
                """)
    }

    @Test func promisesOfAScopeStandUnderItOnItsRuntime() async throws {
        let run = RecordedRun()
        let promise = await run.record {
            await withChain("order") { Promise.delay(.seconds(3_600)).map(label: "paid") { 7 } }
        }
        run.runUntilIdle()
        #expect(try await promise.value == 7)
        assertChain(
            run,
            matches: """
                fulfilled task order
                  fulfilled delay · total 3600s
                  fulfilled map paid = 7
                """)
    }

    @Test func promisesOfAsynchronousWorkStandUnderIt() async throws {
        let run = RecordedRun()
        let promise = run.record {
            Promise<Int>(
                label: "load",
                async: {
                    await withChain("parse") { _ = Promise.resolve(1, label: "page") }
                    return 3
                })
        }
        #expect(try await promise.value == 3)
        assertChain(
            run,
            matches: """
                fulfilled task load = 3
                  fulfilled scope parse
                    fulfilled resolve page = 1
                """)
    }

    @Test func anErrorIsShownAndPassedOn() async {
        let run = RecordedRun()
        let unhandled = Atomic(0)
        run.runtime.onUnhandled = { _ in unhandled.add(1, ordering: .relaxed) }
        await #expect(throws: Declined.self) {
            try await run.record { try await withChain("charge") { throw Declined() } }
        }
        assertChain(run, matches: "rejected task charge ! card expired")
        #expect(unhandled.load(ordering: .relaxed) == 0)
    }

    @Test func aCancellationErrorIsShownAsACancellation() async {
        let run = RecordedRun()
        let unhandled = Atomic(0)
        run.runtime.onUnhandled = { _ in unhandled.add(1, ordering: .relaxed) }
        await #expect(throws: CancellationError.self) {
            try await run.record { try await withChain("charge") { throw CancellationError() } }
        }
        let promise = run.record { Promise<Int>(label: "load", async: { throw CancellationError() }) }
        await #expect(throws: PromiseCancelledError.self) { try await promise.value }
        assertChain(
            run,
            matches: """
                cancelled task charge ! cancelled by program: its task was cancelled
                cancelled task load ! cancelled by program: its task was cancelled
                """)
        #expect(unhandled.load(ordering: .relaxed) == 0)
    }

    @Test func cancellingTheNodeCancelsTheTask() async {
        let run = RecordedRun()
        // In a task of its own, because the test's task would be cancelled.
        let order = Task {
            try await run.record {
                try await withChain("order") {
                    try await withChain("charge") {
                        #expect(run.cancelTree(labelled: "charge", by: "ann") == 1)
                        try Task.checkCancellation()
                    }
                }
            }
        }
        await #expect(throws: CancellationError.self) { try await order.value }
        assertChain(
            run,
            matches: """
                cancelled task order ! cancelled by program: its task was cancelled
                  cancelled scope charge ! cancelled by ann (by a viewer)
                """)
    }

    /// A child task, which lives on the stack of its parent, may end while a viewer cancels its scope.
    @Test func scopesEndWhileTheyAreCancelled() async {
        let run = RecordedRun()
        for round in 1...200 {
            let (hasBegun, begin) = AsyncStream<Void>.makeStream()
            async let cancelled = Task.detached {
                for await _ in hasBegun {}
                run.promise(labelled: "order \(round)")?.cancel()
            }.value
            await run.record {
                async let order: Void = withChain("order \(round)") { begin.finish() }
                await order
            }
            _ = await cancelled
        }
        #expect(run.batch.events.count { $0.kind == .created } == 200)
    }

    /// The task has to live until its cancellation handlers have returned, also those outside of the scope.
    @Test func aScopeWaitsForACancellationInProgress() async {
        let run = RecordedRun()
        for round in 1...100 {
            let (isCancelling, cancelling) = AsyncStream<Void>.makeStream()
            let hasReturned = Atomic(false)
            await Task {
                await withTaskCancellationHandler {
                    await run.record {
                        await withChain("order \(round)") {
                            Task.detached { run.promise(labelled: "order \(round)")?.cancel() }
                            for await _ in isCancelling {}
                        }
                    }
                    let isOver = hasReturned.load(ordering: .relaxed)
                    #expect(isOver)
                } onCancel: {
                    cancelling.finish()
                    hasReturned.store(true, ordering: .relaxed)
                }
            }.value
        }
        #expect(run.batch.events.count { $0.kind == .cancelled } == 100)
    }

    @Test func aRunInAScopeKeepsTheScope() async {
        let run = RecordedRun()
        await run.record {
            await withChain("order") { await run.record { await withChain("charge") {} } }
        }
        assertChain(
            run,
            matches: """
                fulfilled task order
                  fulfilled scope charge
                """)
    }

    @Test func theLabelIsNotEvaluatedWithoutARecorder() async {
        let runtime = ChainRuntime()
        func label() -> String {
            Issue.record("the label was evaluated")
            return ""
        }
        #expect(await runtime.run { await withChain(label()) { 5 } } == 5)
    }

    @Test func anActorKeepsItsIsolation() async {
        actor Till {
            var total = 0
            func add(_ amount: Int) async { await withChain("add") { total += amount } }
        }
        let till = Till()
        let run = RecordedRun()
        await run.record { await till.add(4) }
        #expect(await till.total == 4)
        assertChain(run, matches: "fulfilled task add")
    }
}

// SPDX-License-Identifier: MIT
