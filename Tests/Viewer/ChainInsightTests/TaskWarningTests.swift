import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// Warnings about Swift's tasks, from samples of their runs and suspensions.
@Suite struct TaskWarningTests {
    private typealias Watched = WarningTableTests.Watched

    @Test func aTaskSuspendedOverTheLimit() {
        var watched = Watched()
        watched.script.at(1)
        watched.options[.suspendedTask] = 10_000_000_000
        watched.script.make(1, .task)
        watched.script.record(.resumed, 1, thread: 1)
        watched.script.record(.suspended, 1, thread: 1)
        watched.pass(9_000)
        #expect(watched.counts == [:])
        watched.pass(3_000)
        #expect(watched.nodes(.suspendedTask) == [1])
        watched.script.record(.resumed, 1, thread: 2)
        watched.script.record(.suspended, 1, at: watched.script.time + 1, thread: 2)
        watched.pass(1_000)
        #expect(watched.counts == [:], "the limit counts from the last suspension")
        watched.pass(11_000)
        #expect(watched.nodes(.suspendedTask) == [1])
        watched.script.fulfill(1)
        watched.pass(1_000)
        #expect(watched.counts == [:])
    }

    @Test func aTaskThatWaitsForItsChildrenIsNotReported() {
        var watched = Watched()
        watched.script.at(1)
        for node in 1...2 as ClosedRange<UInt64> {
            watched.script.make(node, .task, by: node - 1)
            watched.script.record(.resumed, node, thread: 1)
            watched.script.record(.suspended, node, thread: 1)
        }
        watched.pass(200_000)
        #expect(watched.nodes(.suspendedTask) == [2])
    }

    @Test func aTaskThatRunsWithoutASuspension() {
        var watched = Watched()
        watched.script.at(1)
        watched.script.make(1, .task)
        watched.script.record(.resumed, 1, thread: 1)
        watched.pass(900)
        watched.script.record(.suspended, 1, thread: 1)
        watched.script.record(.resumed, 1, at: watched.script.time + 1, thread: 1)
        watched.pass(900)
        #expect(watched.counts == [:], "the limit counts from the last run")
        watched.pass(1_000)
        #expect(watched.counts == ["long-handler": 1])
    }

    @Test func moreQueuedTasksThanThreadsThatRunAny() {
        var watched = Watched()
        watched.script.at(1)
        watched.options.enabled = [.starvedPool]
        for node in 1...2 as ClosedRange<UInt64> {
            watched.script.make(node, .task)
            watched.script.record(.resumed, node, thread: ThreadID(node))
        }
        func queue(_ node: UInt64) {
            watched.script.make(node, .task)
            watched.script.queue(node, on: 0)
        }
        queue(11)
        queue(12)
        watched.pass(5_000)
        #expect(watched.counts == [:], "each may be the next to run")
        queue(13)
        watched.pass(900)
        #expect(watched.counts == [:])
        watched.pass(1_000)
        #expect(watched.table.warnings(of: .starvedPool).map(\.amount) == [3])
        for node in 11...13 as ClosedRange<UInt64> { watched.script.record(.resumed, node, thread: 1) }
        watched.pass(1_000)
        #expect(watched.counts == [:])
    }
}

// SPDX-License-Identifier: MIT
