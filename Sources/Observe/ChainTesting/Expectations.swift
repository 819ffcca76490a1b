// SPDX-License-Identifier: MIT

extension RecordedRun {
    /// Fails the test if a promise is pending at a moment of ``VirtualClock/elapsed``: it was made, and has not
    /// settled. A run that was not driven up to that moment is checked in its present state. The message has the lines
    /// of the pending promises. O(events).
    public func expectNoPending(
        after moment: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        guard let message = tree(at: moment).failureMessage(forPendingAfter: moment) else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(message, of: self)
    }

    /// Fails the test unless the promises with these labels ran one after the other: each promise began once the
    /// promise before it had settled.
    ///
    /// In each chain, the labels that the chain has are checked. Of several promises with the same label in a chain,
    /// the promise that began first counts. If no chain has two of the labels, the first promise of each label in all
    /// chains is checked. For each label, a promise must have run in some chain; a skipped promise did not run. The
    /// message has the lines of the two promises that contradict the order. O(events).
    public func expectOrder(
        _ labels: String..., fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        guard let message = history.failureMessage(forOrder: labels) else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(message, of: self)
    }

    private var history: RunHistory {
        let batch = batch
        var history = RunHistory(process: batch.process, start: VirtualClock.start.nanoseconds, showsTimes: true)
        history.add(batch)
        return history
    }
}

extension ChainRecording {
    /// Fails the test if a promise is pending at a moment of the recording; the same as
    /// ``RecordedRun/expectNoPending(after:fileID:filePath:line:column:)``. For a moment after the recording's end, the
    /// promises that are pending at its end count.
    public func expectNoPending(
        after moment: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        guard let message = tree(at: moment).failureMessage(forPendingAfter: moment) else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(message, of: nil)
    }

    /// Fails the test unless the promises with these labels ran one after the other; the same as
    /// ``RecordedRun/expectOrder(_:fileID:filePath:line:column:)``. O(events of the recording) in time and in memory.
    public func expectOrder(
        _ labels: String..., fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        guard let message = history.failureMessage(forOrder: labels) else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(message, of: nil)
    }
}
