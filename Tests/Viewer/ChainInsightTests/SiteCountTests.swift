import ChainEvents
import ChainModel
import EventScripts
import SeededNumbers
import Testing

@testable import ChainInsight

/// Statistics of call sites against a naive computation from the same events.
@Suite struct SiteCountTests {
    /// Counts the kept nodes of a forest.
    static func count(_ forest: ChainForest) -> [SiteKey: SiteStatistics] {
        var sites = Recount<SiteCount>()
        sites.count(forest)
        return sites.figures!
    }

    @Test(arguments: 1...6) func onePassIsRight(seed: UInt64) {
        var program = Program(seed: seed)
        for _ in 0..<3_000 { program.step() }
        Self.expectSame(Self.count(program.script.forest), Self.expected(program))
    }

    /// Nodes settle, and are evicted, while passes are under way: each node counts once.
    @Test(arguments: 1...6) func evictedNodesStayCounted(seed: UInt64) {
        var program = Program(seed: seed, limits: ForestLimits(settledNodeLimit: 5, settledLeafLimit: 5))
        var sites = Recount<SiteCount>()
        var passes = 0
        for step in 0..<6_000 {
            // Between two thousands of steps no node is made, so each pass has to find them all.
            program.step(makes: step / 1_000 % 2 == 0)
            if step % 3 == 0 {
                program.script.forest.evictSettled(now: program.script.time, budget: 4_096) {
                    sites.willEvict($0, in: $1)
                }
            }
            if !sites.isCounting { sites.begin(in: program.script.forest) }
            let beginsInPause = step % 2_000 >= 1_500
            guard sites.advance(in: program.script.forest, budget: 3) else { continue }
            passes += 1
            guard beginsInPause else { continue }
            #expect(sites.figures?.values.reduce(0) { $0 + $1.total } == program.nodes.count)
        }
        #expect(passes > 20)
        #expect(program.script.forest.totals.evictedCount > 200)
        sites.count(program.script.forest)
        Self.expectSame(sites.figures, Self.expected(program), evicts: true)
    }

    @Test func theOldFiguresStayUntilTheNewOnesAreComplete() {
        var script = ScriptedForest()
        for id in 1...100 as ClosedRange<UInt64> { script.make(id, .work, site: 4) }
        let key = SiteKey(site: 4, kind: .work)
        var sites = Recount<SiteCount>()
        sites.begin(in: script.forest)
        #expect(!sites.advance(in: script.forest, budget: 50) && sites.figures == nil)
        while !sites.advance(in: script.forest, budget: 50) {}
        #expect(!sites.isCounting && sites.figures?[key]?.total == 100)
        for id in 101...150 as ClosedRange<UInt64> { script.make(id, .work, site: 4) }
        sites.begin(in: script.forest)
        #expect(!sites.advance(in: script.forest, budget: 50) && sites.figures?[key]?.total == 100)
        while !sites.advance(in: script.forest, budget: 50) {}
        #expect(sites.figures?[key]?.total == 150)
    }

    @Test func unknownByALossIsSettledAndCountedWhenKnown() {
        var script = ScriptedForest()
        script.at(1)
        script.make(1, .work, site: 4)
        script.queue(1)
        script.start(1)
        let key = SiteKey(site: 4, kind: .work)
        #expect(Self.count(script.forest)[key]?.live == 1)
        script.at(20)
        script.resync(.begin(epoch: script.time))
        script.resync(.end(epoch: script.time))
        let lost = Self.count(script.forest)[key]
        #expect(lost?.live == 0 && lost?.rejected == 0 && lost?.flow.ended == 0)
        script.reject(1)
        let known = Self.count(script.forest)[key]
        #expect(known?.rejected == 1 && known?.live == 0 && known?.total == 1)
    }

    @Test func aReferencedNodeHasNoCallSite() {
        var script = ScriptedForest()
        script.make(2, .all, site: 3)
        script.member(2, 1)
        #expect(Array(Self.count(script.forest).keys) == [SiteKey(site: 3, kind: .all)])
        script.make(1, .work, site: 5)
        #expect(Self.count(script.forest)[SiteKey(site: 5, kind: .work)]?.total == 1)
    }

