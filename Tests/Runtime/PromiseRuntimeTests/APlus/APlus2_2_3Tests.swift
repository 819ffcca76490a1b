import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.2.3: `onRejected` is called after the rejection, with the reason, once.
@Suite(.nothingLeft) struct APlus2_2_3Tests {
    @Test("2.2.3.1 onRejected is called after rejection, with the reason", arguments: Case.all)
    func onRejectedGetsTheReason(_ run: Case) throws {
        let done = Latch()
        let seen = Log<String>()
        try run.rejected(Int.self, Failure("reason")) { promise in
            promise.then {
                Promise.resolve($0)
            } onRejected: { error in
                seen.add("\(error) \(promise.isSettled)")
                done.open()
                return .resolve(0)
            }.done { _ in }
        }
        try done.wait()
        #expect(seen.entries == ["reason true"])
    }

    @Test("2.2.3.2, 2.2.3.3 onRejected is not early, and called once")
    func onRejectedOnce() throws {
        let isolated = IsolatedRuntime()
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let seen = Log<String>()
        promise.catch { error in
            seen.add("\(error)")
            return 0
        }
        isolated.runAll()
        #expect(seen.entries == [])
        resolver.reject(Failure("1"))
        resolver.reject(Failure("2"))
        isolated.runAll()
        isolated.runAll()
        #expect(seen.entries == ["1"])
    }

    @Test("2.2.3.2 onRejected is never called for a promise that stays pending, nor for a fulfilled one")
    func neverCalled() {
        let isolated = IsolatedRuntime()
        let seen = Log<String>()
        let (pending, resolver) = isolated.run { Promise<Int>.pending() }
        for promise in [pending, isolated.run { Promise.resolve(1) }] {
            promise.failed { seen.add("\($0)") }
            promise.recover { error in
                seen.add("\(error)")
                return Promise.resolve(0)
            }.done { _ in }
        }
        isolated.runAll()
        isolated.clock.advance(by: .seconds(1_000))
        isolated.runAll()
        #expect(seen.entries == [] && !pending.isSettled)
        withExtendedLifetime(resolver) {}
    }

    @Test("2.2.3.3 handlers that are attached before, between and after are called once each", arguments: Case.all)
    func spacedApart(_ run: Case) throws {
        let done = Latch(3)
        let seen = Log<String>()
        try run.rejected(Int.self, Failure("why")) { promise in
            @Sendable func attach(_ number: Int) {
                promise.catch { error in
                    seen.add("\(number) \(error)")
                    done.open()
                    return 0
                }
            }
            attach(1)
            attach(2)
            Thread { attach(3) }.start()
        }
        try done.wait()
        #expect(seen.entries.sorted() == ["1 why", "2 why", "3 why"])
    }
}

// SPDX-License-Identifier: MIT
