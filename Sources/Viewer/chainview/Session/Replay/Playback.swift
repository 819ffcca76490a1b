// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRecording
import Dashboard

/// What was recorded of live programs since their histories were last read.
enum LaterHistory {
    /// The histories as they are now.
    case files([(source: SourceID, file: RecordingFile)])
    /// They cannot be read, or hold nothing later.
    case missing
    /// They are being read.
    case waiting
}

/// Recordings that are shown together, with the shown moment and its moves. A playback reads the files on the caller's
/// thread, a chunk at a time. Moments are by the clock of the first program.
final class Playback {
    var tracks: [PlaybackTrack]
    /// The moment that is shown.
    private(set) var time: UInt64
    private(set) var range: ClosedRange<UInt64>
    var isPlaying = false
    /// The index of the speed in ``speeds``.
    var speedIndex = Playback.speeds.firstIndex(of: 1) ?? 0
    /// When the time was advanced last, in nanoseconds of the viewer's clock; 0 if playing has just begun.
    var lastTick: UInt64 = 0
    /// The moment that playing has to reach.
    private var target: UInt64
    /// The moment to move to with the next tick; nil for none.
    var scrubbed: UInt64?
    private(set) var series: ReplaySeries
    var marks: MarkList
    /// A remark to show when the recording is opened, in a phrase.
    var note: String?
    /// Whether this is the past of live programs, and not a recording.
    private let isPast: Bool
    /// Returns what was recorded since the histories were last read.
    var later: (() -> LaterHistory)?
    /// Whether the last command or tick did nothing, because the histories are being read for it.
    private(set) var isWaiting = false
    /// Whether the next step has to start from a keyframe, because the tracks were replaced.
    private var isStale = false
    /// Whether ``series`` was read again, and the dashboard does not have it yet.
    private var hasNewSeries = false
    /// Whether the live programs are to be shown again. That is so once the end of a history is reached, or once
    /// another run of the first program has begun.
    private(set) var isOver = false
    /// The number of damaged parts that were reported.
    private var reportedCount = 0

    static let speeds: [Double] = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]
    /// About how many events and nodes are read between two checks of the clock.
    private static let stepLimit = 16_384
    /// The time after which a tick begins no further reads, in nanoseconds.
    private static let readLimit: UInt64 = 20_000_000
    /// The longest move forward, in nanoseconds, for which the batches in between are applied, so that rows stay sorted
    /// and folded. A longer move, or a move backward, starts from a keyframe.
    private static let nearDistance: UInt64 = 2_000_000_000

    /// - Parameter files: at least one.
    init(
        _ files: [(source: SourceID, file: RecordingFile)], marks: MarkList = MarkList(), isPast: Bool = false
    ) {
        self.isPast = isPast
        let wallOffset = files[0].file.process.wallOffset
        tracks = files.map {
            PlaybackTrack($0.source, $0.file, wallOffset: wallOffset)
        }
        range = Self.range(of: tracks)
        (time, target) = (range.upperBound, range.upperBound)
        series = ReplaySeries(tracks)
        self.marks = marks
    }

    convenience init(_ file: RecordingFile, marks: MarkList = MarkList()) {
        self.init([(SourceID(0), file)], marks: marks)
    }

    private static func range(of tracks: [PlaybackTrack]) -> ClosedRange<UInt64> {
        let ranges = tracks.map(\.range)
        return ranges.dropFirst().reduce(ranges[0]) {
            min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound)
        }
    }

    /// The time of day of the moment, in nanoseconds since 1970.
    var wall: UInt64 { time &+ tracks[0].file.process.wallOffset }

    /// The marks by the time of day; they are not saved.
    var wallMarks: MarkList { marks.shifted(by: tracks[0].file.process.wallOffset) }

    var isMoving: Bool { isPlaying || scrubbed != nil }

    /// Returns the first actions, which show a moment; by default the end.
    func start(at moment: UInt64? = nil) -> [Action] {
        seek(to: moment ?? range.upperBound) + [.series(series), .marks(marks.marks)]
    }

    /// Advances the time while the playback plays, or moves to where the time strip was clicked. Returns the actions
    /// that show the move; none if nothing moved. `now` is the viewer's clock, in nanoseconds.
    func tick(_ now: UInt64, clock: () -> UInt64) -> [Action] {
        defer { lastTick = now }
        isWaiting = false
        if let scrubbed {
            let actions = scrubbed >= range.upperBound ? move(to: scrubbed) : seek(to: scrubbed)
            if !isWaiting { self.scrubbed = nil }
            return actions
        }
        guard isPlaying, lastTick != 0 else { return [] }
        let elapsed = Double(now - min(now, lastTick)) * Self.speeds[speedIndex]
        target = target.addingClamped(UInt64(min(elapsed, 1e15)))
        if let actions = endIfBeyondHistory(target, margin: Self.nowMargin) { return actions }
        target = min(target, range.upperBound)
        if isStale { return seek(to: target) }
        var batches = [[EventBatch]](repeating: [], count: tracks.count)
        // If more comes than can be read in time, the shown moment falls behind.
        repeat {
            for index in tracks.indices { batches[index] += tracks[index].advance(to: target, limit: Self.stepLimit) }
        } while tracks.contains { $0.isBehind(target) } && clock() - now < Self.readLimit
        target = tracks.filter { $0.isBehind(target) }.reduce(target) { min($0, $1.time) }
        time = target
        if time >= range.upperBound { isPlaying = false }
        return steps(batches, isFresh: false)
    }

    /// Excludes the time since the last tick from the playing time, because the session was suspended or an editor was
    /// open.
    func skipPause() { lastTick = 0 }

    // MARK: Moving

    /// Moves to the recorded moment that is nearest to `moment`. Returns the actions that show the new moment.
    func move(to moment: UInt64) -> [Action] {
        if let actions = endIfBeyondHistory(moment) { return actions }
        let moment = min(max(moment, range.lowerBound), range.upperBound)
        guard !isStale, moment >= time, moment - time <= Self.nearDistance else { return seek(to: moment) }
        let batches = tracks.indices.map { tracks[$0].advance(to: moment) }
        (time, target) = (moment, moment)
        return steps(batches, isFresh: false)
    }

    /// Moves to the recorded moment that is nearest to `moment`, starting from a keyframe. Returns the actions that
    /// show the new moment.
    func seek(to moment: UInt64) -> [Action] {
        let moment = min(max(moment, range.lowerBound), range.upperBound)
        let batches = tracks.indices.map { tracks[$0].seek(to: moment) }
        (time, target, isStale) = (moment, moment, false)
        return steps(batches, isFresh: true)
    }

    /// Returns the actions that show the same moment at another speed, playing or paused. If the moment has left the
    /// history, they show the nearest recorded moment.
    func showMomentAgain() -> [Action] { isStale ? seek(to: time) : steps(tracks.map { _ in [] }, isFresh: false) }

    private func steps(_ batches: [[EventBatch]], isFresh: Bool) -> [Action] {
        defer { hasNewSeries = false }
        return (hasNewSeries ? [.series(series)] : [])
            + zip(tracks, batches).map { track, batches in
                track.step(
                    batches, isFresh: isFresh, at: time, in: range, isPlaying: isPlaying,
                    speed: Self.speeds[speedIndex],
                    isPast: isPast)
            }
    }
}

