import PromiseRuntime
import Testing

/// Promises/A+ 2.2.6: handlers of one promise are called in the order of their `then`.
@Suite(.nothingLeft) struct APlus2_2_6Tests {
    @Test("2.2.6.1 handlers run in the order of their registration", arguments: Case.all.filter { $0.runner != .pool })
    func orderOfFulfilled(_ run: Case) throws {
        let done = Latch(10)
        let seen = Log<Int>()
        try run.fulfilled(0) { promise in
            for index in 0..<10 {
                promise.done { _ in
                    seen.add(index)
                    done.open()
                }
            }
        }
        try done.wait()
        #expect(seen.entries == Array(0..<10))
    }

    @Test("2.2.6.1 a handler that is attached inside another runs after those attached before")
    func orderFromInside() throws {
        for executor in [DispatchExecutor(label: "order"), InlineExecutor.shared] as [any PromiseExecutor] {
            let seen = Log<String>()
            let done = Latch()
            let (promise, resolver) = ChainRuntime(executor: executor).run { Promise<Int>.pending() }
            promise.done { _ in
                seen.add("1")
                promise.done { _ in
                    seen.add("1.1")
                    done.open()
                }
            }
            promise.done { _ in seen.add("2") }
            resolver.fulfill(0)
            try done.wait()
            #expect(seen.entries == ["1", "2", "1.1"])
        }
    }

    @Test(
        "2.2.6.2 handlers for a rejection run in order, also if one of them throws",
        arguments: Case.all.filter { $0.runner != .pool })
    func orderOfRejected(_ run: Case) throws {
        let done = Latch(5)
        let seen = Log<Int>()
        try run.rejected(Int.self, Failure()) { promise in
            for index in 0..<5 {
                promise.catch { _ in
                    seen.add(index)
                    done.open()
                    if index == 2 { throw Failure("in handler") }
                    return index
                }.catch { _ in 0 }
            }
        }
        try done.wait()
        #expect(seen.entries == Array(0..<5))
    }

    @Test("2.2.6 each of several handlers settles a child of its own", arguments: Case.all)
    func childrenOfTheirOwn(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.fulfilled(3) { promise in
            made.add(promise.map { $0 + 1 })
            made.add(promise.map { _ in throw Failure("second") })
            made.add(promise.then { Promise.resolve($0 + 3) })
        }
        let outcomes = try made.entries.map { "\(try outcome($0))" }
        #expect(outcomes == ["success(4)", "failure(second)", "success(6)"])
        made.entries[1].catch { _ in 0 }
    }
}

// SPDX-License-Identifier: MIT
