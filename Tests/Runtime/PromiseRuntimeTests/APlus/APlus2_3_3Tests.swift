import PromiseRuntime
import Testing

/// Promises/A+ 2.3.3: a `Thenable` is asked for its promise, once.
@Suite(.nothingLeft) struct APlus2_3_3Tests {
    @Test("2.3.3 a Thenable is asked for its promise once")
    func thenableIsAskedOnce() throws {
        let seen = Log<Int>()
        let promise = Promise.resolve(1).then { Making(value: $0 + 1, seen: seen) }
        #expect(try value(of: promise) == 2)
        #expect(seen.entries == [2])
    }

    @Test("2.3.3 each operation that takes a Thenable follows it, whenever it settles", arguments: Case.all)
    func fromEachPlace(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        let seen = Log<Int>()
        try run.fulfilled(4) { inner in
            let thenable = Wrapped(inner: inner, seen: seen)
            made.add(Promise.resolve(0).then { _ in thenable })
            made.add(Promise<Int>.reject(Failure()).recover { _ in thenable })
            let (promise, resolver) = Promise<Int>.pending()
            resolver.resolve(thenable)
            made.add(promise)
            made.add(Promise<Int> { resolve, _ in resolve(thenable) })
        }
        #expect(try made.entries.map { try value(of: $0) } == [4, 4, 4, 4])
        #expect(seen.count == 4)
    }

    @Test("2.3.3.3.2 a rejected Thenable rejects", arguments: Case.all)
    func rejected(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        let seen = Log<Int>()
        try run.rejected(Int.self, Failure("inner")) { inner in
            made.add(Promise.resolve(0).then { _ in Wrapped(inner: inner, seen: seen) })
        }
        let promise = try #require(made.entries.first)
        #expect(try error(of: promise) as? Failure == Failure("inner"))
        promise.catch { _ in 0 }
    }
}

/// A Thenable that makes a promise, and logs each call.
private struct Making: Thenable {
    let value: Int
    let seen: Log<Int>

    func asPromise() -> Promise<Int> {
        seen.add(value)
        return .resolve(value)
    }
}

/// A Thenable that has a promise, and logs each call.
private struct Wrapped: Thenable {
    let inner: Promise<Int>
    let seen: Log<Int>

    func asPromise() -> Promise<Int> {
        seen.add(0)
        return inner
    }
}

// SPDX-License-Identifier: MIT
