import ChainEvents
import ChainModel
import ChainSystem
import PromiseRuntime
import Testing

@testable import ChainInspector

/// TheRules, X5: what a viewer's cancellation does to a real runtime.
@Suite struct CancelCommandTests {
    /// An inspected runtime driven by hand.
    private struct Stage {
        let executor = ManualExecutor()
        let runtime: ChainRuntime
        let inspector: Inspector

        init(readOnly: Bool = false) throws {
            var options = InspectorOptions.alone
            options.collection = .manual
            options.isReadOnly = readOnly
            runtime = ChainRuntime(executor: executor)
            inspector = try Inspector.start(runtime: runtime, options: options)
        }

        func cancel(_ scope: CancelScope) -> CommandReply.Outcome {
            let command = ViewerCommand(id: 9, process: inspector.info.key, request: .cancel(scope, by: "ada"))
            let reply = inspector.perform(command)
            #expect(reply.command == 9)
            return reply.outcome
        }

        func state(_ promise: AnyPromise) -> NodeState? {
            inspector.collector.withState { state in
                state.forest.index(of: promise.id).map { state.forest.state(of: $0) }
            }
        }

        var cancellationCount: Int { inspector.collector.withState { $0.cancellations.count } }
    }

    private func cancellation(_ promise: Promise<some Sendable>) -> PromiseCancelledError? {
        guard case .failure(let error)? = promise.result else { return nil }
        return error as? PromiseCancelledError
    }

    /// A handler that never returns keeps a cancellation going for days.
    @Test func evictedRootsLeaveTheScope() {
        let clock = StillClock()
        var options = CollectorOptions()
        (options.forest.settledNodeLimit, options.forest.settledLeafLimit, options.forest.ageLimit) = (0, 0, 1)
        let bench = Bench(clock: clock, collector: options)
        for node in 1...10 as ClosedRange<UInt64> { bench.record(.created, node) }
        bench.collector.collectNow()
        var cancellation = OngoingCancellation(roots: (1...10).map { NodeID($0) }, viewer: "ada")
        #expect(bench.collector.withState { cancellation.trees(in: $0.forest).count } == 10)
        for node in 2...10 as ClosedRange<UInt64> { bench.record(.fulfilled, node) }
        for _ in 0..<2 {
            clock.advance(by: 1_000)
            bench.collector.collectNow()
        }
        #expect(bench.collector.withState { cancellation.trees(in: $0.forest).count } == 1)
        #expect(cancellation.roots == [NodeID(1)])
    }

    /// A handler that goes on after its cancellation does not keep the collector at its short interval.
    @Test func aCancellationThatFindsNothingReadsRingsAsIfIdle() {
        let clock = StillClock()
        let bench = Bench(clock: clock)
        let (short, long) = (bench.collector.options.interval, bench.collector.options.idleInterval)
        bench.record(.created, 1)
        #expect(bench.collector.cancel(.node(NodeID(1)), by: "ada") == .accepted(count: 1))
        #expect(bench.collector.readInterval == short)
        clock.advance(by: OngoingCancellations.activeSpan - 1)
        bench.collector.collectNow()
        #expect(bench.collector.readInterval == short)
        clock.advance(by: 1)
        bench.collector.collectNow()
        #expect(bench.collector.readInterval == long)
        #expect(bench.collector.withState { $0.cancellations.count } == 1)
        // It goes on all the same, and is active again once it finds a node.
        bench.recorder.record(EventRecord(.created, node: NodeID(2), other: NodeID(1), flags: .hasParent), text: nil)
        bench.collector.collectNow()
        #expect(bench.runtime.cancelledIDs == [NodeID(1), NodeID(2)])
        #expect(bench.collector.readInterval == short)
        for node in [1, 2] as [UInt64] { bench.record(.cancelled, node) }
        bench.collector.collectNow()
        #expect(bench.collector.withState { $0.cancellations.count } == 0)
        #expect(bench.collector.readInterval == long)
    }

