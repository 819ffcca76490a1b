import ChainEvents
import ChainSystem
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
        func stop() {}
    }

    /// Regular looks one after the other, without the pauses in which time for looks is saved.
    @Test func aBurstOfTasksIsShownAtOnce() {
        let bench = Bench(clock: StillClock())
        bench.collector.tasks.withLock { $0 = Burst(3_000) }
        for _ in 0..<6 { bench.collector.collect(isRegular: true) }
        #expect(bench.events.count == 3_000)
    }

    @Test func looksTakeOnePercentInTheLongRun() {
        let second: UInt64 = 1_000_000_000
        var budget = TaskBudget()
        func allowsLook(at time: UInt64) -> Bool { budget.allowsLook(at: time) }
        #expect(allowsLook(at: second))
        budget.spend(299_000_000)
        #expect(allowsLook(at: second))
        budget.spend(6_000_000)
        // The last look took 5 ms too long, which are earned in half a second.
        #expect(!allowsLook(at: second + second / 2))
        #expect(allowsLook(at: second + second / 2 + 200))
        // Looks of 2 ms, as often as they are allowed, every 20 ms.
        var spent: UInt64 = 0
        for tick in 0..<5_000 as Range<UInt64> where allowsLook(at: 2 * second + tick * second / 50) {
            budget.spend(2_000_000)
            spent += 2_000_000
        }
        #expect((990_000_000...1_010_000_000).contains(spent), "\(spent)")
        // What is saved has a limit.
        #expect(allowsLook(at: 9_000 * second))
        budget.spend(300_000_000)
        #expect(!allowsLook(at: 9_000 * second))
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
