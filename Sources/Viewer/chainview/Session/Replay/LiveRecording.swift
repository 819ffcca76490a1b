// SPDX-License-Identifier: MIT

import ChainRecording
import ChainSource
import ChainSystem
import ChainZstd
import Dashboard
import Foundation
import Synchronization

/// A recording of a live program, started by the key R or by `:record`. The file is created, written and ended on
/// threads of the recording, because the disk may hang.
final class LiveRecording: Sendable {
    /// A file to record into.
    struct File: Sendable {
        var storage: any RecordingStorage & Sendable
        /// Removes the file, into which nothing was recorded.
        var discard: @Sendable () -> Void

        /// Creates a file, readable by its user only.
        @Sendable static func create(_ path: String) throws -> File {
            let storage = try RecordingOutput.create(path, overwrites: false)
            return File(storage: storage, discard: { storage.discard() })
        }
    }

    /// The end of a recording, in one sentence.
    struct Ending: Sendable {
        /// What was recorded, that nothing was recorded, or why the recording failed. If the marks could not be saved,
        /// also why.
        var summary: String
        /// Whether the user has stopped the recording, and it did not fail before.
        var isWanted: Bool
    }

    private struct State: Sendable {
        var path: String?
        var recorder: SourceRecorder?
        var isStopping = false
        /// The marks by the time of day, as of the last call of ``note(_:)``.
        var marks = MarkList()
        var ending: Ending?
    }

    let source: SourceID
    private let state: Mutex<State>

    /// - Parameter path: the path as the user named it; nil for a name of the program and the time.
    init(_ source: SourceID, path: String?) {
        self.source = source
        state = Mutex(State(path: path))
    }

    /// The path of the file; nil until a name is chosen.
    var path: String? { state.withLock { $0.path } }

    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// How the recording ended; nil until all of it is written.
    var ending: Ending? { state.withLock { $0.ending } }

    var status: RecordingStatus {
        let (recorder, path, isStopping) = state.withLock { ($0.recorder, $0.path, $0.isStopping) }
        let text =
            recorder.map { RecordingReport(file: path ?? "", recorded: $0.report).line } ?? "waiting for its file"
        return RecordingStatus(source: source, text: text, isStopping: isStopping)
    }

    /// Notes the marks, by the time of day. The marks within the recording are saved beside it at its end.
    func note(_ marks: MarkList) { state.withLock { $0.marks = marks } }

    /// Asks the recording to end; does not wait.
    func stop() {
        let recorder = state.withLock { state in
            state.isStopping = true
            return state.recorder
        }
        recorder?.stop()
    }

    /// Records until the program ends or ``stop()`` is called, and then sets ``ending``. `whenBegun` is called with the
    /// path once there is a file. Waits for the disk.
    func run(
        _ batches: any BatchSource, program: String, create: (String) throws -> File = File.create,
        whenBegun: (String) -> Void
    ) {
        let ending = record(batches, program, create, whenBegun)
        state.withLock { $0.ending = ending }
    }

    private func record(
        _ batches: any BatchSource, _ program: String, _ create: (String) throws -> File, _ whenBegun: (String) -> Void
    ) -> Ending {
        let path =
            path
            ?? Self.freeName(for: program, at: Date()) { FileManager.default.fileExists(atPath: $0) }
        let shown = DisplayText.shown(path)
        let file: File
        do {
            guard path != "-" else {
                throw Failure(status: .usage, message: "a recording needs a file: name one instead of -")
            }
            guard !FileManager.default.fileExists(atPath: path) else {
                throw Failure(status: .usage, message: "\(shown) exists: name another file")
            }
            file = try create(path)
        } catch {
            let message = (error as? Failure)?.message ?? "\(shown) cannot be recorded into: \(error)"
            return Ending(summary: message, isWanted: false)
        }
        let recorder = SourceRecorder(
            batches, into: file.storage, limit: nil, codec: Zstandard(),
            whenBegun: { MarkList.remove(ofRecording: path) })
        let isStopping = state.withLock { state in
            (state.path, state.recorder) = (path, recorder)
            return state.isStopping
        }
        if isStopping { recorder.stop() } else { whenBegun(path) }
        while !recorder.wait(for: .seconds(3_600)) {}
        if recorder.report.isEmpty { file.discard() }
        let marksProblem = recorder.report.isEmpty ? nil : saveMarks(path)
        return ending(RecordingReport(file: shown, recorded: recorder.report), marksProblem)
    }

