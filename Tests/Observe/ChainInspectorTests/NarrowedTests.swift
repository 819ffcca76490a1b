import ChainEvents
import ChainModel
import PromiseRuntime
import Testing

@testable import ChainInspector

/// Inspectors that record some chains only, that start late, and that start again.
@Suite struct NarrowedTests {
    private let executor = ManualExecutor()
    private let runtime: ChainRuntime

    init() { runtime = ChainRuntime(clock: StillClock(), executor: executor) }

    private struct Late: Error, CustomStringConvertible { var description: String { "too late" } }

    private func ask(_ request: ViewerCommand.Request, _ inspector: Inspector) -> CommandReply.Outcome {
        inspector.perform(ViewerCommand(id: 1, process: inspector.info.key, request: request)).outcome
    }

    private func dump(_ inspector: Inspector) -> [String] {
        inspector.collectNow()
        return inspector.collector.withState { $0.forest.dump() }.split(separator: "\n").map(String.init)
    }

    @Test func commandsForUnrecordedNodesAreRefusedWithTheReason() throws {
        var options = InspectorOptions.alone
        options.recording.only = [.label("in")]
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let (inside, outside) = runtime.run { (Promise<Int>.pending(label: "in"), Promise<Int>.pending(label: "out")) }
        let all = runtime.run { Promise.all([outside.promise, inside.promise], label: "in") }
        let lone = runtime.run { Promise<Int>.pending(label: "out") }
        #expect(
            dump(inspector) == [
                "pending all \(all.id) in", "  pending pending \(inside.promise.id) in",
                "  unknown ? \(outside.promise.id) (seen late)",
            ])
        // Known by a link, and not known at all.
        let linked = "\(outside.promise.id) is not recorded: the program records some of its chains only"
        let unknown =
            "There is no node \(lone.promise.id) in what is recorded: the program records some of its chains only"
        for (id, reason) in [(outside.promise.id, linked), (lone.promise.id, unknown)] {
            #expect(ask(.cancel(.node(id), by: "me"), inspector) == .refused(reason))
            #expect(ask(.cancel(.chain(id), by: "me"), inspector) == .refused(reason))
            #expect(ask(.describe(id), inspector) == .refused(reason))
        }
        guard case .described(let detail) = ask(.describe(all.id), inspector) else {
            Issue.record("what is recorded is not described")
            return
        }
        let blocker = NodeDetail.Entry(name: "waits for", text: "its member \(outside.promise.id) (not recorded)")
        #expect(detail.entries.contains(blocker))
        #expect(ask(.cancel(.node(inside.promise.id), by: "me"), inspector) == .accepted(count: 1))
        #expect(inside.promise.isSettled && !outside.promise.isSettled && !lone.promise.isSettled)
    }

    @Test func nodesFromBeforeTheStartAreSeenWithTheirNextStep() throws {
        let (first, resolver) = runtime.run { Promise<Int>.pending(label: "early") }
        let second = first.map(label: "second") { $0 }
        let follower = runtime.run { Promise<Int>.pending(label: "follower") }
        follower.resolver.resolve(second)
        let ended = runtime.run { Promise<Int>.reject(Late(), label: "ended") }
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        #expect(dump(inspector) == [])
        // New links make their parents known.
        let third = follower.promise.map(label: "third") { $0 }
        let caught = ended.catch { _ in 0 }
        let lines = dump(inspector)
        #expect(
            Set(lines) == [
                "pending pending \(follower.promise.id) follower (seen late)", "  waiting map \(third.id) third",
                "  unknown ? \(second.id) (seen late)",
                "rejected reject \(ended.id) ended (seen late): too late",
                "queued catch \(caught.id)",
            ])
        #expect(inspector.collector.withState { $0.forest.index(of: first.id) } == nil)
        // A resync keeps live nodes made before the start, because their first recorded step put them into the registry.
        #expect(ask(.resync, inspector) == .accepted(count: 0))
        resolver.fulfill(1)
        executor.runAll()
        #expect(dump(inspector).allSatisfy { $0.contains("fulfilled") || $0.contains("ended") })
        let site = inspector.collector.withState { state in
            state.forest.index(of: second.id).flatMap { state.forest.site(of: $0)?.fileName }
        }
        #expect(site == "NarrowedTests.swift")
        withExtendedLifetime((third, caught)) {}
    }

    /// It would be forgotten for good, and its followers would wait for nothing.
    @Test func anUnrecordedPromiseIsKeptWhileALiveOneFollowsIt() throws {
        let shared = runtime.run { Promise<Int>.pending(label: "shared") }
        var options = InspectorOptions.alone
        (options.retention.settledNodeLimit, options.retention.settledLeafLimit) = (0, 0)
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let follower = runtime.run { Promise<Int>.pending(label: "follower") }
        follower.resolver.resolve(shared.promise)
        for _ in 0..<3 {
            #expect(dump(inspector).contains { $0.hasSuffix("unknown ? \(shared.promise.id) (seen late)") })
            _ = runtime.run { Promise<Int>.resolve(1) }
        }
        let child = shared.promise.map(label: "child") { $0 }
        #expect(dump(inspector).contains { $0.hasSuffix("pending pending \(shared.promise.id) shared (seen late)") })
        #expect(ask(.cancel(.node(shared.promise.id), by: "me"), inspector) == .accepted(count: 1))
        withExtendedLifetime((child, follower)) {}
    }

    @Test func aSecondInspectorFindsTheNodesOfTheFirst() throws {
        let first = try Inspector.start(runtime: runtime, options: .alone)
        let (kept, resolver) = runtime.run { Promise<Int>.pending(label: "kept") }
        let child = kept.map(label: "child") { $0 }
        first.stop()
        let between = runtime.run { Promise<Int>.pending(label: "between") }
        let second = try Inspector.start(runtime: runtime, options: .alone)
        defer { second.stop() }
        #expect(
            dump(second) == [
                "pending pending \(kept.id) kept (seen late)", "waiting map \(child.id) child (seen late)",
            ])
        #expect(ask(.cancel(.node(child.id), by: "me"), second) == .accepted(count: 1))
        resolver.fulfill(1)
        between.resolver.fulfill(2)
        #expect(dump(second).contains("fulfilled pending \(between.promise.id) between (seen late)"))
    }

    @Test func theOptionsOfTheFirstStartStay() throws {
        var options = InspectorOptions.alone
        options.isReadOnly = true
        let first = try Inspector.start(runtime: runtime, options: options)
        let again = try Inspector.start(runtime: runtime, options: .alone)
        #expect(again === first && again.info.isReadOnly)
        first.stop()
        let third = try Inspector.start(runtime: runtime, options: .alone)
        #expect(third !== first && !third.info.isReadOnly)
        third.stop()
    }
}

// SPDX-License-Identifier: MIT
