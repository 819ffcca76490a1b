import PromiseRuntime
import Testing

/// TheRules, P7: all, allSettled, any, race.
@Suite(.nothingLeft) struct CombinatorTests {
    private func pending(_ count: Int) -> [(promise: Promise<Int>, resolver: Resolver<Int>)] {
        (0..<count).map { _ in Promise<Int>.pending(on: InlineExecutor.shared) }
    }

    @Test("P7 all has the values in the members' order, whatever the order of settling")
    func allInOrder() throws {
        let members = pending(5)
        let all = Promise.all(members.map(\.promise))
        for index in [3, 0, 4, 1] { members[index].resolver.fulfill(index) }
        #expect(!all.isSettled)
        members[2].resolver.fulfill(2)
        #expect(try value(of: all) == [0, 1, 2, 3, 4])
        #expect(try value(of: Promise.all([Promise.resolve("a"), .resolve("b")])) == ["a", "b"])
    }

    @Test("P7 all fails with the first rejection, at once; the others run on")
    func allFails() throws {
        let members = pending(3)
        let all = Promise.all(members.map(\.promise))
        members[1].resolver.reject(Failure("first"))
        #expect(try error(of: all) as? Failure == Failure("first"))
        members[0].resolver.reject(Failure("second"))
        members[2].resolver.fulfill(2)
        #expect(try members[2].promise.result?.get() == 2)
    }

    @Test("P7 allSettled waits for every member")
    func allSettled() throws {
        let members = pending(3)
        let all = Promise.allSettled(members.map(\.promise))
        members[2].resolver.reject(Failure("2"))
        members[0].resolver.fulfill(0)
        #expect(!all.isSettled)
        members[1].resolver.fulfill(1)
        #expect(try value(of: all).map { "\($0)" } == ["success(0)", "success(1)", "failure(2)"])
    }

    @Test("P7 any is fulfilled with the first value; if all fail, one error holds them in order")
    func any() throws {
        let members = pending(3)
        let any: Promise<Int> = Promise.any(members.map(\.promise))
        members[2].resolver.reject(Failure("2"))
        #expect(!any.isSettled)
        members[1].resolver.fulfill(1)
        #expect(try value(of: any) == 1)

        let failing = pending(3)
        let none = Promise.any(failing.map(\.promise))
        for index in [2, 0, 1] { failing[index].resolver.reject(Failure("\(index)")) }
        let errors = try #require(try error(of: none) as? AllRejectedError).errors
        #expect(errors.map { "\($0)" } == ["0", "1", "2"])
    }

    @Test("P7 race is settled as the first is, with a value or an error")
    func race() throws {
        let members = pending(3)
        let race = Promise.race(members.map(\.promise))
        members[1].resolver.fulfill(1)
        members[0].resolver.fulfill(0)
        #expect(try value(of: race) == 1)
        let others = pending(2)
        let failing = Promise.race(others.map(\.promise))
        others[1].resolver.reject(Failure())
        #expect(try error(of: failing) is Failure)
        // Otherwise an optimised build would release the other resolver, and so abandon its promise, before the
        // rejection.
        withExtendedLifetime(others) {}
    }

    @Test("P7 empty inputs are defined")
    func empty() throws {
        #expect(try value(of: Promise.all([Promise<Int>]())) == [])
        #expect(try value(of: Promise.allSettled([Promise<Int>]())).isEmpty)
        #expect(try #require(error(of: Promise<Int>.any([])) as? AllRejectedError).errors.isEmpty)
        #expect(try #require(error(of: Promise<Int>.race([])) as? AllRejectedError).errors.isEmpty)
    }

    @Test("P7 members that are settled already, and a member that occurs twice")
    func settledMembers() throws {
        let one = Promise.resolve(1)
        #expect(try value(of: Promise.all([one, one])) == [1, 1])
        let (never, resolver) = Promise<Int>.pending()
        #expect(try value(of: Promise.race([never, one, .resolve(2)])) == 1)
        resolver.fulfill(0)
        #expect(try value(of: Promise.any([.reject(Failure()), .resolve(2), .resolve(3)])) == 2)
    }

    @Test("P7 losers run on, unless they are to be cancelled", arguments: [false, true])
    func losers(_ cancelling: Bool) throws {
        for combine in [
            { Promise.race($0, cancellingLosers: cancelling) }, { Promise.any($0, cancellingLosers: cancelling) },
            { Promise.all($0, cancellingLosers: cancelling).map { $0[0] } },
        ] as [([Promise<Int>]) -> Promise<Int>] {
            let members = pending(3)
            let combined = combine(members.map(\.promise))
            combined.catch { _ in 0 }
            // The outcome that settles race and any rejects all.
            if combined.kind == .map { members[1].resolver.reject(Failure()) } else { members[1].resolver.fulfill(1) }
            _ = try outcome(combined)
            for index in [0, 2] {
                #expect(members[index].promise.isCancelled == cancelling)
                members[index].resolver.fulfill(index)
                #expect((try? members[index].promise.result?.get()) == (cancelling ? nil : index))
            }
        }
    }

    @Test("P7 many members: all of 100,000 pending ones, settled backwards")
    func manyMembers() throws {
        let members = pending(100_000)
        let all = Promise.all(members.map(\.promise))
        for index in members.indices.reversed() { members[index].resolver.fulfill(index) }
        #expect(try value(of: all) == Array(0..<100_000))
    }

    @Test("P7 members settled by several threads at once", arguments: 0..<10)
    func threads(_ round: Int) throws {
        let members = pending(400)
        let all = Promise.all(members.map(\.promise))
        let race = Promise.race(members.map(\.promise))
        let any = Promise.any(members.map(\.promise))
        try onThreads(4) { thread in
            for index in stride(from: thread, to: 400, by: 4) { members[index].resolver.fulfill(index) }
        }
        #expect(try value(of: all) == Array(0..<400))
        let winners = [try value(of: race), try value(of: any)]
        #expect(winners.filter { $0 < 0 || $0 >= 400 } == [])
    }
}

// SPDX-License-Identifier: MIT
