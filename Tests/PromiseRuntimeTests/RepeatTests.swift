import ChainTesting
import Foundation
import PromiseRuntime
import Testing

/// RUNTIME P7, repeat; X2, X3, S2, S4 for it.
struct RepeatTests {
    @Test("P7 again until the value is enough, one round after the other")
    func untilEnough() throws {
        let world = ManualWorld()
        let log = Log<String>()
        let round = Box(0)
        let promise = world.run {
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
            world.runAll()
            world.clock.advance(by: .seconds(1))
        }
        world.runAll()
        #expect(
            log.entries == (1...3).flatMap { ["start \($0)", "end \($0)", "enough \($0)?"] })
        #expect(try promise.result?.get() == 3)
        #expect(world.clock.isIdle)
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
            #expect(error as? PromiseCancelled == PromiseCancelled(reason: "3"))
        } else {
            #expect(error as? Failure == Failure("3"))
        }
        #expect(rounds.value == 3)
    }

    @Test("P7 a pause between rounds, by the runtime's clock, none before the first or after the last")
    func pause() throws {
        let run = RecordedRun()
        let times = Log<Duration>()
        run.make {
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

    @Test("P7 each round stands under it, with its own run and what its body made")
    func tree() {
        let run = RecordedRun()
        let round = Box(0)
        run.make {
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

    @Test(
        "P7, E2 100,000 rounds that are fulfilled at once need no deep stack",
        arguments: [(Case.Runner.inline, 100_000), (.pool, 100_000), (.serialQueue, 10_000)])
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
        let world = ManualWorld()
        let (alive, most) = (Box(0), Box(0))
        let promise = world.run {
            Promise.repeat {
                let canary = Canary(alive)
                most.change { $0 = max($0, alive.value) }
                return Promise.resolve(canary)
            } until: { _ in
                most.value > 3 || alive.value > 3
            }
        }
        world.executor.runAll(limit: 5_000)
        #expect(!promise.isSettled)
        #expect(most.value <= 3, "rounds pile up")
        promise.cancel()
        world.runAll()
        #expect(alive.value == 0)
    }

    @Test("X2 cancelling it cancels the round under way and what its body made; no other is started")
    func cancelling() throws {
        let world = ManualWorld()
        let made = Log<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        let stopped = Log<String>()
        let promise = world.run {
            Promise.repeat {
                let pair = Promise<Int>.pending()
                pair.resolver.onCancel { stopped.add("stopped") }
                // That somebody else waits for it makes no difference: it was started here.
                pair.promise.done { _ in }
                made.add(pair)
                return pair.promise.map { $0 }
            } until: { _ in
                false
            }
        }
        world.runAll()
        made.entries[0].resolver.fulfill(1)
        world.runAll()
        #expect(made.count == 2)
        promise.cancel("enough", by: .viewer("ada"))
        let expected = PromiseCancelled(reason: "enough", by: .viewer("ada"))
        #expect(try error(of: promise) as? PromiseCancelled == expected)
        world.runAll()
        #expect(made.count == 2)
        withExtendedLifetime(made) {}
    }

    @Test("X2 the reason and who asked reach what the body returned, though others wait for it, too")
    func cancellationReaches() throws {
        let world = ManualWorld()
        let (member, resolver) = world.run { Promise<Int>.pending() }
        let other = member.map { $0 + 1 }
        let promise = world.run {
            Promise.repeat {
                member
            } until: { _ in
                true
            }
        }
        world.runAll()
        promise.cancel("enough", by: .viewer("ada"))
        let expected = PromiseCancelled(reason: "enough", by: .viewer("ada"))
        #expect(resolver.isCancelled)
        for cancelled in [promise, member, other] {
            #expect(try error(of: cancelled) as? PromiseCancelled == expected)
        }
    }

    @Test("X2 cancelling it in a pause ends the timer")
    func cancelledInPause() {
        let world = ManualWorld()
        let promise = world.run {
            Promise.repeat(pause: .seconds(9)) {
                Promise.resolve(0)
            } until: { _ in
                false
            }
        }
        world.runAll()
        #expect(!world.clock.isIdle)
        promise.cancel()
        #expect(world.clock.isIdle)
    }

    @Test("X2 cancelled before its first round: no closure is called, and both are released")
    func cancelledAtOnce() throws {
        let world = ManualWorld()
        let (alive, calls) = (Box(0), Log<String>())
        func make() -> Promise<Int> {
            let canary = Canary(alive)
            return Promise.repeat {
                calls.add("body")
                canary.touch()
                return Promise.resolve(0)
            } until: { _ in
                calls.add("until")
                canary.touch()
                return true
            }
        }
        let promise = world.run(make)
        #expect(alive.value == 1)
        promise.cancel()
        #expect(alive.value == 0, "S2: who is settled keeps no closures")
        world.runAll()
        #expect(calls.entries == [])
        #expect(try error(of: promise) is PromiseCancelled)
    }

    @Test("X2, X4 cancelled while its body runs: the body knows, and what it returns is cancelled")
    func cancelledInBody() throws {
        let world = ManualWorld()
        let (promise, made) = (Box<Promise<Int>?>(nil), Box<Promise<Int>?>(nil))
        let seen = Box(false)
        promise.value = world.run {
            Promise.repeat { () -> Promise<Int> in
                promise.value?.cancel("late")
                seen.value = Runtime.isCancelled
                let (member, resolver) = Promise<Int>.pending()
                resolver.onCancel { _ = resolver }
                made.value = member
                return member
            } until: { _ in
                true
            }
        }
        world.runAll()
        #expect(seen.value)
        let member = try #require(made.value)
        #expect(try error(of: member) as? PromiseCancelled == PromiseCancelled(reason: "late"))
        promise.value = nil
    }

    @Test("X3 clean-up in a round's branch runs under a cancellation")
    func cleanUp() {
        let world = ManualWorld()
        let seen = Log<String>()
        let promise = world.run {
            Promise.repeat {
                Promise.delay(.seconds(1)).map { seen.add("value") }.anyway { _ in seen.add("clean-up") }
            } until: { _ in
                false
            }
        }
        // What the body returned is last in its chain: the chain itself goes on, as under `then`.
        promise.done { _ in seen.add("done") }.failed { _ in seen.add("failed") }
        world.runAll()
        promise.cancel()
        world.runAll()
        #expect(seen.entries.sorted() == ["clean-up", "failed"])
        world.clock.advance(by: .seconds(1))
        world.runAll()
    }

    @Test("X2, S1 cancelled from another thread at any moment", arguments: 0..<100)
    func cancelledAnyTime(_ number: Int) throws {
        let made = Log<Promise<Int>>()
        let rounds = Box(0)
        let promise = Promise.repeat { () -> Promise<Int> in
            let round = rounds.change {
                $0 += 1
                return $0
            }
            let member = Promise<Int> { round }
            made.add(member)
            return member
        } until: {
            $0 == 1_000
        }
        promise.failed { _ in }
        try onThreads(1) { _ in
            while rounds.value < number % 10 { sched_yield() }
            promise.cancel()
        }
        try eventually("the end") { promise.isSettled && made.entries.allSatisfy(\.isSettled) }
    }

    @Test("P5 a body that returns the promise itself: a cycle, not a wait for ever")
    func cycle() throws {
        let world = ManualWorld()
        let box = Box<Promise<Int>?>(nil)
        let promise = world.run {
            Promise.repeat {
                box.value!
            } until: { _ in
                true
            }
        }
        box.value = promise
        world.runAll()
        box.value = nil
        #expect(try error(of: promise) is PromiseCycle)
    }

    @Test("R1 the closures' promises belong to its runtime, on its executor")
    func runtime() throws {
        let world = ManualWorld()
        let runtimes = Log<Bool>()
        let other = ManualExecutor(name: "other")
        let promise = world.run {
            Promise.repeat(on: other) {
                runtimes.add(Runtime.current === world.runtime)
                return Promise.resolve(1)
            } until: { _ in
                runtimes.add(Runtime.current === world.runtime)
                return true
            }
        }
        world.runAll()
        #expect(runtimes.count == 0)
        other.runAll()
        #expect(runtimes.entries == [true, true])
        #expect(promise.isSettled)
    }
}
