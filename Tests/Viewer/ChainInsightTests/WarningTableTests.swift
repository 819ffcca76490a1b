import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// Each kind of warning begins and ends when it should.
@Suite struct WarningTableTests {
    /// A program and the warnings about it.
    struct Watched {
        var script: ScriptedForest
        var table = WarningTable()
        var options = WarningOptions()

        init(limits: ForestLimits = ForestLimits()) { script = ScriptedForest(limits: limits) }

        mutating func update() {
            table.update(with: script.forest.consumeChanges(), of: script.forest, now: script.time)
        }

        /// Lets time pass, with a tick each 100 ms.
        mutating func pass(_ milliseconds: Double, budget: Int = 16_384) {
            let end = script.time + UInt64(milliseconds * 1_000_000)
            while script.time < end {
                script.at(Double(min(end, script.time + 100_000_000)) / 1_000_000)
                update()
                table.tick(script.forest, now: script.time, options: options, budget: budget)
            }
        }

        /// The number of warnings of each kind that has any, by the name of the kind.
        var counts: [String: Int] {
            var counts: [String: Int] = [:]
            for kind in WarningKind.allCases where table.count(of: kind) > 0 {
                counts[kind.rawValue] = table.count(of: kind)
            }
            return counts
        }

        /// Returns the nodes with a warning of the kind that has not ended.
        func nodes(_ kind: WarningKind) -> [UInt64] {
            table.warnings(of: kind).filter { $0.ended == nil }.map(\.node.rawValue)
        }
    }

    @Test func aHealthyProgramHasNoWarnings() {
        var watched = Watched()
        for order in 0..<50 as Range<UInt64> {
            let base = order * 10 + 1
            watched.script.make(base, .work)
            watched.script.make(base + 1, .then, under: base)
            watched.script.make(base + 2, .map, under: base + 1)
            for node in base...(base + 2) {
                watched.script.queue(node)
                watched.script.start(node)
                watched.pass(100)
                watched.script.fulfill(node)
            }
            watched.pass(100)
        }
        watched.pass(100_000)
        #expect(watched.counts == [:])
        #expect(watched.table.isIdle)
    }

    @Test func neverSettledExcludesNodesThatWaitForOthers() {
        var watched = Watched()
        watched.script.make(1, .pending, "answer", external: true)
        watched.script.make(2, .map, under: 1)
        watched.script.make(3, .delay)
        watched.script.make(4, .all)
        watched.script.member(4, 1)
        watched.script.make(5, .task)
        watched.script.queue(5)
        watched.script.start(5)
        watched.script.make(6, .chain)
        watched.script.make(7, .then, under: 6)
        watched.script.make(8, .future, "channelRead")
        watched.pass(59_000)
        #expect(watched.counts == [:])
        watched.pass(2_000)
        #expect(watched.nodes(.neverSettled) == [1, 5])
        #expect(watched.counts == ["never-settled": 2])
        let warning = watched.table.warnings(of: .neverSettled)[0]
        #expect(warning.since == 0)
        #expect(warning.label == "answer")
        watched.script.fulfill(1)
        watched.update()
        #expect(watched.nodes(.neverSettled) == [5])
        #expect(watched.table.warnings(of: .neverSettled).map(\.ended) == [nil, watched.script.time])
        // Its child could run now, but is not queued.
        watched.pass(30_000)
        #expect(watched.table.count(of: .neverSettled) == 1)
        watched.pass(31_000)
        #expect(watched.nodes(.neverSettled) == [5, 2])
    }

