// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// The nodes that match a query. They are found in slices (calls of ``scan(in:budget:)``), and updated with each
/// change. If the query depends on time (`age>5s`), all nodes are tested again once a second, or less often if they
/// are so many that this would take more than a tenth of the time.
///
/// A changed node is tested again, O(1). While a filter is on, it takes 8 to 12 bytes for each node.
struct FilterScan {
    /// Whether nodes that do not match are dimmed, not hidden.
    var dims = false
    /// The texts to highlight in labels and sites.
    private(set) var markedTexts: [Needle] = []
    private(set) var isActive = false
    /// The moment up to which durations are counted, in nanoseconds of the program's clock: the last whole second.
    private(set) var moment: UInt64 = 0
    private var matcher = QueryMatcher(.everything)
    /// The changes of a node after which it is tested again; creation and moves are always among them.
    private var relevantChanges: NodeChanges = []
    /// Whether a live node matches if the node above it does, see ``Query/isOfNames``.
    private var matchesLiveBelow = false
    /// Whether the answer for a node may change with another node.
    private var dependsOnOthers = false
    /// The numbers of names and of renames in the forest as of the last ``noteNames(of:)``.
    private var nameCount = 0, threadRenameCount = 0

    private struct Mark: BitwiseCopyable {
        var isMatch: Bool
        /// 1 + the slot of the chain that the node is counted for; 0 if it is not counted.
        var chain: UInt32
    }

    private var marks = PagedArray<Mark>()
    /// How many nodes of each chain match, by slot, as far as they have been counted.
    private var counts = PagedArray<UInt32>()
    /// The number of matching nodes that were found so far.
    private(set) var count = 0
    /// A number that changes whenever an answer of ``isMatch(_:)`` changes.
    private(set) var revision: UInt64 = 0
    /// Nodes to count again.
    private var uncounted: [NodeIndex] = []

    /// The next node index to test; nil once all are tested.
    private var cursor: UInt32?
    /// Whether all nodes have been tested since the filter was set, or since names became known.
    private var isComplete = true
    /// The earliest moment of the next pass that is made because time has passed.
    private var nextPass: UInt64 = 0
    /// Nodes to test again: their warnings changed, or a node that they depend on changed.
    private var retests: [NodeIndex] = []
    private(set) var retestHighWater = 0
    /// The limit of nodes to test again; past it all nodes are tested, in the order of their indices.
    static let retestLimit = 131_072
    var retestCount: Int { retests.count }

    var query: Query { matcher.query }
    var hidesUnmatched: Bool { isActive && !dims }
    /// Bytes of text compared so far.
    var comparedBytes: Int { matcher.comparedBytes }
    /// Whether there are nodes to test.
    var hasWork: Bool { cursor != nil || !retests.isEmpty }
    /// Whether nodes are still to be tested because of changes or names.
    var isScanning: Bool { !isComplete || !retests.isEmpty }

    // Inlined, because a call would copy the whole scan.
    @inline(__always) func isMatch(_ node: NodeIndex) -> Bool { marks[node.rawValue].isMatch }
    /// Returns how many nodes of the chain in a slot match, as far as they have been counted.
    @inline(__always) func matchCount(_ slot: UInt32) -> Int { Int(counts[slot]) }

    /// Begins a scan for another query, or ends filtering if the query is nil or has no words.
    ///
    /// - Parameter matchesLiveBelow: whether what is live under the nodes that a query names (``Query/isOfNames``)
    ///   matches, too.
    mutating func begin(_ query: Query?, now: UInt64, matchesLiveBelow: Bool = false) {
        let old = self
        self = FilterScan()
        (dims, revision, retestHighWater) = (old.dims, old.revision &+ 1, old.retestHighWater)
        (nameCount, threadRenameCount) = (old.nameCount, old.threadRenameCount)
        let query = query.flatMap { $0.isEmpty ? nil : $0 } ?? .everything
        markedTexts = query.markedTexts.map { Needle($0) }
        matcher = QueryMatcher(query)
        self.matchesLiveBelow = matchesLiveBelow && query.isOfNames
        relevantChanges = matcher.relevantChanges.union(
            self.matchesLiveBelow ? [.created, .moved, .state] : [.created, .moved])
        dependsOnOthers =
            query.dependsOnParents || query.dependsOnLinks || query.dependsOnParentLabels || query.dependsOnRootLabels
        moment = now - now % Self.second
        isActive = !query.isEmpty
        restart()
    }

