import Demos
import Testing

struct NameTests {
    @Test func everyDemoIsFoundByItsName() {
        #expect(
            Demo.all.map(\.name) == [
                "checkout", "files", "trip", "steps", "coffee", "pages", "mirrors", "storm", "stuck",
            ])
        for demo in Demo.all {
            #expect(Demo.named(demo.name)?.summary == demo.summary)
            #expect(!demo.summary.contains("\n"))
        }
        #expect(Demo.named("Checkout") == nil)
        #expect(Demo.named("") == nil)
    }
}
