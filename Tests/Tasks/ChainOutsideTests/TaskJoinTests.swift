import ChainEvents
import Testing

@testable import ChainOutside

/// Tasks as a program reports them, joined with what was read of its memory.
///
/// In these tests the task with the runtime's number n has the node 100 + n.
struct TaskJoinTests {
    private struct Bench {
        var join = TaskJoin()
        static let actor = NodeID(1 << 44 | 1)

        static func batch(_ events: [ChainEvent], texts: [String] = [], resync: Resync? = nil) -> EventBatch {
            var batch = EventBatch(process: ProcessKey(rawValue: 7), sequence: 1, time: 0)
            (batch.events, batch.texts, batch.resync) = (events, texts, resync)
            return batch
        }

        /// The program sends its state: these nodes are suspended tasks, since a time.
        @discardableResult
        mutating func sendState(_ nodes: [UInt64], suspendedSince time: UInt64) -> TaskJoin.Addition {
            var begin = Self.batch([], resync: .begin(epoch: 1))
            for node in nodes {
                var snapshot = NodeSnapshot(id: NodeID(node), kind: .task)
                snapshot.flags.insert(.suspended)
                snapshot.switched = time
                begin.nodes.append(snapshot)
            }
            _ = join.take(program: begin)
            return join.take(program: Self.batch([], resync: .end(epoch: 1)))
        }

        /// The memory has an actor that task 3 holds, and for which the given tasks wait.
        mutating func readActor(waiting: [UInt64], at time: UInt64) -> TaskJoin.Addition {
            var events = [
                ChainEvent(
                    time: time, .created, node: Self.actor, text: 1, detail: UInt16(NodeKind.actor.rawValue),
                    flags: .late),
                ChainEvent(time: time, .heldBy, node: Self.actor, other: NodeID(3), thread: 9),
            ]
            for task in waiting { events.append(Self.wait(task, for: Self.actor, at: time)) }
            return join.take(outside: Self.batch(events, texts: ["Till"]))
        }

        static func wait(_ task: UInt64, for other: NodeID, at time: UInt64) -> ChainEvent {
            ChainEvent(
                time: time, .waitsFor, node: NodeID(task), other: other, detail: WaitTarget.actor.rawValue)
        }

        /// A bench where it was reported that task 1 waits for the actor.
        static func reporting() -> Bench {
            var bench = Bench()
            bench.sendState([101], suspendedSince: 40)
            _ = bench.readActor(waiting: [1], at: 50)
            _ = bench.answer()
            #expect(bench.join.endLook(start: 50).events.map(\.kind) == [.waitsFor])
            return bench
        }

        /// Answers all questions; the program knows all tasks but these.
        mutating func answer(unknown: Set<UInt64> = []) -> TaskJoin.Addition {
            var all = TaskJoin.Addition()
            while case let question = join.nextQuestion(), !question.isEmpty {
                let nodes = question.map { unknown.contains($0) ? NodeID.none : NodeID(100 + $0) }
                all.events += join.take(answer: nodes, to: question).events
            }
            return all
        }
    }

    @Test func waitsAndHoldersHaveTheProgramsNodes() {
        var bench = Bench()
        bench.sendState([101, 102, 103], suspendedSince: 40)
        let made = bench.readActor(waiting: [1, 2], at: 50)
        #expect(made.events.map(\.kind) == [.created] && made.texts == ["Till"])
        let holds = bench.answer().events
        #expect(holds.map(\.kind) == [.heldBy])
        #expect(holds.allSatisfy { $0.other == NodeID(103) && $0.thread == 9 })
        let events = bench.join.endLook(start: 50).events
        let waits = events.filter { $0.kind == .waitsFor }.sorted { $0.node < $1.node }
        #expect(waits.map(\.node) == [NodeID(101), NodeID(102)])
        #expect(waits.allSatisfy { $0.other == Bench.actor && $0.time == 40 && $0.waitTarget == .actor })
        #expect(events.count == 2)
        // Each is reported once.
        #expect(bench.join.endLook(start: 60).isEmpty)
    }

