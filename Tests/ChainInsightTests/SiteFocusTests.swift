import ChainEvents
import ChainModel
import Testing

@testable import ChainInsight

/// One call site counted alone.
@Suite struct SiteFocusTests {
    /// With retention as short as can be, between any two looks.
    @Test(arguments: 1...4) func itIsCountedAsAmongAll(seed: UInt64) {
        var program = SiteTableTests.Program(
            seed: seed, limits: ForestLimits(settledNodeLimit: 50, settledLeafLimit: 50))
        for _ in 0..<500 { program.step() }
        _ = program.telling.forest.consumeChanges()
        var all = SiteTable()
        while all.sweep(program.telling.forest, budget: 100_000) {}
        let keys = Array(all.keys)
        #expect(keys.count > 6)
        var ones = keys.map { SiteTable(only: $0) }
        for one in ones.indices { while ones[one].sweep(program.telling.forest, budget: 2) {} }
        for step in 0..<3_000 {
            program.step()
            if step % 3 == 0 { program.telling.forest.retain(now: program.telling.now) }
            guard step % 8 == 7 else { continue }
            let changes = program.telling.forest.consumeChanges()
            all.update(with: changes, of: program.telling.forest)
            for one in ones.indices { ones[one].update(with: changes, of: program.telling.forest) }
        }
        #expect(program.telling.forest.totals.evictedCount > 200)
        while !all.refresh(budget: 1_000_000) {}
        for (key, one) in zip(keys, ones.indices) {
            ones[one].refresh(key)
            #expect(Array(ones[one].keys) == [key])
            #expect(ones[one].statistics(key) == all.statistics(key))
        }
    }

    @Test func itMayHaveSeveralNumbers() {
        var telling = Telling()
        let site = CodeLocation(fileID: "A/Order.swift", line: 7)
        telling.tables(sites: [1: site, 2: CodeLocation(fileID: "A/Order.swift", line: 8)])
        telling.make(1, .work, site: 1)
        telling.make(2, .work, site: 2)
        let key = SiteKey(site: 1, kind: .work)
        var table = SiteTable(only: key)
        while table.sweep(telling.forest, budget: 1) {}
        _ = telling.forest.consumeChanges()
        #expect(table.statistics(key)?.total == 1)
        telling.tables(sites: [3: site])
        telling.make(3, .work, site: 3)
        telling.make(4, .map, site: 3)
        table.update(with: telling.forest.consumeChanges(), of: telling.forest)
        #expect(table.statistics(key)?.total == 2)
        var late = SiteTable(only: key)
        while late.sweep(telling.forest, budget: 1) {}
        #expect(late.statistics(key)?.total == 2)
    }
}
