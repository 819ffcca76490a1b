import ChainTesting
import Foundation
import PromiseRuntime
import Testing

// ChainTesting.md shows the code between the two marks.
// example
struct Declined: Error, CustomStringConvertible { let description = "card declined" }

func order(_ number: Int) -> Promise<String> {
    Promise.delay(.seconds(2), label: "order \(number)")
        .map(label: "charge card") { throw Declined() }
        .map(label: "print receipt") { "thanks" }
        .failed(label: "tell the customer") { print("sorry: \($0)") }
}

@Test func aDeclinedOrderPrintsNoReceipt() {
    let run = RecordedRun()
    run.record { order(3) }
    run.runUntilIdle()
    assertChain(
        run,
        matches: """
            fulfilled delay order 3 · total 2s
            rejected map charge card ! card declined
            skipped map print receipt
            rejected failed tell the customer ! card declined
            """)
}
// example

struct ArticleExampleTests {
    @Test func theArticleShowsThisTest() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = try String(contentsOf: here, encoding: .utf8)
        let path = "Sources/Observe/ChainTesting/ChainTesting.docc/ChainTesting.md"
        let article = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        let example = try #require(source.split(separator: "// example\n", maxSplits: 2).dropFirst().first)
        #expect(article.contains(example), "ChainTesting.md shows another example than the one that runs here")
    }
}

// SPDX-License-Identifier: MIT