    @Test func abandonedStaysUntilDismissed() {
        var watched = Watched(limits: ForestLimits(settledNodeLimit: 0, ageLimit: 1))
        watched.pass(100)
        watched.script.make(1, .pending, "call", external: true)
        watched.pass(100)
        watched.script.record(.abandoned, 1, text: "call")
        watched.pass(100)
        #expect(watched.counts == ["abandoned": 1])
        watched.script.at(1_000_000)
        watched.script.forest.evictSettled(now: watched.script.time)
        #expect(watched.script.forest.isEvicted(NodeID(1)))
        watched.pass(60_000)
        #expect(watched.counts == ["abandoned": 1])
        let warning = watched.table.warnings(of: .abandoned)[0]
        #expect(warning.label == "call")
        #expect(warning.nodeKind == .pending)
        watched.table.dismiss(warning.id)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.counts == [:])
    }

    @Test func unhandledAndSettledAgainAndMisusedWaits() {
        var watched = Watched()
        watched.script.make(1, .work)
        watched.script.reject(1)
        watched.script.record(.unhandled, 1, text: "no")
        watched.script.record(.released, 1)
        watched.script.make(2, .pending)
        watched.script.fulfill(2)
        watched.script.record(.settledAgain, 2)
        watched.script.make(3, .work)
        watched.script.queue(3)
        watched.script.start(3)
        watched.script.make(4, .pending)
        watched.script.record(.awaitMisused, 4, 3, text: "cannot wait here")
        watched.pass(100)
        #expect(watched.nodes(.unhandledRejection) == [1])
        #expect(watched.nodes(.settledAgain) == [2])
        #expect(watched.nodes(.awaitedOnOwnExecutor) == [3])
        for kind in [WarningKind.unhandledRejection, .settledAgain, .awaitedOnOwnExecutor] {
            watched.table.dismissAll(of: kind)
        }
        watched.script.fulfill(3)
        watched.script.fulfill(4)
        watched.pass(2_000)
        #expect(watched.counts == [:])
    }

    @Test func longHandlerAndBlockedWorkerAreSeparate() {
        var watched = Watched()
        for node in 1...4 as ClosedRange<UInt64> {
            watched.script.make(node, .work)
            watched.script.queue(node)
            watched.script.start(node, on: ThreadID(node))
        }
        watched.script.make(9, .pending)
        watched.script.record(.stalled, 2, thread: 2)
        watched.script.record(.awaited, 9, 3, thread: 3)
        // Node 4 has settled, but its handler is still on its thread.
        watched.script.record(.cancelled, 4)
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.nodes(.longHandler) == [1, 4])
        #expect(watched.nodes(.blockedWorker) == [2, 3])
        #expect(watched.table.warnings(of: .blockedWorker).map(\.other) == [.none, NodeID(9)])
        watched.options.enabled.remove(.blockedWorker)
        watched.pass(1_000)
        #expect(watched.nodes(.longHandler) == [1, 2, 3, 4])
        watched.options.enabled.insert(.blockedWorker)
        watched.script.end(4)
        watched.script.fulfill(1)
        watched.script.record(.awaitEnded, 9, 3, thread: 3)
        watched.pass(2_000)
        #expect(watched.nodes(.blockedWorker) == [2])
        #expect(watched.nodes(.longHandler) == [3])
        watched.script.record(.stallEnded, 2, thread: 2)
        watched.pass(2_600)
        #expect(watched.nodes(.blockedWorker) == [] && watched.nodes(.longHandler) == [2, 3])
    }

    @Test func aTaskThatBlocksItsThreadIsABlockedWorker() {
        var watched = Watched()
        watched.script.at(1)
        watched.script.make(1, .task)
        watched.script.record(.resumed, 1, thread: 5)
        watched.pass(3_000)
        #expect(watched.nodes(.longHandler) == [1])
        // Until the block is long, the long run before it counts.
        watched.script.record(.stalled, 1, thread: 5)
        watched.pass(600)
        #expect(watched.nodes(.longHandler) == [1] && watched.nodes(.blockedWorker) == [])
        watched.pass(1_000)
        #expect(watched.nodes(.longHandler) == [] && watched.nodes(.blockedWorker) == [1])
    }

    @Test func theTaskThatIgnoresACancellationIsNamedNotItsParent() {
        var watched = Watched()
        watched.script.at(1)
        watched.script.make(1, .task)
        watched.script.make(2, .task, by: 1)
        for node in 1...2 as ClosedRange<UInt64> {
            watched.script.record(.suspended, node, thread: 5)
            watched.script.record(.cancelRequested, node)
        }
        watched.pass(3_000)
        #expect(watched.nodes(.cancellationIgnored) == [2])
        watched.script.fulfill(2)
        watched.pass(6_000)
        #expect(watched.nodes(.cancellationIgnored) == [1])
    }

    @Test func theMainFunctionMayBeSuspendedForEver() {
        var watched = Watched()
        watched.script.at(1)
        watched.script.name(sites: [
            1: CodeLocation(fileID: "main", line: 0), 2: CodeLocation(fileID: "serve()", line: 0),
        ])
        for node in 1...2 as ClosedRange<UInt64> {
            watched.script.make(node, .task, site: SiteID(node))
            watched.script.record(.suspended, node, thread: 5)
        }
        watched.pass(70_000)
        #expect(watched.nodes(.suspendedTask) == [2])
    }

    @Test func tasksBehindTheMainThreadNameTheTaskThere() throws {
        var watched = Watched()
        watched.script.at(1)
        watched.script.name(threads: [1: "main", 5: "worker"])
        watched.script.make(1, .task)
        watched.script.record(.resumed, 1, thread: 1)
        for node in 2...4 as ClosedRange<UInt64> {
            watched.script.make(node, .task)
            watched.script.queue(node, on: 0)
        }
        watched.pass(2_000)
        #expect(try #require(watched.table.warnings(of: .starvedPool).first).other == NodeID(1))
        // With a task on a thread of the pool, the pool may be at fault.
        watched.script.make(6, .task)
        watched.script.record(.resumed, 6, thread: 5)
        watched.pass(4_000)
        #expect(try #require(watched.table.warnings(of: .starvedPool).first).other == .none)
    }

    @Test func adviceIsInTheWordsOfTheCode() {
        for kind in [WarningKind.blockedWorker, .longHandler, .cancellationIgnored] {
            let (task, handler) = (kind.advice(for: .task), kind.advice(for: .then))
            #expect(task != handler && !task.contains("promise") && !task.contains("ChainRuntime"))
        }
        #expect(WarningKind.cancellationIgnored.advice(for: .task).contains("Task.isCancelled"))
    }

    @Test func aTaskIsNoLongHandler() {
        var watched = Watched()
        watched.script.make(1, .task)
        watched.script.start(1)
        watched.pass(30_000)
        #expect(watched.counts == [:])
    }

    @Test func deadlockOfAdoptions() {
        var watched = Watched()
        watched.script.make(1, .promise)
        watched.script.make(2, .then, under: 1)
        watched.pass(10)
        watched.script.make(3, .promise)
        watched.script.adopt(1, 3)
        watched.script.adopt(3, 2)
        watched.script.make(4, .then, under: 2)
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.counts == ["deadlock": 1])
        let deadlock = watched.table.warnings(of: .deadlock)[0]
        #expect(deadlock.amount == 3)
        #expect(deadlock.node == NodeID(1))
        #expect(deadlock.other == NodeID(3))
        watched.script.record(.cancelled, 1)
        watched.update()
        #expect(watched.counts == [:])
    }

    @Test func deadlockThroughWaitingThreads() {
        var watched = Watched()
        // Two handlers, each alone on its executor, wait for nodes that are queued on the other's.
        for node in 1...2 as ClosedRange<UInt64> {
            watched.script.make(node, .work)
            watched.script.queue(node, on: ExecutorID(node))
            watched.script.start(node, on: ThreadID(node))
        }
        for node in 1...2 as ClosedRange<UInt64> {
            watched.script.make(node + 10, .work)
            watched.script.queue(node + 10, on: ExecutorID(node))
        }
        watched.script.record(.awaited, 12, 1, thread: 1)
        watched.pass(100)
        #expect(watched.table.count(of: .deadlock) == 0)
        watched.script.record(.awaited, 11, 2, thread: 2)
        watched.pass(2_000)
        #expect(watched.nodes(.deadlock) == [1])
        #expect(watched.table.warnings(of: .deadlock)[0].amount == 4)
        // A third handler on executor 2 shows that its queue may still be worked off.
        watched.script.make(3, .work)
        watched.script.queue(3, on: 2)
        watched.script.start(3, on: 3)
        watched.pass(2_000)
        #expect(watched.table.count(of: .deadlock) == 0)
    }

    @Test func racesAndTimersAreNoDeadlock() {
        var watched = Watched()
        watched.script.make(1, .promise)
        watched.script.make(2, .race)
        watched.script.make(3, .then, under: 1)
        watched.script.make(4, .delay)
        watched.script.member(2, 3)
        watched.script.member(2, 4)
        watched.script.adopt(1, 2)
        watched.pass(5_000)
        #expect(watched.table.count(of: .deadlock) == 0)
    }
}

// SPDX-License-Identifier: MIT
