// SPDX-License-Identifier: MIT

import ChainModel

#if canImport(Testing)
    import Testing
#endif
#if canImport(XCTest)
    import XCTest
#endif

/// Fails the test if chains ran differently from the text: states, order, kinds, labels, values, errors, skipped and
/// cancelled nodes with their cancellers, and durations of virtual time.
///
/// The test is one of Swift Testing, or of an `XCTestCase`.
///
///     @Test func declinedOrder() {
///         let run = RecordedRun()
///         run.record { charge(expiredCard).catch(label: "say sorry") { _ in 0 } }
///         run.runUntilIdle()
///         assertChain(run, matches: """
///             rejected work charge ! card expired
///             fulfilled catch say sorry = 0
///             """)
///     }
///
/// Start with an empty text (`matches: ""`): the test fails and prints the text to paste. With `CHAINVIEW_RECORD=1` in
/// the environment the text is written into the source file instead, and the test still fails, so that you look at it.
/// With `CI` set nothing is written.
public func assertChain(
    _ run: RecordedRun, matches expected: String, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    assertChain(run.forest.chainText(), matches: expected, of: run, location)
}

/// As `assertChain(_:matches:)` of a run, for the promises at one moment, such as a moment of a ``ChainRecording``.
public func assertChain(
    _ tree: ChainTree, matches expected: String, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    assertChain(tree.text, matches: expected, of: nil, location)
}

private func assertChain(_ text: String, matches expected: String, of run: RecordedRun?, _ location: TestLocation) {
    let advice = "paste it, or run with CHAINVIEW_RECORD=1"
    guard var difference = ChainSnapshot.failureMessage(for: text, expected: expected, advice: advice) else { return }
    if InlineSnapshotWriter.isOn {
        let lines = ChainSnapshot.lines(of: text)
        difference =
            InlineSnapshotWriter.shared.write(lines, into: location.filePath, at: location.line)
            ? "recorded: look at the snapshot, and run the test again" : "cannot record here:\n" + difference
    }
    location.report(difference, of: run)
}

/// As `assertChain(_:matches:)`, with the text in the file `__Chains__/NAME.txt` beside the test, for long trees.
///
/// A missing file is written, and the test fails, so that you look at it. A run that differs leaves `NAME.actual` there
/// (keep such files out of version control). With `CHAINVIEW_RECORD=1` in the environment the file is rewritten; with
/// `CI` set nothing is written.
public func assertChain(
    _ run: RecordedRun, named name: String, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
) {
    guard let message = ChainSnapshot.failureMessage(for: run, named: name, beside: filePath) else { return }
    TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(message, of: run)
}

/// The place of an expectation in the source of a test.
struct TestLocation {
    var fileID: String, filePath: String
    var line: Int, column: Int

    /// Fails the test; with `CHAINVIEW_RECORD_FAILURES` set the run is written into a file, which the message names.
    func report(_ message: String, of run: RecordedRun?) {
        let message = [message, run.flatMap { FailureRecording.sentence(for: $0, at: self) }].compactMap(\.self)
            .joined(separator: "\n")
        #if canImport(Testing)
            Issue.record(
                Comment(rawValue: message),
                sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
            #if canImport(XCTest)
                // In an XCTestCase an issue has no effect, so XCTFail is called, too, if there is no current test. A
                // thread that a test of Swift Testing started has none, either; in such a run XCTFail has no effect.
                if Test.current == nil { XCTFail("\(filePath):\(line): \(message)") }
            #endif
        #elseif canImport(XCTest)
            XCTFail("\(filePath):\(line): \(message)")
        #else
            fatalError("\(filePath):\(line): \(message)")
        #endif
    }
}