    @Test func nothingIsAddedBeforeTheStateIsComplete() {
        var bench = Bench()
        _ = bench.join.take(program: Bench.batch([], resync: .begin(epoch: 1)))
        #expect(bench.readActor(waiting: [1], at: 50).isEmpty)
        #expect(bench.answer().events.isEmpty && bench.join.endLook(start: 50).isEmpty)
        // The actor is a part of the state, and comes before its end.
        let addition = bench.sendState([101], suspendedSince: 40)
        #expect(addition.events.map(\.kind) == [.created] && addition.texts == ["Till"])
        #expect(Set(bench.join.endLook(start: 60).events.map(\.kind)) == [.waitsFor, .heldBy])
    }

    @Test func aStateHasWhatWasReportedBefore() {
        var bench = Bench.reporting()
        #expect(bench.sendState([101], suspendedSince: 40).events.map(\.kind) == [.created])
        #expect(Set(bench.join.endLook(start: 60).events.map(\.kind)) == [.waitsFor, .heldBy])
    }

    /// What was read before the program suspended the task may be what the task waited for earlier.
    @Test func aWaitIsReportedOnlyIfItWasReadAfterTheSuspension() {
        var bench = Bench()
        bench.sendState([101], suspendedSince: 70)
        _ = bench.readActor(waiting: [1], at: 50)
        _ = bench.answer()
        #expect(!bench.join.endLook(start: 50).events.contains { $0.kind == .waitsFor })
        #expect(!bench.join.endLook(start: 70).events.contains { $0.kind == .waitsFor })
        #expect(bench.join.endLook(start: 71).events.map(\.time) == [70])
        // It runs, and is suspended in the same place again.
        _ = bench.join.take(
            program: Bench.batch([
                ChainEvent(time: 80, .resumed, node: NodeID(101)), ChainEvent(time: 90, .suspended, node: NodeID(101)),
            ]))
        #expect(bench.join.endLook(start: 85).isEmpty)
        #expect(bench.join.endLook(start: 95).events.map(\.time) == [90])
    }

    @Test func aTaskThatRunsWaitsForNothing() {
        var bench = Bench()
        bench.sendState([101], suspendedSince: 40)
        _ = bench.readActor(waiting: [1], at: 50)
        _ = bench.answer()
        _ = bench.join.take(program: Bench.batch([ChainEvent(time: 55, .resumed, node: NodeID(101))]))
        #expect(!bench.join.endLook(start: 60).events.contains { $0.kind == .waitsFor })
        _ = bench.join.take(outside: Bench.batch([ChainEvent(time: 61, .suspended, node: NodeID(1))]))
        _ = bench.join.take(program: Bench.batch([ChainEvent(time: 58, .suspended, node: NodeID(101))]))
        #expect(bench.join.endLook(start: 62).isEmpty, "it waits for nothing that is known")
    }

    @Test func tasksThatTheProgramDoesNotKnowAreLeftOut() {
        var bench = Bench()
        bench.sendState([101], suspendedSince: 40)
        _ = bench.readActor(waiting: [1, 5], at: 50)
        let holds = bench.answer(unknown: [5, 3]).events
        // The thread that holds it is known all the same.
        #expect(holds.map(\.kind) == [.heldBy] && holds.map(\.other) == [.none] && holds.map(\.thread) == [9])
        #expect(bench.join.endLook(start: 50).events.map(\.node) == [NodeID(101)])
    }

    @Test func endedActorsAndTasksAreForgotten() {
        var bench = Bench.reporting()
        let end = bench.join.take(
            outside: Bench.batch([
                ChainEvent(time: 70, .fulfilled, node: NodeID(1)), ChainEvent(time: 70, .fulfilled, node: Bench.actor),
            ]))
        #expect(end.events.map(\.node) == [Bench.actor])
        #expect(bench.sendState([101], suspendedSince: 40).isEmpty)
        #expect(bench.join.endLook(start: 80).isEmpty)
        // The number is another task's now.
        _ = bench.join.take(outside: Bench.batch([Bench.wait(1, for: NodeID(2), at: 90)]))
        #expect(Set(bench.join.nextQuestion()) == [1, 2])
    }

