// SPDX-License-Identifier: MIT

import ChainBus
import ChainEvents
import ChainRecording
import ChainSource
import Foundation

/// The recording of a program that `chainview run` started: it lasts as long as the program, whatever becomes of the
/// dashboard.
final class RunRecording {
    private let file: String
    private let storage: RecordingFileStorage
    private let source: any BatchSource
    private let recorder: SourceRecorder

    /// How long to wait for the last batches of a program that has ended.
    private static let restLimit = Duration.seconds(5)

    init(_ source: any BatchSource, file: String, storage: RecordingFileStorage, _ form: RecordingForm) {
        self.file = file
        self.storage = storage
        self.source = source
        recorder = SourceRecorder(
            source, into: storage, limit: form.limit, codec: form.codec,
            whenBegun: { MarkList.remove(ofRecording: file) })
    }

    /// The source for the dashboard. When the dashboard stops it, the source of the recording goes on.
    var shownSource: any BatchSource { LastingSource(source) }

    /// Ends the recording once the program has ended, and prints what was recorded.
    func finish() {
        if !recorder.wait(for: Self.restLimit) {
            recorder.stop()
            _ = recorder.wait(for: Self.restLimit)
        }
        source.stop()
        let report = RecordingReport(file: DisplayText.shown(file), recorded: recorder.report)
        if !report.isLost { Streams.printError(report.summary) }
        if report.recorded.isEmpty { storage.discard() }
        if case .failed = report.recorded.ending, let failure = report.failure() { Streams.printError(failure.message) }
    }
}

/// A source for a dashboard: when the dashboard stops it, the inner source goes on.
private final class LastingSource: BatchSource {
    private let inner: any BatchSource

    init(_ inner: any BatchSource) { self.inner = inner }

    var batches: EventStream<EventBatch> { inner.batches }
    /// False, so that a dashboard that reads nothing does not hold up the recording.
    var isPatient: Bool { false }
    var status: EventStream<SourceStatus> { inner.status }
    var replies: EventStream<CommandReply> { inner.replies }
    func start() { inner.start() }
    func send(_ command: ViewerCommand) { inner.send(command) }
    func stop() {}
}
