import ChainEvents
import ChainModel
import EventScripts
import SeededNumbers
import Testing

@testable import ChainInsight

/// Statistics of call sites against a naive computation from the same events.
@Suite struct SiteTableTests {
    @Test(arguments: 1...6) func oneSweepIsRight(seed: UInt64) {
        var program = Program(seed: seed)
        for _ in 0..<3_000 { program.step() }
        var table = SiteTable()
        while table.sweep(program.script.forest, budget: 100_000) {}
        while !table.refresh(budget: 1_000_000) {}
        Self.expectSame(table, Self.known(program))
    }

    @Test(arguments: 1...6) func slicesAndChangesGiveTheSameResult(seed: UInt64) {
        var program = Program(seed: seed)
        for _ in 0..<1_000 { program.step() }
        _ = program.script.forest.consumeChanges()
        var table = SiteTable()
        var slices = 0
        for step in 0..<3_000 {
            program.step()
            if step % 7 == 0 { table.update(with: program.script.forest.consumeChanges(), of: program.script.forest) }
            if step % 5 == 0, table.sweep(program.script.forest, budget: 3) { slices += 1 }
        }
        #expect(slices > 50)
        table.update(with: program.script.forest.consumeChanges(), of: program.script.forest)
        while table.sweep(program.script.forest, budget: 3) {}
        while !table.refresh(budget: 1) {}
        Self.expectSame(table, Self.known(program))
    }

    /// Settled nodes are evicted between two updates.
    @Test(arguments: 1...6) func evictedNodesStayCounted(seed: UInt64) {
        let limits = ForestLimits(settledNodeLimit: 5, settledLeafLimit: 5)
        var program = Program(seed: seed, limits: limits)
        _ = program.script.forest.consumeChanges()
        var table = SiteTable()
        while table.sweep(program.script.forest, budget: 100) {}
        for step in 0..<4_000 {
            program.step()
            if step % 3 == 0 { program.script.forest.evictSettled(now: program.script.time) }
            if step % 8 == 0 { table.update(with: program.script.forest.consumeChanges(), of: program.script.forest) }
        }
        #expect(program.script.forest.totals.evictedCount > 200)
        table.update(with: program.script.forest.consumeChanges(), of: program.script.forest)
        while !table.refresh(budget: 1_000_000) {}
        // A handler that outlives its evicted node is not reported again.
        var expected = Self.known(program)
        for (key, found) in table.keys.map({ ($0, table.statistics($0)!) }) {
            #expect(found.run.count <= expected[key]!.run.count)
            expected[key]!.run = found.run
        }
        Self.expectSame(table, expected)
    }

    @Test func tooManyChangesRestartTheSweep() {
        var program = Program(seed: 9, limits: ForestLimits(changeLimit: 10))
        _ = program.script.forest.consumeChanges()
        var table = SiteTable()
        while table.sweep(program.script.forest, budget: 100) {}
        for _ in 0..<2_000 { program.step() }
        let changes = program.script.forest.consumeChanges()
        #expect(changes.isEverything)
        let before = table.revision
        table.update(with: changes, of: program.script.forest)
        #expect(table.revision != before)
        #expect(!table.isComplete)
        while table.sweep(program.script.forest, budget: 100) {}
        while !table.refresh(budget: 1_000_000) {}
        Self.expectSame(table, Self.known(program))
    }

