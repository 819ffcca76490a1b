import ChainEvents
import ChainInspector
import ChainModel
import PromiseRuntime
import Testing

/// Batches of an inspector as an asynchronous sequence.
@Suite struct BatchSequenceTests {
    private let runtime = ChainRuntime(executor: InlineExecutor.shared)

    @Test(.timeLimit(.minutes(4))) func theStateThenBatchesThenTheEnd() async throws {
        let inspector = try Inspector.start(runtime: runtime)
        let early = runtime.run { Promise<Int>.pending(label: "early") }
        inspector.collectNow()
        let batches = inspector.batchSequence()
        let late = runtime.run { Promise<Int>.pending(label: "late") }
        inspector.collectNow()
        inspector.stop()
        var forest = ChainForest(process: inspector.info.key)
        for await batch in batches { forest.apply(batch) }
        var labels: [String] = []
        for root in forest.roots { labels.append(forest.label(of: root) ?? "") }
        #expect(labels.sorted() == ["early", "late"])
        withExtendedLifetime((early, late)) {}
    }

    @Test(.timeLimit(.minutes(4))) func aWaitingLoopIsWokenAndEndsWithItsTask() async throws {
        let inspector = try Inspector.start(runtime: runtime)
        defer { inspector.stop() }
        let loop = Task {
            var nodeCount = 0
            for await batch in inspector.batchSequence() {
                nodeCount += batch.nodes.count + batch.events.count { $0.kind == .created }
                if nodeCount > 0 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return nodeCount
        }
        let promise = runtime.run { Promise.resolve(1) }
        #expect(await loop.value > 0)
        withExtendedLifetime(promise) {}
    }
}

// SPDX-License-Identifier: MIT
