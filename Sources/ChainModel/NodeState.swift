/// The one word that the screen has for a node. It comes from the node's own facts alone: one settlement never
/// changes the word of 100,000 children.
public enum NodeState: UInt8, CaseIterable, Hashable, BitwiseCopyable, Sendable {
    /// Its parent has to settle first.
    case waiting = 0
    /// Its handler was handed to an executor and has not begun.
    case queued = 1
    /// Its handler runs.
    case running = 2
    /// Nothing of ours runs: a callback, members, a timer or an adopted promise will settle it.
    case pending = 3
    case fulfilled = 4
    case rejected = 5
    case cancelled = 6
    /// Passed its parent's value or error on for want of a handler.
    case skipped = 7
    /// Its resolver was released while it was pending.
    case abandoned = 8
    /// It ended during a loss of events, or nothing was ever told of it but its id.
    case unknown = 9

    /// The word, in English, lower case.
    public var word: String { "\(self)" }

    /// Not settled: waiting, queued, running or pending.
    public var isLive: Bool { rawValue <= NodeState.pending.rawValue }
}

/// What of the program's own code a node has going on, whether it is settled or not.
public enum Activity: UInt8, Hashable, Sendable {
    case none = 0
    case queued = 1
    case running = 2
}

/// What is said of a node besides its state.
public struct NodeMarks: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt16

    /// Wraps raw bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Somebody asked to cancel it and it is still live.
    public static let cancelRequested = NodeMarks(rawValue: 1)
    /// It is settled, yet its handler still runs.
    public static let stillOnThread = NodeMarks(rawValue: 2)
    /// It was made before recording began, or its making was lost: facts are missing.
    public static let seenLate = NodeMarks(rawValue: 4)
    /// The cancellation (asked for or done) came from a viewer.
    public static let byViewer = NodeMarks(rawValue: 8)
    /// Somebody tried to settle it again.
    public static let settledAgain = NodeMarks(rawValue: 16)
    /// It was released rejected and nobody had handled that.
    public static let unhandled = NodeMarks(rawValue: 32)
    /// Its memory is gone in the observed program.
    public static let released = NodeMarks(rawValue: 64)
    /// Nothing of ours settles it, a resolver does.
    public static let external = NodeMarks(rawValue: 128)
}

/// How many nodes there are in each state.
public struct StateCounts: Hashable, Sendable {
    private var words: SIMD16<UInt32> = .zero

    /// All zero.
    public init() {}

    /// The count of one state.
    public subscript(state: NodeState) -> Int {
        get { Int(words[Int(state.rawValue)]) }
        set { words[Int(state.rawValue)] = UInt32(clamping: newValue) }
    }

    @inline(__always) mutating func add(_ state: NodeState) { words[Int(state.rawValue)] &+= 1 }
    @inline(__always) mutating func subtract(_ state: NodeState) { words[Int(state.rawValue)] &-= 1 }

    /// All nodes.
    public var nodeCount: Int { Int(words.wrappedSum()) }
    /// Those that are not settled.
    public var liveCount: Int { self[.waiting] + self[.queued] + self[.running] + self[.pending] }
    /// Those that are.
    public var settledCount: Int { nodeCount - liveCount }

    /// Adds all counts of another.
    public static func += (left: inout StateCounts, right: StateCounts) { left.words &+= right.words }
}