    /// Saves the marks within the recording beside it. Returns nil, or why that failed, in a phrase.
    private func saveMarks(_ path: String) -> String? {
        let marks = state.withLock { $0.marks }
        guard !marks.marks.isEmpty, let file = try? RecordingFile(path: path, codec: Zstandard()) else { return nil }
        var kept = MarkList(ofRecording: path)
        for mark in marks.shifted(by: 0 &- file.process.wallOffset).marks where file.range.contains(mark.time) {
            _ = kept.set(mark.name, at: mark.time)
        }
        return kept.marks.isEmpty ? nil : kept.save()
    }

    private func ending(_ report: RecordingReport, _ marksProblem: String?) -> Ending {
        let failure: Failure? = if case .failed? = report.recorded.ending { report.failure() } else { nil }
        let isWanted = isStopping && failure == nil
        if failure == nil, report.recorded.isEmpty {
            return Ending(summary: "nothing was recorded in \(report.file)", isWanted: isWanted)
        }
        let summary = (failure ?? report.failure())?.message ?? report.summary
        guard let marksProblem else { return Ending(summary: summary, isWanted: isWanted) }
        let phrase = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
        return Ending(summary: "\(phrase); \(marksProblem)", isWanted: isWanted)
    }

    /// Returns a file name such as `shop-20261123-204500.chain`.
    static func name(for program: String, at date: Date) -> String {
        let allowed = program.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "-" }
        let safeName = String(allowed.prefix(40)).drop { $0 == "." || $0 == "-" }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyyMMdd-HHmmss"
        return "\(safeName.isEmpty ? "program" : safeName)-\(format.string(from: date)).chain"
    }

    /// Returns ``name(for:at:)``. If that name is taken, by a recording that began within the same second, the returned
    /// name has a number such as `-2` before its ending.
    static func freeName(for program: String, at date: Date, isTaken: (String) -> Bool) -> String {
        let first = name(for: program, at: date)
        var (free, number) = (first, 1)
        while isTaken(free) {
            number += 1
            free = "\(first.dropLast(".chain".count))-\(number).chain"
        }
        return free
    }
}

extension Session {
    /// Starts a recording of a program, or stops the recording that runs. With a path, a recording that runs is not
    /// stopped, and a message says how to stop it.
    func toggleRecording(of source: SourceID, into path: String?) {
        if let running = recordings.first(where: { $0.source == source }) {
            if running.isStopping { return dispatch(.report("the recording is being stopped: its disk is slow")) }
            guard path == nil else {
                let shown = running.path.map { DisplayText.shown($0) } ?? "a file"
                return dispatch(.report("already recording into \(shown): R stops it"))
            }
            running.note(replayer.liveMarks)
            running.stop()
            dispatch(.message("stopping the recording\(glyphs.ellipsis)"))
            return dispatch(.recording(recordings.map(\.status)))
        }
        // One runs the recording, which lasts, and one writes it.
        guard SystemThread.canStart(2) else { return dispatch(.report("cannot record: \(Failure.noThread.message)")) }
        let recording = LiveRecording(source, path: path.map { ($0 as NSString).expandingTildeInPath })
        let (batches, program) = (feeds[source.rawValue].source, feeds[source.rawValue].shownName)
        recordings.append(recording)
        background.start("chainview.recording", isAwaited: true) { [background] in
            recording.run(batches, program: program) { path in
                background.post { $0.dispatch(.message("recording into \(DisplayText.shown(path)); R stops it")) }
            }
            return { session in session.finish(recording) }
        }
        dispatch(.recording(recordings.map(\.status)))
    }

    /// Shows the progress of the recordings.
    func followRecordings() {
        guard !recordings.isEmpty else { return }
        let marks = replayer.liveMarks
        for recording in recordings { recording.note(marks) }
        dispatch(.recording(recordings.map(\.status)))
    }

    /// Shows the end of a recording.
    private func finish(_ recording: LiveRecording) {
        recordings.removeAll { $0 === recording }
        dispatch(.recording(recordings.map(\.status)))
        guard let ending = recording.ending else { return }
        dispatch(ending.isWanted ? .message(ending.summary) : .report(ending.summary))
    }

    /// Ends all recordings, and prints what was recorded. Waits for that until a time of the monotonic clock.
    func finishRecordings(until end: UInt64) {
        let marks = replayer.liveMarks
        for recording in recordings {
            recording.note(marks)
            recording.stop()
        }
        _ = background.awaitEnd(by: end)
        for recording in recordings {
            let shown = recording.path.map { DisplayText.shown($0) } ?? "a file"
            Streams.printError(
                recording.ending?.summary
                    ?? "the recording into \(shown) is not ended: its disk does not answer. "
                    + "What was written until now is kept.")
        }
        recordings = []
    }
}
