// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainEvents
import ChainRecording
import ChainText
import Foundation

/// The texts that are printed about a recording on standard error.
struct RecordingReport {
    var file: String
    var recorded: SourceRecorder.Report

    /// The progress in one line: time, events, bytes, loss.
    var line: String {
        guard recorded.process != nil else { return "waiting for the program" }
        guard !recorded.isEmpty else { return "reading the program's state" }
        let progress = recorded.progress
        let seconds = Double(progress.lastTime - progress.firstTime) / 1_000_000_000
        let limit = progress.isRing ? " (full: the oldest is dropped)" : ""
        // The events that the program and this viewer have lost since the recording began.
        let (events, lost) = (Int(clamping: progress.eventCount), Int(clamping: progress.lostCount))
        return String(format: "%.1f s", seconds) + ", \(CountText.counted(events, "event")), "
            + Self.bytes(progress.fileSize) + limit + ", \(CountText.grouped(lost)) lost"
    }

    /// Whether the file was removed, so that nothing of the recording is left.
    var isLost: Bool {
        if case .failed(.removed) = recorded.ending { true } else { false }
    }

    /// The result in one sentence.
    var summary: String {
        guard let process = recorded.process, !recorded.isEmpty else { return "nothing was recorded." }
        return "recorded \(process.name) (\(process.pid)) in \(file): \(line)."
    }

    /// Returns the error that the recording ended with: it failed, or nothing was recorded. Returns nil if there is no
    /// error.
    func failure() -> Failure? {
        switch recorded.ending {
        case .failed(let error):
            Failure(
                status: .inputOutput,
                message: "\(file) \(error.description)."
                    + (recorded.isEmpty
                        ? "" : isLost ? " The recording is lost." : " The file is readable up to there."))
        case .ended(let reason) where recorded.isEmpty: Failure(status: .gone, message: reason + ".")
        case .stopped where recorded.isEmpty:
            recorded.process == nil
                ? Failure(status: .noInput, message: "nothing was recorded: no such program answered.")
                : Failure(status: .gone, message: "nothing was recorded: the program's state was not complete yet.")
        case .ended, .stopped, nil: nil
        }
    }

    /// Returns a number of bytes as text, with decimal units.
    static func bytes(_ count: UInt64) -> String {
        switch count {
        case ..<1_000: "\(count) bytes"
        case ..<1_000_000: "\(count / 1_000) kB"
        // From 999,950,000 bytes on, one digit after the point would give 1000.0 MB.
        case ..<999_950_000: String(format: "%.1f MB", Double(count) / 1e6)
        default: String(format: "%.2f GB", Double(count) / 1e9)
        }
    }
}

/// The file that a recording is written into.
enum RecordingOutput {
    /// Refuses `-`, which for other commands is standard output.
    static func validate(_ path: String) throws {
        guard path != "-" else {
            throw ValidationError("a recording is changed in place, so it needs a file: - would be standard output.")
        }
    }

    static func create(_ path: String, overwrites: Bool) throws -> RecordingFileStorage {
        do {
            let file = try RecordingFileStorage(path: path, overwrites: overwrites)
            InvokingUser.own(file)
            return file
        } catch {
            throw Failure(notWritten: path, error.code)
        }
    }
}

/// A number of bytes as typed: `64M`, `1.5GiB`; a bare number is bytes. All units are binary.
struct ByteCount {
    var count: UInt64

    init?(_ text: String) {
        let units: [(name: String, size: Double)] = [
            ("K", 1_024), ("M", 1_048_576), ("G", 1_073_741_824), ("T", 1_099_511_627_776), ("", 1),
        ]
        var text = text.uppercased()
        for suffix in ["IB", "B"] where text.hasSuffix(suffix) {
            text.removeLast(suffix.count)
            break
        }
        guard let bytes = Double(decimal: text, units: units, below: 1e18) else { return nil }
        count = UInt64(bytes)
    }
}
