import Stories
import Testing

@testable import chainview

@Suite struct NearTests {
    @Test(arguments: [
        ("chekout", ["checkout"]), ("CHECKOUT", ["checkout"]), ("st", ["stuck", "steps", "storm"]),
        ("file", ["files"]), ("strip", ["trip"]), ("mirror", ["mirrors"]), ("zzzzzzzzzz", []), ("", []),
    ])
    func demosThatWereMeantAreNear(_ typed: String, _ expected: [String]) {
        let near = Near.names(to: typed, among: Story.all.map(\.name))
        #expect(Set(near).isSuperset(of: expected), "\(near)")
        #expect(near.count <= 3)
        if expected.count == 1 { #expect(near.first == expected.first) }
        if expected.isEmpty { #expect(near.isEmpty) }
    }

    @Test(arguments: [("thme", "theme"), ("Viev", "view"), ("vue", nil), ("t", nil), ("refreshrate", "refresh-rate")])
    func oneNameIsNearAloneIfItIsASlip(_ typed: String, _ expected: String?) {
        #expect(Near.name(to: typed, among: ["theme", "view", "refresh-rate", "ascii"]) == expected)
    }
}