    /// Starts a test of all nodes in slices; a node's match stays until the node is tested.
    mutating func restart() { if isActive { (cursor, isComplete) = (0, false) } }

    private static let second: UInt64 = 1_000_000_000
    /// How long the passes for the time alone rest, for each node, in nanoseconds: ten times the cost of a pass.
    private static let restPerNode: UInt64 = 1_000

    // MARK: Scanning

    /// Advances time to `now`, in nanoseconds of the program's clock.
    mutating func tick(_ now: UInt64) {
        guard isActive, cursor == nil, now >= nextPass, now / Self.second > moment / Self.second, query.dependsOnTime
        else { return }
        (moment, cursor) = (now - now % Self.second, 0)
    }

    private mutating func boundRetests() {
        retestHighWater = max(retestHighWater, min(retests.count, Self.retestLimit))
        guard retests.count > Self.retestLimit else { return }
        retests = []
        restart()
    }

    /// Restarts the scan of all nodes if names arrived or changed that the query may depend on.
    mutating func noteNames(of forest: borrowing ChainForest) {
        let known = forest.sites.count + forest.threads.count + forest.executors.count
        let areRenamed = forest.threadRenameCount != threadRenameCount
        guard known != nameCount || areRenamed else { return }
        (nameCount, threadRenameCount) = (known, forest.threadRenameCount)
        guard isActive, matcher.hasMissedName || areRenamed else { return }
        matcher = QueryMatcher(query, warnings: matcher.warnings)
        restart()
    }

    /// Sets the warnings that hold, by node; enqueues the nodes with changed warnings for another test.
    mutating func setWarnings(_ warnings: [NodeID: WarningBits], of forest: borrowing ChainForest) {
        let old = matcher.warnings
        matcher.warnings = warnings
        let changed = warnings.keys.filter { old[$0] != warnings[$0] } + old.keys.filter { warnings[$0] == nil }
        for id in changed { if let node = forest.index(of: id) { retests.append(node) } }
        boundRetests()
    }

    /// How many free indices cost as much as testing a node.
    private static let freeSlotsPerNode = 64
    /// How many bytes of compared text cost as much as testing a node.
    private static let bytesPerNode = 64
    /// The cost of a changed answer, which is counted for the chain, in nodes.
    private static let nodesPerChange = 4

