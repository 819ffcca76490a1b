import ChainEvents
import ChainModel
import ChainSystem
import PromiseRuntime
import SeededNumbers
import Testing

@testable import ChainInspector

/// A whole inspector on a real pool, while threads make promises, read, cancel, subscribe and dispose.
@Suite struct InspectorLoadTests {
    private struct Refused: Error {}

    /// Drains a subscription on a thread of its own, slowly.
    private final class SlowViewer: Sendable {
        let subscription: BatchSubscription
        let forest: Lock<ChainForest>
        let isOver = Lock(false)

        init(_ inspector: Inspector, mailboxLimit: Int) {
            subscription = inspector.subscribe(mailboxLimit: mailboxLimit)
            forest = Lock(ChainForest(process: inspector.info.key))
        }

        func run() {
            while !isOver.withLock({ $0 }) { read(atMost: 3) }
            read(atMost: .max)
        }

        private func read(atMost limit: Int) {
            var count = 0
            while count < limit, let batch = subscription.next() {
                forest.withLock { $0.apply(batch) }
                count += 1
            }
        }
    }

    @Test(arguments: [256, 4096])
    func afterTheLoadTheStateIsRight(ringCapacity: Int) throws {
        var options = InspectorOptions.alone
        options.ringCapacity = ringCapacity
        options.interval = .milliseconds(1)
        options.retention.settledNodeLimit = 1_000_000
        let runtime = ChainRuntime()
        let inspector = try Inspector.start(runtime: runtime, options: options)
        let viewer = SlowViewer(inspector, mailboxLimit: 500)
        let viewing = startThread { viewer.run() }
        let isDone = Lock(false)
        let settled = Lock(0)
        let chainCount = Seeds.rounds(600)
        let makers = (0..<2).map { maker in
            startThread {
                for number in 0..<chainCount {
                    runtime.run {
                        let first = Promise<Int>(label: "chain \(maker).\(number)") { number }
                        let both = Promise.all([first.map { $0 + 1 }, first.map { $0 + 2 }])
                        _ = both.map { values -> Int in
                            guard number % 7 != 0 else { throw Refused() }
                            return values[0] + values[1]
                        }.catch { _ in 0 }.anyway { _ in settled.withLock { $0 += 1 } }
                    }
                }
            }
        }
        let canceller = startThread {
            var id: UInt64 = 0
            while !isDone.withLock({ $0 }) {
                let target = inspector.collector.withState { state in
                    state.forest.roots.last.map { state.forest.node($0).id }
                }
                id += 1
                if let target {
                    let request = ViewerCommand.Request.cancel(.chain(target), by: "load")
                    _ = inspector.perform(ViewerCommand(id: id, process: inspector.info.key, request: request))
                }
                inspector.subscribe(mailboxLimit: 5).dispose()
            }
        }
        for join in makers { join() }
        isDone.withLock { $0 = true }
        canceller()
        #expect(wait { runtime.liveNodeCount == 0 })
        // The last loss is repaired when the interval between two resyncs is over.
        let isRepaired = wait {
            inspector.collectNow()
            return inspector.collector.withState { $0.forest.totals.counts.liveCount } == 0
        }
        #expect(isRepaired)
        inspector.stop()
        viewer.isOver.withLock { $0 = true }
        viewing()
        let counts = inspector.eventCounts
        #expect(counts.madeCount == counts.deliveredCount + counts.lostInRings)
        #expect(counts.deliveredCount > 0)
        #expect(settled.withLock { $0 } <= 2 * chainCount)
        let live = viewer.forest.withLock { $0.totals.counts.liveCount }
        #expect(live == 0, "the slow viewer shows settled nodes as live")
        let nodeCount = inspector.collector.withState { $0.forest.totals.nodeCount }
        #expect(viewer.forest.withLock { $0.totals.nodeCount } == nodeCount)
    }
}

// SPDX-License-Identifier: MIT
