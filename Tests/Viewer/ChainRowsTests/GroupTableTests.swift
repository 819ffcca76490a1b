import ChainEvents
import ChainModel
import EventScripts
import Testing
import ThreadTime

@testable import ChainRows

@Suite struct GroupTableTests {
    /// Returns a forest with the call sites 1 to `count`, in order.
    private static func forest(siteCount count: UInt32) -> ScriptedForest {
        var script = ScriptedForest()
        var sites: [SiteID: CodeLocation] = [:]
        for line in 1...count { sites[SiteID(line)] = CodeLocation(fileID: "A/A\(line / 1_000).swift", line: line) }
        script.name(sites: sites)
        return script
    }

    @Test func groupsAreInTheOrderOfANaiveSort() {
        let script = Self.forest(siteCount: 5_000)
        var table = GroupTable()
        // 2,377 and 5,000 have no common divisor, so each site is added once. In the middle the unknown site is added.
        for step in 0..<5_000 as Range<UInt32> {
            if step == 2_500 { _ = table.addedNumber(of: 9_999, in: script.forest) }
            _ = table.addedNumber(of: SiteID(step * 2_377 % 5_000 + 1), in: script.forest)
        }
        let sites = table.screenOrder.map { table[$0].site }
        let known = script.forest.sites.values.sorted { ($0.fileID, $0.line) < ($1.fileID, $1.line) }
        #expect(known.count == 5_000)
        #expect(sites == known + [CodeLocation(fileID: "", line: 0)])
    }

    /// A linear search would find the index of the first group at once, and that of the last one after all others.
    @Test func addingTheLastGroupCostsNoMoreThanAddingTheFirst() {
        let script = Self.forest(siteCount: 5_000)
        func cost(_ sites: some Sequence<UInt32>) -> Duration {
            var table = GroupTable()
            return threadTime {
                for site in sites { _ = table.addedNumber(of: SiteID(site), in: script.forest) }
            }
        }
        let first = (0..<3).map { _ in cost((1...5_000 as ClosedRange<UInt32>).reversed()) }.min()!
        let last = (0..<3).map { _ in cost(1...5_000 as ClosedRange<UInt32>) }.min()!
        #expect(last < first * 4)
    }
}

// SPDX-License-Identifier: MIT
