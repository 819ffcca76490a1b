import ChainEvents
import ChainExport
import ChainModel
import Foundation
import GoldenSupport
import Testing

struct SpanTests {
    private func requests(_ batches: [EventBatch]) throws -> [(text: String, count: Int)] {
        var requests: [(String, Int)] = []
        let exporter = OTLPExport(.test, version: "1.2.3") { requests.append(($0, $1)) }
        var stream = ExportStream(of: ProcessDescription.test.key, to: exporter)
        for batch in batches { try stream.apply(batch) }
        try stream.end()
        try stream.exporter.flush()
        return requests
    }

    @Test func theRequestIsStable() throws {
        let requests = try requests(shop())
        #expect(requests.map(\.count) == [9])
        // One span per line.
        let text = requests[0].text.replacingOccurrences(of: "{\"traceId\":\"0000000000000007", with: "\n$0")
        #expect(Golden.complaint(about: text, named: "shop-otlp") == nil)
    }

    @Test func spansHaveParentsAndTexts() throws {
        let request = try #require(try requests(shop()).first)
        let root = try #require(try JSONSerialization.jsonObject(with: Data(request.text.utf8)) as? [String: Any])
        let resource = try #require((root["resourceSpans"] as? [[String: Any]])?.first)
        let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
        let spans = try #require(scope["spans"] as? [[String: Any]])
        var parents: [String: String] = [:]
        for span in spans {
            #expect((span["traceId"] as? String)?.count == 32)
            parents[span["spanId"] as? String ?? ""] = span["parentSpanId"] as? String ?? "none"
        }
        func id(_ node: Int) -> String { String(repeating: "0", count: 15) + String(node, radix: 16) }
        #expect(parents[id(2)] == id(1) && parents[id(6)] == id(2) && parents[id(4)] == id(3))
        let failed = try #require(spans.first { $0["spanId"] as? String == id(10) })
        #expect((failed["status"] as? [String: Any])?["message"] as? String == hostile)
    }

    @Test func requestsAreOfLimitedSize() throws {
        var script = ScriptedBatches()
        for node in 1...1_100 as ClosedRange<UInt64> {
            script.make(node, .promise, String(repeating: "x", count: node > 1_030 ? 20_000 : 1))
            script.record(.fulfilled, node)
        }
        script.close()
        let requests = try requests(script.batches)
        #expect(requests.map(\.count).reduce(0, +) == 1_100 && requests[0].count == 512 && requests.count > 3)
        #expect(requests.allSatisfy { $0.text.utf8.count < 1_200_000 })
    }
}

// SPDX-License-Identifier: MIT
