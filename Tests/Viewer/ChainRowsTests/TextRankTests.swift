import Testing

@testable import ChainRows

@Suite struct TextRankTests {
    /// Texts with a common prefix, of any length, are ranked by the characters after it.
    @Test func textsWithACommonPrefixAreRankedByTheRest() {
        let inOrder = [
            "a", "get /api/", "GET /api/v1/Orders 7", "GET /api/v1/orders 12", "get /api/v1/orders 12 again",
            "GET /api/v1/users", "GET /api/w", "put",
        ]
        let prefix = TextPrefix(of: inOrder[1...6])
        #expect(String(decoding: prefix.bytes, as: UTF8.self) == "get /api/v1/")
        for (left, right) in zip(inOrder, inOrder.dropFirst()) {
            #expect(prefix.rank(of: left) < prefix.rank(of: right), "\(left), \(right)")
        }
        // Without it the rank holds the first twelve letters only, which are the same.
        #expect(TextRank("GET /api/v1/Orders 7").value == TextRank("GET /api/v1/users").value)
        for text in inOrder + ["", "漢字", String(repeating: "9", count: 40)] {
            #expect(prefix.rank(of: text) <= Rank.payloadMask)
            #expect(TextPrefix(of: []).rank(of: text) == TextRank(text).value)
        }
        // The prefix ends neither within a number nor within a letter beyond ASCII.
        #expect(TextPrefix(of: ["order 1200", "order 1201"]).bytes == Array("order ".utf8))
        #expect(TextPrefix(of: ["größe", "größer"]).bytes == Array("größe".utf8))
        #expect(TextPrefix(of: ["grö", "grü"]).bytes == Array("gr".utf8))
    }

    @Test func textsAreComparedAsPeopleDo() {
        func rank(_ text: String) -> UInt64 { TextRank(text).value }
        let inOrder = [
            "", "(a)", "7", "12", "0099", "100", "a", "a b", "alpha", "Beta", "order", "order 2", "order 10",
            "order 100",
            "order a", "zeta", "äther",
        ]
        for (left, right) in zip(inOrder, inOrder.dropFirst()) {
            #expect(rank(left) < rank(right), "\(left), \(right)")
        }
        #expect(rank("Order 7") == rank("order 7"))
        #expect(rank("order 007") == rank("order 7"))
        for text in inOrder + [String(repeating: "9", count: 40), "漢字", "\u{1b}[31m"] {
            #expect(rank(text) <= Rank.payloadMask)
        }
    }
}

// SPDX-License-Identifier: MIT
