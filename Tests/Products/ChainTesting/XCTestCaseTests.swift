import ChainTesting
import PromiseRuntime
import XCTest

/// Expectations in a test of XCTest. It collects its failures itself, because Linux has no `XCTExpectFailure`.
final class XCTestCaseTests: XCTestCase {
    /// The messages of failures; nil while a failure fails the test.
    private var collected: [String]?

    #if canImport(Darwin)
        override func record(_ issue: XCTIssue) {
            guard collected == nil else {
                collected?.append(issue.compactDescription)
                return
            }
            super.record(issue)
        }
    #else
        override func recordFailure(
            withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
        ) {
            guard collected == nil else {
                collected?.append(description)
                return
            }
            super.recordFailure(withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
        }
    #endif

    func testExpectationsFailTheTest() {
        let run = RecordedRun()
        run.record { Promise.delay(.seconds(1), label: "wait") }
        assertChain(run, matches: "pending delay wait")
        collected = []
        assertChain(run, matches: "fulfilled delay wait")
        run.expectOrder("wait", "count")
        run.expectNoPending(after: .zero)
        let failures = collected ?? []
        collected = nil
        XCTAssertEqual(failures.count, 3)
        let words = ["the chain ran otherwise", "there is no promise", "1 promise is pending"]
        for (failure, words) in zip(failures, words) {
            XCTAssert(failure.contains("XCTestCaseTests.swift:") && failure.contains(words), failure)
        }
    }
}

// SPDX-License-Identifier: MIT
