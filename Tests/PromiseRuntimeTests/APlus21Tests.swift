import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.1, promise states; RUNTIME P1.
struct APlus21Tests {
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

    @Test("2.1.2.1 a fulfilled promise goes over into no other state", arguments: Case.all)
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

    @Test("2.1.2.2 the value is there and does not change", arguments: Case.all)
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

    @Test("2.1.3.1 a rejected promise goes over into no other state", arguments: Case.all)
    func rejectedStays(_ run: Case) throws {
        let seen = Log<String>()
        let done = Latch(1)
        let attempts = Latch(1)
        try run.with(
            Int.self,
            settle: { resolver in
                resolver.reject(Failure("first"))
                resolver.fulfill(1)
                resolver.reject(Failure("second"))
                resolver.settle(.success(2))
                attempts.open()
            },
            use: { promise in
                promise.anyway { result in
                    seen.add("\(result)")
                    done.open()
                }.catch { _ in 0 }
            })
        try done.wait()
        try attempts.wait()
        #expect(seen.entries == ["failure(first)"])
    }

    @Test("2.1.3.2 the reason is there and does not change")
    func reasonStays() throws {
        let promise = Promise<Int>.reject(Failure("why"))
        for _ in 0..<3 { #expect(try error(of: promise) as? Failure == Failure("why")) }
        promise.catch { _ in 0 }
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
}

/// An object known by its identity.
struct Kept: @unchecked Sendable {
    // Sendable: nothing but the identity of the object is used.
    let object: NSObject

    init(_ object: NSObject) { self.object = object }
}
