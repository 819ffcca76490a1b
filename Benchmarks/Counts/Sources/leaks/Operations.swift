// SPDX-License-Identifier: MIT

import ChainTesting
import PromiseRuntime

/// One use of an operation, from making its promises to their release.
struct Operation: Sendable {
    let name: String
    let round: @Sendable () -> Void

    init(_ name: String, _ round: @escaping @Sendable () -> Void) {
        self.name = name
        self.round = round
    }
}

extension Outcome {
    /// A promise that is settled already.
    var settled: Promise<Value> { do { return .resolve(try get()) } catch { return .reject(error) } }

    func settle(_ resolver: Resolver<Value>) {
        do { resolver.fulfill(try get()) } catch { resolver.reject(error) }
    }

    /// Calls `make` with a pending promise, and settles the promise afterwards.
    func later(_ make: (Promise<Value>) -> Void) {
        let (promise, resolver) = Promise<Value>.pending()
        make(promise)
        settle(resolver)
    }

    /// The operations that make a promise, or a link on one promise.
    var links: [Operation] {
        [
            Operation("settled") { use(settled) },
            Operation("work") { use(Promise { try get() }) },
            Operation("body") { use(Promise<Value> { resolver in settle(resolver) }) },
            Operation("body-thrown") { use(Promise<Value> { (_: Resolver<Value>) in use(try get()) }) },
            Operation("callback") { use(Promise<Value>.callback { settle($0.resolver) }) },
            Operation("resolver") { later { use($0) } },
            Operation("resolver-twice") {
                let resolver = Promise<Value>.pending().resolver
                settle(resolver)
                settle(resolver)
            },
            Operation("resolver-adopting") { Promise<Value>.pending().resolver.resolve(settled) },
            Operation("map-thrown") { use(Promise.resolve(1).map { _ in try get() }) },
            Operation("passed-on") { later { use($0.map { $0 }.tap { _ in }.done { _ in }) } },
            Operation("then-adopting-settled") { use(Promise.resolve(1).then { _ in settled }) },
            Operation("then-adopting-pending") { later { promise in use(Promise.resolve(1).then { _ in promise }) } },
            Operation("then-callback") {
                use(Promise.resolve(1).thenCallback(to: Value.self) { _, resolver in settle(resolver) })
            },
            Operation("catch") { later { use($0.catch { _ in value() }) } },
            Operation("catch-thrown") { later { use($0.catch { _ in try get() }) } },
            Operation("catch-only") { use(settled.catch(only: Failures.Structure.self) { _ in value() }) },
            Operation("recover") { later { use($0.recover { _ in settled }) } },
            Operation("failed") { later { use($0.failed { _ in }) } },
            Operation("failed-thrown") { later { use($0.failed { _ in use(try get()) }) } },
            Operation("anyway") { later { use($0.anyway { _ in }) } },
            Operation("finally-thrown") { later { use($0.finally { use(try get()) }) } },
            Operation("ignore") { later { use($0.ignore { $0 }) } },
            Operation("as-result") { later { use($0.asResult()) } },
            Operation("read") { use(settled.result) },
            Operation("handlers-of-one") { later { promise in for _ in 0..<4 { promise.anyway { _ in } } } },
        ]
    }

