import ChainModel
import ChainTesting
import Demos
import Testing

/// The same seed makes the same run, whatever ran before it in the process.
struct SeedTests {
    private static let names = ["checkout", "trip", "steps", "mirrors", "storm", "stuck"]

    @Test(arguments: names)
    func theSameSeedMakesTheSameEvents(_ name: String) throws {
        let (first, second) = (try told(name, seed: 3), try told(name, seed: 3))
        #expect(first.events == second.events)
        #expect(first.texts == second.texts)
        #expect(!first.events.isEmpty)
    }

    @Test(arguments: ["checkout", "mirrors", "storm"])
    func anotherSeedMakesOthers(_ name: String) throws {
        let (first, second) = (try told(name, seed: 3), try told(name, seed: 4))
        #expect(first.events != second.events)
    }

    @Test func theSpeedStretchesTimeAlone() throws {
        func settled(_ speed: Double) throws -> [UInt64] {
            let run = RecordedRun()
            try #require(Demo.named("steps")).start(on: DemoContext(runtime: run.runtime, speed: speed))
            run.run(until: .seconds(10))
            let forest = run.forest
            return forest.roots.compactMap { forest.node($0).settled.map { $0 - VirtualClock.start } }
        }
        #expect(try settled(1) == [800_000_000])
        #expect(try settled(0.5) == [1_600_000_000])
        #expect(try settled(4) == [200_000_000])
    }

    @Test func aClosedStageBeginsNothingMore() throws {
        let play = try DemoRun("checkout")
        play.run(until: .milliseconds(1500))
        #expect(play.run.forest.totals.chainCount == 3)
        play.stage.close()
        play.run(until: .seconds(60))
        #expect(play.run.forest.totals.chainCount == 3)
        #expect(play.run.forest.totals.counts.liveCount == 0)
    }

    private func told(_ name: String, seed: UInt64) throws -> (events: [String], texts: [String]) {
        let play = try DemoRun(name, seed: seed)
        play.run(until: .seconds(3))
        let batch = play.run.batch
        return (batch.events.map { "\($0)" }, batch.texts)
    }
}
