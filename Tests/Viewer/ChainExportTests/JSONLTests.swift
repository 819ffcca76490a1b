import ChainEvents
import ChainExport
import Foundation
import GoldenSupport
import Testing

struct JSONLTests {
    private func written(_ batches: [EventBatch]) throws -> Written {
        let written = Written()
        var stream = ExportStream(of: ProcessDescription.test.key, to: try JSONLExport(.test, to: written.output))
        for batch in batches { try stream.apply(batch) }
        try stream.end()
        try stream.exporter.end(stream.forest)
        return written
    }

    @Test func theLinesAreStable() throws {
        #expect(Golden.complaint(about: try written(shop()).text, named: "shop-jsonl") == nil)
    }

    @Test func eachLineIsAnObjectOfAType() throws {
        let lines = try written(shop()).lines
        var types: [String] = []
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            types.append(object["type"] as? String ?? "")
            if object["id"] as? Int == 10 { #expect(object["label"] as? String == hostile) }
            // No control character, which a terminal would obey.
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        }
        #expect(types == ["program"] + Array(repeating: "node", count: 12) + ["end"])
    }
}

// SPDX-License-Identifier: MIT
