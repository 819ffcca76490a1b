import ChainEvents
import Testing

@testable import ChainInsight

/// The warnings of one kind, and which of them makes room.
struct WarningListTests {
    private func warning(_ node: Int) -> Warning { Warning(.neverSettled, NodeID(UInt64(node)), since: UInt64(node)) }

    @Test func withoutRoomTheFirstIsDropped() {
        var list = WarningList()
        for node in 1...WarningList.limit + 1 { _ = list.add(warning(node)) }
        #expect(list.kept.count == WarningList.limit && list.count == WarningList.limit + 1)
        #expect(!list.has(NodeID(1)) && list.has(NodeID(2)))
    }

    /// A warning that was removed and added again is among the last ones.
    @Test(arguments: [false, true]) func aWarningThatHoldsAgainIsNotTheFirst(endsOnly: Bool) {
        var list = WarningList()
        _ = list.add(warning(1))
        if endsOnly { list.end(NodeID(1), at: 5) } else { list.remove(NodeID(1)) }
        for node in 2...WarningList.limit { _ = list.add(warning(node)) }
        _ = list.add(warning(1))
        #expect(list.kept.count == WarningList.limit)
        _ = list.add(warning(WarningList.limit + 1))
        #expect(list.has(NodeID(1)) && !list.has(NodeID(2)) && list.has(NodeID(3)))
    }
}

// SPDX-License-Identifier: MIT
