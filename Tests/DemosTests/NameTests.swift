import Demos
import Testing

struct NameTests {
    @Test func everyStoryIsFoundByItsName() {
        #expect(Demo.all.map(\.name) == ["checkout", "files", "trip", "steps", "mirrors", "storm", "stuck"])
        for story in Demo.all {
            #expect(Demo.named(story.name)?.summary == story.summary)
            #expect(!story.summary.contains("\n"))
        }
        #expect(Demo.named("Checkout") == nil)
        #expect(Demo.named("") == nil)
    }
}
