import ChainEvents
import ChainInsight
import ChainListing
import ChainModel
import ChainRecording
import Foundation
import TerminalHarness
import Testing

@testable import chainview

/// `chainview diff`, and the comparison behind it.
@Suite(.serialized, .onItsOwnThread) struct DiffTests {
    /// Returns batches of an order each 100 ms for some seconds. An order settles after `milliseconds`; each
    /// `rejecting`-th is rejected. The last `pending` orders do not settle.
    private func orders(
        seconds: UInt64, milliseconds: UInt64, rejecting: UInt64 = 0, pending: UInt64 = 0, line: UInt32 = 42,
        first: UInt64 = 1_000_000_000
    ) -> [EventBatch] {
        var events: [ChainEvent] = []
        for number in 1...seconds * 10 {
            let (node, made) = (NodeID(number), first + number * 100_000_000)
            events.append(
                ChainEvent(
                    time: made, .created, node: node, site: 1, text: 1, detail: UInt16(NodeKind.promise.rawValue)))
            guard number <= seconds * 10 - pending else { continue }
            let isRejected = rejecting > 0 && number % rejecting == 0
            events.append(
                ChainEvent(time: made + milliseconds * 1_000_000, isRejected ? .rejected : .fulfilled, node: node))
        }
        events.sort { $0.time < $1.time }
        var batches: [EventBatch] = []
        for start in stride(from: 0, to: events.count, by: 10) {
            let part = Array(events[start..<min(start + 10, events.count)])
            var batch = EventBatch(
                process: ProcessDescription.recorded.key, sequence: UInt64(start + 1), time: part.last!.time)
            batch.sites = [1: CodeLocation(fileID: "Shop/Order.swift", line: line)]
            (batch.events, batch.texts) = (part, ["charge order"])
            batches.append(batch)
        }
        return batches
    }

    private func side(_ batches: [EventBatch], from start: UInt64? = nil, to end: UInt64? = nil) throws
        -> Difference.Side
    {
        let place = Place()
        let file = try RecordingFile(path: place.recording("a.chain", batches))
        return file.side(named: "a.chain", from: start, to: end ?? file.range.upperBound)
    }

    private func changes(_ before: [EventBatch], _ after: [EventBatch]) throws -> [SiteChange] {
        Difference(try side(before), try side(after), threshold: 0.1).sites
    }

    @Test func unchangedCallSitesAreNotListed() throws {
        #expect(try changes(orders(seconds: 10, milliseconds: 50), orders(seconds: 20, milliseconds: 50)).isEmpty)
    }

    @Test func slowerAndRejectedAndLiveAreFound() throws {
        let slow = try changes(orders(seconds: 10, milliseconds: 50), orders(seconds: 10, milliseconds: 90))
        #expect(slow.count == 1 && Set(slow[0].changes.keys) == [.p50, .p90, .p99], "\(slow)")
        let failing = try changes(
            orders(seconds: 20, milliseconds: 50), orders(seconds: 20, milliseconds: 50, rejecting: 4))
        #expect(failing.map { Set($0.changes.keys) } == [[.rejections]], "\(failing)")
        #expect(failing.first?.after?.failed == 50 && failing.first?.before?.failed == 0)
        let stuck = try changes(
            orders(seconds: 20, milliseconds: 50), orders(seconds: 20, milliseconds: 50, pending: 9))
        #expect(stuck.map { Set($0.changes.keys) } == [[.live]] && stuck[0].after?.live == 9, "\(stuck)")
    }

    /// Less than a millisecond is noise, and no duration reads as zero.
    @Test func tinyDurationsAreNoChange() throws {
        func text(_ before: [EventBatch], _ after: [EventBatch]) throws -> String {
            DifferenceText().text(Difference(try side(before), try side(after), threshold: 0.1))
        }
        let quick = orders(seconds: 10, milliseconds: 0)
        #expect(try changes(quick, orders(seconds: 10, milliseconds: 0)).isEmpty)
        let slower = try text(quick, orders(seconds: 10, milliseconds: 3))
        #expect(slower.contains("<0.1ms → ") && !slower.contains(" 0.0ms"), "\(slower)")
    }

