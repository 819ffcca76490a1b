import ChainEvents
import ChainModel
import Foundation
import GoldenSupport
import Testing

@testable import ChainExport

struct PerfettoTests {
    private func written(_ batches: [EventBatch]) throws -> (text: String, exporter: PerfettoExport) {
        let written = Written()
        let exporter = try PerfettoExport(.test, start: 1_000_000_000, to: written.output)
        var stream = ExportStream(of: ProcessDescription.test.key, to: exporter)
        for batch in batches { try stream.apply(batch) }
        try stream.end()
        try stream.exporter.end(stream.forest)
        return (written.text, stream.exporter)
    }

    private func events(_ text: String) throws -> [[String: Any]] {
        let trace = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(trace?["traceEvents"] as? [[String: Any]])
    }

    @Test func theTraceIsStable() throws {
        #expect(Golden.complaint(about: try written(shop()).text, named: "shop-perfetto") == nil)
    }

    @Test func handlersAreOnThreadsAndFlowsLeadToThem() throws {
        let events = try events(try written(shop()).text)
        let handlers = events.filter { $0["ph"] as? String == "X" }
        #expect(
            handlers.map { $0["name"] as? String } == [
                "work order 17", "work fraud", "then charge", "work address", "map receipt", "work order 19",
            ])
        let charge = handlers[2]
        #expect(charge["tid"] as? Int == 102 && charge["ts"] as? Double == 3_000 && charge["dur"] as? Double == 0)
        let flows = events.filter { $0["ph"] as? String == "f" }
        // To charge from order 17; to the receipt from the member that settled last.
        #expect(flows.map { $0["id"] as? Int } == [2, 6])
        let starts = events.filter { $0["ph"] as? String == "s" }
        #expect(starts.map { $0["tid"] as? Int } == [101, 102])
    }

    /// The settlement of an old node is rounded, that of the younger one that it follows is exact.
    @Test func aFlowLeadsFromAYoungNodeToAnOldOne() throws {
        var script = ScriptedBatches()
        script.name()
        script.time = 1_000_000_000
        script.make(1, .work, "import")
        script.make(2, .then, "report", under: 1)
        script.queue(1)
        script.close()
        script.at(144_000_000)
        script.start(1, on: 101)
        script.make(3, .work, "last page", by: 1)
        script.queue(3)
        script.adopt(1, 3)
        script.end(1)
        script.at(144_000_001)
        script.start(3, on: 102)
        script.at(144_000_002.05)
        script.fulfill(3)
        script.at(144_000_002.051)
        script.record(.fulfilled, 1)
        script.queue(2)
        script.start(2, on: 101)
        script.fulfill(2)
        script.close()
        let events = try events(try written(script.batches).text)
        #expect(events.filter { $0["ph"] as? String == "f" }.map { $0["id"] as? Int } == [2])
        #expect(events.filter { $0["ph"] as? String == "s" }.map { $0["tid"] as? Int } == [102])
    }

    /// Checks that slices are nested on each track: an end is that of the slice that began last. Returns the number of
    /// tracks.
    private func checkTracks(_ events: [[String: Any]]) throws -> Int {
        var tracks: [String: [(time: Double, order: Int, phase: String, name: String)]] = [:]
        for (order, event) in events.enumerated() {
            guard let track = (event["id2"] as? [String: String])?["local"] else { continue }
            let time = try #require(event["ts"] as? Double)
            tracks[track, default: []].append(
                (time, order, event["ph"] as? String ?? "", event["name"] as? String ?? ""))
        }
        for (track, events) in tracks {
            var open: [String] = []
            for event in events.sorted(by: { ($0.time, $0.order) < ($1.time, $1.order) }) {
                if event.phase == "b" {
                    open.append(event.name)
                    #expect(open.count <= 2, "\(track): \(open)")
                } else {
                    #expect(open.popLast() == event.name, "\(track) at \(event.time)")
                }
            }
            #expect(open.isEmpty, "\(track)")
        }
        return tracks.count
    }

    @Test func chainsArePackedIntoTracks() throws {
        let events = try events(try written(shop()).text)
        // Order 17 has four tracks, because its checks overlap; a live order has two, and two more chains overlap.
        #expect(try checkTracks(events) <= 8)

        var script = ScriptedBatches()
        var node: UInt64 = 1
        script.time = 1_000_000_000
        for number in 0..<3_000 as Range<UInt64> {
            script.make(node, .promise, "order \(number)")
            script.make(node + 1, .then, "charge", under: node)
            if number >= 10 {
                script.record(.fulfilled, node - 20)
                script.fulfill(node - 19)
            }
            node += 2
            script.time += 1_000
            if number % 100 == 0 { script.close() }
        }
        script.close()
        let many = try written(script.batches)
        #expect(try checkTracks(try self.events(many.text)) <= 12)
        #expect(many.exporter.leftOutChainCount == 0 && many.exporter.leftOutStepCount == 0)
    }

    @Test func chainsWithoutATrackAreCounted() throws {
        var script = ScriptedBatches()
        for node in 1...250 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        script.close(after: 1)
        let many = try written(script.batches)
        #expect(try checkTracks(try events(many.text)) == 200)
        #expect(many.exporter.leftOutChainCount == 50 && many.text.contains("\"leftOutChains\":50"))
    }

    /// Roots that become members of a combinator are no chains any more, and other chains get their tracks.
    @Test func adoptedRootsFreeTheirTracks() throws {
        var script = ScriptedBatches()
        for node in 1...190 as ClosedRange<UInt64> { script.make(node, .promise, "part \(node)") }
        script.close(after: 1)
        // The parts are chains for longer than a stream waits.
        script.close(after: 10_000)
        script.make(300, .all, "all parts")
        for node in 1...190 as ClosedRange<UInt64> { script.member(300, node) }
        script.close(after: 10_000)
        for node in 400...550 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        script.close(after: 1)
        let trace = try written(script.batches)
        #expect(trace.exporter.leftOutChainCount == 0)
        #expect(try checkTracks(try events(trace.text)) == 200)
    }

    /// A step is added to a promise that settled long ago.
    @Test func aSettledChainIsOpenedAgain() throws {
        var script = ScriptedBatches()
        script.time = 1_000_000_000
        script.make(1, .promise, "configuration")
        script.record(.fulfilled, 1)
        script.close(after: 1_000)
        // Events of another chain meanwhile close this one.
        script.make(9, .promise, "other")
        script.record(.fulfilled, 9)
        script.close(after: 1)
        script.close(after: 20_000)
        script.make(2, .map, "read", under: 1)
        script.at(23_000)
        script.fulfill(2)
        script.close(after: 1)
        let events = try events(try written(script.batches).text)
        #expect(try checkTracks(events) == 2)
        let begins = events.filter { $0["ph"] as? String == "b" }
        #expect(begins.map { $0["name"] as? String } == ["configuration", "other", "configuration", "map read"])
    }

    @Test func tracksOfOneLabelAreUsedAgain() {
        var tracks = PerfettoTracks()
        let groups = ["order 17", "user 3", "order 18", "17"].map(PerfettoTracks.group)
        #expect(groups == ["order", "user", "order", "17"])
        #expect(tracks.take(for: "order", from: 0) == 0 && tracks.take(for: "user", from: 0) == 1)
        tracks.release(0, at: 10)
        tracks.release(1, at: 5)
        #expect(tracks.take(for: "order", from: 9) == 2)
        #expect(tracks.take(for: "user", from: 10) == 1 && tracks.take(for: "order", from: 10) == 0)
    }
}

// SPDX-License-Identifier: MIT
