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
}
