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
            #expect(demo.caption.contains(": try ") && demo.caption.utf8.count < 118, "\(demo.caption)")
        }
        #expect(Demo.named("Checkout") == nil)
        #expect(Demo.named("") == nil)
    }
}
