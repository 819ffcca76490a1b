import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// Figures of chains by the call site of their root, and where their time goes.
@Suite struct ProfileTests {
    private static let millisecond: UInt64 = 1_000_000

    /// Adds an order that begins at a moment: 10 ms in the root, 200 ms of checks, two of them side by side, and 700 ms
    /// to charge.
    private static func order(_ script: inout ScriptedForest, _ base: UInt64, at begin: Double, fails: Bool = false) {
        script.at(begin)
        script.make(base, .work, "order \(base)", site: 1)
        script.make(base + 1, .then, "checks", under: base, site: 2)
        script.make(base + 2, .then, "charge", under: base + 1, site: 3)
        script.make(base + 3, .failed, "complain", under: base + 2, site: 4)
        script.at(begin + 10)
        script.fulfill(base)
        script.at(begin + 20)
        script.make(base + 10, .work, "fraud", by: base + 1, site: 5)
        script.make(base + 11, .work, "address", by: base + 1, site: 6)
        script.at(begin + 150)
        script.fulfill(base + 10)
        script.at(begin + 200)
        script.fulfill(base + 11)
        script.at(begin + 210)
        script.fulfill(base + 1)
        script.at(begin + 910)
        if fails {
            script.reject(base + 2)
            script.record(.skipped, base + 3, flags: .error)
        } else {
            script.fulfill(base + 2)
            script.record(.skipped, base + 3)
        }
    }

    private typealias Profile = ProfileCount.Figures

    /// Counts the chains of the forest that have settled.
    private static func profile(_ forest: ChainForest) -> Profile {
        var profile = Recount<ProfileCount>()
        profile.count(forest)
        return profile.figures!
    }

    /// Counts the chains of the forest by the call site of their root.
    private static func chains(_ forest: ChainForest) -> [CodeLocation: FlowFigures] {
        var chains = Recount<ChainCount>()
        chains.count(forest)
        return chains.figures!
    }

    /// Returns the frame at a path of call sites.
    private static func frame(_ profile: Profile, _ path: SiteID...) -> ProfileCount.Frame? {
        let frames = profile.frames
        var found: Int?
        for site in path {
            found = frames.indices.first { frames[$0].key.site == site && frames[$0].parent == found }
            if found == nil { return nil }
        }
        return found.map { frames[$0] }
    }

    /// Checks the figures of two orders, one of which failed.
    private static func expectTwoOrders(_ table: Profile) {
        #expect(table.frames.count == 5, "a skipped node takes no time")
        #expect(frame(table, 1)?.count == 2)
        #expect(frame(table, 1)?.total == 2 * 910 * millisecond)
        #expect(frame(table, 1)?.ownTime == 2 * 10 * millisecond, "the root's own time, before the first step")
        #expect(frame(table, 1)?.failed == 1)
        #expect(frame(table, 1)?.label == "order")
        #expect(frame(table, 1, 2)?.total == 2 * 200 * millisecond)
        #expect(frame(table, 1, 2)?.ownTime == 2 * 20 * millisecond, "what the two under it do not cover together")
        #expect(frame(table, 1, 2, 5)?.total == 2 * 130 * millisecond)
        #expect(frame(table, 1, 2, 6)?.ownTime == 2 * 180 * millisecond)
        #expect(frame(table, 1, 3)?.time.p99 ?? 0 >= 690 * millisecond)
        #expect(frame(table, 1, 3)?.failed == 1)
        let hottest = table.frames.max { $0.ownTime < $1.ownTime }
        #expect(hottest?.key.site == 3, "charging is the slowest step")
    }

    @Test func theSlowestStepIsFound() {
        var script = ScriptedForest()
        Self.order(&script, 100, at: 0)
        Self.order(&script, 200, at: 1_000, fails: true)
        Self.expectTwoOrders(Self.profile(script.forest))
    }

