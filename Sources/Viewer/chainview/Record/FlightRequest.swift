// SPDX-License-Identifier: MIT

import ChainAttach
import ChainEvents
import ChainRecording
import ChainSystem
import ChainText
import Foundation

/// `chainview record --last`: requests what a program's flight recorder has, and writes it into a file.
struct FlightRequest {
    var target: Target
    var span: Duration
    var output: String
    var overwrites: Bool

    /// Writes the file and prints what is in it.
    func run() throws {
        let endpoint = try Discovery.patient.find(target)
        try checkOutput()
        // The file is replaced only at the end, because the connection may be lost before the end.
        let replacement = FileReplacement(of: output)
        let part = replacement.temporary
        var file: RecordingFileStorage?
        // A file of the temporary name stays if this call did not create it.
        let isCreated = Lock(false)
        defer { Self.remove(part, if: isCreated) }
        Self.removeAtSignal(part, if: isCreated)
        var count: UInt64 = 0
        var failure: (any Error)?
        // The partial file is created with the first bytes, so that a refusal creates none.
        let outcome: CommandReply.Outcome?
        do {
            outcome = try OneShotClient.dump(last: span, of: endpoint, viewerName: DisplayOptions.viewer) { bytes in
                do {
                    let storage = try file ?? RecordingFileStorage(path: part, overwrites: false)
                    if file == nil {
                        isCreated.withLock { $0 = true }
                        InvokingUser.own(storage)
                    }
                    file = storage
                    try bytes.withUnsafeBytes { try storage.write($0, at: count) }
                } catch {
                    failure = error
                    return false
                }
                count += UInt64(bytes.count)
                return true
            }
        } catch {
            throw Failure(error)
        }
        if let failure { throw self.failure(failure) }
        switch outcome {
        case .accepted(let size)? where UInt64(size) == count:
            guard replacement.finish() else { throw self.failure(SystemError()) }
            MarkList.remove(ofRecording: output)
            try printSummary()
        case .refused(let reason)?:
            throw Failure(status: .refused, message: "refused: \(Failure.uncapitalized(DisplayText.shown(reason))).")
        default:
            throw Failure(
                status: .badData, message: "the program sent a reply of another kind; its version may differ.")
        }
    }

    /// Throws if the output exists and `overwrites` is false, if it is not a regular file, or if it is a dangling
    /// symbolic link.
    private func checkOutput() throws {
        var facts = stat()
        guard lstat(output, &facts) == 0 else { return }
        guard overwrites else { throw Failure(notWritten: output, EEXIST) }
        guard stat(output, &facts) == 0 else { throw Failure(notWritten: output, errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw Failure(notWritten: output, EINVAL) }
    }

    private static func remove(_ part: String, if isCreated: Lock<Bool>) {
        if isCreated.withLock({ $0 }) { unlink(part) }
    }

    /// Removes the partial file if a signal ends the process.
    private static func removeAtSignal(_ part: String, if isCreated: Lock<Bool>) {
        let signals = EndingSignals()
        signals.whenReceived { [signals] in
            remove(part, if: isCreated)
            if let signal = signals.received { Signals.raiseAgain(signal) }
        }
    }

    private func failure(_ error: any Error) -> any Error {
        guard let error = error as? SystemError else { return error }
        return Failure(notWritten: output, error.code)
    }

    private func printSummary() throws {
        let recording: RecordingFile
        do { recording = try RecordingFile(path: output) } catch { throw Failure(recording: output, error) }
        let batches = recording.chunks.filter { $0.header.kind == .batches }
        let eventCount = batches.reduce(0) { $0 + Int($1.header.eventCount) }
        let seconds = Double(recording.range.upperBound - recording.range.lowerBound) / 1_000_000_000
        let process = recording.process
        Streams.printError(
            "recorded the last \(String(format: "%.1f", seconds)) s of \(DisplayText.shown(process.name)) (\(process.pid)) in "
                + "\(DisplayText.shown(output)): \(CountText.counted(eventCount, "event")).")
    }
}
