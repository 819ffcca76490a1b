import ChainEvents

/// A move of a dashboard that shows a recording: what leads to the next moment, and where that is.
public struct ReplayStep: Sendable {
    /// The program that was recorded.
    public var process: ProcessDescription
    /// Whether the batches lead there from nothing; else from the moment before.
    public var isFresh: Bool
    /// What to apply.
    public var batches: [EventBatch]
    /// Where the recording is then.
    public var position: ReplayPosition

    /// Makes a step.
    public init(process: ProcessDescription, isFresh: Bool, batches: [EventBatch], position: ReplayPosition) {
        self.process = process
        self.isFresh = isFresh
        self.batches = batches
        self.position = position
    }
}

/// Which moment of a recording is shown.
public struct ReplayPosition: Hashable, Sendable {
    /// The moment, in nanoseconds of the program's clock.
    public var time: UInt64
    /// The first and the last moment.
    public var range: ClosedRange<UInt64>
    /// Whether it moves on by itself.
    public var isPlaying: Bool
    /// How much faster than it was recorded.
    public var speed: Double

    /// Makes a position.
    public init(time: UInt64, range: ClosedRange<UInt64>, isPlaying: Bool = false, speed: Double = 1) {
        self.time = time
        self.range = range
        self.isPlaying = isPlaying
        self.speed = speed
    }
}

/// A wish of the user about a recording.
public enum ReplayCommand: Hashable, Sendable {
    /// Plays or pauses; at its end it plays from the beginning.
    case togglePlaying
    /// Plays at the next speed, or at the one before.
    case faster, slower
    /// To the next event, or to the one before, and pauses.
    case nextEvent, previousEvent
    /// To the next rejection, or to the one before, and pauses.
    case nextRejection, previousRejection
    /// On by so many nanoseconds, or back.
    case move(Int64)
    /// To a moment of the program's clock.
    case seek(UInt64)
}
