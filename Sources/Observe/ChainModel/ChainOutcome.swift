// SPDX-License-Identifier: MIT

/// The outcome of a chain, which is the outcome of the last node of its main line, not of its root or of its worst
/// node.
///
/// The main line goes from the root to its ``ChainForest/continuation(of:)``, from there to the continuation of that
/// node, and so on. Where the main line ends in several operations on one promise, the worst of these branches counts.
/// A skipped node has the outcome of its parent.
public enum ChainOutcome: UInt8, CaseIterable, Hashable, BitwiseCopyable, Sendable {
    /// A node of the chain is not settled.
    case live = 0
    /// The main line was fulfilled, and no node was rejected or abandoned.
    case fulfilled = 1
    /// The main line was fulfilled although nodes were rejected or abandoned.
    case recovered = 2
    /// The main line was rejected.
    case rejected = 3
    /// The main line was abandoned: its resolver was released, or its job dropped, while it was pending.
    case abandoned = 4
    /// The main line was cancelled.
    case cancelled = 5
    /// The main line ended during a loss of events.
    case unknown = 6

    /// Whether the main line was rejected or abandoned.
    public var isFailure: Bool { self == .rejected || self == .abandoned }

    /// Whether ``ChainHistory`` counts it. The counted outcomes are recovered, rejected and abandoned, which have
    /// consecutive raw values.
    @inline(__always)
    var isCounted: Bool { rawValue >= Self.recovered.rawValue && rawValue <= Self.abandoned.rawValue }

    /// Its name in English, lower case.
    public var word: String { Self.words[Int(rawValue)] }

    /// The words by raw value. They are cached, because making a string of an enumeration case takes a microsecond.
    private static let words = allCases.map { "\($0)" }

    /// Rank by which the worst branch of a main line is chosen.
    var severity: UInt8 {
        switch self {
        case .live, .fulfilled, .recovered: 0
        case .unknown: 1
        case .cancelled: 2
        case .abandoned: 3
        case .rejected: 4
        }
    }
}

/// What a chain is shown as: a live chain by its most active node, a settled chain by its ``ChainOutcome``.
public enum ChainStatus: UInt8, CaseIterable, Hashable, BitwiseCopyable, Sendable {
    /// Live, with a running handler.
    case running = 0
    /// Live, with a queued handler, but no running handler.
    case queued = 1
    /// Live, with a pending node, but no queued or running handler.
    case pending = 2
    /// Live, and all of its live nodes wait for their parents.
    case waiting = 3
    /// ``ChainOutcome/rejected``.
    case rejected = 4
    /// ``ChainOutcome/abandoned``.
    case abandoned = 5
    /// ``ChainOutcome/cancelled``.
    case cancelled = 6
    /// ``ChainOutcome/unknown``.
    case unknown = 7
    /// ``ChainOutcome/recovered``.
    case recovered = 8
    /// ``ChainOutcome/fulfilled``.
    case fulfilled = 9

    /// Whether the chain has a live node.
    public var isLive: Bool { rawValue <= Self.waiting.rawValue }

    /// Its name in English, lower case.
    public var word: String { Self.words[Int(rawValue)] }

    private static let words = allCases.map { "\($0)" }
}

extension ChainSummary {
    /// What the chain is shown as. O(1).
    public var status: ChainStatus {
        switch outcome {
        case .live:
            if counts[.running] > 0 { return .running }
            if counts[.queued] > 0 { return .queued }
            return counts[.pending] > 0 ? .pending : .waiting
        case .fulfilled: return .fulfilled
        case .recovered: return .recovered
        case .rejected: return .rejected
        case .abandoned: return .abandoned
        case .cancelled: return .cancelled
        case .unknown: return .unknown
        }
    }

    /// The number of its nodes that were rejected or abandoned.
    public var rejectedCount: Int { counts.rejectedCount }
}

/// How many chains there are with each outcome.
public struct OutcomeCounts: Hashable, BitwiseCopyable, Sendable {
    // One count for each outcome, in the order of the raw values.
    private var live = 0, fulfilled = 0, recovered = 0, rejected = 0, abandoned = 0, cancelled = 0, unknown = 0

    /// The count of one outcome.
    @inline(__always)
    public subscript(outcome: ChainOutcome) -> Int {
        get { withUnsafeBytes(of: self) { $0.load(fromByteOffset: Self.offset(outcome), as: Int.self) } }
        set {
            withUnsafeMutableBytes(of: &self) {
                $0.storeBytes(of: newValue, toByteOffset: Self.offset(outcome), as: Int.self)
            }
        }
    }

    @inline(__always) private static func offset(_ outcome: ChainOutcome) -> Int { Int(outcome.rawValue) &* 8 }

    /// All chains.
    public var chainCount: Int { live + settledCount }
    /// Chains without a live node.
    public var settledCount: Int { fulfilled + recovered + rejected + abandoned + cancelled + unknown }
    /// Chains that were rejected or abandoned.
    public var failedCount: Int { rejected + abandoned }

    /// Adds all counts of another value.
    public static func += (left: inout OutcomeCounts, right: OutcomeCounts) {
        for outcome in ChainOutcome.allCases { left[outcome] += right[outcome] }
    }
}

/// Counts of all chains since a forest was made, including evicted chains. A chain that fails, is live again and fails
/// once more counts twice. Outcomes are compared at the end of each batch: a change that is undone within a batch is not
/// counted, nor is a change that is undone while a program's state is read.
public struct ChainHistory: Hashable, Sendable {
    /// Chains that were made. Decreases where chains become one: a combinator joins the chains of its members, and in a
    /// state that comes in parts, a child may come before its parent.
    public internal(set) var madeCount = 0
    /// Times that a chain was rejected or abandoned. Never decreases.
    public internal(set) var failedCount = 0
    /// Times that a chain was fulfilled although nodes of it were rejected or abandoned. Never decreases.
    public internal(set) var recoveredCount = 0
    /// Evicted chains.
    var evictedCount = 0

    /// Counts the outcome of a chain that had another outcome, `before`, at the end of the last batch.
    mutating func count(_ outcome: ChainOutcome, after before: ChainOutcome) {
        if outcome.isFailure, !before.isFailure { failedCount += 1 }
        if outcome == .recovered { recoveredCount += 1 }
    }
}