    @Test func x5CancelsANodeWithItsDescendantsAndNothingElse() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let (root, resolver) = stage.runtime.run { Promise<Int>.pending(label: "root") }
        let left = root.map { $0 + 1 }
        let leaf = left.map { $0 + 1 }
        let right = root.map { $0 + 10 }
        #expect(stage.cancel(.node(left.id)) == .accepted(count: 1))
        #expect(cancellation(left)?.by == .viewer("ada"))
        #expect(cancellation(leaf)?.by == .viewer("ada"))
        // The events are published by the time of the reply.
        #expect(stage.state(left) == .cancelled && stage.state(leaf) == .cancelled)
        #expect(stage.state(root) == .pending && stage.state(right) == .waiting)
        resolver.fulfill(1)
        stage.executor.runAll()
        #expect((try? right.result?.get()) == 11)
        stage.inspector.collectNow()
        #expect(stage.cancellationCount == 0)
    }

    @Test func x5CancelsTheTopmostPendingNodesOfTheScope() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let root = stage.runtime.run { Promise.resolve(1) }
        // Their handlers wait in the executor.
        let branches = (0..<3).map { number in root.map { $0 + number } }
        let leaves = branches.map { branch in branch.map { $0 } }
        #expect(stage.cancel(.chain(leaves[2].id)) == .accepted(count: 3))
        for promise in branches + leaves { #expect(cancellation(promise) != nil) }
        #expect((try? root.result?.get()) == 1)
        stage.executor.runAll()
        stage.inspector.collectNow()
        #expect(stage.cancellationCount == 0)
    }

    @Test func x5CancelsTaggedNodesTogetherAndSkipsSettledAndUnknownOnes() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let pairs = stage.runtime.run { (0..<4).map { Promise<Int>.pending(label: "p\($0)") } }
        pairs[1].resolver.fulfill(1)
        let ids = pairs.prefix(3).map(\.promise.id) + [NodeID(rawValue: .max)]
        #expect(stage.cancel(.nodes(ids)) == .accepted(count: 2))
        #expect(cancellation(pairs[0].promise) != nil && cancellation(pairs[2].promise) != nil)
        #expect(pairs[3].promise.result == nil)
        pairs[3].resolver.fulfill(1)
    }

    @Test func x5DoesNotCountATaggedNodeUnderAnotherTaggedNode() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let (root, resolver) = stage.runtime.run { Promise<Int>.pending() }
        let leaf = root.map { $0 }.map { $0 }
        #expect(stage.cancel(.nodes([leaf.id, root.id, root.id])) == .accepted(count: 1))
        #expect(cancellation(leaf) != nil)
        withExtendedLifetime(resolver) {}
    }

    @Test func x5AWatchEndsWhenItsScopeIsEmpty() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        var pairs = stage.runtime.run { (0..<300).map { Promise<Int>.pending(label: "p\($0)") } }
        for pair in pairs { #expect(stage.cancel(.node(pair.promise.id)) == .accepted(count: 1)) }
        stage.inspector.collectNow()
        #expect(stage.cancellationCount == 0)
        pairs = []
    }

    /// A span with an `async let`, neither of which can be cancelled, and a promise in that.
    @Test func x5ReachesWhatIsUnderNodesThatCannotBeCancelled() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let (promise, resolver) = stage.runtime.run { Promise<Int>.pending(label: "stock") }
        let (span, task) = (NodeID(1 << 40), NodeID(1 << 40 | 1))
        let recorder = stage.inspector.collector.recorder
        recorder.record(EventRecord(.created, node: span, detail: UInt16(NodeKind.span.rawValue)), text: "GET /order")
        recorder.record(
            EventRecord(.created, node: task, other: span, detail: UInt16(NodeKind.task.rawValue)), text: nil)
        recorder.record(EventRecord(.linked, node: task, other: promise.id), text: nil)
        guard case .refused = stage.cancel(.node(task)) else {
            Issue.record("what is under a task that was chosen itself is cancelled")
            return
        }
        #expect(!promise.isSettled)
        #expect(stage.cancel(.node(span)) == .accepted(count: 1))
        #expect(cancellation(promise)?.by == .viewer("ada"))
        withExtendedLifetime(resolver) {}
    }

    @Test func x5ReachesTheMembersOfACombinatorThatHaveNoOtherConsumer() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let pairs = stage.runtime.run { (0..<3).map { Promise<Int>.pending(label: "member \($0)") } }
        let all = stage.runtime.run { Promise.all(pairs.map(\.promise), label: "all") }
        // The last member has another consumer, too.
        let other = stage.runtime.run { Promise.all([pairs[2].promise], label: "other") }
        #expect(stage.cancel(.node(all.id)) == .accepted(count: 1))
        #expect(cancellation(all) != nil)
        #expect(cancellation(pairs[0].promise) != nil && cancellation(pairs[1].promise) != nil)
        #expect(pairs[2].promise.result == nil)
        stage.inspector.collectNow()
        #expect(stage.cancellationCount == 0)
        pairs[2].resolver.fulfill(3)
        #expect((try? other.result?.get()) == [3])
    }

    @Test func aSharedNodeIsCancelledIfItIsNamedItself() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let (shared, resolver) = stage.runtime.run { Promise<Int>.pending() }
        let both = stage.runtime.run { (0..<2).map { _ in Promise.all([shared]) } }
        #expect(stage.cancel(.node(shared.id)) == .accepted(count: 1))
        #expect(cancellation(shared) != nil)
        withExtendedLifetime((both, resolver)) {}
    }

    @Test func x5CancelsPromisesMadeInTheScopeUntilItIsEmpty() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let made = Lock<[Promise<Int>]>([])
        let outcome = Lock<CommandReply.Outcome?>(nil)
        let id = Lock<NodeID?>(nil)
        let work = stage.runtime.run {
            Promise<Int>(label: "work") {
                // The viewer cancels while this handler runs; then the handler makes more promises.
                let named = id.withLock { $0! }
                let reply = stage.cancel(.node(named))
                outcome.withLock { $0 = reply }
                for _ in 0..<3 {
                    let (promise, resolver) = Promise<Int>.pending(label: "made late")
                    let kept = promise.anyway { _ in _ = resolver }
                    made.withLock { $0 += [promise, kept] }
                }
                return 1
            }
        }
        id.withLock { $0 = work.id }
        stage.executor.runNext()
        #expect(outcome.withLock { $0 } == .accepted(count: 1))
        #expect(stage.cancellationCount == 1)
        stage.inspector.collectNow()
        let late = made.withLock { $0 }
        #expect(late.count == 6)
        for promise in late { #expect(cancellation(promise)?.by == .viewer("ada")) }
        stage.executor.runAll()
        stage.inspector.collectNow()
        #expect(stage.cancellationCount == 0)
        // The scope is empty: promises made from now on are not cancelled.
        let free = stage.runtime.run { Promise<Int>.pending() }
        stage.inspector.collectNow()
        #expect(free.promise.result == nil)
        free.resolver.fulfill(1)
    }

    @Test func x3CleanUpRunsWithAnErrorThatNamesTheViewer() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let seen = Lock<[String]>([])
        let (root, resolver) = stage.runtime.run { Promise<Int>.pending() }
        let tail = root.map { $0 }.catch { error -> Int in
            seen.withLock { $0.append("\(error)") }
            return 0
        }
        #expect(stage.cancel(.chain(root.id)) == .accepted(count: 1))
        stage.executor.runAll()
        #expect(seen.withLock { $0.count } == 1)
        #expect(seen.withLock { $0.first?.contains("ada") } == true)
        #expect(cancellation(tail) != nil)
        #expect(resolver.isCancelled)
    }

    @Test func refusesWithAReason() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        func reason(_ scope: CancelScope) -> String {
            guard case .refused(let reason) = stage.cancel(scope) else { return "accepted" }
            return reason
        }
        let done = stage.runtime.run { Promise.resolve(1) }
        #expect(reason(.node(done.id)) == "Nothing is pending in \(done.id): there is nothing to cancel")
        #expect(reason(.chain(done.id)).hasPrefix("Nothing is pending in the chain of \(done.id)"))
        #expect(reason(.node(NodeID(999_999))) == "There is no node #999999 in this program")
        #expect(reason(.nodes([])).hasPrefix("No node was named"))
        #expect(reason(.nodes([done.id, NodeID(999_999)])).hasPrefix("Nothing is pending in the 2 nodes"))
    }

    @Test func refusesIfReadOnlyForAnotherRunAndAfterTheEnd() throws {
        let stage = try Stage(readOnly: true)
        #expect(stage.inspector.info.isReadOnly)
        let (promise, resolver) = stage.runtime.run { Promise<Int>.pending() }
        guard case .refused(let reason) = stage.cancel(.node(promise.id)) else {
            Issue.record("a read-only program was made to cancel")
            return
        }
        #expect(reason.contains("read-only"))
        #expect(promise.result == nil)
        let foreign = ViewerCommand(
            id: 1, process: ProcessKey(rawValue: 1), request: .cancel(.node(promise.id), by: "ada"))
        #expect(
            stage.inspector.perform(foreign).outcome == .refused("The command is for another run of the program"))
        let resync = ViewerCommand(id: 2, process: stage.inspector.info.key, request: .resync)
        #expect(stage.inspector.perform(resync).outcome == .accepted(count: 0))
        stage.inspector.stop()
        #expect(stage.inspector.perform(resync).outcome == .refused("The program has stopped its inspector"))
        resolver.fulfill(1)
    }

    @Test func reachesANodeThatWasMadeBeforeRecordingBeganFromItsNextStepOn() throws {
        let executor = ManualExecutor()
        let runtime = ChainRuntime(executor: executor)
        let (root, resolver) = runtime.run { Promise<Int>.pending() }
        let old = root.map { $0 }
        let (follower, following) = runtime.run { Promise<Int>.pending() }
        var options = InspectorOptions.alone
        options.collection = .manual
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        // A step of another node names it.
        following.resolve(old)
        inspector.collectNow()
        #expect(inspector.collector.withState { $0.forest.index(of: old.id) } != nil)
        let command = ViewerCommand(id: 1, process: inspector.info.key, request: .cancel(.node(old.id), by: "ada"))
        let reason = "\(old.id) was made before recording began: it can be reached from its next step on"
        #expect(inspector.perform(command).outcome == .refused(reason))
        // A step of its own: its handler waits in the executor.
        resolver.fulfill(1)
        #expect(inspector.perform(command).outcome == .accepted(count: 1))
        executor.runAll()
        #expect(old.isCancelled && follower.isSettled)
    }

    @Test func aResyncSendsTheStateToEveryViewer() throws {
        let stage = try Stage()
        defer { stage.inspector.stop() }
        let viewer = stage.inspector.subscribe()
        let (promise, resolver) = stage.runtime.run { Promise<Int>.pending(label: "here") }
        stage.inspector.collectNow()
        while viewer.next() != nil {}
        let command = ViewerCommand(id: 1, process: stage.inspector.info.key, request: .resync)
        #expect(stage.inspector.perform(command).outcome == .accepted(count: 0))
        var forest = ChainForest(process: stage.inspector.info.key)
        while let batch = viewer.next() { forest.apply(batch) }
        #expect(forest.index(of: promise.id).flatMap { forest.label(of: $0) } == "here")
        resolver.fulfill(1)
    }
}

// SPDX-License-Identifier: MIT
