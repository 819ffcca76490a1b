import ChainSystem
import Dispatch
import PromiseRuntime
import Testing

/// The short forms: members as arguments, executors by name, queues as executors.
struct ShortFormTests {
    private let isolated = IsolatedRuntime()

    @Test("P7 all of several types: a tuple in the order of the members, or the first error")
    func allOfSeveralTypes() throws {
        let first = Promise<Int>.pending()
        let second = Promise<String>.pending()
        let tuple = isolated.run { Promise.all(first.promise, second.promise, Promise.resolve(true), label: "three") }
        #expect(tuple.kind == .all && tuple.label == "three")
        second.resolver.fulfill("two")
        #expect(!tuple.isSettled)
        first.resolver.fulfill(1)
        let values = try #require(try tuple.result?.get())
        #expect(values == (1, "two", true))

        let failed = isolated.run { Promise.all(Promise.resolve(1), Promise<Int>.reject(Failure())) }
        #expect(throws: Failure()) { _ = try failed.result?.get() }
    }

    @Test("P7 losers of all of several types run on, unless they are to be cancelled", arguments: [false, true])
    func losers(_ cancelling: Bool) throws {
        let first = Promise<Int>.pending()
        let second = Promise<String>.pending()
        let tuple = isolated.run { Promise.all(first.promise, second.promise, cancellingLosers: cancelling) }
        tuple.failed { _ in }
        first.resolver.reject(Failure())
        #expect(second.promise.isCancelled == cancelling)
        second.resolver.fulfill("late")
    }

    @Test("a settled combinator keeps no member")
    func keepsNoMember() throws {
        final class Canary: Sendable {}
        weak var canary: Canary?
        let tuple: Promise<(Int, Int)>
        do {
            let (one, two) = (Canary(), Promise<Int>.pending())
            canary = one
            tuple = isolated.run { Promise.all(Promise(work: { withExtendedLifetime(one) { 1 } }), two.promise) }
            two.resolver.fulfill(2)
        }
        isolated.executor.runAll()
        #expect(try #require(try tuple.result?.get()) == (1, 2))
        #expect(canary == nil)
    }

    @Test("C4 a chain begins with a promise, an awaiter or a chain")
    func chainOfThenable() throws {
        let (promise, resolver) = Promise<Int>.pending()
        let runs = Box(0)
        let cold = Chain().map { runs.change { $0 += 1 } }.map { 5 }
        let awaiters = isolated.run {
            [Chain(promise).map { $0 + 1 }, Chain(cold.async()).map { $0 + 1 }, Chain(cold).map { $0 + 1 }]
                .flatMap { [$0.async(), $0.async()] }
        }
        resolver.fulfill(1)
        isolated.executor.runAll()
        #expect(try awaiters.compactMap { try $0.result?.get() } == [2, 2, 6, 6, 6, 6])
        #expect(runs.value == 3, "once for the awaiter, twice for the chain")
    }

    @Test("E1 handlers run on a queue in order, one at a time, under its name")
    func queue() throws {
        let queue = DispatchQueue(label: "letters")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let seen = Log<Int>()
        let done = Latch(10)
        let promise = Promise.resolve(1)
        for index in 0..<10 {
            promise.done(on: .queue(queue)) { _ in
                if DispatchQueue.getSpecific(key: key) == true { seen.add(index) }
                done.open()
            }
        }
        try done.wait("the handlers")
        #expect(seen.entries == Array(0..<10))
        let letters = executor(.queue(queue))
        #expect(letters.identity.name == "letters" && letters.identity == executor(.queue(queue)).identity)
        #expect(letters.identity != executor(.queue(DispatchQueue(label: "letters"))).identity)
        #expect(executor(.queue(.main)).identity == DispatchExecutor.main.identity)
        #expect(letters.isSerial && executor(.queue(.main)).isSerial)
        #expect(!executor(.queue(.global(qos: .utility))).isSerial && !DispatchExecutor.global.isSerial)
    }

    @Test("E1 handlers run one at a time on a concurrent queue, too, unless it is said to be concurrent")
    func concurrentQueue() throws {
        let queue = DispatchQueue(label: "many", attributes: .concurrent)
        #expect(try mostAtOnce(executor(.queue(queue)), executor(.queue(queue))) == 1)
        #expect(try mostAtOnce(executor(.concurrentQueue(queue)), executor(.concurrentQueue(queue))) == 2)
    }

    /// Returns how many of two handlers ran at the same time; each waits for the other for a while.
    private func mostAtOnce(_ first: any PromiseExecutor, _ second: any PromiseExecutor) throws -> Int {
        let (running, most) = (Box(0), Box(0))
        let done = Latch(2)
        for executor in [first, second] {
            executor.execute {
                let count = running.change {
                    $0 += 1
                    return $0
                }
                most.change { $0 = max($0, count) }
                let end = ContinuousClock.now + .seconds(executor.isSerial ? 0.05 : 10)
                while most.value < 2, ContinuousClock.now < end { sched_yield() }
                running.change { $0 -= 1 }
                done.open()
            }
        }
        try done.wait("both handlers")
        return most.value
    }

    private func executor(_ executor: (any PromiseExecutor)?) -> any PromiseExecutor { executor! }

    @Test("executors by name")
    func names() {
        #expect(executor(.main) === DispatchExecutor.main)
        #expect(executor(.global) === DispatchExecutor.global)
        #expect(executor(.inline) === InlineExecutor.shared)
        #expect(executor(.pool) === PoolExecutor.shared)
        #expect(executor(.thread) === ThreadExecutor.shared)
    }

    @Test("an outcome by a leading dot, and a promise of nothing")
    func outcomes() throws {
        let recovered = isolated.run { Promise<Int>.reject(Failure()).recover { _ in .resolve(4) } }
        let failed = isolated.run { Promise<Int>.resolve(1).then { _ in .reject(Failure()) } as Promise<Int> }
        let nothing = isolated.run { Promise<Void>.resolve(label: "nothing") }
        isolated.executor.runAll()
        #expect(try recovered.result?.get() == 4)
        #expect(throws: Failure()) { _ = try failed.result?.get() }
        #expect(nothing.isSettled && nothing.label == "nothing")
    }
}

// SPDX-License-Identifier: MIT