// MARK: The past of live programs

extension Playback {
    /// Playing returns to the live programs within this many nanoseconds of the history's end, because the history's
    /// newest batch is about that old.
    private static let nowMargin: UInt64 = 300_000_000

    /// Reads a history again if a moment is at or after the end of what was read. Returns nil if the moment can then be
    /// shown. Otherwise sets ``isOver``, or ``isWaiting`` if the history is being read, and returns an empty array.
    private func endIfBeyondHistory(_ moment: UInt64, margin: UInt64 = 0) -> [Action]? {
        guard isPast, moment >= range.upperBound else { return nil }
        reloadHistory()
        guard !isWaiting else { return [] }
        guard moment >= range.upperBound.subtractingClamped(margin) else { return nil }
        (isOver, isPlaying) = (true, false)
        return []
    }

    /// Begins a command, which may have to wait for the histories.
    func begin() { isWaiting = false }

    /// Reads a history again; returns whether it now ends later than what was read before.
    func extendHistory() -> Bool {
        let end = range.upperBound
        reloadHistory()
        return range.upperBound > end
    }

    /// Reads a history again, with the batches that have come since it was last read.
    private func reloadHistory() {
        let files: [(source: SourceID, file: RecordingFile)]
        switch later?() ?? .missing {
        case .files(let found): files = found
        case .missing: return
        case .waiting:
            isWaiting = true
            return
        }
        let old = tracks
        guard files.first?.file.process.key == old[0].file.process.key else {
            // Another run of the program has taken its place.
            isOver = true
            return
        }
        let wallOffset = files[0].file.process.wallOffset
        tracks = files.map { PlaybackTrack($0.source, $0.file, wallOffset: wallOffset) }
        for index in tracks.indices {
            // The shown state stays, so the batches that lead to it are dropped. If the old track was at its end, the
            // next step starts from a keyframe, because the old file may lack batches with its last timestamp. The next
            // step also starts from a keyframe if the new track does not contain the moment.
            let before = old.first { $0.source == tracks[index].source }
            let isInside = tracks[index].range.contains(time) && before?.isAtEnd == false
            _ = tracks[index].seek(to: time)
            if !isInside { isStale = true }
        }
        range = Self.range(of: tracks)
        (series, hasNewSeries) = (ReplaySeries(tracks), true)
    }
}

// MARK: Messages

extension Playback {
    /// The remarks to show as the recording is opened, in phrases: damage so far, which then counts as reported, how
    /// the file ended, ``note``, and why the marks cannot be read.
    var openingNotes: [String] { [newDamage(), tracks[0].file.endingNote, note, marks.problem].compactMap { $0 } }

    /// Returns what was found damaged since the last call, in a phrase, or nil.
    func newDamage() -> String? {
        let damage = tracks.flatMap(\.file.damage)
        defer { reportedCount = damage.count }
        return RecordingFile.note(of: damage[min(reportedCount, damage.count)...])
    }
}
