import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.3, the resolution procedure.
///
/// Not sayable in a typed language: 2.3.3 and 2.3.4 in so far as any object with a `then` is looked at; here `Thenable`
/// says what can be followed, once, by one method, so that 2.3.3.1 to 2.3.3.4 come down to: `asPromise()` is asked once.
struct APlus23Tests {
    @Test("2.3.1 a promise that is to follow itself is rejected", arguments: Case.all)
    func followingItself(_ run: Case) throws {
        let box = Box<Promise<Int>?>(nil)
        let registered = Latch()
        try run.fulfilled(1) { promise in
            let child = promise.then(on: DispatchExecutor(label: "itself")) { _ -> Promise<Int> in
                try registered.wait()
                return box.value!
            }
            box.value = child
            registered.open()
        }
        #expect(try error(of: #require(box.value)) is PromiseCycle)
        box.value = nil
    }

    @Test("2.3.1 so is a ring of promises that follow each other", arguments: 1...5)
    func ring(_ count: Int) throws {
        let made = (0..<count).map { _ in Promise<Int>.pending() }
        for index in 0..<count { made[index].resolver.resolve(made[(index + 1) % count].promise) }
        for (promise, _) in made { #expect(try error(of: promise) is PromiseCycle) }
    }

    @Test("2.3.1 so is a ring that is closed from several threads at once", arguments: 0..<50)
    func concurrentRing(_ round: Int) throws {
        let count = 2 + round % 2
        let made = (0..<count).map { _ in Promise<Int>.pending() }
        try onThreads(count) { made[$0].resolver.resolve(made[($0 + 1) % count].promise) }
        for (promise, _) in made { #expect(try error(of: promise) is PromiseCycle) }
    }

    @Test("2.3.2.1 what follows a pending promise stays pending")
    func pendingStays() {
        let world = ManualWorld()
        world.run {
            let (inner, resolver) = Promise<Int>.pending()
            let outer = Promise.resolve(1).then { _ in inner }
            let after = outer.map { $0 }
            world.runAll()
            #expect(!outer.isSettled && !after.isSettled)
            resolver.fulfill(2)
            world.runAll()
            #expect(try! after.result?.get() == 2)
        }
    }

    @Test("2.3.2.2 it is fulfilled as the other is", arguments: Case.all)
    func fulfilledAsTheOther(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.fulfilled(7) { inner in
            made.add(Promise.resolve(0).then { _ in inner })
            made.add(Promise.reject(Failure()).recover { _ in inner })
            made.add(Promise { resolve, _ in resolve(inner) })
            let (outer, resolver) = Promise<Int>.pending()
            resolver.resolve(inner)
            made.add(outer)
        }
        #expect(try made.entries.map { try value(of: $0) } == [7, 7, 7, 7])
    }

    @Test("2.3.2.3 it is rejected as the other is", arguments: Case.all)
    func rejectedAsTheOther(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.rejected(Int.self, Failure("inner")) { inner in
            made.add(Promise.resolve(0).then { _ in inner })
            made.add(Promise.reject(Failure()).recover { _ in inner })
            made.add(Promise { resolve, _ in resolve(inner) })
        }
        for promise in made.entries {
            #expect(try error(of: promise) as? Failure == Failure("inner"))
            promise.catch { _ in 0 }
        }
    }

    @Test("2.3.2 once it follows, later attempts do nothing")
    func followsForGood() throws {
        let (inner, innerResolver) = Promise<Int>.pending()
        let (outer, resolver) = Promise<Int>.pending()
        resolver.resolve(inner)
        resolver.fulfill(1)
        resolver.reject(Failure())
        resolver.resolve(Promise.resolve(2))
        #expect(!outer.isSettled)
        innerResolver.fulfill(3)
        #expect(try value(of: outer) == 3)
    }

    @Test("2.3.3 what can be followed is asked for its promise once")
    func thenableIsAskedOnce() throws {
        let seen = Log<Int>()
        let promise = Promise.resolve(1).then { Asked(value: $0 + 1, seen: seen) }
        #expect(try value(of: promise) == 2)
        #expect(seen.entries == [2])
    }

    @Test("2.3.4 a value fulfils")
    func valueFulfils() throws {
        #expect(try value(of: Promise { resolve, _ in resolve(4) } as Promise<Int>) == 4)
        #expect(try value(of: Promise<Int?>.resolve(nil)) == nil)
        #expect(try value(of: Promise<Void>.resolve(())) == ())
    }

    @Test("2.3.2 a promise for a promise is not unwrapped unless it is told to follow")
    func promiseOfPromise() throws {
        let inner = Promise.resolve(1)
        let outer = Promise<Promise<Int>>.resolve(inner)
        #expect(try value(of: outer) === inner)
    }
}

/// Something that becomes a promise.
private struct Asked: Thenable {
    let value: Int
    let seen: Log<Int>

    func asPromise() -> Promise<Int> {
        seen.add(value)
        return .resolve(value)
    }
}
