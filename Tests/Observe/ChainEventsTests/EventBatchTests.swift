import Testing

@testable import ChainEvents

@Suite struct EventBatchTests {
    @Test func textsAreFoundByTheirEvents() {
        var batch = EventBatch(process: ProcessKey(rawValue: 1), sequence: 1, time: 5)
        batch.texts = ["a", "b"]
        let texts = (0...3 as ClosedRange<UInt32>).map { text in
            batch.text(of: ChainEvent(time: 1, .created, node: NodeID(1), text: text))
        }
        #expect(texts == [nil, "a", "b", nil])
    }

    @Test func theLostCountIsTheSumOfBothLosses() {
        #expect(EventCounts(madeCount: 9, deliveredCount: 4, lostInRings: 3, lostAtClient: 2).lostCount == 5)
    }

    @Test func settlementsAreOrderedByRank() {
        let byRank: [Settlement] = [
            .pending, .unknown, .fulfilled, .rejected, .skippedFulfilled, .skippedRejected, .abandoned, .cancelled,
        ]
        #expect(byRank.sorted() == byRank)
        #expect(byRank.map(\.rawValue) == Array(0...7))
    }

    @Test func aSnapshotBeginsPendingAndAlone() {
        let snapshot = NodeSnapshot(id: NodeID(4), kind: .then)
        #expect(snapshot.settlement == .pending)
        #expect(snapshot.parent == .none && snapshot.adopted == .none && snapshot.members.isEmpty)
        #expect(snapshot.created == 0 && snapshot.seen == 0)
    }

    @Test func anEventKeepsItsNodesKind() {
        #expect(
            ChainEvent(time: 1, .created, node: NodeID(1), detail: UInt16(NodeKind.race.rawValue)).nodeKind == .race)
        #expect(ChainEvent(time: 1, .created, node: NodeID(1), detail: 9999).nodeKind == .other)
    }

    @Test func eventsAreSmall() {
        #expect(MemoryLayout<ChainEvent>.size == 40)
        #expect(MemoryLayout<EventRecord>.stride == 32)
    }
}

@Suite struct IdentifiersTests {
    @Test func idsAreWrittenWithANumberSignAndOrderedByNumber() {
        #expect(NodeID(17).description == "#17")
        #expect(NodeID(3) < NodeID(20))
        #expect(NodeID.none.rawValue == 0)
    }

    @Test func aSiteIsDescribedByTheNameOfItsFileAndItsLine() {
        #expect(CodeLocation(fileID: "Shop/Checkout.swift", line: 41).description == "Checkout.swift:41")
        #expect(CodeLocation(fileID: "", line: 0).description == "?")
    }

    @Test func aCallSiteBecomesASite() {
        #expect(
            CallSite(fileID: "Shop/Checkout.swift", line: 41).fileID == "Shop/Checkout.swift"
                && CallSite.unknown.fileID.isEmpty)
        #expect(
            CallSite(fileID: "Shop/Checkout.swift", line: 41).site
                == CodeLocation(fileID: "Shop/Checkout.swift", line: 41))
        #expect(CallSite.unknown.site.fileID == "")
    }

    @Test func everyKindHasAWordOfItsOwn() {
        let words = NodeKind.allCases.map(\.word)
        #expect(Set(words).count == words.count)
        #expect(words.contains("thenCallback") && words.contains("catch"))
        #expect(NodeKind.span.word == "span" && NodeKind.span.role == .maker)
        #expect(NodeKind.then.role == .link && NodeKind.all.role == .combinator && NodeKind.promise.role == .maker)
    }
}

// SPDX-License-Identifier: MIT
