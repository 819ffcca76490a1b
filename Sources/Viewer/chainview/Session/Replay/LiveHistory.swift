// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRecording
import ChainSource
import Dashboard
import Synchronization

/// The last minutes of a live program, recorded in memory for looking back.
///
/// The history is a ring of whole segments, each a keyframe with the batches after it. The history is recorded on a
/// thread of its own, so that frames do not wait for recording.
final class LiveHistory: Sendable {
    let source: SourceID
    private let storage = MemoryStorage()
    private let recorder: SourceRecorder
    private let warningCount: WarningCount

    /// How long ``file()`` waits for received batches to be written, in milliseconds.
    private static let flushLimit = 500

    /// Subscribes to a source that is not started yet.
    ///
    /// - Parameter limit: the maximum number of bytes.
    init(_ source: SourceID, of batches: any BatchSource, limit: UInt64) {
        self.source = source
        let warningCount = WarningCount()
        self.warningCount = warningCount
        recorder = SourceRecorder(
            batches, into: storage, limit: limit, isHistory: true,
            openWarnings: { warningCount.value.load(ordering: .relaxed) })
    }

    /// Notes how many warnings of the program are open now.
    func note(warningCount count: Int) { warningCount.value.store(count, ordering: .relaxed) }

    /// The reason why there is no past to show.
    struct Missing: Error { var reason: String }

    /// Returns what was recorded until now, as a snapshot that later batches do not change.
    func file() throws(Missing) -> RecordingFile {
        _ = recorder.flush(within: .milliseconds(Self.flushLimit))
        if case .failed(let error)? = recorder.report.ending {
            guard error == .limitTooSmall else { throw Missing(reason: "no past is kept: memory \(error)") }
            throw Missing(reason: "no past is kept: the program's state is too large for history.memory")
        }
        do throws(RecordingError) { return try RecordingFile(storage.snapshot()) } catch {
            throw Missing(reason: "there is no past yet")
        }
    }

    func stop() { recorder.stop() }
}

/// A number of open warnings: written by the dashboard, read by a recorder.
private final class WarningCount: Sendable {
    let value = Atomic(0)
}

/// The histories of all programs that are shown, and the marks in them.
final class LiveHistories {
    let histories: [LiveHistory]
    /// The marks, by the time of day, because the clocks of the programs differ.
    private(set) var marks = MarkList()

    /// - Parameter limit: the maximum number of bytes of all histories together; 0 for no histories.
    init(_ sources: [NamedSource], limit: UInt64) {
        guard limit > 0 else {
            histories = []
            return
        }
        let share = limit / UInt64(max(1, sources.count))
        histories = sources.enumerated().map { LiveHistory(SourceID($0), of: $1.source, limit: share) }
    }

    /// Returns the past of each program that has a past. If no program has a past, throws the reason. Waits until the
    /// recorders have written what they received.
    static func files(
        of histories: [LiveHistory]
    ) throws(LiveHistory.Missing) -> [(source: SourceID, file: RecordingFile)] {
        var files: [(source: SourceID, file: RecordingFile)] = []
        var missing = LiveHistory.Missing(reason: "no past is kept: history.memory is 0 in the configuration")
        for history in histories {
            do throws(LiveHistory.Missing) { files.append((history.source, try history.file())) } catch {
                missing = error
            }
        }
        guard !files.isEmpty else { throw missing }
        return files
    }

    /// Returns a playback of the past, with marks by the time of day. Waits as ``files(of:)`` does.
    static func playback(of histories: [LiveHistory], _ marks: MarkList) throws(LiveHistory.Missing) -> Playback {
        let files = try files(of: histories)
        let offset = files[0].file.process.wallOffset
        return Playback(files, marks: marks.shifted(by: 0 &- offset), isPast: true)
    }

    /// Notes how many warnings of the live programs are open, in the order of the sources.
    func note(warningCounts: [Int]) {
        for (history, count) in zip(histories, warningCounts) { history.note(warningCount: count) }
    }

    /// Keeps the marks of a playback for the next playback.
    func keepMarks(of playback: Playback) { marks = playback.wallMarks }

    func stop() { for history in histories { history.stop() } }
}
