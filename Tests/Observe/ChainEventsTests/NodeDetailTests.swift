import ChainEvents
import Testing

/// Places in the source, in the facts of nodes.
struct NodeDetailTests {
    @Test(arguments: [
        ("charge(Int)  Shop/Till.swift:41", CodeLocation(fileID: "Shop/Till.swift", line: 41)),
        ("await(for:)\ncharge(Int)  Till.swift:1\nmain  Main.swift:9", CodeLocation(fileID: "Till.swift", line: 1)),
        ("charge(Int)", nil), ("", nil), ("a: b", nil), ("charge(Int)  ", nil), ("charge(Int)  Till.swift:0", nil),
        ("charge(Int)  Till.swift:-1", nil), ("charge(Int)  Till.swift:99999999999", nil), ("x  :7", nil),
    ])
    func thePlaceStandsAtTheEndOfALine(text: String, place: CodeLocation?) {
        #expect(NodeDetail.Entry(name: "suspended in", text: text).place == place)
    }
}

// SPDX-License-Identifier: MIT
