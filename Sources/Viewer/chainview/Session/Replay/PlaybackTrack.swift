// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRecording
import Dashboard

/// The recording of one program among the programs that are shown together, with the distance of its clock from the
/// first program's clock.
struct PlaybackTrack {
    let source: SourceID
    private(set) var player: RecordingPlayer
    /// Nanoseconds to add, wrapping, to a moment of the first program's clock to get a moment of this program's clock.
    private let shift: UInt64

    /// - Parameter wallOffset: the offset of the first program's clock to the time of day.
    init(_ source: SourceID, _ file: RecordingFile, wallOffset: UInt64) {
        self.source = source
        player = RecordingPlayer(file)
        shift = wallOffset &- file.process.wallOffset
    }

    var file: RecordingFile { player.file }

    /// Converts a moment of the first program's clock to this program's clock, clamped.
    func own(_ moment: UInt64) -> UInt64 { Self.shifted(moment, by: shift) }
    /// Converts a moment of this program's clock to the first program's clock, clamped.
    func common(_ moment: UInt64) -> UInt64 { Self.shifted(moment, by: 0 &- shift) }

    private static func shifted(_ moment: UInt64, by shift: UInt64) -> UInt64 {
        let shift = Int64(bitPattern: shift)
        return shift < 0 ? moment.subtractingClamped(shift.magnitude) : moment.addingClamped(shift.magnitude)
    }

    /// The moments that the track has, by the first program's clock.
    var range: ClosedRange<UInt64> { common(file.range.lowerBound)...common(file.range.upperBound) }

    mutating func seek(to moment: UInt64) -> [EventBatch] { player.seek(to: own(moment)) }

    mutating func advance(to moment: UInt64, limit: Int = .max) -> [EventBatch] {
        player.advance(to: own(moment), limit: limit)
    }

    /// Whether the track has not advanced to a moment yet, and can advance further.
    func isBehind(_ moment: UInt64) -> Bool { player.time < min(own(moment), file.range.upperBound) }

    var isAtEnd: Bool { player.time >= file.range.upperBound }

    /// The moment that the track has advanced to, by the first program's clock.
    var time: UInt64 { common(player.time) }

    mutating func nextEventTime() -> UInt64? { player.nextEventTime().map(common) }
    func previousEventTime() -> UInt64? { player.previousEventTime().map(common) }
    func nextRejectionTime() -> UInt64? { player.nextRejectionTime().map(common) }
    func previousRejectionTime() -> UInt64? { player.previousRejectionTime().map(common) }

    /// Returns the action that shows a moment; `time` and `range` are by the first program's clock.
    func step(
        _ batches: [EventBatch], isFresh: Bool, at time: UInt64, in range: ClosedRange<UInt64>, isPlaying: Bool,
        speed: Double, isPast: Bool
    ) -> Action {
        let position = ReplayPosition(
            time: own(time), range: own(range.lowerBound)...own(range.upperBound), isPlaying: isPlaying, speed: speed,
            isPast: isPast)
        return .replayed(
            source, ReplayStep(process: file.process, isFresh: isFresh, batches: batches, position: position))
    }

    /// The program's counts over time, by the program's own clock.
    var series: CountSeries { file.series }
}

extension ReplaySeries {
    /// The counts of programs that are shown together, by the first program's clock.
    init(_ tracks: [PlaybackTrack]) {
        self.init()
        guard let first = tracks.first else { return }
        self = ReplaySeries(first)
        for track in tracks.dropFirst() { add(ReplaySeries(track)) }
    }

    private init(_ track: PlaybackTrack) {
        let series = track.series
        self.init(start: track.common(series.start), interval: series.interval)
        entries = series.entries.map { entry in
            Entry(
                rejected: entry.rejected, running: entry.running,
                warnings: entry.warnings == RecordingFormat.uncounted ? 0 : entry.warnings)
        }
        // Without an index, the first entry includes the rejections from before the oldest kept chunk.
        if !track.file.hasIndex, !entries.isEmpty, let first = track.file.chunks.first?.header {
            entries[0].rejected -= min(entries[0].rejected, UInt32(clamping: first.counts.rejected))
        }
    }

    /// Adds the counts of another program, interval by interval.
    private mutating func add(_ other: ReplaySeries) {
        let start = min(start, other.start)
        let interval = max(interval, other.interval)
        let last = max(end(of: entries.count - 1), other.end(of: other.entries.count - 1))
        var sum = ReplaySeries(start: start, interval: interval)
        let count = Int(clamping: (last - min(last, start)).addingClamped(interval - 1) / interval)
        sum.entries = [Entry](repeating: Entry(), count: min(count, 1_000_000))
        for series in [self, other] { sum.include(series) }
        self = sum
    }

    /// Adds counts to the intervals of this series: rejections as sums, the other counts as of the end of an interval.
    private mutating func include(_ series: ReplaySeries) {
        var next = 0
        var level = Entry()
        for index in entries.indices {
            var rejected: UInt32 = 0
            while next < series.entries.count, series.end(of: next) <= end(of: index) || index == entries.count - 1 {
                level = series.entries[next]
                rejected &+= level.rejected
                next += 1
            }
            entries[index].rejected &+= rejected
            entries[index].running &+= level.running
            entries[index].warnings &+= level.warnings
        }
    }
}
