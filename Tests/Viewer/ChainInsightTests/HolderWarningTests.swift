import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// Warnings about tasks, actors and locks of programs that are read from outside.
@Suite struct HolderWarningTests {
    private typealias Watched = WarningTableTests.Watched

    /// Returns two suspended tasks, 1 and 2, an actor 3 and a lock 4, seen at the same time.
    private func scene(_ kinds: [WarningKind] = [.deadlock]) -> Watched {
        var watched = Watched()
        watched.options.enabled = Set(kinds)
        watched.script.at(1)
        for task in 1...2 as ClosedRange<UInt64> {
            watched.script.record(.created, task, detail: UInt16(NodeKind.task.rawValue), flags: .late)
            watched.script.record(.suspended, task)
        }
        watched.script.make(3, .actor, "Store")
        watched.script.make(4, .lock)
        return watched
    }

    private func hold(_ watched: inout Watched) {
        watched.script.record(.waitsFor, 1, 3)
        watched.script.record(.heldBy, 3, 2)
        watched.script.record(.waitsFor, 2, 4)
        watched.script.record(.heldBy, 4, 1)
    }

    @Test func aCycleOfTasksAndActorsIsADeadlock() throws {
        var watched = scene()
        hold(&watched)
        watched.pass(300)
        #expect(watched.counts == [:], "it was seen once")
        watched.pass(800)
        let warning = try #require(watched.table.warnings(of: .deadlock).first)
        #expect(watched.nodes(.deadlock) == [1], "a task rather than an actor")
        #expect(warning.amount == 4 && warning.other == NodeID(3) && warning.since == 1_000_000)
        watched.script.record(.heldBy, 4, thread: 0)
        watched.pass(1_000)
        #expect(watched.nodes(.deadlock) == [])
    }

    /// Tasks that run, and wait for locks, are none the less part of a deadlock.
    @Test func aCycleOfLocksIsADeadlock() {
        var watched = scene()
        watched.script.make(5, .lock)
        for task in 1...2 as ClosedRange<UInt64> {
            watched.script.record(.resumed, task, at: watched.script.time + 1, thread: ThreadID(task))
            watched.script.record(.waitsFor, task, 3 + task, at: watched.script.time + 2)
        }
        watched.script.record(.heldBy, 5, 1, at: watched.script.time + 2)
        watched.pass(2_000)
        #expect(watched.nodes(.deadlock) == [], "nobody holds the other lock")
        watched.script.record(.heldBy, 4, 2)
        watched.pass(1_000)
        #expect(watched.nodes(.deadlock) == [1])
    }

    /// A cycle whose edges are not all seen twice unchanged may never have existed.
    @Test func anEdgeThatChangesFromLookToLookConfirmsNothing() {
        var watched = scene()
        hold(&watched)
        for _ in 0..<20 {
            watched.script.record(.heldBy, 4, 1)
            watched.pass(300)
        }
        #expect(watched.counts == [:])
        watched.pass(800)
        #expect(watched.nodes(.deadlock) == [1])
    }

    @Test func tasksThatWaitForEachOtherAreADeadlock() {
        var watched = scene()
        watched.script.record(.waitsFor, 1, 2)
        watched.script.record(.waitsFor, 2, 1)
        watched.pass(1_500)
        #expect(watched.nodes(.deadlock) == [1])
        watched.script.record(.resumed, 2, thread: 1)
        watched.pass(1_000)
        #expect(watched.nodes(.deadlock) == [])
    }

    @Test func aTaskThatWaitsForAnotherIsNotSuspendedForLong() {
        var watched = scene([.suspendedTask])
        watched.options[.suspendedTask] = 10_000_000_000
        watched.script.record(.waitsFor, 1, 2)
        watched.script.record(.waitsFor, 2, detail: WaitTarget.continuation.rawValue)
        watched.pass(30_000)
        #expect(watched.nodes(.suspendedTask) == [2])
    }

    @Test(arguments: [(NodeKind.executor, "main"), (.actor, "MainActor")])
    func theMainActorIsHeldWhileOthersWait(kind: NodeKind, label: String) throws {
        var watched = scene([.mainActorHeld])
        watched.script.make(5, kind, label)
        watched.script.record(.heldBy, 5, 1)
        watched.pass(3_000)
        #expect(watched.counts == [:], "nobody waits")
        watched.script.record(.waitsFor, 2, 5)
        watched.pass(600)
        #expect(try #require(watched.table.warnings(of: .mainActorHeld).first).other == NodeID(1))
        #expect(watched.nodes(.mainActorHeld) == [5])
        watched.script.record(.heldBy, 5, 2)
        watched.pass(900)
        #expect(watched.nodes(.mainActorHeld) == [], "another task holds it")
        watched.pass(1_000)
        #expect(watched.nodes(.mainActorHeld) == [5])
    }

    @Test func anotherActorMayBeHeld() {
        var watched = scene([.mainActorHeld])
        watched.script.record(.heldBy, 3, 1)
        watched.script.record(.waitsFor, 2, 3)
        watched.pass(5_000)
        #expect(watched.counts == [:])
    }
}

// SPDX-License-Identifier: MIT
