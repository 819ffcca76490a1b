// SPDX-License-Identifier: MIT

import ChainModel

/// One suspicious finding about a node or a program.
package struct Warning: Hashable, Sendable {
    /// The identity of a warning within its program.
    package struct ID: Hashable, Sendable {
        /// The kind of problem.
        package var kind: WarningKind
        /// The node; `.none` for a warning about the whole program.
        package var node: NodeID
    }

    /// The kind of problem.
    package var kind: WarningKind
    /// The node; `.none` for a warning about the whole program.
    package var node: NodeID
    /// When the problem began, in nanoseconds of the process's clock.
    package var since: UInt64
    /// The amount: nodes of a cycle, the depth limit that a chain exceeds, threads, queued tasks, or lost events; 0 for
    /// other kinds.
    package var amount: UInt64 = 0
    /// The other node involved: the node that is waited for, the race that was lost, the next node of the cycle, the
    /// task that occupies the main thread while others are queued, or the task that holds the main actor; `.none` for
    /// other kinds.
    package var other = NodeID.none
    /// When the problem ended, in nanoseconds of the process's clock; nil if it has not ended.
    package var ended: UInt64?

    /// The number among the warnings of its kind, from 1, in the order in which they were found.
    package internal(set) var serial: UInt64 = 0

    /// The node's label, kept for when the node is evicted: hostile text until it is escaped.
    package var label: String?
    /// The operation that made the node.
    package var nodeKind = NodeKind.other
    /// The call site of the node.
    package var site: CodeLocation?

    init(_ kind: WarningKind, _ node: NodeID, since: UInt64, amount: UInt64 = 0, other: NodeID = .none) {
        self.kind = kind
        self.node = node
        self.since = since
        self.amount = amount
        self.other = other
    }

    /// The identity of the warning within its program.
    package var id: ID { ID(kind: kind, node: node) }

    /// Stores what a row shows of the node, for when the node is evicted.
    mutating func describe(_ view: NodeView, label: String?, site: CodeLocation?) {
        self.label = label
        nodeKind = view.kind
        self.site = site
    }
}

/// How bad a warning is.
package enum WarningSeverity: UInt8, Comparable, CaseIterable, Sendable {
    /// Something costs more than it should, or may be incomplete.
    case low
    /// An error is lost, or work is late.
    case medium
    /// Work never ends, or threads do no work.
    case high

    /// Returns whether one severity is lower than another.
    package static func < (left: WarningSeverity, right: WarningSeverity) -> Bool { left.rawValue < right.rawValue }

    /// The name, as it is shown.
    package var name: String {
        switch self {
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        }
    }
}
