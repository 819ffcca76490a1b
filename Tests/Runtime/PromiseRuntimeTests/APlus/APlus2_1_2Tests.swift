import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.1.2: a fulfilled promise keeps its state and value; 2.1.1: a pending one may settle; TheRules, P1.
@Suite(.nothingLeft) struct APlus2_1_2Tests {
    @Test("2.1.1 a pending promise is fulfilled or rejected later")
    func pendingGoesOn() throws {
        let (promise, resolver) = Promise<Int>.pending()
        guard case .pending = promise.state else { return #expect(Bool(false), "not pending") }
        #expect(promise.result == nil && !promise.isSettled)
        resolver.fulfill(1)
        guard case .fulfilled(1) = promise.state else { return #expect(Bool(false), "not fulfilled") }

        let (other, otherResolver) = Promise<Int>.pending()
        otherResolver.reject(Failure())
        guard case .rejected(let error) = other.state else { return #expect(Bool(false), "not rejected") }
        #expect(error as? Failure == Failure())
        other.catch { _ in 0 }
    }

    @Test("2.1.2.1 a fulfilled promise changes to no other state", arguments: Case.all)
    func fulfilledStays(_ run: Case) throws {
        let seen = Log<String>()
        let done = Latch(1)
        let attempts = Latch(1)
        let kept = Box<Promise<Int>?>(nil)
        try run.with(
            Int.self,
            settle: { resolver in
                resolver.fulfill(1)
                resolver.reject(Failure())
                resolver.fulfill(2)
                resolver.resolve(Promise<Int>.resolve(3))
                attempts.open()
            },
            use: { promise in
                kept.value = promise
                promise.anyway { result in
                    seen.add("\(result)")
                    done.open()
                }
            })
        try done.wait()
        try attempts.wait()
        #expect(seen.entries == ["success(1)"])
        #expect(try kept.value?.result?.get() == 1)
    }

    @Test("2.1.2.2 the value exists and does not change", arguments: Case.all)
    func valueStays(_ run: Case) throws {
        let object = NSObject()
        let seen = Log<ObjectIdentifier>()
        let done = Latch(3)
        try run.fulfilled(Kept(object)) { promise in
            for _ in 0..<3 {
                promise.done { value in
                    seen.add(ObjectIdentifier(value.object))
                    done.open()
                }
            }
        }
        try done.wait()
        #expect(seen.entries == Array(repeating: ObjectIdentifier(object), count: 3))
    }

    @Test("P1 of racing settlers exactly one wins", arguments: 0..<20)
    func oneWins(_ round: Int) throws {
        let (promise, resolver) = Promise<Int>.pending()
        let seen = Log<Int>()
        let done = Latch()
        promise.done(on: InlineExecutor.shared) { seen.add($0) }
        promise.finally { done.open() }
        try onThreads(4) { resolver.fulfill($0) }
        try done.wait()
        #expect(seen.entries == [try value(of: promise)])
    }

    @Test("2.1.2.1 a fulfilled promise is not changed from another thread, or later", arguments: Case.all)
    func laterAttempts(_ run: Case) throws {
        let attempts = Latch()
        let kept = Log<Promise<Int>>()
        try run.with(
            Int.self,
            settle: { resolver in
                resolver.fulfill(1)
                Thread {
                    resolver.reject(Failure())
                    resolver.fulfill(2)
                    attempts.open()
                }.start()
            }, use: { kept.add($0) })
        try attempts.wait()
        #expect(try value(of: #require(kept.entries.first)) == 1)
    }
}

/// An object that is compared by identity.
struct Kept: @unchecked Sendable {
    // Sendable, because only the identity of the object is used.
    let object: NSObject

    init(_ object: NSObject) { self.object = object }
}

// SPDX-License-Identifier: MIT
