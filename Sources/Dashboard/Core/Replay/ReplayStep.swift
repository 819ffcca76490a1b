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
    /// Whether it is the past of a live program, which is shown again by ``Action/returnedToNow``.
    public var isPast: Bool
    /// How far it is behind the live program, in nanoseconds; 0 in a recording.
    var behind: UInt64 = 0

    /// Makes a position.
    public init(
        time: UInt64, range: ClosedRange<UInt64>, isPlaying: Bool = false, speed: Double = 1, isPast: Bool = false
    ) {
        self.isPast = isPast
        self.time = time
        self.range = range
        self.isPlaying = isPlaying
        self.speed = speed
    }
}

extension ReplayPosition {
    /// Why nothing can be cancelled at it.
    var whyNotCancel: String {
        isPast
            ? "this is the past, where nothing can be cancelled: End returns to now"
            : "this is a recording: what is over cannot be cancelled"
    }
}

/// How far the recording of a live program is.
public struct RecordingStatus: Hashable, Sendable {
    /// The program's source.
    public var source: SourceID
    /// Its time, events, bytes and losses, for the header.
    public var text: String

    /// Makes a status.
    public init(source: SourceID, text: String) { (self.source, self.text) = (source, text) }
}

/// A wish of the user about a recording, or about the past of live programs.
public enum ReplayCommand: Hashable, Sendable {
    /// Plays or pauses; at its end it plays from the beginning.
    case togglePlaying
    /// Plays at the next speed, or at the one before.
    case faster, slower
    /// To the next event, or to the one before, and pauses.
    case nextEvent, previousEvent
    /// To the next rejection, warning or mark, or to the one before, and pauses.
    case nextNotable, previousNotable
    /// On by so many nanoseconds, or back.
    case move(Int64)
    /// To a moment of the program's clock.
    case seek(UInt64)
    /// To a moment of the program's clock, with the next frame; of several before it, to the last.
    case scrub(UInt64)
    /// Gives the present moment a name; nil for the next free number. A mark of that name moves here.
    case mark(String?)
    /// Removes the mark of a name.
    case unmark(String)
}
