import ChainEvents
import ChainTesting
import PromiseRuntime
import Testing

/// TheRules, C2: a chain's links mean what they mean on a promise.
struct ChainLinkTests {
    private let run = RecordedRun()

    /// Runs a chain, and returns its result.
    private func result<Value>(_ chain: Chain<Void, Value>) -> Result<Value, any Error>? {
        let awaiter = run.record { chain.async() }
        run.runUntilIdle()
        return awaiter.result
    }

    private let good = Chain().map { 5 }
    private let bad = Chain().map { () -> Int in throw Failure() }

    @Test("C2 then continues with a promise or a chain, on either outcome")
    func then() throws {
        #expect(try result(good.then { Promise.resolve($0 + 1) })?.get() == 6)
        #expect(try result(good.then { value in Chain().map { value + 2 } })?.get() == 7)
        #expect(
            try result(
                bad.then {
                    Promise.resolve($0)
                } onRejected: { _ in
                    Promise.resolve(8)
                })?.get() == 8)
        #expect(result(bad.then { Promise.resolve($0) })?.error as? Failure == Failure())
    }

    @Test("C2 map, done, tap")
    func values() throws {
        let seen = Log<Int>()
        #expect(try result(good.map { "\($0)" })?.get() == "5")
        #expect(try result(good.tap { seen.add($0) })?.get() == 5)
        #expect(result(good.tap { _ in throw Failure("tap") })?.error as? Failure == Failure("tap"))
        #expect(result(good.done { seen.add($0) }) != nil)
        #expect(result(bad.done { seen.add($0) })?.error as? Failure == Failure())
        #expect(seen.entries == [5, 5])
    }

    @Test("C2 catch, catch(only:) and recover continue with a value")
    func recovery() throws {
        #expect(try result(bad.catch { _ in 1 })?.get() == 1)
        #expect(try result(bad.catch(only: Failure.self) { $0.name.count })?.get() == 6)
        #expect(result(bad.catch(only: PromiseCancelledError.self) { _ in 1 })?.error as? Failure == Failure())
        #expect(try result(bad.recover { _ in Promise.resolve(2) })?.get() == 2)
        #expect(try result(bad.recover { _ in Chain().map { 3 } })?.get() == 3)
        #expect(try result(good.catch { _ in 1 }.recover { _ in Promise.resolve(2) })?.get() == 5)
    }

    @Test("C2 failed runs on an error, which is passed on")
    func failed() throws {
        let seen = Log<String>()
        #expect(result(bad.failed { seen.add("\($0)") }.map { _ in seen.add("map") })?.error as? Failure == Failure())
        #expect(try result(good.failed { seen.add("\($0)") })?.get() == 5)
        #expect(seen.entries == ["failed"])
    }

    @Test("C2 anyway and finally run always and change nothing")
    func anyway() throws {
        let seen = Log<String>()
        #expect(try result(good.anyway { seen.add("\(try! $0.get())") }.finally { seen.add("end") })?.get() == 5)
        #expect(
            result(bad.anyway { seen.add("\($0.error!)") }.finally { seen.add("end") })?.error as? Failure == Failure())
        #expect(seen.entries == ["5", "end", "failed", "end"])
        #expect(result(good.anyway { _ in throw Failure("anyway") })?.error as? Failure == Failure("anyway"))
    }

    @Test("C2 ignore runs its action and is fulfilled with its outcome; not under an earlier error")
    func ignore() throws {
        let seen = Log<String>()
        let ignored = result(good.ignore { _ in throw Failure("ignored") }.map { $0.error as? Failure })
        #expect(try ignored?.get() == Failure("ignored"))
        #expect(try result(good.ignore { try $0.get() + 1 })?.get().get() == 6)
        #expect(result(bad.ignore { _ in seen.add("no") })?.error as? Failure == Failure())
        #expect(seen.count == 0)
    }

    @Test("C2 asResult, delay, timeout")
    func others() throws {
        #expect(try result(bad.asResult())?.get().error as? Failure == Failure())
        #expect(try result(good.delay(.seconds(1)))?.get() == 5)
        let slow = Chain().then { Promise.delay(.seconds(9)) }.timeout(.seconds(1))
        #expect((result(slow)?.error as? PromiseTimeoutError)?.limit == .seconds(1))
    }

    @Test("C2 a chain's nodes have the kinds, labels and lines of their links")
    func nodes() {
        let line: UInt32 = #line + 1
        let chain = Chain().map(label: "five") { 5 }
            .tap(label: "look") { _ in }
        run.record { chain.launch() }
        let made = run.batch.events.filter { $0.kind == .created }
        #expect(made.map(\.nodeKind) == [.chain, .map, .tap])
        #expect(made.map { run.batch.text(of: $0) } == [nil, "five", "look"])
        let sites = made.map { run.batch.sites[$0.site] }
        #expect(sites.map { $0?.line } == [line + 2, line, line + 1])
        #expect(sites.allSatisfy { $0?.fileName == "ChainLinkTests.swift" })
    }
}

// SPDX-License-Identifier: MIT
