import PromiseRuntime
import Testing

/// TheRules, P6: each operation over a value, an error, and a throw in its handler.
@Suite(.nothingLeft) struct OperationTests {
    private let fulfilled = Promise.resolve(1)
    private let rejected = Promise<Int>.reject(Failure("parent"))

    /// Returns the outcome as text, with `!` before an error.
    private func text<Value: Sendable>(_ promise: Promise<Value>) throws -> String {
        switch try outcome(promise) {
        case .success(let value): return "\(value)"
        case .failure(let error):
            promise.failed { _ in }
            return "! \(error)"
        }
    }

    @Test("P6 catch recovers with a value")
    func catching() throws {
        #expect(try text(fulfilled.catch { _ in 2 }) == "1")
        #expect(try text(rejected.catch { "\($0)".count }) == "6")
        #expect(try text(rejected.catch { _ in throw Failure("own") }) == "! own")
    }

    @Test("P6 catch(only:) handles errors of one type")
    func catchingOnly() throws {
        #expect(try text(fulfilled.catch(only: Failure.self) { _ in 2 }) == "1")
        #expect(try text(rejected.catch(only: Failure.self) { $0.name.count }) == "6")
        #expect(try text(rejected.catch(only: PromiseTimeoutError.self) { _ in 2 }) == "! parent")
        #expect(try text(rejected.catch(only: Failure.self) { _ in throw Failure("own") }) == "! own")
    }

    @Test("P6 recover recovers with a promise")
    func recovering() throws {
        #expect(try text(fulfilled.recover { _ in Promise.resolve(2) }) == "1")
        #expect(try text(rejected.recover { _ in Promise.resolve(2) }) == "2")
        #expect(try text(rejected.recover { _ in Promise<Int>.reject(Failure("inner")) }) == "! inner")
        #expect(try text(rejected.recover { _ -> Promise<Int> in throw Failure("own") }) == "! own")
    }

    @Test("P6 failed gets an error, which is passed on")
    func failing() throws {
        let seen = Log<String>()
        #expect(try text(fulfilled.failed { seen.add("\($0)") }) == "1")
        #expect(try text(rejected.failed { seen.add("\($0)") }) == "! parent")
        #expect(try text(rejected.failed { _ in throw Failure("own") }) == "! own")
        #expect(seen.entries == ["parent"])
    }

    @Test("P6 anyway and finally run for either outcome and change nothing; a throw rejects")
    func anyway() throws {
        let seen = Log<String>()
        #expect(try text(fulfilled.anyway { seen.add("\($0)") }) == "1")
        #expect(try text(rejected.anyway { seen.add("\($0)") }) == "! parent")
        #expect(try text(fulfilled.anyway { _ in throw Failure("own") }) == "! own")
        #expect(try text(rejected.anyway { _ in throw Failure("own") }) == "! own")
        #expect(try text(fulfilled.finally { seen.add("finally") }) == "1")
        #expect(try text(rejected.finally { seen.add("finally") }) == "! parent")
        #expect(try text(fulfilled.finally { throw Failure("own") }) == "! own")
        #expect(seen.entries == ["success(1)", "failure(parent)", "finally", "finally"])
    }

    @Test("P6 ignore runs its action, always fulfilled; not under a rejection, which is passed on")
    func ignoring() throws {
        let seen = Log<Int>()
        #expect(try text(fulfilled.ignore { _ in "done" }) == "success(\"done\")")
        #expect(try text(fulfilled.ignore { _ -> Int in throw Failure("own") }) == "failure(own)")
        #expect(
            try text(
                rejected.ignore { _ in
                    seen.add(1)
                    return 2
                }) == "! parent")
        #expect(seen.entries == [])
    }

    @Test("P6 asResult is always fulfilled; tap gets a value")
    func lookingOn() throws {
        let seen = Log<Int>()
        #expect(try text(fulfilled.asResult()) == "success(1)")
        #expect(try text(rejected.asResult()) == "failure(parent)")
        #expect(try text(fulfilled.tap { seen.add($0) }) == "1")
        #expect(try text(rejected.tap { seen.add($0) }) == "! parent")
        #expect(try text(fulfilled.tap { _ in throw Failure("own") }) == "! own")
        #expect(try text(fulfilled.done { _ in }) == "()")
        #expect(seen.entries == [1])
    }

    @Test("P6 values of every size and shape go through a chain unharmed")
    func values() throws {
        #expect(try value(of: Promise.resolve((1, "two", [3.0])).map { $0 }.map { $0.1 }) == "two")
        #expect(try value(of: Promise.resolve("a rather long string that is on the heap").map { $0 }).count == 40)
        #expect(try value(of: Promise.resolve(SIMD4<Float>(1, 2, 3, 4)).map { $0 }) == SIMD4(1, 2, 3, 4))
        #expect(try value(of: Promise<Int?>.resolve(nil).map { $0 ?? 5 }) == 5)
        let alive = Box(0)
        #expect(try value(of: Promise.resolve(Array(repeating: Canary(alive), count: 3)).map { $0.count }) == 3)
        try eventually("the release of the values") { alive.value == 0 }
    }
}

// SPDX-License-Identifier: MIT
