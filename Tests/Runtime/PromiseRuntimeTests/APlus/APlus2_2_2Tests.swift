import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.2.2: `onFulfilled` is called after the fulfilment, with the value, once.
@Suite(.nothingLeft) struct APlus2_2_2Tests {
    @Test("2.2.2.1 onFulfilled is called after fulfilment, with the value", arguments: Case.all)
    func onFulfilledGetsTheValue(_ run: Case) throws {
        let done = Latch()
        let seen = Log<Bool>()
        try run.fulfilled("value") { promise in
            promise.done { value in
                seen.add(value == "value" && promise.isSettled)
                done.open()
            }
        }
        try done.wait()
        #expect(seen.entries == [true])
    }

    @Test("2.2.2.2 onFulfilled is not called before")
    func onFulfilledIsNotEarly() throws {
        let isolated = IsolatedRuntime()
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let seen = Log<Int>()
        promise.done { seen.add($0) }
        isolated.runAll()
        #expect(seen.entries == [])
        resolver.fulfill(1)
        #expect(seen.entries == [])
        isolated.runAll()
        #expect(seen.entries == [1])
    }

    @Test("2.2.2.3 onFulfilled is called once", arguments: Case.all)
    func onFulfilledOnce(_ run: Case) throws {
        let done = Latch(2)
        let seen = Log<Int>()
        try run.with(
            Int.self,
            settle: { resolver in
                resolver.fulfill(1)
                resolver.fulfill(2)
                done.open()
            },
            use: { promise in
                promise.done { seen.add($0) }.finally { done.open() }
            })
        try done.wait()
        #expect(seen.entries == [1])
    }

    @Test("2.2.2, 2.2.3 only the handler for the outcome is called", arguments: Case.all)
    func onlyOneHandler(_ run: Case) throws {
        let done = Latch(2)
        let seen = Log<String>()
        let use: @Sendable (Promise<Int>) -> Void = { promise in
            promise.then { value in
                seen.add("value")
                return Promise.resolve(value)
            } onRejected: { _ in
                seen.add("error")
                return .resolve(0)
            }.finally { done.open() }
        }
        try run.fulfilled(1, use: use)
        try run.rejected(Int.self, Failure(), use: use)
        try done.wait()
        #expect(seen.entries.sorted() == ["error", "value"])
    }

    @Test("2.2.2.2 onFulfilled is never called for a promise that stays pending, nor for a rejected one")
    func neverCalled() {
        let isolated = IsolatedRuntime()
        let seen = Log<Int>()
        let (pending, resolver) = isolated.run { Promise<Int>.pending() }
        pending.done { seen.add($0) }
        isolated.run { Promise<Int>.reject(Failure()) }.done { seen.add($0) }.catch { _ in }
        isolated.runAll()
        isolated.clock.advance(by: .seconds(1_000))
        isolated.runAll()
        #expect(seen.entries == [] && !pending.isSettled)
        withExtendedLifetime(resolver) {}
    }

    @Test("2.2.2.3 handlers that are attached before, between and after are called once each", arguments: Case.all)
    func spacedApart(_ run: Case) throws {
        let done = Latch(3)
        let seen = Log<Int>()
        try run.fulfilled(5) { promise in
            @Sendable func attach(_ number: Int) {
                promise.done { value in
                    seen.add(number * value)
                    done.open()
                }
            }
            attach(1)
            attach(2)
            Thread { attach(3) }.start()
        }
        try done.wait()
        #expect(seen.entries.sorted() == [5, 10, 15])
    }
}

// SPDX-License-Identifier: MIT