    @Test func callSitesAreBounded() {
        var script = ScriptedForest()
        for site in 1...(SiteCount.keyLimit + 500) { script.make(UInt64(site), .promise, site: SiteID(site)) }
        script.fulfill(UInt64(SiteCount.keyLimit + 7))
        let sites = Self.count(script.forest)
        #expect(sites.count == SiteCount.keyLimit + 1)
        #expect(sites[.others]?.total == 500)
        #expect(sites[.others]?.live == 499)
    }

    /// More numbers than are kept, because a program may have a number for each node.
    @Test func aSiteMayHaveManyNumbers() {
        let place = CodeLocation(fileID: "Shop/Order.swift", line: 7)
        let count = UInt64(SiteCount.aliasLimit) + 100
        var script = ScriptedForest()
        script.name(sites: Dictionary(uniqueKeysWithValues: (1...SiteID(count)).map { ($0, place) }))
        for id in 1...count { script.make(id, .work, site: SiteID(id)) }
        let sites = Self.count(script.forest)
        #expect(Array(sites.keys) == [SiteKey(site: 1, kind: .work)])
        #expect(sites[SiteKey(site: 1, kind: .work)]?.total == Int(count))
    }

    /// Nodes are evicted between two passes.
    @Test(arguments: 1...4) func oneSiteIsCountedAsAmongAll(seed: UInt64) {
        var program = Program(seed: seed, limits: ForestLimits(settledNodeLimit: 50, settledLeafLimit: 50))
        var all = Recount<SiteCount>()
        for step in 0..<3_000 {
            program.step()
            guard step % 3 == 0 else { continue }
            program.script.forest.evictSettled(now: program.script.time, budget: 4_096) { all.willEvict($0, in: $1) }
        }
        #expect(program.script.forest.totals.evictedCount > 200)
        all.count(program.script.forest)
        #expect(all.figures!.count > 6)
        for (key, statistics) in all.figures! {
            var one = all
            one.base.only = key
            one.count(program.script.forest)
            #expect(one.figures == [key: statistics])
        }
    }

    @Test func theOnlySiteMayHaveSeveralNumbers() {
        var script = ScriptedForest()
        let site = CodeLocation(fileID: "A/Order.swift", line: 7)
        script.name(sites: [1: site, 2: CodeLocation(fileID: "A/Order.swift", line: 8), 3: site])
        script.make(1, .work, site: 1)
        script.make(2, .work, site: 2)
        script.make(3, .work, site: 3)
        script.make(4, .map, site: 3)
        for number in [1, 3] as [SiteID] {
            var sites = Recount<SiteCount>()
            sites.base.only = SiteKey(site: number, kind: .work)
            sites.count(script.forest)
            #expect(sites.figures?.mapValues(\.total) == [SiteKey(site: number, kind: .work): 2])
        }
    }

    @Test func aReportAddsUpCallSitesWithoutALocation() {
        var script = ScriptedForest()
        script.make(5, .work, site: 4)
        script.fulfill(5)
        let start = script.time
        script.make(1, .work, "order 1", site: 4)
        for id in 2...3 as ClosedRange<UInt64> { script.make(id, .work, "order \(id)", site: 5) }
        script.make(4, .promise, site: 4)
        script.at(10)
        script.fulfill(1)
        script.at(30)
        script.reject(2)
        let report = SiteReport(SiteCount(since: start), and: script.forest, over: start...script.time)
        #expect(report.sites.count == 2)
        let work = report.sites[SiteReport.Name(file: "", line: 0, kind: .work)]
        #expect(work?.ended == 2 && work?.failed == 1 && work?.live == 1, "the first settled before")
        #expect(work?.total.count == 2 && work?.total.max == 30_000_000)
        #expect(work?.label == "order" && work?.span == 30_000_000)
    }

