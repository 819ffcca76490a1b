// SPDX-License-Identifier: MIT

import ChainModel

/// The question before a cancellation. It holds the ids of nodes, not rows, because rows move while it is shown.
struct Confirmation: Equatable {
    /// One command of the cancellation.
    struct Part: Equatable {
        var source: SourceID
        var process: ProcessKey
        var scope: CancelScope
        /// The live nodes to mark as *cancel requested*, as far as they were counted.
        var nodes: [NodeID]
    }

    var parts: [Part]
    /// What is to be cancelled, in words: `order 17`.
    var what: String
    /// How many live nodes are to be cancelled, as far as they were counted.
    var count: Int
    /// Whether there may be more live nodes than ``count``.
    var isAtLeast = false
    /// Whether any live node is a span; spans are not cancelled.
    var hasSpan = false
    /// How many more live nodes run in a task that is cancelled as a whole (TheRules, X6).
    var aroundCount = 0
    /// The states and names of the first live nodes, at most ``labelLimit``.
    var labels: [String]
    /// How long the picture has been frozen, in nanoseconds; nil if it is not frozen.
    var frozenAge: UInt64?

    /// How many live nodes are counted at most.
    static let countLimit = 10_000
    static let labelLimit = 4
}
