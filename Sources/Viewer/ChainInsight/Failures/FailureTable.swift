// SPDX-License-Identifier: MIT

import ChainModel

/// Why the chains of one forest failed: by the call site, the kind and the error of the node in which the failure began.
///
/// Each chain that ended rejected or abandoned counts once, when that is seen; the counts outlive the nodes. There are at
/// most ``groupLimit`` groups; a failure that would need a further group is counted in ``omittedCount``. A change of a
/// root costs some nanoseconds, a failed chain some microseconds.
package struct FailureTable: Sendable {
    /// The maximum number of groups.
    package static let groupLimit = 1_000
    /// How many characters of an error are kept; errors that differ later are the same.
    private static let errorLimit = 200
    /// The maximum number of steps from the end of a chain to the node in which its failure began.
    private static let causeLimit = 1_000

    /// What the failures of a group have in common.
    package struct Cause: Hashable, Sendable {
        /// The call site of the node in which the failure began; nil if it is unknown.
        package let site: CodeLocation?
        /// The node's kind.
        package let kind: NodeKind
        /// The beginning of the error; empty if the program records no errors.
        package let error: String
    }

    /// The failures with one cause.
    package struct Group: Hashable, Sendable {
        /// The cause.
        package let cause: Cause
        /// How many chains failed.
        package internal(set) var count = 0
        /// When the first of them failed, in nanoseconds of the process's clock.
        package internal(set) var first: UInt64
        /// When the last of them failed, in nanoseconds of the process's clock.
        package internal(set) var last: UInt64
        /// Whether the nodes were abandoned, not rejected.
        package internal(set) var isAbandoned = false
        /// What the labels of the nodes have in common; nil without labels, empty if they have nothing in common.
        package var label: String? { commonLabel.text }

        var commonLabel = CommonLabel()
    }

    /// Changes whenever a count does.
    package private(set) var revision: UInt64 = 0
    /// How many chains failed for causes beyond the limit.
    package private(set) var omittedCount = 0
    private var byCause: [Cause: Group] = [:]
    /// The roots of kept chains that were counted.
    private var counted: Set<NodeID> = []
    /// Whether all chains are to be looked at.
    private var isBehind = false

    /// Makes an empty table.
    package init() {}

    /// The groups, in no order.
    package var groups: some Collection<Group> { byCause.values }

    /// The size of the table.
    package var queueStatistics: QueueStatistics {
        QueueStatistics(
            name: "causes of failures", count: byCause.count, highWaterMark: byCause.count, limit: Self.groupLimit)
    }

    /// Counts the chains that have failed according to changes. Looks at all chains if there were too many changes to
    /// list, and at the end of a program's state: while a state is read, a node may be there without the `catch` under it.
    package mutating func update(with changes: ForestChanges, of forest: ChainForest) {
        isBehind = isBehind || changes.isEverything || forest.isResyncing
        guard !forest.isResyncing else { return }
        guard !isBehind else {
            isBehind = false
            counted = counted.filter { forest.index(of: $0) != nil }
            for root in forest.roots { countIfFailed(root, forest) }
            return
        }
        for eviction in changes.evicted where eviction.wasRoot && !counted.isEmpty {
            guard counted.remove(eviction.id) != nil, let root = eviction.newRoot, forest.contains(root) else {
                continue
            }
            // The chain continues under a new root, and is not counted a second time.
            counted.insert(forest.id(of: root))
        }
        for entry in changes.nodes where entry.changes.contains(.chainCounts) && entry.traits.contains(.root) {
            // A chain with a live root is live.
            if !entry.state.isLive { countIfFailed(entry.index, forest) }
        }
    }

    private mutating func countIfFailed(_ root: NodeIndex, _ forest: ChainForest) {
        let chain = forest.chain(of: root)
        guard chain.outcome.isFailure, counted.insert(forest.id(of: root)).inserted else { return }
        revision += 1
        let end = forest.concludingNode(of: root) ?? root
        let origin = forest.rejectionOrigin(of: end, limit: Self.causeLimit).node
        let view = forest.node(origin)
        let error = forest.summary(of: origin) ?? forest.summary(of: end) ?? ""
        let cause = Cause(
            site: forest.sites[view.site], kind: view.kind, error: String(error.prefix(Self.errorLimit)))
        guard byCause[cause] != nil || byCause.count < Self.groupLimit else { return omittedCount += 1 }
        let time = chain.settled ?? forest.now
        var group = byCause[cause] ?? Group(cause: cause, first: time, last: time)
        group.count += 1
        (group.first, group.last) = (min(group.first, time), max(group.last, time))
        group.isAbandoned = view.state == .abandoned
        if let label = forest.label(of: origin), !label.isEmpty { group.commonLabel.add(label) }
        byCause[cause] = group
    }
}
