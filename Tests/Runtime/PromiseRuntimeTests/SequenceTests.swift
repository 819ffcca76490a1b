import PromiseRuntime
import SeededNumbers
import Testing

/// TheRules, P7: sequence and forEach, one after the other or several at a time; X2 for them.
@Suite(.nothingLeft) struct SequenceTests {
    @Test("P7 one after the other, the values in order")
    func inOrder() throws {
        let isolated = IsolatedRuntime()
        let log = Log<String>()
        let promise = isolated.run {
            Promise<[Int]>.sequence(1...3) { number in
                log.add("start \(number)")
                return Promise.delay(.seconds(1)).map {
                    log.add("end \(number)")
                    return number * 10
                }
            }
        }
        for _ in 0..<3 {
            isolated.runAll()
            isolated.clock.advance(by: .seconds(1))
        }
        isolated.runAll()
        #expect(log.entries == ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"])
        #expect(try promise.result?.get() == [10, 20, 30])
    }

    @Test("P7 empty inputs")
    func empty() throws {
        #expect(try value(of: Promise<[Int]>.sequence([Int]()) { Promise.resolve($0) }) == [])
        #expect(try value(of: Promise.forEach([Int]()) { Promise.resolve($0) }) == ())
    }

    @Test("P7 it stops at the first error; nothing is started after that")
    func stops() throws {
        let started = Log<Int>()
        let promise = Promise.forEach(1...5) { number in
            started.add(number)
            return number == 3 ? Promise<Int>.reject(Failure("3")) : .resolve(number)
        }
        #expect(try error(of: promise) as? Failure == Failure("3"))
        #expect(started.entries == [1, 2, 3])
        let throwing = Promise<[Int]>.sequence(1...5) { number -> Promise<Int> in throw Failure("\(number)") }
        #expect(try error(of: throwing) as? Failure == Failure("1"))
    }

    /// The members that run, and those of them that wait until as many run as the limit allows.
    private struct UnderWay {
        var now = 0
        var most = 0
        var held: [@Sendable () -> Void] = []
    }

    @Test("P7 as many members running as the limit, and never more", arguments: [1, 2, 7, 100])
    func concurrency(_ limit: Int) throws {
        let full = min(limit, 60)
        let underWay = Box(UnderWay())
        let promise = Promise<[Int]>.sequence(0..<60, concurrency: limit) { number in
            let (member, resolver) = Promise<Int>.pending()
            let released = underWay.change { underWay in
                underWay.now += 1
                underWay.most = max(underWay.most, underWay.now)
                underWay.held.append { resolver.fulfill(number) }
                guard underWay.most >= full else { return [] as [@Sendable () -> Void] }
                defer { underWay.held = [] }
                return underWay.held
            }
            for fulfill in released {
                PoolExecutor.shared.execute {
                    PoolExecutor.shared.execute {
                        underWay.change { $0.now -= 1 }
                        fulfill()
                    }
                }
            }
            return member
        }
        #expect(try value(of: promise) == Array(0..<60))
        #expect(underWay.value.most == full)
    }

    @Test("P7 a late member starts only one other")
    func slots() throws {
        let isolated = IsolatedRuntime()
        let made = Log<Resolver<Int>>()
        let promise = isolated.run {
            Promise<[Int]>.sequence(0..<5, concurrency: 2) { _ in
                let (member, resolver) = Promise<Int>.pending()
                made.add(resolver)
                return member
            }
        }
        isolated.runAll()
        #expect(made.count == 2)
        made.entries[1].fulfill(1)
        isolated.runAll()
        #expect(made.count == 3)
        made.entries[0].fulfill(0)
        made.entries[2].fulfill(2)
        isolated.runAll()
        #expect(made.count == 5)
        made.entries[4].fulfill(4)
        made.entries[3].fulfill(3)
        #expect(try promise.result?.get() == [0, 1, 2, 3, 4])
    }

    @Test("P7 many members that settle at once need no deep stack", arguments: Case.Runner.allCases)
    func long(_ runner: Case.Runner) throws {
        let executor = Case(timing: .already, place: .outside, runner: runner).executor
        try onThreads(1) { _ in
            let count = Seeds.rounds(100_000)
            let promise = Promise<[Int]>.sequence(0..<count, on: executor) { Promise.resolve($0) }
            #expect((try? value(of: promise).count) == count)
        }
    }

    @Test("X2 cancelling it cancels the running members; no more are started")
    func cancelling() throws {
        let isolated = IsolatedRuntime()
        let made = Log<Promise<Int>>()
        let promise = isolated.run {
            Promise.forEach(0..<5, concurrency: 2) { _ in
                let (member, resolver) = Promise<Int>.pending()
                resolver.onCancel { _ = resolver }
                made.add(member)
                return member
            }
        }
        isolated.runAll()
        promise.cancel("enough")
        isolated.runAll()
        #expect(made.count == 2)
        for member in made.entries {
            #expect(member.isCancelled)
            guard case .rejected(let error as PromiseCancelledError) = member.state else { continue }
            #expect(error.reason == "enough")
        }
    }

    @Test("X2 a failing member cancels the other running ones")
    func failing() throws {
        let isolated = IsolatedRuntime()
        let made = Log<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        let promise = isolated.run {
            Promise.forEach(0..<5, concurrency: 3) { _ in
                let pair = Promise<Int>.pending()
                made.add(pair)
                return pair.promise
            }
        }
        promise.failed { _ in }
        isolated.runAll()
        made.entries[1].resolver.reject(Failure())
        isolated.runAll()
        #expect(made.entries.map(\.promise.isCancelled) == [true, false, true])
        #expect(made.count == 3)
    }

    @Test("X2, S1 cancelled from another thread while it starts members", arguments: 0..<200)
    func cancelledWhileStarting(_ round: Int) throws {
        let members = Log<Promise<Int>>()
        let kept = Log<Resolver<Int>>()
        let promise = Promise.forEach(0..<20, concurrency: 20) { number in
            let (member, resolver) = Promise<Int>.pending()
            kept.add(resolver)
            members.add(member)
            return member
        }
        try onThreads(1) { _ in promise.cancel() }
        #expect(try error(of: promise) is PromiseCancelledError)
        try eventually("the end of the members") { members.entries.allSatisfy(\.isSettled) }
    }
}

// SPDX-License-Identifier: MIT
