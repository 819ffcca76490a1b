extension RecordedRun {
    /// Fails the test if a promise is pending at a moment of ``VirtualClock/elapsed``: made, and not settled. A run
    /// that was not driven that far is checked as it is. The message has the lines of the pending promises. O(events).
    public func expectNoPending(
        after moment: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        guard let complaint = tree(at: moment).complaint(aboutPendingAfter: moment) else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(complaint, of: self)
    }

    /// Fails the test unless the promises with these labels ran one after the other: each began when the one before it
    /// had settled.
    ///
    /// In each chain, those of the labels that it has are checked; of several promises with one label in a chain, the
    /// first that began counts. If no chain has two of the labels, the first promises of all chains are checked. A
    /// skipped promise did not run; for each label, a promise must have run in some chain. The message has the lines of
    /// the two promises that contradict the order. O(events).
    public func expectOrder(
        _ labels: String..., fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        guard let complaint = history.complaint(aboutOrder: labels) else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(complaint, of: self)
    }

    private var history: RunHistory {
        let batch = batch
        var history = RunHistory(process: batch.process, start: VirtualClock.start, showsTimes: true)
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
        guard let complaint = tree(at: moment).complaint(aboutPendingAfter: moment) else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(complaint, of: nil)
    }

    /// Fails the test unless the promises with these labels ran one after the other; the same as
    /// ``RecordedRun/expectOrder(_:fileID:filePath:line:column:)``. O(events of the recording), and as much memory.
    public func expectOrder(
        _ labels: String..., fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) {
        guard let complaint = history.complaint(aboutOrder: labels) else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(complaint, of: nil)
    }
}
