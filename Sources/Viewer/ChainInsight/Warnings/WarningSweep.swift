// SPDX-License-Identifier: MIT

import ChainModel

/// The state of one sweep over the watched nodes, which may take several slices.
struct WarningSweep: Sendable {
    /// The warnings of one kind that were found. All are counted; the oldest are kept, fewer than twice
    /// ``WarningList/limit``.
    struct Found: Sendable {
        var warnings: [Warning] = []
        var count = 0
        /// When the last of the kept warnings began, as of the latest drop of newer warnings; the maximum before the
        /// first drop. Warnings that began later are only counted.
        private var latest = UInt64.max

        mutating func add(_ kind: WarningKind, _ node: NodeID, since: UInt64, other: NodeID = .none) {
            if since > latest { count += 1 } else { add(Warning(kind, node, since: since, other: other)) }
        }

        mutating func add(_ warning: Warning) {
            count += 1
            warnings.append(warning)
            if warnings.count >= 2 * WarningList.limit { keepOldest() }
        }

        /// Drops the warnings that began last, beyond ``WarningList/limit``.
        mutating func keepOldest() {
            guard warnings.count > WarningList.limit else { return }
            warnings.sort { $0.since != $1.since ? $0.since < $1.since : $0.node < $1.node }
            warnings.removeLast(warnings.count - WarningList.limit)
            latest = warnings[WarningList.limit - 1].since
        }
    }

    /// The result for one examined node.
    struct Outcome {
        /// The cost of examining the node; 1 for a node without rules to test.
        var cost = 1
        /// Whether the next sweep has to examine the node again.
        var isWatched = false
        /// The earliest moment from which a condition may hold although the node does not change; nil for none.
        var due: UInt64?

        mutating func noteDue(at moment: UInt64) { due = min(due ?? moment, moment) }
    }

    /// The index of the current word of the watch list: a word has the bits of 64 nodes.
    var cursor = 0
    /// The slots of the current word that are still to be examined, with one bit for each slot.
    var bits: UInt64 = 0
    /// How many nodes were examined.
    var nodeCount: UInt64 = 0
    /// Whether the sweep examines all nodes, not only those of the watch list.
    var isWhole: Bool
    /// Whether the sweep also searches for faults, because not every change was listed.
    var findsFaults: Bool
    /// The warnings that were found, by ``WarningKind/index``.
    var found = Array(repeating: Found(), count: WarningKind.all.count)
    /// Threads that are in a handler.
    var threads: Set<ThreadID> = []
    /// The threads that run a Swift task, each with the task's node.
    var taskThreads: [ThreadID: NodeID] = [:]
    /// How many Swift tasks have been queued for longer than the limit, and when the first of these was queued.
    var queuedTasks = (count: 0, since: UInt64.max)
    /// When the next sweep has something to examine; nil for never.
    var nextDue: UInt64?
    /// Roots of the chains that are still to be searched for a node beyond the depth limit.
    var longChains: [NodeID] = []
    /// The depth search under way, which the next slice continues.
    var depth: DepthSearch?

    static let threadLimit = 65_536
    static let longChainLimit = 1_000

    init(isWhole: Bool, findsFaults: Bool) {
        self.isWhole = isWhole
        self.findsFaults = findsFaults
    }

    mutating func noteDue(at moment: UInt64) { nextDue = min(nextDue ?? moment, moment) }

    /// Records the verdict of a rule. A task that was queued for too long is only counted, for
    /// ``WarningKind/starvedPool``.
    @inline(__always)
    mutating func record(_ verdict: WarningVerdict, _ kind: WarningKind, _ view: NodeView, _ outcome: inout Outcome) {
        switch verdict {
        case .no: break
        case .later(let due): outcome.noteDue(at: due)
        case .holds(let since, let other):
            if kind == .starvedPool {
                queuedTasks = (queuedTasks.count + 1, min(queuedTasks.since, since))
            } else {
                found[kind.index].add(kind, view.id, since: since, other: other)
            }
            outcome.isWatched = true
        }
    }
}