    @Test func aTaskWaitsForATaskOnceBothAreKnown() {
        var bench = Bench()
        bench.sendState([101, 102], suspendedSince: 40)
        _ = bench.join.take(outside: Bench.batch([Bench.wait(1, for: NodeID(2), at: 50)]))
        #expect(bench.join.endLook(start: 50).isEmpty)
        #expect(bench.answer().events.map(\.other) == [NodeID(102)])
    }

    /// The program samples states, and may be behind.
    @Test func whatMemoryShowsLaterInTheSameSuspensionReplacesAWait() {
        var bench = Bench.reporting()
        var end = bench.join.take(outside: Bench.batch([ChainEvent(time: 60, .resumed, node: NodeID(1))]))
        #expect(end.events.map(\.node) == [NodeID(101)] && end.events.map(\.waitTarget) == [.unknown])
        #expect(end.events.map(\.time) == [60])
        let other = Bench.wait(1, for: NodeID(2), at: 70)
        end = bench.join.take(
            outside: Bench.batch([ChainEvent(time: 70, .suspended, node: NodeID(1)), other]))
        #expect(end.events.map(\.waitTarget) == [.unknown])
        let next = bench.answer().events + bench.join.endLook(start: 70).events
        #expect(next.map(\.other) == [NodeID(102)] && next.map(\.time) == [70])
    }

    @Test func aLockThatIsGoneEndsWaits() {
        var bench = Bench()
        bench.sendState([101], suspendedSince: 40)
        let lock = NodeID(1 << 44 | 2)
        _ = bench.join.take(
            outside: Bench.batch(
                [
                    ChainEvent(
                        time: 50, .created, node: lock, text: 1, detail: UInt16(NodeKind.lock.rawValue), flags: .late),
                    ChainEvent(
                        time: 50, .waitsFor, node: NodeID(1), other: lock, detail: WaitTarget.lock.rawValue),
                ], texts: ["mutex"]))
        #expect(bench.answer().events.map(\.other) == [lock])
        let end = bench.join.take(outside: Bench.batch([ChainEvent(time: 60, .fulfilled, node: lock)])).events
        #expect(end.filter { $0.kind == .waitsFor }.map(\.waitTarget) == [.unknown])
        #expect(bench.join.endLook(start: 61).isEmpty)
    }

    @Test func everythingIsTakenBackAtTheEnd() {
        var bench = Bench.reporting()
        let end = bench.join.end(at: 90).events
        #expect(end.filter { $0.kind == .waitsFor }.map(\.node) == [NodeID(101)])
        #expect(end.filter { $0.kind == .fulfilled }.map(\.node) == [Bench.actor])
        #expect(bench.join.end(at: 91).isEmpty)
    }

    @Test func aRefusedQuestionIsAskedAgain() {
        var bench = Bench()
        bench.sendState([101], suspendedSince: 40)
        _ = bench.readActor(waiting: [1], at: 50)
        let question = bench.join.nextQuestion()
        #expect(Set(question) == [1, 3] && bench.join.nextQuestion().isEmpty)
        bench.join.putBack(question)
        #expect(Set(bench.join.nextQuestion()) == [1, 3])
    }

    /// The program knows tasks from before its inspector from their next step on.
    @Test func unknownTasksAreAskedAboutAgainWithEachState() {
        var bench = Bench()
        bench.sendState([], suspendedSince: 40)
        _ = bench.readActor(waiting: [1], at: 50)
        _ = bench.answer(unknown: [1, 3])
        #expect(bench.join.endLook(start: 50).isEmpty)
        bench.sendState([101], suspendedSince: 45)
        let events = bench.answer().events + bench.join.endLook(start: 60).events
        #expect(events.contains { $0.kind == .waitsFor && $0.node == NodeID(101) })
    }

    @Test func questionsFitIntoACommand() {
        var bench = Bench()
        bench.sendState([], suspendedSince: 0)
        let count = UInt64(FrameScope.nodeLimit + 44)
        _ = bench.join.take(outside: Bench.batch((1...count).map { Bench.wait($0, for: .none, at: 1) }))
        #expect(bench.join.nextQuestion().count == FrameScope.nodeLimit)
        #expect(bench.join.nextQuestion().count == 44)
        #expect(bench.join.nextQuestion().isEmpty)
    }
}

// SPDX-License-Identifier: MIT
