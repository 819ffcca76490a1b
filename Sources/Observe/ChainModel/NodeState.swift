// SPDX-License-Identifier: MIT

/// The state of a node as the screen shows it. The state follows from the node's own facts alone, so that one
/// settlement never changes the states of 100,000 children.
public enum NodeState: UInt8, CaseIterable, Hashable, BitwiseCopyable, Sendable {
    /// The node's parent has to settle first.
    case waiting = 0
    /// The node's handler was handed to an executor and has not begun.
    case queued = 1
    /// The node's handler runs.
    case running = 2
    /// No handler of the node runs: a callback, a timer, its members, an adopted promise or a suspended task will
    /// settle the node.
    case pending = 3
    /// Settled with a value.
    case fulfilled = 4
    /// Settled with an error.
    case rejected = 5
    /// Rejected by a cancellation.
    case cancelled = 6
    /// Passed its parent's value or error on, because the node has no handler for that value or error.
    case skipped = 7
    /// The node's resolver was released, or its job dropped by an executor, while the node was pending.
    case abandoned = 8
    /// The node ended during a loss of events, or only its id is known.
    case unknown = 9

    /// Its name in English, lower case. Costs some nanoseconds.
    public var word: String { Self.words[Int(rawValue)] }

    /// The words by raw value. They are cached, because making a string of an enumeration case takes a microsecond.
    private static let words = allCases.map { "\($0)" }

    /// Whether a node in this state is not settled: waiting, queued, running or pending.
    public var isLive: Bool { rawValue <= NodeState.pending.rawValue }
}

/// What the handler of a node is doing, whether the node is settled or not.
public enum Activity: UInt8, Hashable, Sendable {
    /// Nothing.
    case none = 0
    /// A handler was handed to an executor and has not begun.
    case queued = 1
    /// A handler runs.
    case running = 2
}

/// How many nodes there are in each state.
public struct StateCounts: Hashable, BitwiseCopyable, Sendable {
    // A count for each state, in the order of the raw values.
    private var waiting: UInt32 = 0, queued: UInt32 = 0, running: UInt32 = 0, pending: UInt32 = 0
    private var fulfilled: UInt32 = 0, rejected: UInt32 = 0, cancelled: UInt32 = 0
    private var skipped: UInt32 = 0, abandoned: UInt32 = 0, unknown: UInt32 = 0

    /// All zero.
    public init() {}

    /// Counts one node. Writes every field, because writing one field and then reading all fields together causes a
    /// store-forwarding stall.
    @inline(__always)
    init(one state: NodeState) {
        @inline(__always) func count(_ other: NodeState) -> UInt32 { state == other ? 1 : 0 }
        (waiting, queued, running, pending) = (count(.waiting), count(.queued), count(.running), count(.pending))
        (fulfilled, rejected, cancelled) = (count(.fulfilled), count(.rejected), count(.cancelled))
        (skipped, abandoned, unknown) = (count(.skipped), count(.abandoned), count(.unknown))
    }

    /// The count of one state.
    public subscript(state: NodeState) -> Int {
        get { Int(withUnsafeBytes(of: self) { $0.load(fromByteOffset: Self.offset(state), as: UInt32.self) }) }
        set {
            let count = UInt32(clamping: newValue)
            withUnsafeMutableBytes(of: &self) {
                $0.storeBytes(of: count, toByteOffset: Self.offset(state), as: UInt32.self)
            }
        }
    }

    /// All nodes.
    public var nodeCount: Int { liveCount + settledCount }
    /// Nodes that are live: waiting, queued, running or pending.
    public var liveCount: Int { Int(waiting) + Int(queued) + Int(running) + Int(pending) }
    /// Nodes that are not live: settled nodes, and nodes in the state ``NodeState/unknown``.
    public var settledCount: Int {
        Int(fulfilled) + Int(rejected) + Int(cancelled) + Int(skipped) + Int(abandoned) + Int(unknown)
    }

    /// Nodes that were rejected or abandoned.
    public var rejectedCount: Int { Int(rejected) + Int(abandoned) }

    @inline(__always) private static func offset(_ state: NodeState) -> Int { Int(state.rawValue) &* 4 }

    @inline(__always)
    private mutating func change(_ state: NodeState, by difference: UInt32) {
        withUnsafeMutableBytes(of: &self) { bytes in
            let address = bytes.baseAddress.unsafelyUnwrapped + Self.offset(state)
            let count = address.assumingMemoryBound(to: UInt32.self)
            count.pointee = count.pointee &+ difference
        }
    }

    @inline(__always) mutating func add(_ state: NodeState) { change(state, by: 1) }
    @inline(__always) mutating func subtract(_ state: NodeState) { change(state, by: .max) }

    /// Adds all counts of another value.
    public static func += (left: inout StateCounts, right: StateCounts) {
        for state in NodeState.allCases { left[state] += right[state] }
    }
}
