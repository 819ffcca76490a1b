import ChainTesting
import PromiseRuntime
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Code as users of ChainTesting write it: this target sees public declarations only.

private func checkout(_ order: Int) -> Promise<String> {
    Promise.delay(.seconds(2), label: "order \(order)").map(label: "thank") { "thanks" }
}

struct ChainTestingUseTests {
    @Test("a run of two virtual seconds, as a text and as nodes")
    func run() {
        let run = RecordedRun()
        let promise = run.record { checkout(17) }
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
        #expect(ChainSnapshot.failureMessage(for: run, expected: run.text) == nil)
        let delay = run.nodes[0]
        #expect(
            delay.label == "order 17" && delay.kind == .delay && delay.total == .seconds(2) && delay.created == .zero)
        #expect(run.nodes[1].summary == "thanks" && run.nodes[1].depth == 0)
    }

    @Test("cancelling as a viewer does")
    func cancel() {
        let run = RecordedRun()
        run.record { _ = checkout(17).failed { _ in } }
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

    @Test("expectations of a run, and a recording of it")
    func recording() throws {
        let run = RecordedRun()
        run.record { checkout(17) }
        run.runUntilIdle()
        run.expectOrder("order 17", "thank")
        run.expectNoPending(after: .seconds(2))
        let path = "/tmp/chain-testing-use-\(UInt64.random(in: 0 ... .max)).chain"
        try run.writeRecording(to: path)
        let recording = try ChainRecording(contentsOf: path)
        #expect(remove(path) == 0)
        #expect(recording.duration == .seconds(2) && !recording.program.isEmpty)
        recording.expectOrder("order 17", "thank")
        recording.expectNoPending(after: recording.duration)
        assertChain(
            recording.tree(at: .seconds(1)),
            matches: """
                pending delay order 17
                waiting map thank
                """)
        #expect(run.tree(at: .seconds(1)).nodes == recording.tree(at: .seconds(1)).nodes)
        #expect(ChainSnapshot.failureMessage(for: recording.end, expected: recording.end.text) == nil)
        #expect(throws: ChainRecordingError.self) { try ChainRecording(contentsOf: path) }
    }
}

// SPDX-License-Identifier: MIT
