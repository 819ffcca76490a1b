import Testing

@testable import ChainRows

/// The bits and weights of chains.
@Suite struct ChainTableTests {
    /// Matches of a round are forgotten also when its number comes again.
    @Test func aRoundDoesNotComeBack() {
        var table = ChainTable()
        let slot = table.take(RootKey(group: 0, rank: 1, id: 1), [])
        table.setMatchWeight(3, slot)
        table.set(.listed, true, slot)
        for _ in 0...UInt16.max { table.forgetMatches() }
        #expect(table.matchWeight(slot) == 0 && !table.has(.listed, slot))
        table.setMatchWeight(2, slot)
        #expect(table.matchWeight(slot) == 2 && !table.has(.listed, slot))
    }
}
