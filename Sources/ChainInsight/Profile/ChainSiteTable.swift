import ChainModel

/// Rate, errors and durations of chains by the call site of their root. A first sweep, in slices of work, counts the
/// chains of the forest; changes of the forest then update the counts. On request, the table also has a profile of
/// where the time of all chains goes (``ProfileTree``).
///
/// A chain is counted a short while after it settled, because more nodes may be attached to a promise that has just
/// settled. It is counted once, even if it is live again later; evicted chains stay counted. Takes four bits for each
/// node and some 15 kB for each call site. A change costs some 10 ns, and a settled chain some 0.3 µs. With the
/// profile, a settled chain also costs 0.2 µs for each of its nodes.
public struct ChainSiteTable: Sendable {
    /// The maximum number of call sites; the chains of further call sites count under the unknown site.
    public static let siteLimit = 1_024
    /// How long a chain waits to be counted after it settled, in nanoseconds. Chains that a sweep finds do not wait.
    public static let settleDelay: UInt64 = 100_000_000

    /// Differs from that of any other count, and after starting over.
    public let identity = CountIdentity()
    /// Changes whenever a count does; the percentiles then need a refresh.
    public private(set) var revision: UInt64 = 0
    /// Settled chains that were evicted before they were counted.
    public private(set) var missedCount = 0
    /// Where the time goes; nil until ``openProfile()``.
    public private(set) var profile: ProfileTree?

    /// The index in `records` of each call site.
    private var flows: [CodeLocation: Int] = [:]
    private var records: [FlowCounter] = []
    /// The records with durations that are not in their percentiles yet.
    private var stale: Set<Int> = []
    /// Roots of live chains that were counted as in flight.
    private var inFlight = SlotSet()
    /// Roots of the chains in `settling` and `arrived`.
    private var settlingRoots = SlotSet()
    /// Roots of chains that were counted.
    private var counted = SlotSet()
    /// Settled chains that wait to be counted, in the order in which they were observed.
    private var settling = Queue<Settled>()
    /// Chains that settled since the latest call of ``count(_:wall:isClockStopped:budget:)``; the next call moves them
    /// to `settling`.
    private var arrived: [Settled] = []
    private var settlingHighWater = 0
    private static let settlingLimit = 131_072
    /// Whether the queue of settled chains was full; a later sweep finds the chains that did not fit.
    private var hadNoRoom = false
    /// The time of the latest call of ``count(_:wall:isClockStopped:budget:)``.
    private var wall: UInt64 = 0
    /// Whether the clock of `wall` may stand still.
    private var isClockStopped = false
    /// The next index to sweep; nil after the last index.
    private var cursor: UInt32? = 0
    private var bound: UInt32 = 0

    /// The root of a settled chain.
    private struct Settled {
        var slot: UInt32
        var id: NodeID
        /// When it was moved to `settling`; 0 if it is due at once.
        var wall: UInt64
    }

    /// Makes an empty table that has yet to sweep the forest.
    public init() {}

    /// Starts the profile, which begins with a sweep of the kept chains.
    public mutating func openProfile() {
        guard profile == nil else { return }
        profile = ProfileTree()
    }

    /// Whether the first sweep, and the sweep of the profile, are done.
    public var isComplete: Bool { cursor == nil && profile?.isSwept != false }

    /// Whether there is something to sweep, or a settled chain that is due to be counted.
    public var isCounting: Bool { !isComplete || settling.first.map { isDue($0) } ?? false }

    /// Whether settled chains wait to be counted, including chains that are not due.
    public var hasSettled: Bool { !settling.isEmpty || !arrived.isEmpty }

    /// Returns the figures of the chains from one call site; nil if no such chain was seen, or if such chains count
    /// under the unknown site. The unknown site has an empty file and line 0.
    public func figures(_ site: CodeLocation) -> FlowFigures? { flows[site].map { records[$0].complete } }

