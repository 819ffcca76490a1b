import PromiseRuntime
import Testing

/// Promises/A+ 2.2.7: `then` returns a promise, settled by its handlers.
@Suite(.nothingLeft) struct APlus2_2_7Tests {
    @Test("2.2.7.1 a value that is returned fulfils the child", arguments: Case.all)
    func returnedValue(_ run: Case) throws {
        let made = Log<Promise<String>>()
        try run.fulfilled(1) { made.add($0.map { "\($0 + 1)" }) }
        try run.rejected(String.self, Failure()) { made.add($0.catch { "\($0)!" }) }
        #expect(try made.entries.map { try value(of: $0) } == ["2", "failed!"])
    }

    @Test("2.2.7.2 a throw rejects the child", arguments: Case.all)
    func throwRejects(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.fulfilled(1) { promise in
            made.add(promise.map { _ in throw Failure("map") })
            made.add(promise.then { _ -> Promise<Int> in throw Failure("then") })
            made.add(promise.done { _ in throw Failure("done") }.map { 0 })
            made.add(promise.tap { _ in throw Failure("tap") })
        }
        try run.rejected(Int.self, Failure("parent")) { promise in
            made.add(promise.catch { _ in throw Failure("catch") })
            made.add(promise.recover { _ -> Promise<Int> in throw Failure("recover") })
        }
        let names = try made.entries.map { "\(try error(of: $0))" }
        #expect(names == ["map", "then", "done", "tap", "catch", "recover"])
        for promise in made.entries { promise.catch { _ in 0 } }
    }

    @Test("2.2.7.3 without onFulfilled the value is passed on", arguments: Case.all)
    func valuePassesOn(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.fulfilled(5) { promise in
            made.add(promise.catch { _ in 0 })
            made.add(promise.catch(only: Failure.self) { _ in 0 })
            made.add(promise.recover { _ in Promise.resolve(0) })
            made.add(promise.failed { _ in })
        }
        #expect(try made.entries.map { try value(of: $0) } == [5, 5, 5, 5])
    }

    @Test("2.2.7.4 without onRejected the reason is passed on", arguments: Case.all)
    func reasonPassesOn(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.rejected(Int.self, Failure("kept")) { promise in
            made.add(promise.map { $0 })
            made.add(promise.then { Promise.resolve($0) })
            made.add(promise.done { _ in }.map { 0 })
            made.add(promise.tap { _ in })
            made.add(promise.ignore { _ in 1 }.map { _ in 0 })
        }
        for promise in made.entries {
            #expect(try error(of: promise) as? Failure == Failure("kept"))
            promise.catch { _ in 0 }
        }
    }

    @Test("2.2.7 the child is another promise, each time", arguments: Case.all)
    func anotherPromise(_ run: Case) throws {
        try run.fulfilled(1) { promise in
            let (first, second) = (promise.map { $0 }, promise.map { $0 })
            #expect(first !== promise && first !== second)
        }
    }

    @Test("2.2.7.2 a throw of any error rejects the child with it", arguments: Case.all)
    func everyError(_ run: Case) throws {
        let errors: [any Error] = [Failure(), PromiseCancelledError(), CancellationError()]
        let made = Log<Promise<Int>>()
        try run.fulfilled(1) { promise in for error in errors { made.add(promise.map { _ in throw error }) } }
        for (promise, thrown) in zip(made.entries, errors) {
            #expect(type(of: try error(of: promise)) == type(of: thrown))
            promise.catch { _ in 0 }
        }
    }
}

// SPDX-License-Identifier: MIT