    /// The operations that make one promise of several promises or rounds.
    var combinators: [Operation] {
        [
            Operation("all") { later { use(Promise.all([.resolve(value()), $0, settled])) } },
            Operation("all-cancelling-losers") {
                later { use(Promise.all([$0, Promise<Value>.pending().promise], cancellingLosers: true)) }
            },
            Operation("all-settled") { later { use(Promise.allSettled([.resolve(value()), $0, settled])) } },
            Operation("any") { later { use(Promise.any([settled, $0])) } },
            Operation("race") { later { use(Promise.race([$0, settled])) } },
            Operation("sequence") { use(Promise.sequence(0..<3) { _ in settled }) },
            Operation("sequence-concurrent") { use(Promise.sequence(0..<3, concurrency: 2) { _ in settled }) },
            Operation("for-each") { use(Promise.forEach(0..<3) { _ in settled }) },
            Operation("retry") { use(Promise.retry(3) { settled }) },
            Operation("retry-thrown") { use(Promise.retry(3) { Promise.resolve(try get()) }) },
            Operation("repeat") {
                use(
                    Promise.repeat {
                        settled
                    } until: { _ in
                        true
                    })
            },
            Operation("chain.launch") { Chain().then { _ in settled }.map { $0 }.launch() },
            Operation("chain.async") { use(Chain().then { _ in settled }.async().result) },
            Operation("chain.catch") { Chain().then { _ in settled }.catch { _ in value() }.launch() },
            Operation("chain.all") { Chain().all(cold).launch() },
            Operation("chain.race") { Chain().race(cold).launch() },
            Operation("chain.seq") { Chain().seq(cold).launch() },
        ]
    }

    private var cold: [Chain<Void, Value>] {
        [Chain().then { _ in settled }, Chain().map { _ in value() }, Chain().then { _ in settled }.tap { _ in }]
    }

    /// The operations that a clock or a cancellation ends.
    func endings(_ clock: VirtualClock) -> [Operation] {
        [
            Operation("cancel") {
                let (promise, resolver) = Promise<Value>.pending()
                use(promise.map { $0 }.anyway { _ in })
                promise.cancel()
                settle(resolver)
            },
            Operation("cancel-following") {
                let resolver = Promise<Value>.pending().resolver
                let follower = Promise.resolve(1).then { _ in resolver.promise }
                follower.cancel()
                settle(resolver)
            },
            Operation("cancel-all") {
                later { promise in Promise.all([promise, settled], cancellingLosers: true).cancel() }
            },
            Operation("cancel-retry") {
                later { promise in Promise.retry(3) { promise }.cancel() }
                clock.advance(by: .seconds(1))
            },
            Operation("cancel-sequence") { later { promise in Promise.sequence(0..<3) { _ in promise }.cancel() } },
            Operation("cancel-chain") { later { promise in Chain().then { promise }.async().cancel() } },
            Operation("abandonment") { use(Promise<Value>.pending().promise.map { $0 }.catch { _ in value() }) },
            Operation("timeout") { later { use($0.timeout(.seconds(1))) } },
            Operation("timeout-over") {
                later {
                    use($0.timeout(.milliseconds(1)))
                    clock.advance(by: .seconds(1))
                }
            },
            Operation("delay") {
                use(settled.delay(.milliseconds(1)))
                clock.advance(by: .seconds(1))
            },
            Operation("retry-with-backoff") {
                use(Promise.retry(3, backoff: .constant(.milliseconds(1))) { settled })
                clock.advance(by: .seconds(1))
            },
        ]
    }

    /// The operations with tasks and waiting threads, on executors that have threads.
    var concurrent: [Operation] {
        [
            Operation("async") { waitFor(Promise(async: { try get() })) },
            Operation("async-cancelled") {
                let promise = Promise<Value>(async: {
                    while !Task.isCancelled { await Task.yield() }
                    return try get()
                })
                promise.cancel()
                waitFor(promise)
            },
            Operation("pool") { waitFor(Promise(on: PoolExecutor.shared) { try get() }.map { $0 }) },
            Operation("get") { use(try? Promise(on: PoolExecutor.shared) { try get() }.get()) },
            Operation("chain.await") {
                use(Chain(on: PoolExecutor.shared).map { _ in try get() }.async().await())
            },
            Operation("value") { waitForTask { use(try? await Promise { try get() }.value) } },
            Operation("value-cancelled") {
                waitForTask {
                    let promise = Promise<Value>.pending().promise
                    let task = Task { try await promise.value }
                    task.cancel()
                    promise.cancel()
                    use(try? await task.value)
                }
            },
        ]
    }
}
