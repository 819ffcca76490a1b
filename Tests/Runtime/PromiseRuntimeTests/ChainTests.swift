import ChainEvents
import ChainTesting
import PromiseRuntime
import Testing

/// TheRules, C1: described, then launched; all nodes are shown from the start.
struct ChainTests {
    private let run = RecordedRun()

    /// Returns the states of all nodes of the recorded run, in the order of creation.
    private func states() -> [String] { run.forest.allStates() }

    @Test("C1 nothing runs, and no promise exists, before the launch")
    func cold() {
        let seen = Log<Int>()
        let chain = run.record { Chain().map { 1 }.tap { seen.add($0) } }
        run.runUntilIdle()
        #expect(seen.count == 0)
        #expect(run.batch.events.isEmpty)
        run.record { chain.launch() }
        run.runUntilIdle()
        #expect(seen.entries == [1])
    }

    @Test("C1 a launched chain of 10 nodes shows 10 nodes at once, waiting")
    func wholePlan() {
        let chain = Chain(label: "plan")
            .then { Promise.delay(.seconds(1)) }.map { 1 }.tap { _ in }.catch { _ in 0 }.failed { _ in }.anyway { _ in }
            .map { $0 + 1 }.ignore { _ in }.done { _ in }
        #expect(chain.nodeCount == 10)
        run.record { chain.launch() }
        // No handler has run.
        #expect(run.batch.events.filter { $0.kind == .created }.count == 10)
        #expect(states() == ["fulfilled", "queued"] + Array(repeating: "waiting", count: 8))
        #expect(run.forest.totals.chainCount == 1)
        assertChain(
            run,
            matches: """
                fulfilled chain plan
                queued then
                waiting map
                waiting tap
                waiting catch
                waiting failed
                waiting anyway
                waiting map
                waiting ignore
                waiting done
                """)
        run.runUntilIdle()
        #expect(states().allSatisfy { $0 == "fulfilled" || $0 == "skipped" })
    }

    @Test("C1 chains in all, race and seq are shown from the start, too, under their combinators")
    func wholePlanOfGroups() {
        let member = Chain(taking: Int.self, label: "member").map(label: "twice") { $0 * 2 }
        let chain = Chain(label: "groups").map { 1 }.all([member, member]).map { $0[0] }.seq([member, member])
            .map { $0[0] }.race([member]).done { _ in }
        #expect(chain.nodeCount == 18)
        run.record { chain.launch() }
        #expect(states() == ["fulfilled", "queued"] + Array(repeating: "waiting", count: 16))
        #expect(run.forest.totals.chainCount == 1)
        assertChain(
            run,
            matches: """
                fulfilled chain groups
                queued map
                  waiting all
                    waiting chain member
                    waiting map twice
                    waiting chain member
                    waiting map twice
                    waiting map
                      waiting sequence
                        waiting chain member
                        waiting map twice
                        waiting chain member
                        waiting map twice
                        waiting map
                          waiting race
                            waiting chain member
                            waiting map twice
                            waiting done
                """)
        run.runUntilIdle()
        #expect(states() == Array(repeating: "fulfilled", count: 18))
        assertChain(
            run,
            matches: """
                fulfilled chain groups
                fulfilled map = 1
                  fulfilled all = [2, 2]
                    fulfilled chain member = 1
                    fulfilled map twice = 2
                    fulfilled chain member = 1
                    fulfilled map twice = 2
                    fulfilled map = 2
                      fulfilled sequence = [4, 4]
                        fulfilled chain member = 2
                        fulfilled map twice = 4
                        fulfilled chain member = 2
                        fulfilled map twice = 4
                        fulfilled map = 4
                          fulfilled race = 8
                            fulfilled chain member = 4
                            fulfilled map twice = 8
                            fulfilled done
                """)
    }

    @Test("C1 launched many times: each launch is a chain of its own")
    func launchedAgain() {
        let seen = Log<Int>()
        let count = Box(0)
        let chain = Chain(label: "again").map {
            count.change {
                $0 += 1; return $0
            }
        }.tap { seen.add($0) }
        run.record { for index in 1...3 { chain.launch(label: index == 3 ? "last" : "") } }
        #expect(run.forest.totals.chainCount == 3)
        run.runUntilIdle()
        #expect(seen.entries == [1, 2, 3])
        #expect(run.batch.events.filter { $0.kind == .created && run.batch.text(of: $0) == "again" }.count == 2)
        #expect(run.batch.events.filter { $0.kind == .created && run.batch.text(of: $0) == "last" }.count == 1)
    }

    @Test("C1 a beginning can be shared")
    func shared() {
        let begin = Chain().map { 5 }
        let (twice, thrice) = (begin.map { $0 * 2 }, begin.map { $0 * 3 })
        let awaiters = run.record { [twice.async(), thrice.async(), begin.async()] }
        run.runUntilIdle()
        #expect(awaiters.map { try? $0.result?.get() } == [10, 15, 5])
    }

    @Test("C1 a chain that takes a value is launched with one")
    func taking() {
        let awaiter = run.record { Chain(taking: Int.self).map { "\($0)!" }.async(with: 7) }
        run.runUntilIdle()
        #expect(try! awaiter.result?.get() == "7!")
    }

