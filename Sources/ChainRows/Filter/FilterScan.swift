// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// The nodes that match a query. They are found in slices (calls of ``scan(in:budget:)``), and updated with each
/// change. If the query depends on time (`age>5s`), all nodes are tested again once a second, or less often if they
/// are so many that this would take more than a tenth of the time.
///
/// A changed node is tested again, O(1). While a filter is on, it takes 8 to 12 bytes for each node.
struct FilterScan {
    /// The query as it was typed; empty for no filter.
    private(set) var text = ""
    /// The texts to highlight in labels and sites.
    private(set) var markedTexts: [Needle] = []
    /// Whether nodes that do not match are dimmed, not hidden.
    var dims = false
    /// The next node index to test; nil once all are tested.
    private(set) var cursor: UInt32?
    /// The moment up to which durations are counted, in nanoseconds of the program's clock: the last whole second.
    private(set) var moment: UInt64 = 0
    private(set) var isActive = false
    private var matcher = QueryMatcher(.everything)
    /// The numbers of names and of renames in the forest as of the last ``noteNames(of:)``.
    private var nameCount = 0, threadRenameCount = 0
    /// The changes of a node after which it is tested again; creation and moves are always among them.
    private var relevantChanges: NodeChanges = []
    /// Whether a live node matches if the node above it does, see ``Query/isOfNames``.
    private var matchesLiveBelow = false
    private var dependsOnTime = false
    private var dependsOnParents = false
    private var dependsOnLinks = false
    private var dependsOnParentLabels = false
    private(set) var dependsOnRootLabels = false
    /// Whether ``setWarnings(_:of:)`` is needed.
    private(set) var dependsOnWarnings = false
    private var matches = MatchCounts()
    /// Whether all nodes have been tested since the filter was set, or since names became known.
    private var isComplete = true
    /// The earliest moment of the next pass that is made because time has passed.
    private var nextPass: UInt64 = 0
    /// Nodes to test again: their second has come, their warnings changed, or a node that they depend on changed.
    private var retests: [NodeIndex] = []
    private(set) var retestHighWater = 0
    /// The limit of nodes to test again; past it all nodes are tested, in the order of their indices.
    static let retestLimit = 131_072
    var retestCount: Int { retests.count }

    var hidesUnmatched: Bool { isActive && !dims }
    /// The number of matching nodes that were found so far.
    var count: Int { matches.count }
    /// A number that changes whenever an answer of ``isMatch(_:)`` changes.
    var revision: UInt64 { matches.revision }
    /// Bytes of text compared so far.
    var comparedBytes: Int { matcher.comparedBytes }
    /// Whether there are nodes to test.
    var hasWork: Bool { cursor != nil || !retests.isEmpty }
    /// Whether nodes are still to be tested because of changes or names.
    var isScanning: Bool { !isComplete || !retests.isEmpty }

    /// Begins a scan for another query, or ends filtering if the query is nil or has no words.
    ///
    /// - Parameter matchesLiveBelow: whether what is live under the nodes that a query names (``Query/isOfNames``)
    ///   matches, too.
    mutating func begin(_ query: Query?, now: UInt64, matchesLiveBelow: Bool = false) {
        let query = query.flatMap { $0.isEmpty ? nil : $0 } ?? .everything
        isActive = !query.isEmpty
        text = query.text
        markedTexts = query.markedTexts.map { Needle($0) }
        matcher = QueryMatcher(query)
        self.matchesLiveBelow = matchesLiveBelow && query.isOfNames
        relevantChanges = matcher.relevantChanges.union(
            self.matchesLiveBelow ? [.created, .moved, .state] : [.created, .moved])
        dependsOnTime = query.dependsOnTime
        dependsOnParents = query.dependsOnParents
        dependsOnLinks = query.dependsOnLinks
        dependsOnParentLabels = query.dependsOnParentLabels
        dependsOnRootLabels = query.dependsOnRootLabels
        dependsOnWarnings = query.dependsOnWarnings
        matches = MatchCounts(revision: matches.revision &+ 1)
        retests = []
        moment = now - now % Self.second
        (cursor, isComplete) = isActive ? (0, false) : (nil, true)
    }

    /// Starts a test of all nodes in slices; a node's match stays until the node is tested.
    mutating func restart() { if isActive { (cursor, isComplete) = (0, false) } }

    private static let second: UInt64 = 1_000_000_000
    /// How long the passes for the time alone rest, for each node, in nanoseconds: ten times the cost of a pass.
    private static let restPerNode: UInt64 = 1_000

    // Inlined, because a call would copy the whole scan.
    @inline(__always) func isMatch(_ node: NodeIndex) -> Bool { matches.contains(node) }
    @inline(__always) func matchCount(of root: NodeIndex) -> Int { matches.count(of: root) }

    // MARK: Scanning

    /// Advances time to `now`, in nanoseconds of the program's clock.
    mutating func tick(_ now: UInt64) {
        guard dependsOnTime, cursor == nil, now >= nextPass, now / Self.second > moment / Self.second else { return }
        moment = now - now % Self.second
        cursor = 0
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
        matcher = QueryMatcher(matcher.query, warnings: matcher.warnings)
        restart()
    }

