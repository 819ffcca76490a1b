import ChainTesting
import Foundation
import PromiseRuntime
import Testing

/// A foreign API that takes callbacks of the usual shapes, and calls them on demand.
private final class Foreign: Sendable {
    private let calls = Box<[@Sendable () -> Void]>([])

    func count(_ number: Int, completion: @escaping @Sendable (Int) -> Void) {
        calls.change { $0.append { completion(number) } }
    }
    func remove(_ error: (any Error)?, completion: @escaping @Sendable ((any Error)?) -> Void) {
        calls.change { $0.append { completion(error) } }
    }
    func flush(completion: @escaping @Sendable () -> Void) { calls.change { $0.append(completion) } }
    func fetch(_ text: String?, _ error: (any Error)?, completion: @escaping @Sendable (String?, (any Error)?) -> Void)
    {
        calls.change { $0.append { completion(text, error) } }
    }
    func load(_ result: Result<String, Failure>, completion: @escaping @Sendable (Result<String, Failure>) -> Void) {
        calls.change { $0.append { completion(result) } }
    }

    /// Calls all callbacks, on the calling thread, and drops them.
    func answer() { calls.replace([]).forEach { $0() } }
}

/// TheRules, P9, APIs that call back; X2 to X4, S2 for them.
struct CallbackTests {
    private let isolated = IsolatedRuntime()
    private let api = Foreign()

    @Test("P9 the usual shapes, each a function that can be passed directly")
    func shapes() throws {
        let api = api
        let (number, removed, flushed, text, loaded) = isolated.run {
            (
                Promise<Int>.callback { api.count(3, completion: $0.value) },
                Promise<Void>.callback { api.remove(nil, completion: $0.error) },
                Promise<Void>.callback { api.flush(completion: $0.done) },
                Promise<String>.callback { api.fetch("text", nil, completion: $0.valueOrError) },
                Promise<String>.callback { api.load(.success("loaded"), completion: $0.result) }
            )
        }
        isolated.runAll()
        #expect(!number.isSettled && !removed.isSettled && !text.isSettled && !loaded.isSettled)
        api.answer()
        #expect(try value(of: number) == 3)
        #expect(try value(of: removed) == () && value(of: flushed) == ())
        #expect(try value(of: text) == "text")
        #expect(try value(of: loaded) == "loaded")
    }

