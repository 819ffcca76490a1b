// SPDX-License-Identifier: MIT

import ChainModel

/// Where the time of all chains goes: their nodes by the path of call sites from the root, as in a profiler's call
/// tree.
///
/// The root's row stands for whole chains. Under it are the steps that continue the root's promise (`then` and the
/// like). They are side by side, because a step begins when the step before it ends. Under a step are the nodes that
/// its handler made, and the node that it follows. A node's total is from its begin to its settlement. Its self time is
/// the part of the total in which no node under it had begun and not settled.
package struct ProfileCount: ForestCount {
    /// The maximum number of distinguished paths; nodes of further paths are part of the self time of the frame above
    /// them.
    package static let frameLimit = 1_024
    /// The maximum number of frames from the root to a node; deeper nodes are part of the self time of the frame above
    /// them.
    package static let depthLimit = 32
    /// The maximum number of nodes of one chain that are read.
    package static let nodeLimit = 8_192

    /// One path of call sites.
    package struct Frame: Sendable {
        /// The frame above; nil for whole chains.
        package let parent: Int?
        /// The call site and operation.
        package let key: SiteKey
        /// The number of frames above this frame.
        package let depth: Int
        /// How many nodes, or whole chains, settled.
        package internal(set) var count = 0
        /// The sum of their totals, in nanoseconds.
        package internal(set) var total: UInt64 = 0
        /// The sum of their self times, in nanoseconds.
        package internal(set) var ownTime: UInt64 = 0
        /// How many of the nodes were rejected or abandoned; of whole chains, how many failed.
        package internal(set) var failed = 0
        /// The distribution of their totals.
        package internal(set) var time = DurationFigures()
        /// The node with the greatest total.
        package internal(set) var slowest = NodeID.none
        /// The total of ``slowest``, in nanoseconds.
        package internal(set) var slowestTotal: UInt64 = 0
        /// The node that settled last.
        package internal(set) var newest = NodeID.none
        /// What the labels have in common; nil without labels, empty if the labels have nothing in common.
        package var label: String? { commonLabel.text }

        var commonLabel = CommonLabel()
        var buckets = DurationBuckets()
        /// When ``newest`` settled.
        var newestEnd: UInt64 = 0
    }

    struct Path: Hashable {
        /// The index of the frame above; -1 for whole chains.
        var parent: Int
        var key: SiteKey
    }

    /// The frames of all paths, each after the frame above it.
    package internal(set) var frames: [Frame] = []
    /// How many nodes were not counted: nodes of paths beyond the limits, and nodes of a chain past ``nodeLimit``.
    package internal(set) var omittedCount = 0

    /// The index of each path's frame.
    var indices: [Path: Int] = [:]
    /// The representative id of each call site: the id that was counted first, because a program may have several ids
    /// for one call site.
    var numbers: [CodeLocation: SiteID] = [:]
    /// A cache: by each id of a call site, its representative id.
    var canonical: [SiteID: SiteID] = [:]
    /// Roots of chains that were counted because their eviction began.
    private var leaving: Set<UInt32> = []
    /// Buffers that each walk reuses.
    var scratch = Scratch()

    /// Makes a count of nothing.
    package init() {}

    package mutating func begin(in forest: ChainForest) {}

    /// Adds the nodes of the settled chain of a root.
    package mutating func add(_ index: NodeIndex, in forest: ChainForest) -> Int {
        guard forest.contains(index), forest.isRoot(index), case let root = forest.node(index), root.isReported,
            forest.chain(of: index).settled != nil, !leaving.contains(index.rawValue)
        else { return 0 }
        return walk(index, root, forest)
    }

    package mutating func add(_ departure: Departure, in forest: ChainForest) {
        switch departure {
        case .chain(let root):
            _ = add(root, in: forest)
            leaving.insert(root.rawValue)
        case .node(let index, _): if !leaving.isEmpty { leaving.remove(index.rawValue) }
        }
    }

    // MARK: Figures

    package var entryCount: Int { frames.count }

    package mutating func compute(_ entry: Int, in forest: ChainForest) {
        frames[entry].time = frames[entry].buckets.figures
        frames[entry].buckets = DurationBuckets()
    }

    /// The frames, and how many nodes are in none.
    package var figures: (frames: [Frame], omittedCount: Int) { (frames, omittedCount) }

    /// The size of the table of paths.
    package var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call paths", count: frames.count, highWaterMark: frames.count, limit: Self.frameLimit)
        ]
    }
}
