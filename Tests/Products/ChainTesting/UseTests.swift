import ChainTesting
import PromiseRuntime
import Testing

// What a user of ChainTesting can write: this target sees public declarations alone.

private func checkout(_ order: Int) -> Promise<String> {
    Promise.delay(.seconds(2), label: "order \(order)").map(label: "thank") { "thanks" }
}

struct ChainTestingUseTests {
    @Test("a run of two virtual seconds, as a text and as nodes")
    func run() {
        let run = RecordedRun()
        let promise = run.make { checkout(17) }
        run.run(until: .seconds(1))
        #expect(run.clock.elapsed == .seconds(1) && !promise.isSettled)
        #expect(run.nodes.map(\.state) == [.pending, .waiting])
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                fulfilled delay order 17 · total 2s
                fulfilled map thank = thanks
                """)
        #expect(ChainSnapshot.complaint(about: run, expected: run.text) == nil)
        let delay = run.nodes[0]
        #expect(
            delay.label == "order 17" && delay.kind == .delay && delay.total == .seconds(2) && delay.created == .zero)
        #expect(run.nodes[1].summary == "thanks" && run.nodes[1].depth == 0)
    }

    @Test("cancelling as a viewer does")
    func cancel() {
        let run = RecordedRun()
        run.make { _ = checkout(17).failed { _ in } }
        #expect(run.promise(labelled: "order 17") != nil)
        #expect(run.cancelTree(labelled: "order 17", by: "ada") == 3)
        run.runUntilIdle()
        #expect(run.nodes.map(\.state) == [.cancelled, .cancelled, .cancelled])
    }

    @Test("a clock of one's own")
    func clock() {
        let clock = VirtualClock()
        let runtime = ChainRuntime(clock: clock, executor: InlineExecutor.shared)
        let promise = runtime.run { Promise.delay(.seconds(3600)).map { 1 } }
        clock.advance(by: .seconds(3600))
        #expect(promise.isSettled)
    }
}
