import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// Rates, errors and durations of nodes and chains by call site.
@Suite struct FlowTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func ratesAreOfTheLastMinute() {
        var history = RateHistory()
        #expect(history.perMinute(at: 500 * Self.second) == 0)
        for second in 0..<120 as Range<UInt64> { history.record(at: (100 + second) * Self.second) }
        #expect(abs(history.perMinute(at: 219 * Self.second) - 60) <= 1.5)
        #expect(abs(history.perMinute(at: 250 * Self.second) - 30) <= 1)
        #expect(history.perMinute(at: 300 * Self.second) == 0)
        let minutes = history.minutes(at: 220 * Self.second)
        #expect(minutes.count == RateHistory.minuteCount)
        #expect(minutes.dropLast(2).allSatisfy { $0 == 0 })
        #expect(minutes.suffix(2) == [60, 60])
    }

    @Test func eventsOfLongAgoAndOutOfOrderAreHarmless() {
        var history = RateHistory()
        history.record(at: 1_000 * Self.second)
        history.record(at: 1)
        history.record(at: 990 * Self.second)
        #expect(history.perMinute(at: 1_000 * Self.second) == 2)
        history.record(at: .max - 1)
        #expect(history.perMinute(at: 1_000 * Self.second) == 0)
    }

    @Test(arguments: 1...4) func theOldestInFlightIsFound(seed: UInt64) {
        var program = SiteCountTests.Program(
            seed: seed, limits: ForestLimits(settledNodeLimit: 50, settledLeafLimit: 50))
        for step in 0..<2_000 {
            program.step()
            if step % 7 == 0 { program.script.forest.evictSettled(now: program.script.time) }
            guard step % 50 == 49 else { continue }
            Self.expectFlows(SiteCountTests.count(program.script.forest), program.script.forest)
        }
    }

    /// Compares counts and ages with a walk over all nodes.
    private static func expectFlows(_ sites: [SiteKey: SiteStatistics], _ forest: ChainForest) {
        for (key, statistics) in sites {
            var (inFlight, running): (Int, Int) = (0, 0)
            var (oldest, oldestRun): (UInt64?, UInt64?) = (nil, nil)
            for slot in 0..<UInt32(forest.indexBound) where forest.contains(NodeIndex(rawValue: slot)) {
                let node = forest.node(NodeIndex(rawValue: slot))
                guard node.site == key.site, node.kind == key.kind else { continue }
                if node.activity == .running {
                    running += 1
                    oldestRun = min(oldestRun ?? .max, node.started ?? 0)
                }
                guard node.isLive, node.state != .waiting else { continue }
                inFlight += 1
                if let total = forest.timing(of: node.index, now: forest.now).total {
                    oldest = min(oldest ?? .max, forest.now - total)
                }
            }
            #expect(statistics.flow.inFlight == inFlight)
            #expect(statistics.running == running)
            #expect(statistics.oldestRun == oldestRun)
            if let oldest { #expect((statistics.flow.oldest ?? .max) <= oldest) }
            #expect((statistics.flow.oldest == nil) == (inFlight == 0))
        }
    }

    @Test func aRunningHandlerCountsBeforeItEnds() {
        var script = ScriptedForest()
        script.make(1, .work, site: 4)
        script.queue(1)
        script.start(1)
        let key = SiteKey(site: 4, kind: .work)
        func site() -> SiteStatistics? { SiteCountTests.count(script.forest)[key] }
        #expect(site()?.running == 1)
        #expect(site()?.oldestRun == script.node(1).started)
        script.at(5)
        script.record(.cancelled, 1)
        #expect(site()?.running == 1, "its handler runs on")
        script.end(1)
        #expect(site()?.running == 0)
        #expect(site()?.oldestRun == nil)
    }

    @Test func totalsAreFromTheTurnToTheSettlement() {
        var script = ScriptedForest()
        script.make(1, .promise, site: 1)
        script.make(2, .delay, under: 1, site: 2)
        script.at(1_000)
        script.fulfill(1)
        script.at(3_000)
        script.fulfill(2)
        let site = SiteCountTests.count(script.forest)[SiteKey(site: 2, kind: .delay)]
        #expect(site?.flow.time.max == 2_000_000_000)
        #expect(site?.run.count == 0)
    }

    @Test func labelsShowWhatTheyHaveInCommon() {
        var label = CommonLabel()
        #expect(label.text == nil)
        for text in ["order 17", "order 18"] { label.add(text) }
        #expect(label.text == "order")
        var longer = CommonLabel()
        for text in ["order 1", "order 17"] { longer.add(text) }
        #expect(longer.text == "order")
        label.add("invoice 3")
        #expect(label.text == "")
        var same = CommonLabel()
        for _ in 0..<2 { same.add("bank, try 1") }
        #expect(same.text == "bank, try 1")
        same.add("bank, try 2")
        #expect(same.text == "bank, try")
    }
}

// SPDX-License-Identifier: MIT
