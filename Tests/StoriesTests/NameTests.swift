import Stories
import Testing

struct NameTests {
    @Test func everyStoryIsFoundByItsName() {
        #expect(Story.all.map(\.name) == ["checkout", "files", "trip", "steps", "mirrors", "storm", "stuck"])
        for story in Story.all {
            #expect(Story.named(story.name)?.summary == story.summary)
            #expect(!story.summary.contains("\n"))
        }
        #expect(Story.named("Checkout") == nil)
        #expect(Story.named("") == nil)
    }

    @Test(arguments: [
        ("chekout", ["checkout"]), ("CHECKOUT", ["checkout"]), ("st", ["stuck", "steps", "storm"]),
        ("file", ["files"]), ("strip", ["trip"]), ("mirror", ["mirrors"]), ("zzzzzzzzzz", []),
    ])
    func namesThatWereMeantAreNear(_ typed: String, _ expected: [String]) {
        let near = Story.names(near: typed)
        #expect(Set(near).isSuperset(of: expected), "\(near)")
        #expect(near.count <= 3)
        if expected.count == 1 { #expect(near.first == expected.first) }
        if expected.isEmpty { #expect(near.isEmpty) }
    }
}
