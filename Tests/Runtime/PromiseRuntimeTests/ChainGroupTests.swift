import ChainTesting
import PromiseRuntime
import Testing

/// TheRules, C3: all, race and seq over chains; X2, their cancellation.
struct ChainGroupTests {
    private let run = RecordedRun()

    /// Returns a chain that multiplies its value by `factor` after `delay` milliseconds, and fails for a negative factor.
    private func member(_ factor: Int, after delay: Int, log: Log<String> = Log()) -> Chain<Int, Int> {
        Chain(taking: Int.self).tap { _ in log.add("start \(factor)") }.delay(.milliseconds(delay)).map { value in
            log.add("end \(factor)")
            if factor < 0 { throw Failure("\(factor)") }
            return value * factor
        }
    }

    /// Runs a chain, and returns its result.
    private func result<Value>(_ chain: Chain<Void, Value>) -> Result<Value, any Error>? {
        let awaiter = run.record { chain.async() }
        run.runUntilIdle()
        return awaiter.result
    }

    private var five: Chain<Void, Int> { Chain().map { 5 } }

    @Test("C3 all runs in parallel, each with the incoming value; values in order")
    func all() throws {
        let chains = (1...4).map { member($0, after: 50 - 10 * $0) }
        #expect(try result(five.all(chains))?.get() == [5, 10, 15, 20])
        #expect(run.clock.elapsed == .milliseconds(40))
    }

    @Test("C3 all waits for all, also after an error, and its error holds every outcome in order")
    func allFailed() {
        let log = Log<String>()
        let chains = [member(-1, after: 1, log: log), member(2, after: 9, log: log), member(-3, after: 5, log: log)]
        let error = result(five.all(chains))?.error as? NotAllFulfilledError<Int>
        #expect(log.entries == ["start -1", "start 2", "start -3", "end -1", "end -3", "end 2"])
        #expect(error?.outcomes.map { try? $0.get() } == [nil, 10, nil])
        #expect(error?.errors.map { $0 as? Failure } == [Failure("-1"), Failure("-3")])
        #expect(error?.description == "2 of 3 failed, the first with: -1")
    }

    @Test("C3 race: the first success wins, an earlier failure does not, and losers run on")
    func race() throws {
        let log = Log<String>()
        let chains = [member(-1, after: 1, log: log), member(2, after: 5, log: log), member(3, after: 9, log: log)]
        let awaiter = run.record { five.race(chains).async() }
        run.run(until: .milliseconds(5))
        #expect(try awaiter.result?.get() == 10)
        #expect(log.entries.last == "end 2")
        run.runUntilIdle()
        #expect(log.entries.last == "end 3")
        #expect(run.batch.events.allSatisfy { $0.kind != .unhandled && $0.kind != .cancelled })
    }

    @Test("C3 race: if all fail, the error of the last to fail")
    func raceFailed() {
        let chains = [member(-1, after: 1), member(-2, after: 9), member(-3, after: 5)]
        #expect(result(five.race(chains))?.error as? Failure == Failure("-2"))
    }

    @Test("C3 seq: one after another, each with the incoming value; values in order")
    func seq() throws {
        let log = Log<String>()
        let chains = [member(3, after: 9, log: log), member(1, after: 5, log: log), member(2, after: 1, log: log)]
        #expect(try result(five.seq(chains))?.get() == [15, 5, 10])
        #expect(log.entries == ["start 3", "end 3", "start 1", "end 1", "start 2", "end 2"])
        #expect(run.clock.elapsed == .milliseconds(15))
    }

    @Test("C3 seq stops at the first error; the chains behind it are skipped")
    func seqFailed() {
        let log = Log<String>()
        let chains = [member(3, after: 1, log: log), member(-1, after: 1, log: log), member(2, after: 1, log: log)]
        #expect(result(five.seq(chains))?.error as? Failure == Failure("-1"))
        #expect(log.entries == ["start 3", "end 3", "start -1", "end -1"])
        // The root and the three links of the last chain.
        #expect(run.forest.allStates().filter { $0 == "skipped" }.count == 4)
        #expect(run.forest.totals.liveChainCount == 0)
    }

    @Test("C3 empty lists: all and seq give [], race rejects")
    func empty() throws {
        let none: [Chain<Int, Int>] = []
        #expect(try result(five.all(none))?.get() == [])
        #expect(try result(five.seq(none))?.get() == [])
        #expect((result(five.race(none))?.error as? AllRejectedError)?.errors.isEmpty == true)
    }

    @Test("C3 members without a link, and groups in groups")
    func nested() throws {
        let plain = Chain(taking: Int.self)
        let inner = plain.all([plain, plain.map { $0 + 1 }]).map { $0[0] + $0[1] }
        #expect(try result(five.seq([inner, plain, plain.race([inner])]))?.get() == [11, 5, 11])
    }

