import ChainEvents
import ChainModel
import ChainSource
import Foundation
import PromiseRuntime
import TestWaits
import Testing

@testable import ChainAttach
@testable import ChainInspector

/// Sources attached to a real inspector, in this process or in another.
@Suite struct LiveProgramTests {
    let folder: TemporaryFolder
    let runtime: ChainRuntime
    let executor = ManualExecutor()

    init() throws {
        folder = try TemporaryFolder()
        runtime = ChainRuntime(executor: executor)
    }

    private func inspect(_ adjust: (inout InspectorOptions) -> Void = { _ in }) throws -> Inspector {
        var options = InspectorOptions()
        options.collection = .manual
        options.endpoints = [.unix]
        options.socketFolder = folder.path
        adjust(&options)
        return try Inspector.start(name: "shop", runtime: runtime, options: options)
    }

    /// Makes some chains, and returns the first with its resolver.
    private func work() -> (first: Promise<Int>, resolver: Resolver<Int>) {
        runtime.run {
            let (first, resolver) = Promise<Int>.pending(label: "order")
            for number in 0..<20 {
                let line = first.map(label: "line \(number)") { $0 + number }
                _ = line.then { Promise.resolve($0) }.catch { _ in 0 }
            }
            _ = Promise.all([first, Promise.resolve(2), Promise.reject(Broken())])
            return (first, resolver)
        }
    }

    private struct Broken: Error {}

    /// Returns the dump of a forest with these batches applied.
    private func fold(_ batches: [EventBatch]) -> String {
        guard let process = batches.first?.process else { return "" }
        var forest = ChainForest(process: process)
        for batch in batches { forest.apply(batch) }
        return forest.dump(facts: true)
    }

    /// Waits until the viewer's forest equals the program's in every fact. `word` has to be in the dump.
    private func expectSameForest(_ watched: Watched, _ inspector: Inspector, holding word: String) {
        inspector.collectNow()
        let truth = inspector.collector.withState { $0.forest.dump(facts: true) }
        #expect(truth.contains(word))
        guard !watched.batches.wait(until: { fold($0) == truth }) else { return }
        Issue.record("the viewer has\n\(fold(watched.batches.all))\nand the program\n\(truth)")
    }

    @Test func theViewersForestIsTheProgramsWheneverItAttaches() throws {
        let inspector = try inspect()
        defer { inspector.stop() }
        let (_, resolver) = work()
        executor.runAll()
        inspector.collectNow()
        let watched = Watched(.name("shop"), folder.options)
        try watched.waitUntilLive()
        #expect(watched.status.all.last == .live(inspector.info))
        expectSameForest(watched, inspector, holding: "line 7")
        resolver.fulfill(4)
        let second = work()
        executor.runAll()
        expectSameForest(watched, inspector, holding: "fulfilled")
        // A later viewer, through another connection, has the same.
        let late = Watched(.pid(getpid()), folder.options)
        expectSameForest(late, inspector, holding: "fulfilled")
        // So has a single request.
        let visit = try OneShotClient.state(
            of: folder.discovery.resolve(.pid(getpid())), timeLimit: waitLimit)
        #expect(visit.hello.process == inspector.info && visit.hello.totals.nodeCount > 40)
        #expect(fold(visit.batches) == inspector.collector.withState { $0.forest.dump(facts: true) })
        second.resolver.fulfill(1)
        late.source.stop()
        executor.runAll()
        expectSameForest(watched, inspector, holding: "fulfilled")
        watched.source.stop()
    }

    @Test func aCommandReachesItsPromise() throws {
        let inspector = try inspect()
        defer { inspector.stop() }
        let (first, _) = work()
        let watched = Watched(.unix(path: folder.folder.socketPath(pid: getpid())), folder.options)
        try watched.waitUntilLive()
        watched.cancel(first.id.rawValue, id: 3, of: inspector.info)
        let reply = try watched.replies.wait("the reply") { $0.command == 3 }
        guard case .accepted(1...) = reply.outcome else {
            Issue.record("it was \(reply.outcome)")
            return
        }
        executor.runAll()
        expectSameForest(watched, inspector, holding: "cancelled")
        let endpoint = try folder.discovery.resolve(.pid(getpid()))
        func ask(_ request: ViewerCommand.Request) throws -> CommandReply.Outcome {
            try OneShotClient.perform(request, at: endpoint, timeLimit: waitLimit).outcome
        }
        guard case .refused = try ask(.cancel(.node(NodeID(1 << 60)), by: "me")) else {
            Issue.record("a cancellation of an unknown node was not refused")
            return
        }
        guard case .described(let detail) = try ask(.describe(first.id)) else {
            Issue.record("it is not described")
            return
        }
        #expect(detail.node == first.id)
        watched.source.stop()
    }