    /// A handler that runs on after its node settled and was evicted.
    @Test func anEvictedRunningNodeIsNotCounted() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 1_000_000))
        script.make(1, .work)
        script.start(1)
        script.record(.fulfilled, 1)
        let key = SiteKey(site: 1, kind: .work)
        var sites = Recount<SiteCount>()
        sites.count(script.forest)
        #expect(sites.figures?[key]?.running == 1)
        script.at(100)
        script.make(2, .promise, site: 2)
        script.forest.evictSettled(now: script.time, budget: 100) { sites.willEvict($0, in: $1) }
        #expect(script.forest.index(of: NodeID(1)) == nil)
        sites.count(script.forest)
        #expect(sites.figures?[key]?.running == 0 && sites.figures?[key]?.total == 1)
    }

    /// The beginning of a long chain is evicted; what the rest waited for is known by when it was queued.
    @Test func totalsOfATrimmedChainStayKnown() {
        var script = ScriptedForest(limits: ForestLimits(chainNodeLimit: 2))
        for id in 1...4 as ClosedRange<UInt64> { script.make(id, .then, under: id - 1, site: 1) }
        var sites = Recount<SiteCount>()
        for id in 1...3 as ClosedRange<UInt64> {
            script.at(Double(id) * 10)
            if id > 1 { script.queue(id) }
            script.at(Double(id) * 10 + 5)
            script.fulfill(id)
            script.forest.evictSettled(now: script.time, budget: 100) { sites.willEvict($0, in: $1) }
        }
        #expect(script.forest.index(of: NodeID(2)) == nil && script.forest.index(of: NodeID(3)) != nil)
        sites.count(script.forest)
        let time = sites.figures?[SiteKey(site: 1, kind: .then)]?.flow.time
        #expect(time?.count == 3 && time?.max == 15_000_000)
        #expect(time?.p50 ?? 0 >= 5_000_000)
    }

    @Test func figuresOfOneDurationAreThatDuration() {
        var buckets = DurationBuckets()
        #expect(buckets.figures == DurationFigures())
        buckets.record(210_000_000)
        let figures = buckets.figures
        #expect([figures.p50, figures.p90, figures.p99, figures.max] == Array(repeating: 210_000_000, count: 4))
        #expect(figures.bars[7] == 1)
    }

    @Test func anyDurationCanBeRecorded() {
        var buckets = DurationBuckets()
        for duration in [0, 1, 999, 1_000, UInt64(1) << 47, .max] { buckets.record(duration) }
        let figures = buckets.figures
        #expect(figures.count == 6)
        #expect(figures.max == 1 << 48)
        #expect(figures.bars.first == 4)
        #expect(figures.bars.last == 2)
    }

    @Test(arguments: 1...6) func percentilesAreRightToOnePercent(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let durations = (0..<2_000).map { _ in
            UInt64.random(in: 0..<1 << UInt64.random(in: 1...44, using: &generator), using: &generator)
        }
        var (first, second) = (DurationBuckets(), DurationBuckets())
        for (index, duration) in durations.enumerated() {
            if index % 3 == 0 { first.record(duration) } else { second.record(duration) }
        }
        first.add(second)
        Self.expectSame(first.figures, Self.figures(durations), "seed \(seed)")
    }

    @Test(arguments: [
        ("checkout.swift", true), ("Checkout/Check", true), ("then", true), ("map", false),
        ("site:Checkout.swift:41", true),
        ("site=Checkout.swift:4", false), ("kind:then", true), ("kind:map", false), ("not kind:then", false),
        ("state:rejected", true), ("not age>5s", true), ("age>5s kind:map", false), ("age>5s or kind:map", true),
    ])
    func queriesAreEvaluatedOnSites(text: String, isFound: Bool) throws {
        let site = CodeLocation(fileID: "Checkout/Checkout.swift", line: 41)
        #expect(try Query(text).mayFind(site: site, kind: .then) == isFound)
    }

    @Test(arguments: [
        CodeLocation(fileID: "Shop/Order.swift", line: 42),
        CodeLocation(fileID: "Shop/My \"own\" (file).swift", line: 1),
        CodeLocation(fileID: "Shop/né.swift", line: 7),
    ])
    func theQueryOfASiteFindsOnlyThatSite(site: CodeLocation) throws {
        var script = ScriptedForest()
        script.name(sites: [1: site, 2: CodeLocation(fileID: site.fileID, line: site.line * 10)])
        script.make(1, .then, site: 1)
        script.make(2, .then, site: 2)
        script.make(3, .map, site: 1)
        var matcher = QueryMatcher(try Query(Query.text(site: site, kind: .then)))
        let found = (1...3).filter {
            matcher.matches(script.forest.index(of: NodeID($0))!, in: script.forest, now: 0)
        }
        #expect(found == [1])
    }
}

// SPDX-License-Identifier: MIT