    @Test("P9 the usual ways to fail; an error wins over a value, and without either the promise is rejected, too")
    func failures() throws {
        let api = api
        let line = UInt32(#line + 6)
        let (removed, failed, both, neither, loaded) = isolated.run {
            (
                Promise<Void>.callback { api.remove(Failure("remove"), completion: $0.error) },
                Promise<String>.callback { api.fetch(nil, Failure("fetch"), completion: $0.valueOrError) },
                Promise<String>.callback { api.fetch("text", Failure("both"), completion: $0.valueOrError) },
                Promise<String>.callback { api.fetch(nil, nil, completion: $0.valueOrError) },
                Promise<String>.callback { api.load(.failure(Failure("load")), completion: $0.result) }
            )
        }
        isolated.runAll()
        api.answer()
        #expect(try error(of: removed) as? Failure == Failure("remove"))
        #expect(try error(of: failed) as? Failure == Failure("fetch"))
        #expect(try error(of: both) as? Failure == Failure("both"))
        #expect(try error(of: loaded) as? Failure == Failure("load"))
        let missing = try #require(try error(of: neither) as? MissingOutcomeError)
        #expect(missing.site.line == line && missing.site.fileName == "CallbackTests.swift")
        #expect("\(missing)".hasSuffix("CallbackTests.swift:\(line) was called with neither a value nor an error"))
    }

    @Test("P9 a missing value is a value for a promise of an optional")
    func optionalValue() throws {
        let api = api
        let (passed, called, text, failed) = isolated.run {
            (
                Promise<String?>.callback { api.fetch(nil, nil, completion: $0.valueOrError) },
                Promise<String?>.callback { completion in
                    api.fetch(nil, nil) { completion.valueOrError($0, $1) }
                },
                Promise<String?>.callback { api.fetch("text", nil, completion: $0.valueOrError) },
                Promise<String?>.callback { api.fetch(nil, Failure("fetch"), completion: $0.valueOrError) }
            )
        }
        isolated.runAll()
        api.answer()
        #expect(try value(of: passed) == nil && value(of: called) == nil)
        #expect(try value(of: text) == "text")
        #expect(try error(of: failed) as? Failure == Failure("fetch"))
    }

    @Test("P9 the body runs later, on the executor; a throw in it rejects; only the first call counts")
    func body() throws {
        let other = ManualExecutor(name: "other")
        let ran = Box(false)
        let (thrown, twice) = isolated.run {
            (
                Promise<Int>.callback { _ in throw Failure("thrown") },
                Promise<Int>.callback(on: other) { completion in
                    ran.value = true
                    completion.value(1)
                    completion.value(2)
                    completion.valueOrError(nil, Failure("late"))
                    throw Failure("too late")
                }
            )
        }
        #expect(!thrown.isSettled)
        isolated.runAll()
        #expect(try error(of: thrown) as? Failure == Failure("thrown"))
        #expect(!ran.value)
        other.runAll()
        #expect(try value(of: twice) == 1)
    }

    @Test("S2 a callback that is never called abandons the promise; the error has its call site")
    func abandoned() throws {
        let line = UInt32(#line + 1)
        let promise = isolated.run { Promise<Int>.callback(label: "count") { _ in } }
        isolated.runAll()
        let abandoned = try #require(try error(of: promise) as? PromiseAbandonedError)
        #expect(abandoned.site.line == line && abandoned.labels == ["count"])
    }

    @Test("X4 the work can detect a cancellation")
    func cancelled() throws {
        let api = api
        let stopped = Log<String>()
        let promise = isolated.run {
            Promise<Int>.callback { completion in
                api.count(1, completion: completion.value)
                completion.onCancel { stopped.add("stopped \(completion.isCancelled)") }
            }
        }
        isolated.runAll()
        promise.cancel()
        #expect(stopped.entries == [], "on the executor, not on the canceller's thread")
        isolated.runAll()
        #expect(stopped.entries == ["stopped true"])
        api.answer()
        #expect(try error(of: promise) is PromiseCancelledError)
    }

    // MARK: thenCallback

    @Test("P9 a link that ends when its resolver is called: fulfilled, rejected, following")
    func link() throws {
        let resolvers = Log<Resolver<String>>()
        let (first, resolver) = isolated.run { Promise<Int>.pending() }
        let links = (0..<3).map { index in
            first.thenCallback(to: String.self) { value, resolver in
                #expect(value == 7)
                resolvers.add(resolver)
            }
        }
        resolver.fulfill(7)
        isolated.runAll()
        #expect(resolvers.count == 3 && links.map(\.isSettled) == [false, false, false])
        resolvers.entries[0].fulfill("seven")
        resolvers.entries[1].reject(Failure("seven"))
        resolvers.entries[2].resolve(isolated.run { Promise.resolve("followed") })
        #expect(try value(of: links[0]) == "seven")
        #expect(try error(of: links[1]) as? Failure == Failure("seven"))
        #expect(try value(of: links[2]) == "followed")
    }

    @Test("P9 its value's type is inferred from a closure of one statement, or given")
    func inference() throws {
        let api = api
        let length = isolated.run {
            Promise.resolve(3)
                .map { $0 + 1 }
                .thenCallback { api.fetch("\($0)", nil, completion: $1.completion.valueOrError) }
                .map { $0.count }
                .thenCallback(to: Int.self) { count, resolver in
                    let double = count * 2
                    api.count(double) { resolver.fulfill($0) }
                }
                .map { "\($0)" }
        }
        for _ in 0..<3 {
            isolated.runAll()
            api.answer()
        }
        isolated.runAll()
        #expect(try value(of: length) == "2")
    }

    @Test("P5 a throw in it rejects; its handler does not run under a rejection, which is passed on")
    func linkFails() throws {
        let ran = Box(false)
        let (thrown, skipped) = isolated.run {
            (
                Promise.resolve(1).thenCallback(to: Int.self) { _, _ in throw Failure("thrown") },
                Promise<Int>.reject(Failure("before")).thenCallback(to: Int.self) { _, _ in ran.value = true }
            )
        }
        isolated.runAll()
        #expect(try error(of: thrown) as? Failure == Failure("thrown"))
        #expect(try error(of: skipped) as? Failure == Failure("before"))
        #expect(!ran.value)
    }

    @Test("S2 a resolver that is released abandons the link")
    func linkAbandoned() throws {
        let promise = isolated.run { Promise.resolve(1).thenCallback(to: Int.self, label: "lost") { _, _ in } }
        isolated.runAll()
        #expect((try error(of: promise) as? PromiseAbandonedError)?.labels == ["lost"])
    }

    @Test(
        "X4, X3 cancelled while pending: onCancel is called, a late result is dropped; cancelled before its handler: that never runs"
    )
    func linkCancelled() throws {
        let log = Log<String>()
        let resolvers = Log<Resolver<Int>>()
        let (first, resolver) = isolated.run { Promise<Int>.pending() }
        let link = first.thenCallback(to: Int.self) { _, resolver in
            log.add("runs")
            resolver.onCancel { log.add("stopped") }
            resolvers.add(resolver)
        }
        let early = first.thenCallback(to: Int.self) { _, _ in log.add("never") }
        early.cancel()
        resolver.fulfill(1)
        isolated.runAll()
        link.cancel("enough")
        isolated.runAll()
        resolvers.entries[0].fulfill(1)
        #expect(log.entries == ["runs", "stopped"])
        #expect(try error(of: link) as? PromiseCancelledError == PromiseCancelledError(reason: "enough"))
    }

    @Test("P9 the link's run is its handler's; then it is pending, until its resolver is called")
    func timing() {
        let run = RecordedRun()
        let api = api
        run.record {
            _ = Promise<Int>.callback(label: "ask") { completion in
                Promise.delay(.seconds(1), label: "answer").done { completion.value(4) }
            }
            .thenCallback(to: Int.self, label: "double") { number, resolver in
                run.clock.advance(by: .milliseconds(500))
                api.count(2 * number) { resolver.fulfill($0) }
            }
        }
        run.run(until: .seconds(3))
        assertChain(
            run,
            matches: """
                fulfilled callback ask = 4 · total 1s
                  pending thenCallback double · run 0.5s · total 2s
                  fulfilled delay answer · total 1s
                  fulfilled done
                """)
        api.answer()
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                fulfilled callback ask = 4 · total 1s
                  fulfilled thenCallback double = 8 · run 0.5s · total 2s
                  fulfilled delay answer · total 1s
                  fulfilled done
                """)
    }
}

// SPDX-License-Identifier: MIT