    @Test("C1 the scope forms launch the described chain")
    func scopes() {
        let seen = Log<Int>()
        let awaiter = run.record {
            Chain.launch { Chain().done { seen.add(1) } }
            return Chain.async(label: "scope") {
                let base = 20
                return Chain().map { base + 1 }
            }
        }
        #expect(run.batch.texts == ["scope"])
        run.runUntilIdle()
        #expect(seen.entries == [1])
        #expect(try! awaiter.result?.get() == 21)
    }

    @Test("C1 the executor of the chain, of a link, and of an inner chain")
    func executors() {
        let (own, other, inner) = (ManualExecutor(), ManualExecutor(), ManualExecutor())
        let awaiter = run.record {
            Chain(on: own).map { 1 }.map(on: other) { $0 + 1 }
                .all([Chain(taking: Int.self, on: inner).map { $0 }, Chain(taking: Int.self).map { $0 }]).async()
        }
        #expect([own.runAll(), other.runAll(), own.runAll(), inner.runAll()] == [1, 1, 1, 1])
        #expect(try! awaiter.result?.get() == [2, 2])
        #expect(run.executor.pendingCount == 0)
    }

    @Test("C1 an unhandled error is reported, one that a handler received is not", arguments: [false, true])
    func unhandled(_ isHandled: Bool) {
        let chain = Chain().map { () -> Int in throw Failure("lost") }
        run.record { if isHandled { chain.failed { _ in }.launch() } else { chain.launch() } }
        run.runUntilIdle()
        #expect(run.batch.events.filter { $0.kind == .unhandled }.count == (isHandled ? 0 : 1))
    }

    @Test("C1 S4 a long chain is described, launched, run and released without a deep stack")
    func long() throws {
        let end = Latch()
        try onThreads(1) { _ in
            var chain = Chain(taking: Int.self, on: InlineExecutor.shared)
            for _ in 0..<20_000 { chain = chain.map { $0 + 1 } }
            let runtime = ChainRuntime()
            let awaiter = runtime.run { chain.async(with: 0) }
            #expect(try! awaiter.await().get() == 20_000)
            #expect(chain.nodeCount == 20_001)
            end.open()
        }
        try end.wait()
    }

    @Test("C1 S2 nothing is left of a launch")
    func nothingLeft() {
        let alive = Box(0)
        do {
            let canary = Canary(alive)
            let chain = Chain().map { canary }.all([Chain(taking: Canary.self), Chain(taking: Canary.self)])
            run.record { chain.launch() }
            run.runUntilIdle()
            run.record {
                chain.map { _ -> Void in throw Failure() }.race([Chain<Void, Void>().map { canary }]).launch()
            }
            run.runUntilIdle()
            #expect(alive.value == 1)
        }
        #expect(alive.value == 0)
        #expect(run.runtime.liveNodeCount == 0)
    }

    @Test("P3 a handler may return a chain; cancelling the promise that waits for it cancels its launch (X2)")
    func returned() {
        let seen = Log<String>()
        let inner = Chain(label: "inner").then { Promise.delay(.seconds(1)) }.anyway { _ in seen.add("clean") }
            .map { 3 }
        let promise = run.record { Promise.resolve(1).then { _ in inner } }
        run.runUntilIdle()
        #expect(try! promise.result?.get() == 3)

        let cancelled = run.record { Promise.resolve(1).then { _ in inner } }
        run.executor.runAll()
        cancelled.cancel("enough", by: .viewer("me"))
        run.runUntilIdle()
        #expect(seen.entries == ["clean", "clean"])
        #expect(run.clock.nextDeadline == nil)
        let last = run.batch.events.filter { $0.kind == .cancelled }
        #expect(last.count == 5)
        #expect(last.allSatisfy { $0.flags.contains(.byViewer) })
    }

    @Test("P1 X4 a chain is not launched by a used resolver, nor by that of a cancelled promise")
    func givenToAUsedResolver() throws {
        // Inline, so that a launch runs the handler at once.
        let runtime = ChainRuntime(executor: InlineExecutor.shared)
        let seen = Log<Int>()
        let chain = Chain().map { 1 }.tap { seen.add($0) }
        let (source, sourceResolver) = runtime.run { Promise<Int>.pending() }
        let uses: [(Resolver<Int>) -> Void] = [
            { $0.fulfill(2) }, { $0.resolve(source) }, { $0.promise.cancel() },
        ]
        for use in uses {
            let resolver = runtime.run { Promise<Int>.pending().resolver }
            use(resolver)
            runtime.run { resolver.resolve(chain) }
            #expect(seen.count == 0)
        }
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        runtime.run { resolver.resolve(chain) }
        #expect(try promise.result?.get() == 1 && seen.count == 1)
        withExtendedLifetime(sourceResolver) {}
    }

    @Test("C1 X1 an awaiter cancels the pending nodes of its launch alone")
    func cancelled() {
        let seen = Log<String>()
        let chain = Chain().map { 1 }.then { Promise.resolve($0).delay(.seconds(1)) }.map { $0 + 1 }
            .finally { seen.add("clean") }
        let (first, second) = run.record { (chain.async(), chain.async()) }
        run.executor.runAll()
        first.cancel("enough")
        #expect(!second.isCompleted)
        run.runUntilIdle()
        #expect(first.result?.error as? PromiseCancelledError == PromiseCancelledError(reason: "enough"))
        #expect(try! second.result?.get() == 2)
        #expect(seen.entries == ["clean", "clean"])
    }
}

extension Result {
    /// The error of a failure.
    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

// SPDX-License-Identifier: MIT