    @Test func evictedChainsStayCounted() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 0, settledLeafLimit: 0))
        var (profile, chains) = (Recount<ProfileCount>(), Recount<ChainCount>())
        for number in 1...20 as ClosedRange<UInt64> {
            Self.order(&script, number * 100, at: Double(number) * 1_000)
            // A pass is under way when the chain is evicted.
            profile.begin(in: script.forest)
            if number % 2 == 0 { _ = profile.advance(in: script.forest, budget: 3) }
            script.forest.evictSettled(now: script.time, budget: 4_096) {
                profile.willEvict($0, in: $1)
                chains.willEvict($0, in: $1)
            }
            while !profile.advance(in: script.forest, budget: 3) {}
            #expect(Self.frame(profile.figures!, 1)?.count == Int(number))
        }
        #expect(script.forest.totals.evictedCount > 100)
        let figures = profile.figures!
        #expect(Self.frame(figures, 1)?.total == 20 * 910 * Self.millisecond)
        #expect(Self.frame(figures, 1, 2)?.ownTime == 20 * 20 * Self.millisecond)
        #expect(Self.frame(figures, 1, 2, 6)?.count == 20)
        chains.count(script.forest)
        #expect(chains.figures?[CodeLocation(fileID: "", line: 0)]?.ended == 20)
    }

    /// A chain of more nodes than a tick evicts counts once, as a whole, until its root is evicted and after that.
    @Test func aChainThatIsEvictedInPartsCountsOnce() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 0, settledLeafLimit: 0))
        for id in 1...100 as ClosedRange<UInt64> { script.make(id, .work, by: id == 1 ? 0 : 1, site: id == 1 ? 1 : 2) }
        script.at(10)
        for id in (1...100 as ClosedRange<UInt64>).reversed() { script.fulfill(id) }
        var (profile, chains) = (Recount<ProfileCount>(), Recount<ChainCount>())
        var parts = 0
        while script.forest.totals.nodeCount > 0 {
            script.forest.evictSettled(now: script.time, budget: 10) {
                profile.willEvict($0, in: $1)
                chains.willEvict($0, in: $1)
            }
            parts += 1
            profile.count(script.forest)
            chains.count(script.forest)
            #expect(profile.figures?.frames.map(\.count) == [1, 99])
            #expect(profile.figures?.frames.map(\.total) == [10 * Self.millisecond, 990 * Self.millisecond])
            #expect(chains.figures?.values.map(\.ended) == [1])
        }
        #expect(parts > 5)
    }

    @Test func chainsInFlightAndTheirOldest() {
        var script = ScriptedForest()
        let site = CodeLocation(fileID: "Shop/Order.swift", line: 7)
        script.name(sites: [1: site])
        script.at(5)
        script.make(1, .work, "order 1", site: 1)
        script.at(8)
        script.make(2, .work, "order 2", site: 1)
        script.make(3, .then, under: 2, site: 2)
        let first = Self.chains(script.forest)[site]
        #expect(first?.inFlight == 2)
        #expect(first?.oldestNode == NodeID(1))
        #expect(first?.newestNode == NodeID(2))
        #expect(first?.label == "order")
        script.at(20)
        script.fulfill(1)
        script.fulfill(2)
        let second = Self.chains(script.forest)[site]
        #expect(second?.inFlight == 1)
        #expect(second?.oldestNode == NodeID(2))
        #expect(second?.ended == 1)
        #expect(second?.time.max == 15 * Self.millisecond)
    }

    /// A member of a combinator is part of its chain.
    @Test func aChainThatMovesUnderAnotherIsNoLongerInFlight() {
        var script = ScriptedForest()
        script.make(1, .all, site: 1)
        script.make(2, .work, site: 2)
        let unknown = CodeLocation(fileID: "", line: 0)
        #expect(Self.chains(script.forest)[unknown]?.inFlight == 2)
        script.member(1, 2)
        #expect(Self.chains(script.forest)[unknown]?.inFlight == 1)
    }

    @Test func aChainThatGoesOnIsInFlight() {
        var script = ScriptedForest()
        script.make(1, .work, site: 1)
        script.fulfill(1)
        script.at(1_000)
        script.make(2, .then, under: 1, site: 2)
        let unknown = CodeLocation(fileID: "", line: 0)
        let first = Self.chains(script.forest)[unknown]
        #expect(first?.ended == 0 && first?.inFlight == 1)
        #expect(Self.profile(script.forest).frames.isEmpty)
        script.at(3_000)
        script.reject(2)
        let second = Self.chains(script.forest)[unknown]
        #expect(second?.ended == 1 && second?.failed == 1 && second?.inFlight == 0)
        #expect(Self.profile(script.forest).frames.map(\.failed) == [1, 1])
    }

    /// A chain of many nodes from one call site reads few of their labels.
    @Test func labelsAreSampledWithinAChain() {
        var script = ScriptedForest()
        script.make(1, .work, "order 1", site: 1)
        for id in 2...100 as ClosedRange<UInt64> {
            // Read: those with the numbers 1, 2, 4, 8, ….
            let number = id - 1
            script.make(id, .work, number & (number - 1) == 0 ? "step \(id)" : "other", by: 1, site: 2)
        }
        for id in (1...100 as ClosedRange<UInt64>).reversed() { script.fulfill(id) }
        let table = Self.profile(script.forest)
        #expect(Self.frame(table, 1, 2)?.count == 99)
        #expect(Self.frame(table, 1, 2)?.label == "step")
        #expect(Self.frame(table, 1)?.label == "order 1")
    }

    /// Nodes below a path that is beyond the limits are omitted, too, and so are nodes that a walk does not reach.
    @Test func omittedNodesAreCounted() {
        var deep = ScriptedForest()
        let count = UInt64(ProfileCount.depthLimit) + 20
        for id in 1...count { deep.make(id, .work, by: id == 1 ? 0 : id - 1, site: 1) }
        for id in (1...count).reversed() { deep.fulfill(id) }
        var wide = ScriptedForest()
        for id in 1...UInt64(ProfileCount.nodeLimit) + 10 { wide.make(id, .work, by: id == 1 ? 0 : 1, site: 1) }
        for id in (1...UInt64(ProfileCount.nodeLimit) + 10).reversed() { wide.fulfill(id) }
        var many = ScriptedForest()
        for site in 1...(ProfileCount.frameLimit + 10) {
            many.make(2 * UInt64(site), .work, site: SiteID(site))
            many.make(2 * UInt64(site) + 1, .work, by: 2 * UInt64(site), site: 1)
            many.fulfill(2 * UInt64(site) + 1)
            many.fulfill(2 * UInt64(site))
        }
        for (script, omitted) in [(deep, 20), (wide, 10)] {
            #expect(Self.profile(script.forest).omittedCount == omitted)
        }
        let profile = Self.profile(many.forest)
        let all = 2 * (ProfileCount.frameLimit + 10)
        #expect(profile.omittedCount == all - profile.frames.reduce(0) { $0 + $1.count })
    }

    @Test func pathsAreBounded() {
        var script = ScriptedForest()
        for site in 1...(ProfileCount.frameLimit + 10) {
            script.make(UInt64(site), .work, site: SiteID(site))
            script.fulfill(UInt64(site))
        }
        // A recursion deeper than the limit.
        let base: UInt64 = 10_000
        for depth in 0..<100 as Range<UInt64> {
            script.make(base + depth, .work, by: depth == 0 ? 0 : base + depth - 1, site: 1)
        }
        script.at(10)
        for depth in 0..<100 as Range<UInt64> { script.fulfill(base + 99 - depth) }
        let frames = Self.profile(script.forest).frames
        #expect(frames.count == ProfileCount.frameLimit)
        #expect(frames.allSatisfy { $0.depth < ProfileCount.depthLimit })
    }

    /// Random programs, evictions among them: sums and limits hold.
    @Test(arguments: 1...6) func figuresAreConsistent(seed: UInt64) {
        var program = SiteCountTests.Program(
            seed: seed, limits: ForestLimits(settledNodeLimit: 200, settledLeafLimit: 50))
        var (profile, chains) = (Recount<ProfileCount>(), Recount<ChainCount>())
        for step in 0..<3_000 {
            program.step()
            if step % 5 == 0 {
                program.script.forest.evictSettled(now: program.script.time, budget: 4_096) {
                    profile.willEvict($0, in: $1)
                    chains.willEvict($0, in: $1)
                }
            }
            if !profile.isCounting { profile.begin(in: program.script.forest) }
            _ = profile.advance(in: program.script.forest, budget: 20)
        }
        profile.count(program.script.forest)
        let frames = profile.figures?.frames ?? []
        #expect(!frames.isEmpty)
        for frame in frames {
            #expect(frame.ownTime <= frame.total)
            #expect(frame.failed <= frame.count)
            #expect(frame.time.count == UInt64(frame.count))
            #expect(frame.slowestTotal == frame.time.max)
        }
        chains.count(program.script.forest)
        let all = chains.figures?[CodeLocation(fileID: "", line: 0)]
        let totals = program.script.forest.totals
        #expect(all?.inFlight == totals.liveChainCount)
        #expect(UInt64(all?.ended ?? 0) + UInt64(totals.liveChainCount) >= UInt64(totals.chainCount))
    }
}

// SPDX-License-Identifier: MIT
