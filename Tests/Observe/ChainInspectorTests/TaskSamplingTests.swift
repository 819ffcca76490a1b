import ChainEvents
import ChainSystem
import TestWaits
import Testing

@testable import ChainInspector

/// How soon the collector shows the states of many tasks.
@Suite struct TaskSamplingTests {
    /// A source of tasks that were all made in one burst, and run.
    private final class Burst: TaskSource {
        private let rest: Lock<UInt64>

        init(_ count: UInt64) { rest = Lock(count) }

        func changes(limit: Int) -> [TaskChange] {
            rest.withLock { rest in
                let count = min(rest, UInt64(limit))
                defer { rest -= count }
                return (0..<count).map {
                    TaskChange(node: NodeID(rest - $0), state: .running, ticks: 5, thread: 7, isCancelled: false)
                }
            }
        }

        var missingFacts: TaskFacts { [] }
        var shardCount: Int { 0 }
        func liveTasks(shard: Int) -> [LiveNode] { [] }
        func cancel(_ id: NodeID) -> Bool { false }
        func refusal(of id: NodeID) -> String? { nil }
        func entries(of id: NodeID) -> [NodeDetail.Entry]? { nil }
        func frames(of scope: FrameScope) -> FrameReading { FrameReading(time: 0) }
        func nodes(ofTasks numbers: [UInt64]) -> [NodeID] { numbers.map { _ in .none } }
        func stop() {}
    }

    @Test func aBurstOfTasksIsShownSoon() {
        let bench = Bench(clock: StillClock())
        bench.collector.tasks.withLock { $0 = Burst(3_000) }
        let isShown = wait {
            bench.collector.collect(isRegular: true)
            return bench.events.count == 3_000
        }
        #expect(isShown)
    }

    private let second: UInt64 = 1_000_000_000
    private let millisecond: UInt64 = 1_000_000

    @Test func looksTakeOnePercentInTheLongRun() {
        var budget = TaskBudget()
        func allowsLook(at time: UInt64) -> Bool { budget.allowsLook(at: time) }
        #expect(allowsLook(at: second))
        budget.spend(second, until: second, foundMany: true)
        // The look took 700 ms more than were saved, which are earned in 70 s.
        #expect(!allowsLook(at: 70 * second))
        #expect(allowsLook(at: 72 * second))
        // Looks of 2 ms, as often as they are allowed, every 20 ms.
        var spent: UInt64 = 0
        for tick in 0..<5_000 as Range<UInt64> where allowsLook(at: 72 * second + tick * 20 * millisecond) {
            budget.spend(2 * millisecond, until: 72 * second + tick * 20 * millisecond, foundMany: true)
            spent += 2 * millisecond
        }
        #expect((1_005...1_015).contains(spent / millisecond), "\(spent)")
        // No more than 300 ms are saved.
        #expect(allowsLook(at: 9_000 * second))
        budget.spend(400 * millisecond, until: 9_000 * second, foundMany: true)
        #expect(!allowsLook(at: 9_009 * second))
        #expect(allowsLook(at: 9_011 * second))
    }

    @Test func savedTimeIsForBursts() {
        var budget = TaskBudget()
        func allowsLook(at time: UInt64) -> Bool { budget.allowsLook(at: time) }
        #expect(allowsLook(at: second))
        budget.spend(10 * millisecond, until: second, foundMany: false)
        #expect(!allowsLook(at: second + 989 * millisecond))
        #expect(allowsLook(at: second + 990 * millisecond))
        budget.spend(10 * millisecond, until: 2 * second, foundMany: true)
        #expect(!allowsLook(at: 2 * second + 89 * millisecond))
        #expect(allowsLook(at: 2 * second + 90 * millisecond))
    }

    /// A look on request does not delay the regular ones.
    @Test func looksOnRequestAreNotCounted() {
        let bench = Bench(clock: StillClock())
        bench.collector.tasks.withLock { $0 = Burst(50_000) }
        bench.collector.collectNow()
        bench.collector.tasks.withLock { $0 = Burst(500) }
        bench.collector.collect(isRegular: true)
        #expect(bench.events.count == 50_500)
    }
}

// SPDX-License-Identifier: MIT
