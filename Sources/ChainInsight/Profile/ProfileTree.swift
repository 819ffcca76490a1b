import ChainModel

/// Where the time of all chains goes: their nodes by the path of call sites from the root, as in a profiler's call
/// tree.
///
/// The root's row stands for whole chains. Under it are the steps that continue the root's promise (`then` and the
/// like). They are side by side, because a step begins when the step before it ends. Under a step are the nodes that
/// its handler made, and the node that it follows. A node's total is from its begin to its settlement. Its self time is
/// the part of the total in which no node under it had begun and not settled.
public struct ProfileTree: Sendable {
    /// The maximum number of distinguished paths; nodes of further paths are part of the self time of the frame above
    /// them.
    public static let frameLimit = 1_024
    /// The maximum number of frames from the root to a node; deeper nodes are part of the self time of the frame above
    /// them.
    public static let depthLimit = 32
    /// The maximum number of nodes of one chain that are read.
    public static let nodeLimit = 8_192

    /// One path of call sites.
    public struct Frame: Sendable {
        /// The frame above; nil for whole chains.
        public let parent: Int?
        /// The call site and operation.
        public let key: SiteKey
        /// The number of frames above this frame.
        public let depth: Int
        /// How many nodes, or whole chains, settled.
        public internal(set) var count = 0
        /// The sum of their totals, in nanoseconds.
        public internal(set) var total: UInt64 = 0
        /// The sum of their self times, in nanoseconds.
        public internal(set) var ownTime: UInt64 = 0
        /// How many of the nodes were rejected or abandoned; of whole chains, how many failed.
        public internal(set) var failed = 0
        /// The distribution of their totals, as of the last ``ProfileTree/refresh(budget:)``.
        public internal(set) var time = DurationFigures()
        /// The node with the greatest total.
        public internal(set) var slowest = NodeID.none
        /// The total of ``slowest``, in nanoseconds.
        public internal(set) var slowestTotal: UInt64 = 0
        /// The node that was counted last.
        public internal(set) var newest = NodeID.none
        /// What the labels have in common; nil without labels, empty if the labels have nothing in common.
        public var label: String? { commonLabel.text }

        var commonLabel = CommonLabel()
        var histogram = DurationHistogram()
        var isStale = false
    }

    struct Path: Hashable {
        /// The index of the frame above; -1 for whole chains.
        var parent: Int
        var key: SiteKey
    }

    /// The frames of all paths, each after the frame above it.
    public internal(set) var frames: [Frame] = []
    /// How many nodes were not counted: nodes of paths beyond the limits, and nodes of a chain past ``nodeLimit``.
    public internal(set) var omittedCount = 0

    /// The index of each path's frame.
    var indices: [Path: Int] = [:]
    /// The representative id of each call site: the id that was counted first, because a program may have several ids
    /// for one call site.
    var numbers: [CodeLocation: SiteID] = [:]
    /// A cache: by each id of a call site, its representative id.
    var canonical: [SiteID: SiteID] = [:]
    /// Roots of counted chains.
    private var counted = SlotSet()
    /// The frames with totals that are not in their percentiles yet.
    private var stale = Queue<Int>()
    /// Buffers that each walk reuses.
    var scratch = Scratch()
    /// The next slot to sweep; nil after the last one.
    private var cursor: UInt32? = 0

    init() {}

    /// Whether the chains that had settled before the profile began were all counted.
    var isSwept: Bool { cursor == nil }

    var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call paths", count: frames.count, highWaterMark: frames.count, limit: Self.frameLimit)
        ]
    }

    mutating func forget(_ slot: UInt32) { _ = counted.remove(slot) }

    /// Marks a new root as counted if the old root is marked.
    mutating func transfer(_ slot: UInt32, to new: UInt32) { if counted.contains(slot) { _ = counted.insert(new) } }

    /// Counts the settled chains in the next slots. Sixteen slots cost as much as one node of a chain.
    mutating func sweep(_ forest: ChainForest, _ rest: inout Int) {
        guard var next = cursor else { return }
        let bound = UInt32(forest.indexBound)
        while next < bound, rest > 0 {
            for slot in next..<min(bound, next + 16) {
                let index = NodeIndex(rawValue: slot)
                guard forest.contains(index), forest.isRoot(index), forest.chain(of: index).settled != nil else {
                    continue
                }
                rest -= count(index, forest)
            }
            rest -= 1
            next += 16
        }
        cursor = next >= bound ? nil : next
    }

    /// Counts a settled chain once; returns how many nodes were read.
    mutating func count(_ root: NodeIndex, _ forest: ChainForest) -> Int {
        let view = forest.node(root)
        guard view.isChain, counted.insert(root.rawValue) else { return 0 }
        return walk(root, view, forest)
    }

    mutating func markStale(_ index: Int) {
        guard !frames[index].isStale else { return }
        frames[index].isStale = true
        stale.append(index)
    }

    /// Updates percentiles until `budget` buckets of histograms were read, 15 ns each. Returns whether all frames are
    /// up to date.
    mutating func refresh(budget: Int) -> Bool {
        var rest = budget
        while rest > 0, let index = stale.popFirst() {
            rest -= frames[index].histogram.cost
            frames[index].time = frames[index].histogram.figures
            frames[index].isStale = false
        }
        return stale.isEmpty
    }
}

extension NodeView {
    /// Whether a root is a chain. A node that other nodes reference, but that was not reported itself, is not a chain.
    var isChain: Bool { site != 0 || kind != .other }
}
