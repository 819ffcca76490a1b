import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// A table that counts one call site only.
@Suite struct SiteFocusTests {
    /// Settled nodes are evicted between two updates.
    @Test(arguments: 1...4) func oneSiteIsCountedAsAmongAll(seed: UInt64) {
        var program = SiteTableTests.Program(
            seed: seed, limits: ForestLimits(settledNodeLimit: 50, settledLeafLimit: 50))
        for _ in 0..<500 { program.step() }
        _ = program.script.forest.consumeChanges()
        var all = SiteTable()
        while all.sweep(program.script.forest, budget: 100_000) {}
        let keys = Array(all.keys)
        #expect(keys.count > 6)
        var ones = keys.map { SiteTable(only: $0) }
        for one in ones.indices { while ones[one].sweep(program.script.forest, budget: 2) {} }
        for step in 0..<3_000 {
            program.step()
            if step % 3 == 0 { program.script.forest.evictSettled(now: program.script.time) }
            guard step % 8 == 7 else { continue }
            let changes = program.script.forest.consumeChanges()
            all.update(with: changes, of: program.script.forest)
            for one in ones.indices { ones[one].update(with: changes, of: program.script.forest) }
        }
        #expect(program.script.forest.totals.evictedCount > 200)
        while !all.refresh(budget: 1_000_000) {}
        for (key, one) in zip(keys, ones.indices) {
            ones[one].refresh(key)
            #expect(Array(ones[one].keys) == [key])
            #expect(ones[one].statistics(key) == all.statistics(key))
        }
    }

    @Test func aSiteMayHaveSeveralNumbers() {
        var script = ScriptedForest()
        let site = CodeLocation(fileID: "A/Order.swift", line: 7)
        script.name(sites: [1: site, 2: CodeLocation(fileID: "A/Order.swift", line: 8)])
        script.make(1, .work, site: 1)
        script.make(2, .work, site: 2)
        let key = SiteKey(site: 1, kind: .work)
        var table = SiteTable(only: key)
        while table.sweep(script.forest, budget: 1) {}
        _ = script.forest.consumeChanges()
        #expect(table.statistics(key)?.total == 1)
        script.name(sites: [3: site])
        script.make(3, .work, site: 3)
        script.make(4, .map, site: 3)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.statistics(key)?.total == 2)
        var late = SiteTable(only: key)
        while late.sweep(script.forest, budget: 1) {}
        #expect(late.statistics(key)?.total == 2)
    }
}
