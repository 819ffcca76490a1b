import ChainTesting
import Foundation
import PromiseRuntime
import Testing

/// TheRules, P7: repeat; S2, S4 for it.
struct RepeatTests {
    @Test("P7 rounds one after the other until the value is sufficient")
    func untilEnough() throws {
        let isolated = IsolatedRuntime()
        let log = Log<String>()
        let round = Box(0)
        let promise = isolated.run {
            Promise.repeat {
                let number = round.change {
                    $0 += 1
                    return $0
                }
                log.add("start \(number)")
                return Promise.delay(.seconds(1)).map {
                    log.add("end \(number)")
                    return number
                }
            } until: {
                log.add("enough \($0)?")
                return $0 == 3
            }
        }
        #expect(log.entries == [], "P4: not before it returns")
        for _ in 0..<3 {
            isolated.runAll()
            isolated.clock.advance(by: .seconds(1))
        }
        isolated.runAll()
        #expect(
            log.entries == (1...3).flatMap { ["start \($0)", "end \($0)", "enough \($0)?"] })
        #expect(try promise.result?.get() == 3)
        #expect(isolated.clock.isIdle)
    }

    @Test("P7 the first round is always made, and may be the last")
    func once() throws {
        let rounds = Box(0)
        let promise = Promise.repeat {
            rounds.change { $0 += 1 }
            return Promise.resolve(7)
        } until: { _ in
            true
        }
        #expect(try value(of: promise) == 7 && rounds.value == 1)
    }

    enum Ending: CaseIterable { case rejected, thrownByBody, thrownByUntil, cancelled }

    @Test("P7 a rejection and a throw of either closure end it", arguments: Ending.allCases)
    func endings(_ ending: Ending) throws {
        let rounds = Box(0)
        let promise = Promise.repeat { () -> Promise<Int> in
            let round = rounds.change {
                $0 += 1
                return $0
            }
            if round == 3 {
                switch ending {
                case .rejected: return .reject(Failure("3"))
                case .thrownByBody: throw Failure("3")
                case .thrownByUntil: break
                case .cancelled:
                    let (promise, resolver) = Promise<Int>.pending()
                    promise.cancel("3")
                    withExtendedLifetime(resolver) {}
                    return promise
                }
            }
            return .resolve(round)
        } until: {
            if $0 == 3 { throw Failure("3") }
            return false
        }
        let error = try error(of: promise)
        if ending == .cancelled {
            #expect(error as? PromiseCancelledError == PromiseCancelledError(reason: "3"))
        } else {
            #expect(error as? Failure == Failure("3"))
        }
        #expect(rounds.value == 3)
    }

    @Test("P7 a pause between rounds, by the runtime's clock, none before the first or after the last")
    func pause() throws {
        let run = RecordedRun()
        let times = Log<Duration>()
        run.record {
            _ = Promise.repeat(pause: .seconds(2), label: "poll") {
                times.add(run.clock.elapsed)
                return Promise.resolve(times.count)
            } until: {
                $0 == 3
            }
        }
        #expect(run.runUntilIdle())
        #expect(times.entries == [.zero, .seconds(2), .seconds(4)])
        #expect(run.clock.elapsed == .seconds(4))
    }

    @Test("P7 each round is a node under it, with its own run and the promise of its body")
    func tree() {
        let run = RecordedRun()
        let round = Box(0)
        run.record {
            _ = Promise.repeat(pause: .milliseconds(500), label: "poll") {
                round.change { $0 += 1 }
                return Promise.delay(.seconds(1), label: "ask").map(label: "status") { round.value }
            } until: {
                $0 == 2
            }
        }
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                fulfilled repeat poll = 2 · total 2.5s
                  fulfilled round poll 1 = 1 · total 1s
                    fulfilled delay ask · total 1s
                    fulfilled map status = 1
                  fulfilled delay poll before 2 · total 0.5s @1s
                  fulfilled round poll 2 = 2 · total 1s @1.5s
                    fulfilled delay ask · total 1s @1.5s
                    fulfilled map status = 2 @1.5s
                """)
    }

    @Test("P7, E3 rounds that are ready run in one job, and after 64 of them other jobs have their turn")
    func readyRounds() throws {
        let isolated = IsolatedRuntime()
        let rounds = Box(0)
        let promise = isolated.run {
            Promise.repeat {
                Promise.resolve(
                    rounds.change {
                        $0 += 1
                        return $0
                    })
            } until: {
                $0 == 200
            }
        }
        var seen: [Int] = []
        while isolated.executor.runNext() { seen.append(rounds.value) }
        #expect(seen == [1, 65, 129, 193, 200])
        #expect(try promise.result?.get() == 200)
    }

    @Test("P7 attempts that fail at once run in one job")
    func readyAttempts() throws {
        let isolated = IsolatedRuntime()
        let attempts = Box(0)
        let promise = isolated.run {
            Promise.retry(50) { () -> Promise<Int> in
                attempts.change { $0 += 1 }
                return .reject(Failure("busy"))
            }
        }
        #expect(isolated.executor.runAll() == 2)
        #expect(attempts.value == 50)
        #expect(try error(of: promise) as? Failure == Failure("busy"))
    }

    #if TSAN
        private static let manyRounds = 10_000  // because a round is ten times slower
    #else
        private static let manyRounds = 100_000
    #endif

    @Test(
        "P7, E2 very many rounds that are fulfilled at once need no deep stack",
        arguments: [(Case.Runner.inline, manyRounds), (.pool, manyRounds), (.serialQueue, 10_000)])
    func long(_ runner: Case.Runner, _ count: Int) throws {
        let executor = Case(timing: .already, place: .outside, runner: runner).executor
        try onThreads(1) { _ in
            let rounds = Box(0)
            let promise = Promise.repeat(on: executor) {
                Promise.resolve(
                    rounds.change {
                        $0 += 1
                        return $0
                    })
            } until: {
                $0 == count
            }
            #expect((try? value(of: promise)) == count)
        }
    }

    @Test("S2 a round that has ended is released before the next one is made")
    func memory() throws {
        let isolated = IsolatedRuntime()
        let (alive, most) = (Box(0), Box(0))
        let promise = isolated.run {
            Promise.repeat {
                let canary = Canary(alive)
                most.change { $0 = max($0, alive.value) }
                return Promise.resolve(canary)
            } until: { _ in
                most.value > 3 || alive.value > 3
            }
        }
        isolated.executor.runAll(limit: 5_000)
        #expect(!promise.isSettled)
        #expect(most.value <= 3, "rounds pile up")
        promise.cancel()
        isolated.runAll()
        #expect(alive.value == 0)
    }

    @Test("P5 a body that returns the promise itself: a cycle, not a wait for ever")
    func cycle() throws {
        let isolated = IsolatedRuntime()
        let box = Box<Promise<Int>?>(nil)
        let promise = isolated.run {
            Promise.repeat {
                box.value!
            } until: { _ in
                true
            }
        }
        box.value = promise
        isolated.runAll()
        box.value = nil
        #expect(try error(of: promise) is PromiseCycleError)
    }

    @Test("R1 the closures' promises belong to its runtime, on its executor")
    func runtime() throws {
        let isolated = IsolatedRuntime()
        let runtimes = Log<Bool>()
        let other = ManualExecutor(name: "other")
        let promise = isolated.run {
            Promise.repeat(on: other) {
                runtimes.add(ChainRuntime.current === isolated.runtime)
                return Promise.resolve(1)
            } until: { _ in
                runtimes.add(ChainRuntime.current === isolated.runtime)
                return true
            }
        }
        isolated.runAll()
        #expect(runtimes.count == 0)
        other.runAll()
        #expect(runtimes.entries == [true, true])
        #expect(promise.isSettled)
    }
}

// SPDX-License-Identifier: MIT
