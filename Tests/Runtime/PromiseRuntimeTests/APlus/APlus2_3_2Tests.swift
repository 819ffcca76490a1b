import PromiseRuntime
import Testing

/// Promises/A+ 2.3.2: a promise that follows another settles as that one does.
@Suite(.nothingLeft) struct APlus2_3_2Tests {
    @Test("2.3.2.1 a promise that follows a pending one stays pending")
    func pendingStays() {
        let isolated = IsolatedRuntime()
        isolated.run {
            let (inner, resolver) = Promise<Int>.pending()
            let outer = Promise.resolve(1).then { _ in inner }
            let after = outer.map { $0 }
            isolated.runAll()
            #expect(!outer.isSettled && !after.isSettled)
            resolver.fulfill(2)
            isolated.runAll()
            #expect(try! after.result?.get() == 2)
        }
    }

    @Test("2.3.2.2 a follower is fulfilled as the other is", arguments: Case.all)
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

    @Test("2.3.2.3 a follower is rejected as the other is", arguments: Case.all)
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

    @Test("2.3.2 once a promise follows another, later attempts to settle it do nothing")
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

    @Test("2.3.2 a promise of a promise is not unwrapped unless it follows")
    func promiseOfPromise() throws {
        let inner = Promise.resolve(1)
        let outer = Promise<Promise<Int>>.resolve(inner)
        #expect(try value(of: outer) === inner)
    }

    @Test("2.3.2 a value passes through several promises, each following the next", arguments: Case.all)
    func overSeveral(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.fulfilled(7) { inner in
            let second = Promise.resolve(0).then { _ in inner }
            let third = Promise<Int>.reject(Failure()).recover { _ in second }
            made.add(Promise.resolve(0).then { _ in Promise.resolve(1).then { _ in third } })
        }
        #expect(try made.entries.map { try value(of: $0) } == [7])
    }
}

// SPDX-License-Identifier: MIT