    /// Sets the warnings that hold, by node; enqueues the nodes with changed warnings for another test.
    mutating func setWarnings(_ warnings: [NodeID: WarningBits], of forest: borrowing ChainForest) {
        let old = matcher.warnings
        matcher.warnings = warnings
        for (node, kinds) in warnings where old[node] != kinds { retest(node, in: forest) }
        for node in old.keys where warnings[node] == nil { retest(node, in: forest) }
        boundRetests()
    }

    private mutating func retest(_ id: NodeID, in forest: borrowing ChainForest) {
        if let node = forest.index(of: id) { retests.append(node) }
    }

    /// How many free indices cost as much as testing a node.
    private static let freeSlotsPerNode = 64
    /// How many bytes of compared text cost as much as testing a node.
    private static let bytesPerNode = 64
    /// The cost of updating a chain's weight, in nodes.
    private static let nodesPerChain = 4

    /// Tests up to `budget` nodes (a long text or a changed chain counts for several); returns whether there were any.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard hasWork else { return false }
        // Counted in free indices, each of which costs next to nothing: a forest with few nodes is done in one slice.
        var rest = budget * Self.freeSlotsPerNode
        var compared = comparedBytes
        var chains = matches.touchedCount
        func cost(of bytes: Int, _ chains: Int) -> Int {
            Self.freeSlotsPerNode * (1 + bytes / Self.bytesPerNode + chains * Self.nodesPerChain)
        }
        while rest > 0, let node = retests.popLast() {
            if let fields = forest.searchFields(at: node) { test(node, fields, in: forest) }
            rest -= cost(of: comparedBytes - compared, matches.touchedCount - chains)
            (compared, chains) = (comparedBytes, matches.touchedCount)
        }
        guard var next = cursor else { return true }
        let end = UInt32(forest.indexBound)
        while next < end, rest > 0 {
            let index = NodeIndex(rawValue: next)
            next += 1
            guard let fields = forest.searchFields(at: index) else {
                forget(index)
                rest -= 1
                continue
            }
            test(index, fields, in: forest)
            rest -= cost(of: comparedBytes - compared, matches.touchedCount - chains)
            (compared, chains) = (comparedBytes, matches.touchedCount)
        }
        cursor = next >= end ? nil : next
        if cursor == nil { (isComplete, nextPass) = (true, moment + UInt64(end) * Self.restPerNode) }
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
        if !isAhead(node) { test(node, forest.searchFields(of: node), in: forest) }
        let hasSettled = changes.contains(.state) && !forest.state(of: node).isLive
        if dependsOnParents, hasSettled { retestChildren(of: node, in: forest) }
        if dependsOnLinks, !changes.isDisjoint(with: [.state, .created]) {
            for holder in forest.holders(of: node, limit: Self.holderLimit) { retests.append(holder.node) }
            boundRetests()
        }
        guard changes.contains(.description) else { return }
        if dependsOnParentLabels { retestChildren(of: node, in: forest) }
        if dependsOnRootLabels, forest.isRoot(node) { noteChange(ofAllBelow: node, in: forest) }
    }

    /// The most nodes that are tested again because the node that they wait for changed.
    private static let holderLimit = 256

    /// Returns whether a node does not match so far, and the scan has still to reach it.
    private func isAhead(_ node: NodeIndex) -> Bool {
        guard let cursor, !isComplete else { return false }
        return node.rawValue >= cursor && !isMatch(node)
    }

    private mutating func test(_ node: NodeIndex, _ fields: SearchFields, in forest: borrowing ChainForest) {
        var isMatch = matcher.matches(node, fields, in: forest, now: moment)
        guard matchesLiveBelow else {
            if isMatch { matches.insert(node, in: forest) } else { matches.remove(node) }
            return
        }
        if !isMatch, fields.state.isLive, let above = forest.treeParent(of: node) { isMatch = matches.contains(above) }
        let wasMatch = matches.contains(node)
        if isMatch { matches.insert(node, in: forest) } else { matches.remove(node) }
        if isMatch != wasMatch { retestChildren(of: node, in: forest) }
    }

    /// Carries the matches of an evicted root's chain over to its new root; see ``MatchCounts/inherit(from:by:)``.
    mutating func inherit(from old: NodeIndex, by new: NodeIndex) -> Bool { matches.inherit(from: old, by: new) }

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
    mutating func forget(_ node: NodeIndex) {
        guard isActive else { return }
        matches.remove(node)
    }

    // MARK: Changes

    /// Notes that nodes of a chain were added, removed or moved.
    mutating func noteStructure(of root: NodeIndex) { matches.noteStructure(of: root) }

    /// Removes and returns the roots of the chains with changed matches or nodes since the last call.
    mutating func takeTouched() -> [NodeIndex] { matches.takeTouched() }

    /// Removes and returns the nodes with a changed match since the last call, in order; the result may have repeated
    /// and evicted nodes. A new filter drops them all.
    mutating func takeFlipped() -> [NodeIndex] { matches.takeFlipped() }
}

// MARK: Matches and the nodes above them

extension FilterScan {
    /// Returns how many nodes of a chain match or are above a match; the root is always counted. O(its nodes).
    @inline(__always)
    func shownCount(of root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        var count = 0
        // The number of counted nodes on the path from the root to the current node.
        var counted = 0
        var depth = 0
        var next: NodeIndex? = root
        while let node = next {
            counted = min(counted, depth)
            if isMatch(node) {
                count += depth + 1 - counted
                counted = depth + 1
            }
            next = forest.next(after: node, within: root, depth: &depth)
        }
        return max(1, count)
    }
}
