import ChainModel

#if canImport(Testing)
    import Testing
#endif

/// Fails the test where chains did not run as the text says: states, order, kinds, labels, values, errors, who was
/// skipped or cancelled and by whom, and durations of virtual time.
///
///     @Test func declinedOrder() {
///         let run = RecordedRun()
///         run.make { charge(expiredCard).catch(label: "say sorry") { _ in 0 } }
///         run.runUntilIdle()
///         assertChain(run, matches: """
///             rejected work charge ! card expired
///             fulfilled catch say sorry
///             """)
///     }
///
/// To begin with, leave the text empty (`matches: ""`): the test fails and says what to paste; with `CHAINVIEW_RECORD=1`
/// in the environment it is written into the source file instead, in place of what stood there, and the test still
/// fails, so that it is looked at. With `CI` set nothing is ever written.
public func assertChain(
    _ run: RecordedRun, matches expected: String, _ fileID: String = #fileID, _ filePath: String = #filePath,
    _ line: Int = #line, _ column: Int = #column
) { assertChain(run.forest, matches: expected, fileID, filePath, line, column) }

/// As `assertChain(_:matches:)`, for a forest from anywhere.
public func assertChain(
    _ forest: ChainForest, matches expected: String, _ fileID: String = #fileID, _ filePath: String = #filePath,
    _ line: Int = #line, _ column: Int = #column
) {
    guard var complaint = ChainSnapshot.complaint(about: forest, expected: expected) else { return }
    if InlineRecording.isOn {
        let text = ChainSnapshot.lines(of: forest.chainText())
        complaint =
            InlineRecording.shared.write(text, into: filePath, at: line)
            ? "recorded: look at the snapshot, and run the test again" : "cannot record here:\n" + complaint
    }
    report(complaint, fileID, filePath, line, column)
}

/// As `assertChain(_:matches:)`, with the text in the file `__Chains__/NAME.txt` beside the test, for trees
/// that would be too long within it.
///
/// A file that is missing is written, and the test fails, so that it is looked at; of a run that went otherwise
/// `NAME.actual` is left there (keep those out of version control). With `CHAINVIEW_RECORD=1` in the environment the file
/// is written anew; with `CI` set nothing is ever written.
public func assertChain(
    _ run: RecordedRun, named name: String, _ fileID: String = #fileID, _ filePath: String = #filePath,
    _ line: Int = #line, _ column: Int = #column
) {
    guard let complaint = ChainSnapshot.complaint(about: run.forest, named: name, beside: filePath) else { return }
    report(complaint, fileID, filePath, line, column)
}

private func report(_ complaint: String, _ fileID: String, _ filePath: String, _ line: Int, _ column: Int) {
    #if canImport(Testing)
        Issue.record(
            Comment(rawValue: complaint),
            sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    #else
        fatalError("\(filePath):\(line): \(complaint)")
    #endif
}
