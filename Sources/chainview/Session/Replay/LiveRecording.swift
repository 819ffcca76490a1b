import ChainRecording
import ChainSource
import ChainZstd
import Dashboard
import Foundation

/// A recording of a live program, started by the key R or by `:record`.
final class LiveRecording {
    let source: SourceID
    let path: String
    private let storage: RecordingFileStorage
    private let recorder: SourceRecorder
    /// Why saving the marks beside the recording failed; nil if it did not fail, if there are no marks, or if the
    /// recording cannot be read.
    private var marksProblem: String?

    /// How long to wait for the rest of the recording to be written.
    private static let endLimit = Duration.seconds(5)

    /// Creates the file, readable by its user only, and subscribes to the source.
    init(_ source: SourceID, of batches: any BatchSource, path: String) throws {
        self.source = source
        self.path = path
        guard path != "-" else {
            throw Failure(status: .usage, message: "a recording needs a file: name one instead of -")
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(status: .usage, message: "\(DisplayText.shown(path)) exists: name another file")
        }
        storage = try RecordingOutput.create(path, overwrites: false)
        recorder = SourceRecorder(
            batches, into: storage, limit: nil, codec: Zstandard(),
            whenBegun: { MarkList.remove(ofRecording: path) })
    }

    private var report: RecordingReport { RecordingReport(file: DisplayText.shown(path), recorded: recorder.report) }

    var status: RecordingStatus { RecordingStatus(source: source, text: report.line) }

    var hasEnded: Bool { recorder.report.ending != nil }

    /// One sentence that says what was recorded, that nothing was recorded, or why the recording failed. If the marks
    /// could not be saved, the sentence also says why.
    var summary: String {
        let report = report
        let failure: Failure? = if case .failed? = report.recorded.ending { report.failure() } else { nil }
        if failure == nil, report.recorded.isEmpty { return "nothing was recorded in \(report.file)" }
        let ending = (failure ?? report.failure())?.message ?? report.summary
        guard let marksProblem else { return ending }
        return "\(ending.hasSuffix(".") ? String(ending.dropLast()) : ending); \(marksProblem)"
    }

    /// Ends the recording, and removes a file in which nothing was recorded.
    ///
    /// - Parameter marks: marks by the time of day; the marks within the recording are saved beside it.
    func finish(_ marks: MarkList) {
        recorder.stop()
        _ = recorder.wait(for: Self.endLimit)
        guard !recorder.report.isEmpty else { return storage.discard() }
        guard !marks.marks.isEmpty, let file = try? RecordingFile(path: path, codec: Zstandard()) else { return }
        var kept = MarkList(ofRecording: path)
        for mark in marks.shifted(by: 0 &- file.process.wallOffset).marks where file.range.contains(mark.time) {
            _ = kept.set(mark.name, at: mark.time)
        }
        if !kept.marks.isEmpty { marksProblem = kept.save() }
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
        if let index = recordings.firstIndex(where: { $0.source == source }) {
            guard path == nil else {
                let shown = DisplayText.shown(recordings[index].path)
                return dispatch(.report("already recording into \(shown): R stops it"))
            }
            let ended = recordings.remove(at: index)
            ended.finish(liveMarks)
            dispatch(.recording(recordings.map(\.status)))
            return dispatch(.message(ended.summary))
        }
        let path =
            path.map { ($0 as NSString).expandingTildeInPath }
            ?? LiveRecording.freeName(for: feeds[source.rawValue].shownName, at: Date()) {
                FileManager.default.fileExists(atPath: $0)
            }
        do {
            recordings.append(try LiveRecording(source, of: feeds[source.rawValue].source, path: path))
            dispatch(.recording(recordings.map(\.status)))
            dispatch(.message("recording into \(DisplayText.shown(path)); R stops it"))
        } catch let failure as Failure {
            dispatch(.report(failure.message))
        } catch { dispatch(.report("\(DisplayText.shown(path)) cannot be recorded into: \(error)")) }
    }

    /// Shows the progress of the recordings, and finishes the recordings that have ended.
    func followRecordings() {
        guard !recordings.isEmpty else { return }
        let ended = recordings.filter(\.hasEnded)
        // Removed by identity, because further recordings may have ended since the line above.
        recordings.removeAll { recording in ended.contains { $0 === recording } }
        for recording in ended { recording.finish(liveMarks) }
        dispatch(.recording(recordings.map(\.status)))
        for recording in ended { dispatch(.report(recording.summary)) }
    }

    /// Ends all recordings, and prints what was recorded.
    func finishRecordings() {
        for recording in recordings {
            recording.finish(liveMarks)
            Streams.printError(recording.summary)
        }
        recordings = []
    }
}
