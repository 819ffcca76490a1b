import ChainModel

/// One sweep over the watched nodes, as far as it has come.
struct WarningSweep: Sendable {
    /// The warnings of one kind that were found; the oldest are kept.
    struct Found: Sendable {
        var warnings: [Warning] = []
        var count = 0
        /// Warnings that began later are not among the oldest.
        private var latest = UInt64.max

        mutating func add(_ kind: WarningKind, _ node: NodeID, since: UInt64, other: NodeID = .none) {
            if since > latest { count += 1 } else { add(Warning(kind, node, since: since, other: other)) }
        }

        mutating func add(_ warning: Warning) {
            count += 1
            warnings.append(warning)
            if warnings.count >= 2 * WarningList.limit { bound() }
        }

        mutating func bound() {
            guard warnings.count > WarningList.limit else { return }
            warnings.sort { $0.since != $1.since ? $0.since < $1.since : $0.node < $1.node }
            warnings.removeLast(warnings.count - WarningList.limit)
            latest = warnings[WarningList.limit - 1].since
        }
    }

    /// The result for one examined node.
    struct Outcome {
        var cost = 1
        /// Whether each sweep has to examine it.
        var isWatched = false
        /// The next moment from which on something holds of it.
        var due: UInt64?

        mutating func await(_ moment: UInt64) { due = min(due ?? moment, moment) }
    }

    /// The current word of the watch list, and its slots that are left.
    var cursor = 0
    /// How many nodes were examined.
    var nodeCount: UInt64 = 0
    var bits: UInt64 = 0
    /// Whether it examines all nodes.
    var isWhole: Bool
    /// Whether it searches for faults.
    var findsFaults: Bool
    var found = Array(repeating: Found(), count: WarningKind.all.count)
    /// Threads that are in a handler.
    var threads: Set<ThreadID> = []
    /// Threads that run a task of Swift.
    var taskThreads: Set<ThreadID> = []
    /// How many tasks of Swift are queued for longer than the limit, and since when the first is.
    var queuedTasks = (count: 0, since: UInt64.max)
    var nextDue: UInt64?
    /// Roots of chains with more nodes than the depth limit.
    var longChains: [NodeID] = []
    var depth: DepthSearch?

    static let threadLimit = 65_536
    static let longChainLimit = 1_000

    init(isWhole: Bool, findsFaults: Bool) {
        self.isWhole = isWhole
        self.findsFaults = findsFaults
    }

    mutating func await(_ moment: UInt64) { nextDue = min(nextDue ?? moment, moment) }

    @inline(__always)
    mutating func record(_ verdict: WarningVerdict, _ kind: WarningKind, _ view: NodeView, _ outcome: inout Outcome) {
        switch verdict {
        case .no: break
        case .later(let due): outcome.await(due)
        case .holds(let since, let other):
            found[kind.index].add(kind, view.id, since: since, other: other)
            outcome.isWatched = true
        }
    }
}
