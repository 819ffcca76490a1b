// SPDX-License-Identifier: MIT

import ChainModel
import ChainRecording

/// A recording of a program: its promises at any moment. `chainview record --raw`, `chainview run --record FILE --raw`,
/// `chainview record --last` and ``RecordedRun/writeRecording(to:)`` make such a file. Other recordings by chainview
/// are packed with Zstandard, and are refused.
///
///     let recording = try ChainRecording(contentsOf: "crash.chain")
///     recording.expectOrder("reserve", "charge", "receipt")
///     assertChain(recording.tree(at: .seconds(2)), matches: """
///         fulfilled promise order 17
///         """)
///
/// Moments count from the recording's beginning. Each query of promises reads the file, so the file must not change.
public struct ChainRecording {
    private let file: RecordingFile

    /// Opens a file: reads its index or, if the file has no index, the header of each of its chunks.
    ///
    /// - Throws: ``ChainRecordingError``.
    public init(contentsOf path: String) throws {
        do throws(RecordingError) { file = try RecordingFile(path: path) } catch {
            throw ChainRecordingError(description: "\(path) \(error.description)")
        }
    }

    /// The name of the program that was recorded.
    public var program: String { file.process.name }

    /// The time from the recording's beginning to its end.
    public var duration: Duration { .nanoseconds(file.range.upperBound - file.range.lowerBound) }

    /// The promises at the end: all promises that have not settled, and the newest settled promises. These are the
    /// promises that settled since the last keyframe (a stored state), and up to some tens of thousands from before it.
    public var end: ChainTree { tree(at: duration) }

    /// Returns the promises at a moment. A moment before the beginning reads as the beginning, and a moment after the
    /// end as the end. Applies the events since the keyframe before the moment, some 200,000 at most.
    public func tree(at moment: Duration) -> ChainTree {
        var player = RecordingPlayer(file)
        let batches = player.seek(to: file.range.lowerBound.addingClamped(moment.clampedNanoseconds))
        var forest = ChainForest(process: file.process.key, limits: ForestLimits(changeLimit: 0))
        for batch in batches { forest.apply(batch) }
        return ChainTree(forest: forest, start: file.range.lowerBound, showsTimes: false)
    }

    /// The history of the whole recording. O(events) in time and in memory.
    var history: RunHistory {
        var history = RunHistory(process: file.process.key, start: file.range.lowerBound, showsTimes: false)
        var player = RecordingPlayer(file)
        var batches = player.seek(to: file.range.lowerBound)
        repeat {
            for batch in batches { history.add(batch) }
            batches = player.advance(to: file.range.upperBound, limit: 16_384)
        } while !batches.isEmpty
        return history
    }
}

/// Why a file cannot be used as a ``ChainRecording``, or cannot be written.
public struct ChainRecordingError: Error, Hashable, CustomStringConvertible {
    /// The file and what is wrong with it.
    public let description: String
}
