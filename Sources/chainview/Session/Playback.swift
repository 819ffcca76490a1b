import ChainEvents
import ChainRecording
import Dashboard

/// A recording that is shown: where it is, and how it moves. Reads the file on the caller's thread, a chunk at a time.
final class Playback {
    private var player: RecordingPlayer
    private let source = SourceID(0)
    private var isPlaying = false
    /// The speed, by index in ``speeds``.
    private var speed = Playback.speeds.firstIndex(of: 1) ?? 0
    /// When the time was advanced last, in nanoseconds of the viewer's clock.
    private var lastTick: UInt64 = 0
    /// The moment to reach by now, in nanoseconds of the program's clock.
    private var target: UInt64
    /// Damage that was reported.
    private var reportedCount = 0

    static let speeds: [Double] = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]
    /// About how many events and nodes are read between two looks at the clock.
    private static let stepLimit = 16_384
    /// How long a tick reads at most, in nanoseconds.
    private static let readLimit: UInt64 = 20_000_000

    init(_ file: RecordingFile) {
        player = RecordingPlayer(file)
        target = file.range.upperBound
    }

    /// The moment that is shown, in nanoseconds of the program's clock.
    var time: UInt64 { player.time }

    /// The time of day of that moment, in nanoseconds since 1970.
    var wall: UInt64 { player.time &+ player.file.process.wallOffset }

    /// Whether it moves by itself.
    var isMoving: Bool { isPlaying }

    /// The first step: to a moment, the recording's end if there is none.
    func start(at moment: UInt64? = nil) -> Action { seek(to: moment ?? player.range.upperBound) }

    /// Advances the time while it plays; nil if nothing moved. `now` is the viewer's clock, in nanoseconds.
    func tick(_ now: UInt64, clock: () -> UInt64) -> Action? {
        defer { lastTick = now }
        guard isPlaying, lastTick != 0 else { return nil }
        let elapsed = Double(now - min(now, lastTick)) * Self.speeds[speed]
        target = min(target.addingClamped(UInt64(min(elapsed, 1e15))), player.range.upperBound)
        var batches: [EventBatch] = []
        // Where more comes than can be shown, the time falls behind.
        repeat {
            batches += player.advance(to: target, limit: Self.stepLimit)
        } while player.time < target && clock() - now < Self.readLimit
        target = player.time
        if player.time >= player.range.upperBound { isPlaying = false }
        return step(batches, isFresh: false)
    }

    /// Does what the user wants.
    func perform(_ command: ReplayCommand) -> Action {
        switch command {
        case .togglePlaying:
            isPlaying.toggle()
            lastTick = 0
            if isPlaying, player.time >= player.range.upperBound { return seek(to: player.range.lowerBound) }
        case .faster: speed = min(speed + 1, Self.speeds.count - 1)
        case .slower: speed = max(speed - 1, 0)
        case .nextEvent:
            isPlaying = false
            return move(to: player.nextEventTime() ?? player.range.upperBound)
        case .previousEvent:
            isPlaying = false
            return move(to: player.lastEventTime() ?? player.range.lowerBound)
        case .nextRejection:
            guard let next = player.nextRejectionTime() else { return .message("no rejection follows") }
            isPlaying = false
            return move(to: next)
        case .previousRejection:
            guard let last = player.lastRejectionTime() else { return .message("no rejection before") }
            isPlaying = false
            return move(to: last)
        case .move(let distance):
            let time = player.time
            let (moment, isOutside) =
                distance < 0
                ? time.subtractingReportingOverflow(distance.magnitude) : time.addingReportingOverflow(UInt64(distance))
            return move(to: isOutside ? (distance < 0 ? 0 : .max) : moment)
        case .seek(let moment): return move(to: moment)
        }
        return step([], isFresh: false)
    }

    /// Why the recording is not whole, in a phrase; nil if it was ended in good order.
    var endingNote: String? {
        switch player.file.header.ending {
        case .finished: nil
        case .open: "this recording was cut off, or is still being made: it ends with what was written"
        case .diskFull: "this recording ends early: its disk was full"
        case .failed: "this recording ends early: its file could not be written"
        }
    }

    /// What was found damaged since the last call, in a sentence.
    func newDamage() -> String? {
        let damage = player.file.damage
        guard damage.count > reportedCount else { return nil }
        defer { reportedCount = damage.count }
        let more = damage.count - reportedCount - 1
        return "the recording is damaged: \(damage[reportedCount])" + (more > 0 ? " (and \(more) more)" : "")
    }

    private func move(to moment: UInt64) -> Action {
        let moment = min(max(moment, player.range.lowerBound), player.range.upperBound)
        // Not far ahead: what is shown stays as it is, folded and sorted.
        guard moment >= player.time, moment - player.time <= 2_000_000_000 else { return seek(to: moment) }
        let batches = player.advance(to: moment)
        target = player.time
        return step(batches, isFresh: false)
    }

    private func seek(to moment: UInt64) -> Action {
        let batches = player.seek(to: moment)
        target = player.time
        return step(batches, isFresh: true)
    }

    private func step(_ batches: [EventBatch], isFresh: Bool) -> Action {
        let position = ReplayPosition(
            time: player.time, range: player.range, isPlaying: isPlaying, speed: Self.speeds[speed])
        return .replayed(
            source,
            ReplayStep(process: player.file.process, isFresh: isFresh, batches: batches, position: position))
    }
}