    /// Tests up to `budget` nodes (a long text or a changed answer counts for several); returns whether there were any.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard hasWork else { return false }
        // Counted in free indices, each of which costs next to nothing: a forest with few nodes is done in one slice.
        var rest = budget * Self.freeSlotsPerNode
        let end = UInt32(forest.indexBound)
        // The nodes to test again come first; those that are noted after that wait for the next slice.
        var isPassing = false
        while rest > 0 {
            if retests.isEmpty { isPassing = true }
            guard let node = isPassing ? cursor.map(NodeIndex.init) : retests.popLast() else { break }
            if isPassing {
                cursor = node.rawValue + 1 < end ? node.rawValue + 1 : nil
                if cursor == nil { (isComplete, nextPass) = (true, moment + UInt64(end) * Self.restPerNode) }
            }
            guard let fields = node.rawValue < end ? forest.searchFields(at: node) : nil else {
                forget(node)
                rest -= 1
                continue
            }
            let (compared, before) = (comparedBytes, revision)
            test(node, fields, in: forest)
            let cost = (comparedBytes - compared) / Self.bytesPerNode + (revision == before ? 0 : Self.nodesPerChange)
            rest -= Self.freeSlotsPerNode * (1 + cost)
        }
        return true
    }

    /// Tests all nodes under a node again, after it moved or, as a root, changed its label. O(nodes under it).
    mutating func noteChange(ofAllBelow node: NodeIndex, in forest: borrowing ChainForest) {
        var next = forest.next(after: node, within: node)
        while let current = next {
            test(current, forest.searchFields(of: current), in: forest)
            next = forest.next(after: current, within: node)
        }
    }

    /// Tests a changed node again, and tests or enqueues nodes that depend on it, if the change is relevant.
    mutating func noteChange(of node: NodeIndex, _ changes: NodeChanges, in forest: borrowing ChainForest) {
        guard !changes.isDisjoint(with: relevantChanges) else { return }
        // A node that does not match so far need not be tested if the scan has still to reach it.
        let isAhead = !isComplete && node.rawValue >= cursor ?? .max && !isMatch(node)
        if !isAhead { test(node, forest.searchFields(of: node), in: forest) }
        guard dependsOnOthers else { return }
        let hasSettled = changes.contains(.state) && !forest.state(of: node).isLive
        if hasSettled && query.dependsOnParents || changes.contains(.description) && query.dependsOnParentLabels {
            retestChildren(of: node, in: forest)
        }
        if query.dependsOnLinks, !changes.isDisjoint(with: [.state, .created]) {
            retests += forest.holders(of: node, limit: Self.holderLimit).map(\.node)
            boundRetests()
        }
        if changes.contains(.description), query.dependsOnRootLabels, forest.isRoot(node) {
            noteChange(ofAllBelow: node, in: forest)
        }
    }

    /// The most nodes that are tested again because the node that they wait for changed.
    private static let holderLimit = 256

    private mutating func test(_ node: NodeIndex, _ fields: SearchFields, in forest: borrowing ChainForest) {
        var isMatch = matcher.matches(node, fields, in: forest, now: moment)
        if !isMatch, matchesLiveBelow, fields.state.isLive, let above = forest.treeParent(of: node) {
            isMatch = self.isMatch(above)
        }
        if mark(node, isMatch), matchesLiveBelow { retestChildren(of: node, in: forest) }
    }

    /// Notes whether a node matches; returns whether this changed.
    @discardableResult
    private mutating func mark(_ node: NodeIndex, _ isMatch: Bool) -> Bool {
        let old = marks[node.rawValue]
        // A match may have moved into another chain.
        if isMatch || old.isMatch { uncounted.append(node) }
        guard isMatch != old.isMatch else { return false }
        marks[node.rawValue].isMatch = isMatch
        count += isMatch ? 1 : -1
        revision &+= 1
        return true
    }

    /// Enqueues the children of a node for another test: a child begins when the node settles, and queries can read the
    /// node's label. Other changes, such as a handler attached to a settled promise, do not concern children.
    private mutating func retestChildren(of node: NodeIndex, in forest: borrowing ChainForest) {
        var child = forest.firstChild(of: node)
        while let current = child {
            retests.append(current)
            child = forest.nextSibling(of: current)
        }
        boundRetests()
    }

    /// Forgets an evicted node.
    mutating func forget(_ node: NodeIndex) { mark(node, false) }

    // MARK: Counting

    /// Removes and returns the nodes to count again: those that began or ceased to match, and tested matches. The result
    /// may have repeated and evicted nodes.
    mutating func takeUncounted() -> [NodeIndex] {
        guard !uncounted.isEmpty else { return [] }
        defer { uncounted.removeAll(keepingCapacity: true) }
        return uncounted
    }

    /// Forgets which chains the matches are counted for, and the matches that were evicted; all are to be counted again.
    /// O(nodes).
    mutating func uncountAll(in forest: borrowing ChainForest) {
        guard isActive else { return }
        counts = PagedArray()
        for node in (0..<UInt32(forest.indexBound)).map(NodeIndex.init) {
            marks[node.rawValue].chain = 0
            mark(node, isMatch(node) && forest.contains(node))
        }
    }

    /// Counts a node as a match of the chain in `slot`, or of none. Returns the chains with changed counts.
    mutating func count(_ node: NodeIndex, for slot: UInt32?) -> (old: UInt32?, new: UInt32?) {
        let old = marks[node.rawValue].chain
        guard old != slot.map({ $0 + 1 }) ?? 0 else { return (nil, nil) }
        marks[node.rawValue].chain = slot.map { $0 + 1 } ?? 0
        if old > 0 { counts[old - 1] -= 1 }
        if let slot { counts[slot] += 1 }
        return (old > 0 ? old - 1 : nil, slot)
    }
}