    @Test func aReadOnlyProgramIsMarked() throws {
        let inspector = try inspect { $0.isReadOnly = true }
        defer { inspector.stop() }
        let (first, _) = work()
        let watched = Watched(.pid(getpid()), folder.options)
        try watched.waitUntilLive()
        #expect(watched.status.all.last?.process?.isReadOnly == true)
        watched.cancel(first.id.rawValue, id: 3, of: inspector.info)
        let reply = try watched.replies.wait("the reply") { $0.command == 3 }
        guard case .refused(let reason) = reply.outcome else {
            Issue.record("it was \(reply.outcome)")
            return
        }
        #expect(reason.contains("read-only"))
        watched.source.stop()
    }

    @Test func aStopOfTheInspectorIsTheEndForAPidAndAnOutageForAName() throws {
        var inspector = try inspect()
        let (_, resolver) = work()
        let byPid = Watched(.pid(getpid()), folder.options)
        let byName = Watched(.name("shop"), folder.options)
        try byPid.waitUntilLive()
        try byName.waitUntilLive()
        resolver.fulfill(1)
        executor.runAll()
        inspector.stop()
        try byPid.status.waitForCompletion()
        #expect(byPid.status.all.last == .ended(.finished))
        try byName.status.wait("the outage", last: true) { $0.disconnection != nil }
        // Both received every event before.
        let truth = inspector.collector.withState { $0.forest.dump(facts: true) }
        #expect(fold(byPid.batches.all) == truth && fold(byName.batches.all) == truth)
        inspector = try inspect()
        byName.clock.advance(by: try byName.clock.restToDeadline())
        try byName.status.wait("the new run") { $0 == .live(inspector.info) }
        byName.source.stop()
        inspector.stop()
    }

    @Test func tcpAcceptsTheRightTokenOnly() throws {
        let inspector = try inspect { $0.endpoints = [.tcp(port: 0)] }
        defer { inspector.stop() }
        let target = try Target(try #require(inspector.addresses.first))
        _ = work()
        let watched = Watched(target, folder.options)
        try watched.waitUntilLive()
        expectSameForest(watched, inspector, holding: "line 7")
        watched.source.stop()
        let path = folder.base + "/wrong"
        try "guessed".write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o600)
        var options = folder.options
        options.discovery.tokenFile = path
        let wrong = Watched(target, options)
        try wrong.status.waitForCompletion()
        #expect(wrong.status.all.last?.failure?.contains("token is wrong") == true)
        options.discovery.tokenFile = path + "er"
        let none = Watched(target, options)
        try none.status.waitForCompletion()
        #expect(none.status.all.last?.failure?.contains("There is no file") == true)
    }

    @Test func aStoppedProgramIsAnOutageUntilItContinues() throws {
        let program = try Probe(["serve", "sleeper"], in: folder)
        #expect(program.nextLine() == "ready")
        let watched = Watched(.pid(program.pid), folder.options)
        _ = try watched.batches.wait("the state") { if case .end = $0.resync { true } else { false } }
        kill(program.pid, SIGSTOP)
        var info = siginfo_t()
        while waitid(P_PID, id_t(program.pid), &info, WSTOPPED | WEXITED | WNOWAIT) < 0, errno == EINTR {}
        #expect(watched.clock.advance(until: { watched.status.all.last?.disconnection != nil }))
        #expect(watched.status.all.last?.disconnection?.reason.contains("is stopped or hangs") == true)
        watched.cancel(1, id: 1, of: try #require(watched.status.all.last?.process))
        let reply = try watched.replies.wait("the refusal") { $0.command == 1 }
        #expect(reply.outcome == .refused("sleeper is stopped or hangs, and takes no commands"))
        kill(program.pid, SIGCONT)
        // The next heartbeat makes it live again.
        try watched.waitUntilLive()
        watched.source.stop()
    }

    @Test func aProgramThatIsKilledIsGoneByPidAndAwaitedByName() throws {
        let first = try Probe(["serve", "victim"], in: folder)
        #expect(first.nextLine() == "ready")
        let byPid = Watched(.pid(first.pid), folder.options, runs: true)
        let byName = Watched(.name("victim"), folder.options, runs: true)
        for watched in [byPid, byName] {
            try watched.waitUntilLive()
            _ = try watched.batches.wait("the state") { if case .end = $0.resync { true } else { false } }
        }
        let before = fold(byName.batches.all)
        #expect(before.contains("order 4"))
        first.kill9()
        try byPid.status.waitForCompletion()
        #expect(byPid.status.all.last == .ended(.finished))
        let disconnection = try byName.status.wait("the outage") { $0.disconnection != nil }
        #expect(disconnection.process?.pid == first.pid)
        let second = try Probe(["serve", "victim"], in: folder)
        #expect(second.nextLine() == "ready")
        let live = try byName.status.wait("the second run", last: true) { $0.isLive && $0.process?.pid == second.pid }
        #expect(live.process?.key != disconnection.process?.key)
        byName.source.stop()
    }
}

// SPDX-License-Identifier: MIT