    /// The sizes of the tables of call sites and of chains in flight, and of the queue of settled chains.
    public var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call sites of chains", count: records.count, highWaterMark: records.count,
                limit: Self.siteLimit + 1),
            records.lazy.map(\.heap).statistics("begins of chains in flight"),
            QueueStatistics(
                name: "settled chains to count", count: settling.count + arrived.count,
                highWaterMark: settlingHighWater, limit: Self.settlingLimit),
        ] + (profile?.queueStatistics ?? [])
    }

    // MARK: Counting

    /// Sweeps, and counts the chains that are due, until about `budget` nodes were read, some 0.2 µs each. Returns
    /// whether a figure may have changed. `wall` is the time of any clock, in nanoseconds. While that clock may stand
    /// still (`isClockStopped`), settled chains are due at once.
    public mutating func count(_ forest: ChainForest, wall: UInt64, isClockStopped: Bool = false, budget: Int) -> Bool {
        (self.wall, self.isClockStopped) = (wall, isClockStopped)
        let before = revision
        for var root in arrived {
            root.wall = wall
            settling.append(root)
        }
        arrived.removeAll(keepingCapacity: true)
        settlingHighWater = max(settlingHighWater, settling.count)
        if hadNoRoom, settling.isEmpty { (cursor, hadNoRoom) = (0, false) }
        var rest = budget
        sweep(forest, &rest)
        while rest > 0, let first = settling.first, isDue(first) {
            _ = settling.popFirst()
            rest -= 1
            _ = settlingRoots.remove(first.slot)
            let root = NodeIndex(rawValue: first.slot)
            guard forest.contains(root), forest.node(root).id == first.id, forest.isRoot(root),
                forest.chain(of: root).settled != nil
            else { continue }
            rest -= count(root, forest)
        }
        if rest > 0, profile?.isSwept == false {
            profile!.sweep(forest, &rest)
            revision += 1
        }
        return revision != before
    }

    /// Returns whether a settled chain is due to be counted.
    private func isDue(_ chain: Settled) -> Bool { isClockStopped || wall &- chain.wall >= Self.settleDelay }

    private var hasRoom: Bool { settling.count + arrived.count < Self.settlingLimit }

    /// Observes the roots in the next slots of the forest while there is room for settled chains. Sixteen slots without
    /// a root cost as much as one with a root.
    private mutating func sweep(_ forest: ChainForest, _ rest: inout Int) {
        guard var next = cursor else { return }
        bound = UInt32(forest.indexBound)
        var steps = rest * 16
        while next < bound, steps > 0, hasRoom {
            let index = NodeIndex(rawValue: next)
            let isRoot = forest.contains(index) && forest.isRoot(index)
            if isRoot { observe(index, forest, isSwept: true) }
            steps -= isRoot ? 16 : 1
            next += 1
        }
        rest = steps / 16
        cursor = next >= bound ? nil : next
        revision += 1
    }

    /// Counts a settled chain once; returns how many nodes were read.
    private mutating func count(_ root: NodeIndex, _ forest: ChainForest) -> Int {
        revision += 1
        let slot = root.rawValue
        if counted.insert(slot) {
            let (view, chain) = (forest.node(root), forest.chain(of: root))
            let index = record(view.site, forest)
            let settled = chain.settled ?? view.created
            records[index].end(
                at: settled, after: settled - min(settled, view.created), failed: chain.outcome.isFailure,
                cancelled: chain.outcome == .cancelled)
            stale.insert(index)
        }
        return 1 + (profile?.count(root, forest) ?? 0)
    }

    // MARK: Changes

    /// Applies changes. If there were too many to list, the table starts over with a new sweep, without the chains that
    /// were evicted by then.
    public mutating func update(with changes: ForestChanges, of forest: ChainForest) {
        guard !changes.isEverything else {
            let (last, hasProfile) = (revision, profile != nil)
            self = ChainSiteTable()
            revision = last + 1
            if hasProfile { openProfile() }
            return
        }
        for eviction in changes.evicted where eviction.wasRoot { evict(eviction, forest) }
        for entry in changes.nodes where !entry.changes.isDisjoint(with: [.chainCounts, .moved]) {
            if entry.traits.contains(.root) {
                observe(entry.index, forest)
            } else if inFlight.contains(entry.index.rawValue) {
                // It moved under another node. Asked first, because each new child has moved.
                leave(entry.index.rawValue, forest.node(entry.index).site, forest)
                forget(entry.index.rawValue)
            }
        }
    }

    private mutating func evict(_ eviction: ForestChanges.Eviction, _ forest: ChainForest) {
        let slot = eviction.index.rawValue
        leave(slot, eviction.node.site, forest)
        if let new = eviction.newRoot {
            // The chain continues under a new root, and is not counted a second time.
            if counted.contains(slot) { _ = counted.insert(new.rawValue) }
            profile?.transfer(slot, to: new.rawValue)
        } else if !counted.contains(slot), eviction.node.isChain {
            missedCount += 1
        }
        forget(slot)
    }

    /// Counts that the chain of a root is no longer in flight, if it was counted as in flight.
    private mutating func leave(_ slot: UInt32, _ site: SiteID, _ forest: ChainForest) {
        guard inFlight.remove(slot) else { return }
        records[record(site, forest)].leave()
        revision += 1
    }

    private mutating func forget(_ slot: UInt32) {
        _ = settlingRoots.remove(slot)
        _ = counted.remove(slot)
        profile?.forget(slot)
    }

    /// Records that the chain of a root is in flight or has settled.
    private mutating func observe(_ root: NodeIndex, _ forest: ChainForest, isSwept: Bool = false) {
        let slot = root.rawValue
        let view = forest.node(root)
        guard view.isChain else { return }
        if forest.chain(of: root).settled == nil {
            guard inFlight.insert(slot) else { return }
            let index = record(view.site, forest)
            records[index].begin(view, at: view.created) { forest.isLiveRoot($0) }
            records[index].note(view)
            revision += 1
        } else {
            leave(slot, view.site, forest)
            guard !settlingRoots.contains(slot), !(isSwept && counted.contains(slot)) else { return }
            guard hasRoom else { return hadNoRoom = true }
            _ = settlingRoots.insert(slot)
            if !counted.contains(slot) { records[record(view.site, forest)].note(view) }
            let settled = Settled(slot: slot, id: view.id, wall: 0)
            // Chains that a sweep finds are due at once, because they settled before it.
            if isSwept { settling.append(settled) } else { arrived.append(settled) }
        }
    }

    private mutating func record(_ site: SiteID, _ forest: ChainForest) -> Int {
        let location = forest.sites[site] ?? CodeLocation(fileID: "", line: 0)
        if let known = flows[location] { return known }
        guard records.count < Self.siteLimit else {
            let unknown = CodeLocation(fileID: "", line: 0)
            if flows[unknown] == nil {
                records.append(FlowCounter())
                flows[unknown] = records.count - 1
            }
            return flows[unknown]!
        }
        records.append(FlowCounter())
        flows[location] = records.count - 1
        return records.count - 1
    }

    // MARK: Figures

    /// Updates percentiles, the oldest chains in flight and labels: some 30 µs for each call site with newly counted
    /// chains. Then updates changed paths of the profile, some 30 µs each, until `budget` buckets of their histograms
    /// were read. Returns whether all paths are up to date.
    public mutating func refresh(_ forest: ChainForest, budget: Int) -> Bool {
        for index in stale { records[index].refreshTime() }
        stale.removeAll(keepingCapacity: true)
        for index in records.indices {
            records[index].refreshOldest(forest) { forest.isLiveRoot($0) }
        }
        return profile?.refresh(budget: budget) ?? true
    }
}