    @Test func chanceIsNoChange() throws {
        // One of ten instead of none is not beyond chance.
        #expect(
            try changes(orders(seconds: 1, milliseconds: 50), orders(seconds: 1, milliseconds: 50, rejecting: 10))
                .isEmpty)
    }

    @Test func aCallSiteThatMovedIsTheSame() throws {
        let moved = try changes(
            orders(seconds: 10, milliseconds: 50), orders(seconds: 10, milliseconds: 90, line: 57))
        #expect(moved.count == 1 && moved[0].name.line == 57 && moved[0].formerName?.line == 42, "\(moved)")
        let others = orders(seconds: 10, milliseconds: 50).map { batch in
            var batch = batch
            batch.sites = [1: CodeLocation(fileID: "Shop/Bank.swift", line: 9)]
            return batch
        }
        let gone = try changes(orders(seconds: 10, milliseconds: 50), others)
        #expect(gone.count == 2 && gone.contains { $0.after == nil } && gone.contains { $0.before == nil }, "\(gone)")
    }

    @Test func aSpanCountsWhatSettledInIt() throws {
        let batches = orders(seconds: 20, milliseconds: 50)
        let span = try side(batches, from: 6_000_000_000, to: 11_000_000_000)
        let figures = try #require(span.report.sites.values.first)
        #expect(figures.ended == 50 && figures.span == 5_000_000_000 && figures.total.count == 50, "\(figures)")
        #expect(abs(figures.rate - 10) < 0.01)
        let whole = try #require(try side(batches).report.sites.values.first)
        #expect(whole.ended == 200, "\(whole)")
    }

    /// The program's state has nodes that settled long ago. It is read at the beginning, and again after a loss.
    @Test func whatSettledBeforeIsNotCounted() throws {
        func state(_ sequence: UInt64, at time: UInt64, _ nodes: ClosedRange<UInt64>) -> [EventBatch] {
            (0..<2 as Range<UInt64>).map { part in
                var batch = EventBatch(
                    process: ProcessDescription.recorded.key, sequence: sequence + part, time: time)
                batch.sites = [1: CodeLocation(fileID: "Shop/Order.swift", line: 42)]
                batch.resync = part == 0 ? .begin(epoch: time) : .end(epoch: time)
                if part == 1 {
                    batch.nodes = nodes.map { id in
                        var node = NodeSnapshot(id: NodeID(id), kind: .promise)
                        (node.site, node.created, node.settled, node.settlement) = (1, 5, 800_000_000, .fulfilled)
                        return node
                    }
                }
                return batch
            }
        }
        let batches =
            state(1, at: 900_000_000, 1_001...1_400) + orders(seconds: 2, milliseconds: 50)
            + state(1_000, at: 4_000_000_000, 1_201...1_900)
        for start in [nil, 900_000_000, 2_050_000_000] as [UInt64?] {
            let figures = try #require(try side(batches, from: start).report.sites.values.first)
            let count = start == 2_050_000_000 ? 10 : 20
            #expect(figures.ended == count && figures.total.count == UInt64(count), "\(figures)")
        }
    }

    @Test func momentsOfOneRunAreCompared() throws {
        let place = Place()
        try place.recording("shop.chain", orders(seconds: 20, milliseconds: 950, pending: 30))
        let text = try place.run("diff shop.chain@5s shop.chain@end --over 4s")
        #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
        #expect(text.output.contains(/A  shop\.chain@5s  shop 4242  .* settled/), "\(text.output)")
        #expect(
            text.output.contains("live in B, not in A: 30") && text.output.contains("→ fulfilled"), "\(text.output)")
        #expect(!text.output.contains("\u{1B}"))
        let json = try place.run("diff shop.chain@5s shop.chain --json --threshold 0")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect((object?["liveOnlyAfter"] as? [[String: Any]])?.count == 30, "\(json.output)")
        let sites = object?["sites"] as? [[String: Any]]
        #expect(sites?.first?["file"] as? String == "Shop/Order.swift" && sites?.first?["line"] as? Int == 42)
    }

    /// 4.1 times a million is a little less than 4,100,000 in binary.
    @Test func numbersAreRounded() {
        #expect([4.1, 0.000_000_6, 0.1 + 0.2].map(DifferenceJSON.decimal) == ["4.1", "0.000001", "0.3"])
    }

    @Test func recordingsOfTwoRunsAreCompared() throws {
        var (before, after) = (
            try side(orders(seconds: 10, milliseconds: 50)),
            try side(orders(seconds: 10, milliseconds: 900, rejecting: 2))
        )
        before.process.name = "shop\u{1B}[2J"
        after.process.key = ProcessKey(rawValue: 99)
        let difference = Difference(before, after, threshold: 0.1)
        #expect(difference.live == nil)
        let text = DifferenceText(isColored: true).text(difference)
        #expect(
            text.contains("different runs") && text.contains("\u{1B}[31m") && !text.contains("\u{1B}[2J"), "\(text)")
        #expect(text.contains(/Order\.swift:42  promise charge order .*0\.0% → 50\.0%.*50ms → 900ms/), "\(text)")
    }

    @Test func whatIsWrongIsOneSentence() throws {
        let place = Place()
        try place.recording()
        for (words, status) in [
            ("diff shop.chain", 64), ("diff shop.chain none.chain", 66), ("diff shop.chain shop", 64),
            ("diff shop.chain@later shop.chain", 64), ("diff shop.chain shop.chain --threshold 101", 64),
        ] {
            let outcome = try place.run(words)
            #expect(outcome.status == Int32(status) && outcome.output.isEmpty, "\(words): \(outcome)")
            #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(words): \(outcome)")
        }
        #expect(try place.run("diff shop.chain shop.chain").output.contains("no call site changed"))
    }
}

// SPDX-License-Identifier: MIT
