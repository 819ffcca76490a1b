import PromiseRuntime
import Testing

/// A promise that would wait for itself is rejected, through any kind of wait (A+ 2.3.1, TheRules, P5).
@Suite(.nothingLeft) struct CycleTests {
    private let isolated = IsolatedRuntime()

    @Test("P5 a promise that follows its own child")
    func ownChild() throws {
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let child = promise.map { $0 + 1 }.map { $0 + 1 }
        resolver.resolve(child)
        isolated.runAll()
        let cycle = try #require(try error(of: promise) as? PromiseCycleError)
        #expect(cycle.sites.count == 3)
        #expect(cycle.sites.allSatisfy { "\($0)".contains("CycleTests.swift") })
        #expect("\(cycle)".contains(", which waits for "))
    }

    @Test("P5 a promise that follows a combinator which contains it", arguments: [0, 1, 2, 3])
    func combinator(kind: Int) throws {
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        let (other, otherResolver) = isolated.run { Promise<Int>.pending() }
        let members = [other, promise.map { $0 }]
        let whole: Promise<Int> = isolated.run {
            switch kind {
            case 0: Promise.all(members).map { $0[0] }
            case 1: Promise.race(members)
            case 2: Promise.any(members)
            default: Promise.sequence([1, 0], concurrency: 2) { members[$0] }.map { $0[0] }
            }
        }
        isolated.runAll()
        resolver.resolve(whole)
        isolated.runAll()
        let cycle = try #require(try error(of: promise) as? PromiseCycleError)
        // The promise, the combinator with what follows it, and the member.
        #expect(cycle.sites.count == (kind == 1 || kind == 2 ? 3 : 4))
        otherResolver.fulfill(1)
        isolated.runAll()
    }

    @Test(
        "P5 a sequence with a member that waits for it, and a repeat with a body that returns a promise that waits for it"
    )
    func starters() throws {
        let own = Box<Promise<Int>?>(nil)
        let sequence = isolated.run { Promise.sequence([1]) { _ in own.value!.map { $0 } } }
        own.value = sequence.map { $0[0] }
        let again = Box<Promise<Int>?>(nil)
        let rounds = isolated.run {
            Promise<Int>.repeat {
                again.value!
            } until: { _ in
                true
            }
        }
        again.value = rounds.map { $0 }
        isolated.runAll()
        #expect(try error(of: sequence) is PromiseCycleError)
        #expect(try error(of: rounds) is PromiseCycleError)
        own.value = nil
        again.value = nil
    }

    @Test("P5 two promises that close a cycle at the same time are rejected")
    func concurrently() throws {
        let runtime = ChainRuntime(executor: PoolExecutor(name: "cycles", width: 2))
        let pairs = runtime.run {
            (0..<500).map { _ in (first: Promise<Int>.pending(), second: Promise<Int>.pending()) }
        }
        let children = pairs.map { (first: $0.first.promise.map { $0 }, second: $0.second.promise.map { $0 }) }
        try onThreads(2) { thread in
            for (pair, children) in zip(pairs, children) {
                if thread == 0 {
                    pair.first.resolver.resolve(children.second)
                } else {
                    pair.second.resolver.resolve(children.first)
                }
            }
        }
        for pair in pairs {
            #expect(try error(of: pair.first.promise) is PromiseCycleError)
            #expect(try error(of: pair.second.promise) is PromiseCycleError)
        }
    }

    @Test("P5 a promise that waits for many, but not for itself, is followed")
    func noCycle() throws {
        let (source, resolver) = isolated.run { Promise<Int>.pending() }
        let (promise, promiseResolver) = isolated.run { Promise<Int>.pending() }
        let child = promise.map { $0 + 1 }
        var last = source
        for _ in 0..<5_000 { last = last.map { $0 } }
        let whole = isolated.run { Promise.all([last, source.map { $0 }, .resolve(1)]) }
        promiseResolver.resolve(whole.map { $0.reduce(0, +) })
        resolver.fulfill(1)
        isolated.runAll()
        #expect(try value(of: child) == 4)
    }
}

// SPDX-License-Identifier: MIT