    @Test("C3 an error before it is passed on; all chains are skipped")
    func notReached() {
        let log = Log<String>()
        let chain = Chain().map { () -> Int in throw Failure() }
            .all([member(1, after: 1, log: log).anyway { _ in log.add("anyway") }])
            .race([Chain(taking: [Int].self).seq([Chain(taking: [Int].self).finally { log.add("finally") }])])
        #expect(result(chain)?.error as? Failure == Failure())
        #expect(log.count == 0)
        #expect(run.forest.allStates().filter { $0 == "skipped" }.count == chain.nodeCount - 2)
        #expect(run.forest.totals.counts.liveCount == 0)
        // The error of the launch itself, which no handler received.
        #expect(run.batch.events.filter { $0.kind == .unhandled }.count == 1)
    }

    @Test("C3 the list may depend on the value")
    func listFromValue() throws {
        let chain = five.then { value in
            Chain().all((1...value).map { index in Chain().map { index * value } })
        }
        #expect(try result(chain)?.get() == [5, 10, 15, 20, 25])
    }

    @Test(
        "X2 a cancelled group cancels the chains that it started and starts no more; clean-up runs",
        arguments: ["all", "seq"])
    func cancelled(_ kind: String) {
        let log = Log<String>()
        let chains = (1...2).map { index in
            member(index, after: 50, log: log).finally { log.add("clean \(index)") }
        }
        let awaiter = run.record { (kind == "all" ? five.all(chains) : five.seq(chains)).async() }
        run.run(until: .milliseconds(10))
        awaiter.cancel("enough", by: .viewer("me"))
        run.runUntilIdle()
        #expect(
            awaiter.result?.error as? PromiseCancelledError
                == PromiseCancelledError(reason: "enough", by: .viewer("me")))
        #expect(run.clock.nextDeadline == nil)
        #expect(
            log.entries
                == (kind == "all" ? ["start 1", "start 2", "clean 1", "clean 2"] : ["start 1", "clean 1"]))
        #expect(run.forest.totals.counts.liveCount == 0)
        #expect(run.forest.totals.counts[.cancelled] == (kind == "all" ? 7 : 9))
    }

    @Test("X1 a member that a viewer cancels before it began counts as failed", arguments: ["all", "race", "seq"])
    func memberCancelled(_ kind: String) throws {
        let chains = ["one", "two"].map { Chain(taking: Int.self, label: $0).map { $0 } }
        let group = kind == "all" ? five.all(chains) : kind == "seq" ? five.seq(chains) : five.race(chains).map { [$0] }
        let awaiter = run.record { group.async() }
        run.cancelTree(labelled: "one")
        run.runUntilIdle()
        switch kind {
        case "all":
            #expect((awaiter.result?.error as? NotAllFulfilledError<Int>)?.outcomes.map { try? $0.get() } == [nil, 5])
        case "seq": #expect(awaiter.result?.error is PromiseCancelledError)
        default: #expect(try awaiter.result?.get() == [5])
        }
        #expect(run.forest.totals.counts.liveCount == 0)
    }

    @Test("C3 all of 10,000 chains, built at run time")
    func wide() throws {
        let chains = (0..<10_000).map { index in Chain(taking: Int.self).map(on: InlineExecutor.shared) { $0 + index }
        }
        let runtime = ChainRuntime(executor: ManualExecutor())
        let awaiter = runtime.run { Chain(taking: Int.self).all(chains).async(with: 1) }
        #expect(try awaiter.result?.get() == Array(1...10_000))
    }

    @Test("C3 S1 groups on the pool, cancelled at any time", arguments: 0..<20)
    func onThePool(_ round: Int) throws {
        let alive = Box(0)
        let chain = Chain(taking: Int.self)
            .all(
                (0..<4).map { index in
                    Chain(taking: Int.self).map { [canary = Canary(alive)] in
                        canary.touch(); return $0 + index
                    }
                }
            )
            .map { $0.reduce(0, +) }
            .seq((0..<4).map { index in Chain(taking: Int.self).map { $0 * index } })
            .map { $0[1] }
            .race((0..<4).map { _ in Chain(taking: Int.self).map { $0 } })
        for _ in 0..<10 {
            let awaiter = chain.async(with: round)
            let canceller = Promise { awaiter.cancel() }
            let result = try outcome(awaiter.promise)
            if case .success(let value) = result { #expect(value == 4 * round + 6) }
            #expect(
                result.error == nil || result.error is PromiseCancelledError
                    || result.error is NotAllFulfilledError<Int>)
            try outcome(canceller)
        }
    }
}

// SPDX-License-Identifier: MIT