    @Test func unknownByALossIsSettledAndCountedAgainWhenKnown() {
        var script = ScriptedForest()
        script.at(1)
        script.make(1, .work, site: 4)
        script.queue(1)
        script.start(1)
        _ = script.forest.consumeChanges()
        var table = SiteTable()
        while table.sweep(script.forest, budget: 100) {}
        let key = SiteKey(site: 4, kind: .work)
        #expect(table.statistics(key)?.live == 1)
        script.at(20)
        script.resync(.begin(epoch: script.time))
        script.resync(.end(epoch: script.time))
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.statistics(key)?.live == 0)
        #expect(table.statistics(key)?.rejected == 0)
        script.reject(1)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.statistics(key)?.rejected == 1)
        #expect(table.statistics(key)?.live == 0)
        #expect(table.statistics(key)?.total == 1)
    }

    @Test func aReferencedNodeHasNoCallSite() {
        var script = ScriptedForest()
        script.make(2, .all, site: 3)
        script.member(2, 1)
        var table = SiteTable()
        while table.sweep(script.forest, budget: 100) {}
        #expect(Array(table.keys) == [SiteKey(site: 3, kind: .all)])
        _ = script.forest.consumeChanges()
        script.make(1, .work, site: 5)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.statistics(SiteKey(site: 5, kind: .work))?.total == 1)
    }

    @Test func callSitesAreBounded() {
        var script = ScriptedForest()
        for site in 1...(SiteTable.keyLimit + 500) { script.make(UInt64(site), .promise, site: SiteID(site)) }
        var table = SiteTable()
        while table.sweep(script.forest, budget: 10_000) {}
        #expect(table.keys.count == SiteTable.keyLimit + 1)
        #expect(table.statistics(.others)?.total == 500)
        _ = script.forest.consumeChanges()
        script.fulfill(UInt64(SiteTable.keyLimit + 7))
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.statistics(.others)?.live == 499)
    }

    @Test func numbersOfACallSiteBeyondTheLimitCountWithTheFirst() {
        let place = CodeLocation(fileID: "Shop/Order.swift", line: 7)
        var script = ScriptedForest()
        script.name(sites: [1: place, 2: place])
        script.make(1, .work, site: 1)
        var table = SiteTable()
        while table.sweep(script.forest, budget: 100) {}
        for number in 0..<SiteTable.aliasLimit { table.indices[SiteKey(site: SiteID(10 + number), kind: .work)] = 0 }
        _ = script.forest.consumeChanges()
        script.make(2, .work, site: 2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(Array(table.keys) == [SiteKey(site: 1, kind: .work)])
        #expect(table.statistics(SiteKey(site: 1, kind: .work))?.total == 2)
    }

    @Test func aReportAddsUpCallSitesWithoutALocation() {
        var script = ScriptedForest()
        var table = SiteTable(after: script.forest, since: 0)
        _ = script.forest.consumeChanges()
        script.make(1, .work, "order 1", site: 4)
        for id in 2...3 as ClosedRange<UInt64> { script.make(id, .work, "order \(id)", site: 5) }
        script.make(4, .promise, site: 4)
        script.at(10)
        script.fulfill(1)
        script.at(30)
        script.reject(2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        let report = SiteReport(table, of: script.forest, over: 0...script.time)
        #expect(report.sites.count == 2)
        let work = report.sites[SiteReport.Name(file: "", line: 0, kind: .work)]
        #expect(work?.ended == 2 && work?.failed == 1 && work?.live == 1)
        #expect(work?.total.count == 2 && work?.total.max == 30_000_000)
        #expect(work?.label == "order" && work?.span == 30_000_000)
    }

    /// A handler that runs on after its node settled, beyond the limit of running handlers that are tracked.
    @Test func anEvictedRunningNodeIsNotCounted() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 1_000_000))
        _ = script.forest.consumeChanges()
        var table = SiteTable()
        while table.sweep(script.forest, budget: 100) {}
        for slot in 0..<SiteTable.runningLimit {
            table.running[UInt32(1_000 + slot)] = SiteTable.Run(begin: 0, record: 0)
        }
        script.make(1, .work)
        script.start(1)
        script.record(.fulfilled, 1)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        let key = SiteKey(site: 1, kind: .work)
        #expect(table.statistics(key)?.running == 1)
        script.at(100)
        script.make(2, .promise, site: 2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        let before = table.revision
        script.forest.evictSettled(now: script.time)
        #expect(script.forest.index(of: NodeID(1)) == nil)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.statistics(key)?.running == 0)
        #expect(table.revision != before)
    }

    @Test func figuresOfOneDurationAreThatDuration() {
        var histogram = DurationHistogram()
        #expect(histogram.figures == DurationFigures())
        histogram.record(210_000_000)
        let figures = histogram.figures
        #expect([figures.p50, figures.p90, figures.p99, figures.max] == Array(repeating: 210_000_000, count: 4))
        #expect(figures.bars[7] == 1)
    }

    @Test func anyDurationCanBeRecorded() {
        var histogram = DurationHistogram()
        for duration in [0, 1, 999, 1_000, UInt64(1) << 47, .max] { histogram.record(duration) }
        let figures = histogram.figures
        #expect(figures.count == 6)
        #expect(figures.max == 1 << 48)
        #expect(figures.bars.first == 4)
        #expect(figures.bars.last == 2)
        #expect(histogram.cost < 10_000)
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
