import ChainModel
import ChainTesting
import Demos
import Testing

/// The same seed makes the same run, independent of earlier runs in the process.
struct SeedTests {
    private static let names = ["checkout", "trip", "steps", "coffee", "counter", "pages", "mirrors", "storm", "stuck"]

    @Test(arguments: names)
    func theSameSeedMakesTheSameEvents(_ name: String) throws {
        let (first, second) = (try outcome(name, seed: 3), try outcome(name, seed: 3))
        #expect(first.events == second.events)
        #expect(first.texts == second.texts)
        #expect(!first.events.isEmpty)
    }

    @Test(arguments: ["checkout", "counter", "pages", "mirrors", "storm"])
    func anotherSeedMakesOtherEvents(_ name: String) throws {
        let (first, second) = (try outcome(name, seed: 3), try outcome(name, seed: 4))
        #expect(first.events != second.events)
    }

    @Test func theSpeedStretchesTimeAlone() throws {
        func settled(_ speed: Double) throws -> [UInt64] {
            let run = RecordedRun()
            try #require(Demo.named("steps")).start(in: DemoContext(runtime: run.runtime, speed: speed))
            run.run(until: .seconds(30))
            let forest = run.forest
            return forest.roots.compactMap { forest.node($0).settled.map { $0 - VirtualClock.start.nanoseconds } }
        }
        #expect(try settled(1) == [10_000_000_000])
        #expect(try settled(0.5) == [20_000_000_000])
        #expect(try settled(4) == [2_500_000_000])
    }

    @Test func aClosedContextStartsNothingMore() throws {
        let demo = try DemoRun("checkout")
        demo.run(until: .milliseconds(1500))
        #expect(demo.recorded.forest.totals.chainCount == 3)
        demo.context.close()
        demo.run(until: .seconds(60))
        #expect(demo.recorded.forest.totals.chainCount == 3)
        #expect(demo.recorded.forest.totals.counts.liveCount == 0)
    }

    private func outcome(_ name: String, seed: UInt64) throws -> (events: [String], texts: [String]) {
        let demo = try DemoRun(name, seed: seed)
        demo.run(until: .seconds(3))
        let batch = demo.recorded.batch
        return (batch.events.map { "\($0)" }, batch.texts)
    }
}

// SPDX-License-Identifier: MIT
