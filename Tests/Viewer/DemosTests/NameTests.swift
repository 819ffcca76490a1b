import Demos
import Testing

struct NameTests {
    @Test func everyDemoIsFoundByItsName() {
        #expect(
            Demo.all.map(\.name) == [
                "checkout", "files", "trip", "steps", "coffee", "counter", "pages", "mirrors", "storm", "stuck",
            ])
        for demo in Demo.all {
            #expect(Demo.named(demo.name)?.summary == demo.summary)
            #expect(!demo.summary.contains("\n"))
            #expect(demo.caption.contains(": try ") && demo.caption.utf8.count < 118, "\(demo.caption)")
            // They fit screens of 80 and 60 columns.
            #expect(demo.captions[1].hasPrefix("try ") && demo.captions[1].utf8.count <= 78, "\(demo.captions)")
            #expect(demo.captions[2].utf8.count <= 58 && !demo.captions[2].contains("("), "\(demo.captions)")
        }
        #expect(Demo.named("Checkout") == nil)
        #expect(Demo.named("") == nil)
    }
}

// SPDX-License-Identifier: MIT
