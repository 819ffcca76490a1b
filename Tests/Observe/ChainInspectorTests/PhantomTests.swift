import ChainEvents
import ChainModel
import ChainSystem
import Dispatch
import PromiseRuntime
import Synchronization
import Testing

@testable import ChainInspector

/// After a loss of events a viewer shows which handlers run: each that has not returned, and no other.
@Suite struct PhantomTests {
    /// A recorded runtime with rings of 64 events, which only the test collects, and the forest of a viewer.
    private final class Program {
        let runtime = ChainRuntime(executor: InlineExecutor.shared)
        let inspector: Inspector
        private let subscription: BatchSubscription
        private var forest: ChainForest

        init() throws {
            var options = InspectorOptions()
            options.ringCapacity = 64
            options.collection = .manual
            options.endpoints = []
            inspector = try Inspector.start(name: "phantoms", runtime: runtime, options: options)
            subscription = inspector.subscribe()
            forest = ChainForest(process: inspector.info.key)
        }

        deinit {
            subscription.dispose()
            inspector.stop()
        }

        /// Records more events than a ring holds, so that this thread's next events are lost.
        static func flood() {
            for _ in 0..<100 {
                let (_, resolver) = Promise<Int>.pending()
                resolver.fulfill(1)
            }
        }

        /// Collects, and returns the node with a label as the viewer has it.
        func node(_ label: String) -> NodeView? {
            inspector.collectNow()
            while let batch = subscription.next() { forest.apply(batch) }
            return node(label, in: forest)
        }

        /// Returns the node with a label as a viewer has it that attaches now.
        func lateNode(_ label: String) -> NodeView? {
            let subscription = inspector.subscribe()
            defer { subscription.dispose() }
            var late = ChainForest(process: inspector.info.key)
            while let batch = subscription.next() { late.apply(batch) }
            return node(label, in: late)
        }

        private func node(_ label: String, in forest: ChainForest) -> NodeView? {
            for slot in 0..<UInt32(forest.indexBound) {
                let index = NodeIndex(rawValue: slot)
                if forest.contains(index), forest.label(of: index) == label { return forest.node(index) }
            }
            return nil
        }
    }

    @Test func aHandlerIsNotShownAsRunningAfterItsSettlementWasLost() throws {
        let program = try Program()
        let inspector = program.inspector
        let kept = program.runtime.run {
            let (root, resolver) = Promise<Int>.pending()
            let kept = root.map(label: "kept") { number in
                inspector.collectNow()
                Program.flood()
                return number
            }
            resolver.fulfill(1)
            return kept
        }
        #expect(wait { program.node("kept")?.activity == Activity.none })
        #expect(program.node("kept")?.state == .fulfilled && program.node("kept")?.ended != nil)
        #expect(program.lateNode("kept")?.activity == Activity.none)
        #expect(inspector.eventCounts.lostCount > 0 && kept.isSettled)
    }

    @Test func aBodyThatReturnedIsShownAsPendingAndNotAsRunning() throws {
        let program = try Program()
        let inspector = program.inspector
        let resolvers = Lock<[Promise<Int>.Resolve]>([])
        let kept = program.runtime.run {
            Promise<Int>(label: "kept") { resolve, _ in
                resolvers.withLock { $0.append(resolve) }
                inspector.collectNow()
                Program.flood()
            }
        }
        #expect(wait { program.node("kept")?.state == .pending })
        #expect(program.node("kept")?.activity == Activity.none && program.lateNode("kept")?.state == .pending)
        #expect(!kept.isSettled)
        resolvers.withLock { $0 }.first?(1)
    }

    @Test func aHandlerThatRunsOnAfterACancellationIsShownUntilItReturns() throws {
        let program = try Program()
        let (runtime, inspector) = (program.runtime, program.inspector)
        let (root, resolver) = runtime.run { Promise<Int>.pending() }
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let kept = root.map(label: "kept") { number in
            inspector.collectNow()
            begun.signal()
            gate.wait()
            Program.flood()
            return number
        }
        let thread = startThread { runtime.run { resolver.fulfill(1) } }
        begun.wait()
        kept.cancel()
        runtime.run { Program.flood() }
        #expect(wait { program.node("kept")?.state == .cancelled })
        let lost = inspector.eventCounts.lostCount
        // Two resyncs at least, and it still runs.
        for _ in 0..<2 {
            inspector.resyncForTests()
            let view = program.node("kept")
            #expect(view?.activity == .running && view?.marks.contains(.stillOnThread) == true)
        }
        gate.signal()
        thread()
        #expect(wait { program.node("kept")?.activity == Activity.none })
        #expect(program.lateNode("kept")?.activity == Activity.none)
        #expect(inspector.eventCounts.lostCount > lost)
    }
}

extension Inspector {
    /// Requests a walk over the registry, which publishes the state of all live nodes.
    fileprivate func resyncForTests() { collector.withState { $0.walk.isRequested = true } }
}

// SPDX-License-Identifier: MIT
