import PromiseRuntime
import SeededNumbers
import Testing

/// Cancellations that race with the work that they stop, on real threads (TheRules, X1, X4).
@Suite(.nothingLeft) struct CancelAgainstWorkTests {
    @Test("X4 work that polls isCancelled finds the promise cancelled")
    func polling() throws {
        for round in 0..<Seeds.rounds(3_000) {
            let (promise, resolver) = ChainRuntime(executor: InlineExecutor.shared).run { Promise<Int>.pending() }
            try onThreads(2) { thread in
                if thread == 0 { return promise.cancel() }
                while !resolver.isCancelled {}
                switch round % 3 {
                case 0: resolver.fulfill(1)
                case 1: resolver.resolve(Promise.resolve(1))
                default: resolver.reject(Failure())
                }
            }
            let outcome = try #require(promise.result)
            #expect(throws: PromiseCancelledError.self, "round \(round)") { try outcome.get() }
        }
    }

    @Test("X4, S2 work that returns because it was cancelled abandons nothing")
    func leaving() throws {
        let abandoned = Box(0)
        for _ in 0..<Seeds.rounds(3_000) {
            let runtime = ChainRuntime(executor: InlineExecutor.shared)
            runtime.onAbandoned = { _ in abandoned.change { $0 += 1 } }
            let (promise, only) = runtime.run { Promise<Int>.pending() }
            let resolver = Box<Resolver<Int>?>(only)
            try onThreads(2) { thread in
                if thread == 0 { return promise.cancel() }
                while !promise.isCancelled {}
                resolver.value = nil
            }
            #expect(try error(of: promise) is PromiseCancelledError)
        }
        #expect(abandoned.value == 0)
    }

    @Test("X4 a handler that cancels asynchronous work cancels its task before it returns")
    func cancelledInAHandler() async throws {
        let runtime = ChainRuntime()
        NothingLeft.watch(runtime)
        let (begun, isTaskCancelled) = (Box(false), Box(false))
        let (gate, resolver) = runtime.run { Promise<Int>.pending() }
        let work = runtime.run {
            Promise<Int>(async: {
                try await withTaskCancellationHandler {
                    begun.value = true
                    return try await gate.value
                } onCancel: {
                    isTaskCancelled.value = true
                }
            })
        }
        try await soon("the task") { begun.value }
        let handler = runtime.run {
            Promise<Bool>(on: ThreadExecutor.shared) {
                work.cancel()
                return isTaskCancelled.value
            }
        }
        // Awaited, because a blocked test keeps a thread of the tasks.
        #expect(try await handler.value)
        await #expect(throws: PromiseCancelledError.self) { try await work.value }
        withExtendedLifetime(resolver) {}
    }
}

// SPDX-License-Identifier: MIT
