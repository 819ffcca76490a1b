import AttachHarness
import ChainEvents
import ChainModel
import ChainWire
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// An answer to a viewer holds everything that was recorded before the request.
@Suite(.onItsOwnThread) struct FreshnessTests {
    private let folder = ScratchFolder()
    private let runtime = ChainRuntime(executor: ManualExecutor())

    /// Starts an inspector that collects once an hour by itself, so that what a viewer sees was collected for it.
    private func start() throws -> Inspector {
        var options = folder.options()
        options.interval = .seconds(3600)
        let inspector = try Inspector.start(runtime: runtime, options: options)
        // The thread's first pass is over.
        #expect(wait { inspector.collector.withState { $0.passCount > 0 && !$0.isInPass } })
        return inspector
    }

    @Test func aLookCountsWhatWasMadeJustBefore() throws {
        let inspector = try start()
        defer { inspector.stop() }
        var resolvers: [Resolver<Int>] = []
        for round in 1...100 as ClosedRange<UInt64> {
            resolvers.append(runtime.run { Promise<Int>.pending() }.resolver)
            let hello = try TestViewer(inspector.addresses[0]).greet(ClientHello(purpose: .look))
            #expect(hello.totals.nodeCount == round && hello.totals.liveCount == round)
        }
        for resolver in resolvers { resolver.fulfill(1) }
        #expect(try TestViewer(inspector.addresses[0]).greet(ClientHello(purpose: .look)).totals.liveCount == 0)
    }

    @Test func theFirstStateHoldsEveryNode() throws {
        for _ in 0..<20 {
            let inspector = try start()
            defer { inspector.stop() }
            let made = runtime.run { (0..<150).map { _ in Promise<Int>.pending() } }
            let viewer = try TestViewer(inspector.addresses[0])
            try viewer.greet()
            #expect(viewer.hello?.totals.nodeCount == 150)
            let forest = try state(of: viewer)
            #expect(made.allSatisfy { forest.index(of: $0.promise.id) != nil })
            for (_, resolver) in made { resolver.fulfill(1) }
        }
    }

    @Test func aStateHoldsTheLastChange() throws {
        let inspector = try start()
        defer { inspector.stop() }
        for _ in 0..<40 {
            let (promise, resolver) = runtime.run { Promise<Int>.pending() }
            resolver.fulfill(1)
            let viewer = try TestViewer(inspector.addresses[0])
            try viewer.greet()
            let forest = try state(of: viewer)
            let index = try #require(forest.index(of: promise.id))
            #expect(!forest.state(of: index).isLive)
        }
    }

    /// Reads to the end of the first state, and returns the forest.
    private func state(of viewer: TestViewer) throws -> ChainForest {
        while true {
            guard case .batch(let batch) = try viewer.next(), case .end? = batch.resync else { continue }
            return try #require(viewer.forest)
        }
    }
}

// SPDX-License-Identifier: MIT
