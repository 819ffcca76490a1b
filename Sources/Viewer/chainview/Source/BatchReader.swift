// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRecording

/// A reader of the batches of one run of a program, one after the other, on the caller's thread.
///
/// The first batches are the state at the beginning: snapshots of nodes, between the marks of a resync. A loss of
/// events is in the counts of the batches, and a resync follows it.
protocol BatchReader: AnyObject {
    /// The run of the program.
    var process: ProcessDescription { get }

    /// The moment that reading begins at, in nanoseconds of the program's clock; 0 for all that there is. Events up to
    /// that moment lead to the state at the beginning.
    var start: UInt64 { get }

    /// Returns what comes next, after at most about 100 ms.
    func next() -> BatchStep

    /// Ends reading, and closes the connection if there is one.
    func stop()
}

/// The result of one step of a ``BatchReader``.
enum BatchStep {
    case batch(EventBatch)
    /// Nothing came; the caller can write what it has, and call ``BatchReader/next()`` again.
    case nothing
    /// Nothing follows. The notes are phrases without a full stop: why the program's batches ended, or what is wrong
    /// with the recording.
    case ended(notes: [String])
}

/// The batches of a recording.
final class RecordedBatches: BatchReader {
    let start: UInt64
    private var player: RecordingPlayer
    private var isBegun = false
    /// The batches that were read; the batches before `nextIndex` were returned.
    private var waiting: [EventBatch] = []
    private var nextIndex = 0

    /// About how many events and nodes are read at a time.
    private static let readLimit = 16_384

    /// Begins at a moment, in nanoseconds of the program's clock; 0 for all that was recorded.
    init(_ file: RecordingFile, from start: UInt64 = 0) {
        player = RecordingPlayer(file)
        self.start = start
    }

    var process: ProcessDescription { player.file.process }

    func next() -> BatchStep {
        if nextIndex >= waiting.count {
            (waiting, nextIndex) = (isBegun ? [] : player.seek(to: start), 0)
            isBegun = true
            // If no state could be read at the beginning, the batches after it may still be readable.
            if waiting.isEmpty { waiting = player.advance(to: player.range.upperBound, limit: Self.readLimit) }
            guard !waiting.isEmpty else { return .ended(notes: player.file.notes) }
        }
        nextIndex += 1
        return .batch(waiting[nextIndex - 1])
    }

    func stop() {}
}
