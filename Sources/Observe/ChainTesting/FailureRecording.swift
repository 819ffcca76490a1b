// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRecording
import ChainSystem
import Foundation

extension RecordedRun {
    /// Writes the run so far as a recording, for `chainview replay` and ``ChainRecording``. O(events).
    ///
    /// Times are times of the virtual clock, as if it had begun in 1970. The file must not exist yet, and gets mode
    /// 0600.
    ///
    /// - Throws: ``ChainRecordingError``.
    public func writeRecording(to path: String) throws {
        do throws(SystemError) {
            try write(into: try RecordingFileStorage(path: path, overwrites: false), path)
        } catch { throw ChainRecordingError(description: "\(path) cannot be written: \(error)") }
    }

    /// Writes the run into a new file.
    fileprivate func write(into storage: RecordingFileStorage, _ path: String) throws(SystemError) {
        let batch = batch
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "test"
        let process = ProcessDescription(key: batch.process, pid: getpid(), name: name, wallOffset: 0)
        do throws(RecordingError) {
            let writer = RecordingWriter(storage, id: .random(in: 1...UInt64.max), codec: PayloadColumns())
            var recorder = BatchRecorder(process, writer)
            for part in batch.parts(from: VirtualClock.start.nanoseconds) { try recorder.record(part, at: part.time) }
            try recorder.finish()
        } catch {
            if case .system(let error) = error { throw error }
            throw SystemError(code: EIO)
        }
    }
}

extension EventBatch {
    /// Returns a batch for the start, then a batch for each later moment with events. (A recording begins at the time
    /// of its first batch.) If the present time is later still, an empty batch for that time comes last.
    fileprivate func parts(from start: UInt64) -> [EventBatch] {
        var part = EventBatch(process: process, sequence: 1, time: start)
        (part.sites, part.threads, part.executors) = (sites, threads, executors)
        var parts: [EventBatch] = []
        for var event in events.sorted(by: { $0.time < $1.time }) {
            if event.time > part.time {
                parts.append(part)
                part = EventBatch(process: process, sequence: UInt64(parts.count + 1), time: event.time)
            }
            if let text = text(of: event) {
                part.texts.append(text)
                event.text = UInt32(part.texts.count)
            }
            part.events.append(event)
        }
        parts.append(part)
        if time > part.time {
            parts.append(EventBatch(process: process, sequence: UInt64(parts.count + 1), time: time))
        }
        return parts
    }
}

/// Recordings of runs with failed expectations, in the folder that `CHAINVIEW_RECORD_FAILURES` names.
enum FailureRecording {
    /// The maximum number of files for one line of a test.
    private static let limit = 100

    /// Writes the run, and returns a sentence with the file's path; nil if the variable is not set.
    static func sentence(
        for run: RecordedRun, at location: TestLocation,
        folder: String? = ProcessInfo.processInfo.environment["CHAINVIEW_RECORD_FAILURES"]
    ) -> String? {
        guard let folder, !folder.isEmpty else { return nil }
        let file = location.filePath.split(separator: "/").last?.split(separator: ".").first ?? "test"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch { return "the run cannot be recorded in \(folder): \(error.localizedDescription)" }
        for number in 1...limit {
            let path = "\(folder)/\(file)-\(location.line)\(number == 1 ? "" : "-\(number)").chain"
            do throws(SystemError) {
                try run.write(into: try RecordingFileStorage(path: path, overwrites: false), path)
                return "recorded: chainview replay \(path)"
            } catch  where error.code == EEXIST { continue } catch {
                return "the run cannot be recorded in \(path): \(error)"
            }
        }
        return "the run was not recorded: \(folder) has \(limit) recordings of this line"
    }
}
