import ChainEvents
import ChainInsight
import ChainModel
import EventScripts
import Testing

@testable import ChainRows

@Suite struct IncrementalSortTests {
    /// Matches that a filter finds during a sort are changes with which the sort has to catch up. To catch up with more
    /// than 131,072 at once took 155 ms at 1,000,000 chains.
    @Test func aFilterWaitsForASortThatHasToCatchUp() throws {
        var script = BatchScript()
        for number in 1...20_000 as ClosedRange<UInt64> { script.make(number, .promise, "order \(number)") }
        var forest = ChainForest(process: ScriptedForest.process)
        forest.apply(script.batch)
        var rowModel = RowModel()
        rowModel.update(forest.consumeChanges(), of: forest, now: forest.now)
        rowModel.setOrder(TreeOrder(column: .node), in: forest, now: forest.now, budget: 0)
        rowModel.setFilter(try Query("order"), in: forest, now: forest.now)
        // A budget that gathers all chains, so that each match is a change.
        rowModel.continueSorting(in: forest, now: forest.now, budget: 11_000_000)
        while rowModel.work(.filtering, in: forest, now: forest.now, divisor: 1) {}
        #expect(rowModel.isScanning && !rowModel.hasWork(.filtering))
        #expect((1_024..<4_096).contains(rowModel.order.pendingSort?.pendingCount ?? 0))
        while rowModel.order.isSorting { _ = rowModel.work(.sorting, in: forest, now: forest.now, divisor: 1) }
        while rowModel.work(.filtering, in: forest, now: forest.now, divisor: 1) {}
        #expect(rowModel.order.catchUpHighWater < 4_096)
        #expect(rowModel.filterState.matchCount == 20_000 && rowModel.rowCount == 20_000)
    }
}
