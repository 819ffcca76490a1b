import Demos
import Testing

@testable import chainview

@Suite struct SuggestionsTests {
    @Test(arguments: [
        ("chekout", ["checkout"]), ("CHECKOUT", ["checkout"]), ("st", ["stuck", "steps", "storm"]),
        ("file", ["files"]), ("strip", ["trip"]), ("mirror", ["mirrors"]), ("zzzzzzzzzz", []), ("", []),
    ])
    func demosThatWereMeantAreNear(_ typed: String, _ expected: [String]) {
        let near = Suggestions.names(to: typed, among: Demo.all.map(\.name))
        #expect(Set(near).isSuperset(of: expected), "\(near)")
        #expect(near.count <= 3)
        if expected.count == 1 { #expect(near.first == expected.first) }
        if expected.isEmpty { #expect(near.isEmpty) }
    }

    @Test(arguments: [("thme", "theme"), ("Viev", "view"), ("vue", nil), ("t", nil), ("refreshrate", "refresh-rate")])
    func aNameIsSuggestedOnlyForASlip(_ typed: String, _ expected: String?) {
        #expect(Suggestions.name(to: typed, among: ["theme", "view", "refresh-rate", "ascii"]) == expected)
    }
}

// SPDX-License-Identifier: MIT
