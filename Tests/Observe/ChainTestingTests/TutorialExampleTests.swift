import ChainTesting
import Foundation
import PromiseRuntime
import Testing

// The article YourFirstChain shows the code between the two marks.
// example
func heatWater() -> Promise<Int> {
    Promise.delay(.seconds(180), label: "heat water").map(label: "measure") { 95 }
}

@Test func closingTheKitchenStopsTheTea() {
    let run = RecordedRun()
    run.record {
        heatWater()
            .map(label: "steep") { "tea at \($0) °C" }
            .failed(label: "tell the guest") { print("no tea: \($0)") }
    }
    run.run(until: .seconds(60))
    run.promise(labelled: "heat water")?.cancel("the kitchen closes")
    run.runUntilIdle()
    assertChain(
        run,
        matches: """
            cancelled delay heat water ! cancelled by program: the kitchen closes · total 60s
            cancelled map measure ! cancelled by program: the kitchen closes
            cancelled map steep ! cancelled by program: the kitchen closes
            cancelled failed tell the guest ! cancelled by program: the kitchen closes
            """)
}
// example

struct TutorialExampleTests {
    @Test func theArticleShowsThisTest() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = try String(contentsOf: here, encoding: .utf8)
        let path = "Sources/Runtime/PromiseRuntime/PromiseRuntime.docc/YourFirstChain.md"
        let article = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        let example = try #require(source.split(separator: "// example\n", maxSplits: 2).dropFirst().first)
        #expect(article.contains(example), "the article shows another test than the one that runs here")
    }
}

// SPDX-License-Identifier: MIT
