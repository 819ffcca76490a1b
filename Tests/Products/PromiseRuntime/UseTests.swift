import Dispatch
import PromiseRuntime
import Testing
import UserNames

// Code as users of PromiseRuntime write it: this target sees public declarations only.

private struct Declined: Error {}

private func stock(_ item: String) -> Promise<Int> { Promise(label: "stock of \(item)") { item.count } }

/// A user's own executor.
private final class Later: PromiseExecutor {
    let identity = ExecutorIdentity(name: "later")
    private let queue = DispatchQueue(label: "later")

    func submit(_ job: PromiseJob) { queue.async { job.run() } }
}

struct PromiseRuntimeUseTests {
    @Test("an order, from the stock to the receipt")
    func order() async throws {
        let receipt = stock("tea")
            .then(label: "charge") { count in Promise<Int> { resolve, _ in resolve(count * 10) } }
            .tap { _ in }
            .timeout(.seconds(60))
            .map { "paid \($0)" }
            .catch(only: Declined.self) { _ in "declined" }
            .finally {}
        #expect(try await receipt.value == "paid 30")
        #expect(receipt.isSettled && receipt.label == nil && receipt.kind == .anyway)
    }

    @Test("a cancellation calls back, and waiters get its reason")
    func cancellation() async throws {
        let (promise, resolver) = Promise<Int>.pending(label: "answer")
        let stopped = Promise<String>.pending()
        resolver.onCancel { stopped.resolver.fulfill("stopped") }
        promise.cancel("no longer wanted", by: .program)
        #expect(try await stopped.promise.value == "stopped")
        #expect(promise.isCancelled && resolver.isCancelled)
        let error = await #expect(throws: PromiseCancelledError.self) { try await promise.value }
        #expect(error?.reason == "no longer wanted")
    }

    @Test("several promises at once and one after another, and an attempt again")
    func combinators() async throws {
        let both = Promise.all(stock("tea"), Promise.resolve("pot"))
        #expect(try await both.value == (3, "pot"))
        #expect(try await Promise.all(["a", "bc"].map { stock($0) }).value == [1, 2])
        #expect(try await Promise.any([Promise<Int>.reject(Declined()), stock("abc")]).value == 3)
        #expect(try await Promise.sequence(["a", "bc"], concurrency: 2) { stock($0) }.value == [1, 2])
        let retried = Promise<Int>.retry(3, backoff: RetryBackoff.constant(.milliseconds(1))) { stock("ab") }
        #expect(try await retried.value == 2)
        let outcomes = try await Promise.allSettled([Promise<Int>.reject(Declined()), stock("a")]).value
        #expect(outcomes.count == 2)
    }

    @Test("a chain that is described once and launched twice")
    func chain() async throws {
        let chain = Chain(label: "order").then { stock("tea") }.map { $0 + 1 }.recover { _ in .resolve(0) }
        #expect(try await chain.async().value == 4)
        let awaiter = Chain.async { chain.map { $0 * 2 } }
        #expect(try await awaiter.value == 8)
        Chain.launch { chain }
    }

    @Test("executors by name, a queue, and one of the user's own")
    func executors() async throws {
        let own = Later()
        let sum = stock("a").map(on: own) { $0 + 1 }.map(on: .pool) { $0 + 1 }
            .map(on: .queue(DispatchQueue(label: "own"))) { $0 + 1 }.map(on: .inline) { $0 + 1 }
        #expect(try await sum.value == 5)
        #expect(sum.runtime === ChainRuntime.shared)
    }

    @Test("a runtime of the user's own, with hooks for defects")
    func runtime() async throws {
        let runtime = ChainRuntime(executor: ManualExecutor(name: "test"))
        let reported = Promise<String>.pending()
        runtime.onUnhandled = { reported.resolver.fulfill("\($0.error)") }
        runtime.run { _ = Promise<Int>.reject(Declined()) }
        #expect(try await reported.promise.value == "Declined()")
    }

    @Test("names of a user's own module are not ambiguous beside the library's")
    func names() {
        // A name in the place of a type, and a call, do not compile if they are ambiguous.
        let values: (Resolve?, Completion?, Store?, Runtime?) = (nil, nil, nil, nil)
        let types = String(reflecting: type(of: values))
        #expect(types.ranges(of: "UserNames.").count == 4, "\(types)")
        #expect(launch() == 1)
    }
}

// SPDX-License-Identifier: MIT
