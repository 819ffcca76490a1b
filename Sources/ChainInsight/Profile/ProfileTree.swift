import ChainModel

/// Where the time of all chains goes: their nodes by the path of call sites from the root, as in a profiler's call tree.
///
/// The root's row stands for whole chains. Under it are the steps of the main line (`then` and the like) side by side,
/// because one begins where the one before ends; under a step is what its handler made and what it follows. A node's
/// total is from its own begin to its settlement. Its self time is the part of the total in which no node under it was
/// under way.
public struct ProfileTree: Sendable {
    /// How many paths are distinguished; nodes of later ones are part of the self time above them.
    public static let frameLimit = 1_024
    /// Deeper nodes are part of the self time above them.
    public static let depthLimit = 32
    /// Nodes of one chain that are looked at.
    public static let nodeLimit = 8_192

    /// One path of call sites.
    public struct Frame: Sendable {
        /// The frame above; nil for whole chains.
        public let parent: Int?
        /// The call site and operation.
        public let key: SiteKey
        /// Levels above it.
        public let depth: Int
        /// Nodes, or whole chains, that settled.
        public internal(set) var count = 0
        /// The sum of their totals, in nanoseconds.
        public internal(set) var total: UInt64 = 0
        /// The sum of their self times, in nanoseconds.
        public internal(set) var ownTime: UInt64 = 0
        /// Nodes that were rejected or abandoned; of whole chains those that ended so.
        public internal(set) var failed = 0
        /// The totals as of the last ``ProfileTree/refresh(budget:)``.
        public internal(set) var time = DurationFigures()
        /// The node with the greatest total, and that total.
        public internal(set) var slowest = NodeID.none
        /// In nanoseconds.
        public internal(set) var slowestTotal: UInt64 = 0
        /// The node that was counted last.
        public internal(set) var newest = NodeID.none
        /// What the labels have in common; nil without labels, empty where they differ.
        public var label: String? { pattern.text }

        var pattern = LabelPattern()
        var histogram = DurationHistogram()
        var isStale = false
    }

    struct Path: Hashable {
        var parent: Int
        var key: SiteKey
    }

    /// All paths, a frame after the one above it.
    public internal(set) var frames: [Frame] = []
    /// Nodes of paths beyond the limits, and those of a chain past ``nodeLimit``.
    public internal(set) var omittedCount = 0

    var indices: [Path: Int] = [:]
    /// The first number of each call site, because a program may have several for one.
    var numbers: [CodeLocation: SiteID] = [:]
    var canonical: [SiteID: SiteID] = [:]
    /// Roots of counted chains.
    private var counted = SlotSet()
    private var stale = Queue<Int>()
    /// Memory for one chain at a time.
    var scratch = Scratch()
    private var cursor: UInt32? = 0

    init() {}

    /// Whether the chains of the beginning were counted.
    var isSwept: Bool { cursor == nil }

    var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call paths", count: frames.count, highWaterMark: frames.count, limit: Self.frameLimit)
        ]
    }

    mutating func forget(_ slot: UInt32) { _ = counted.remove(slot) }

    /// Moves the counted mark to a new root.
    mutating func transfer(_ slot: UInt32, to new: UInt32) { if counted.contains(slot) { _ = counted.insert(new) } }

    /// Counts the settled chains among the next slots.
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

    /// Counts a settled chain once; returns the nodes that were looked at.
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

    /// Updates percentiles until `budget` buckets were read, 15 ns each. Returns whether all are up to date.
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
    /// Whether a root is a chain; a node that is only referenced is none yet.
    var isChain: Bool { site != 0 || kind != .other }
}
