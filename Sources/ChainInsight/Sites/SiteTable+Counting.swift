import ChainModel

/// Counting of nodes.
extension SiteTable {
    /// Counts the facts of a node that are not counted yet. `isEvicted` is true for a node that the forest no longer
    /// has.
    mutating func record(_ view: NodeView, _ forest: ChainForest, isEvicted: Bool = false) {
        // A node of which only the id is known has no call site.
        guard view.site != 0 || view.kind != .other else { return }
        let slot = view.index.rawValue
        let isLive = view.isLive
        let isEarly = !isLive && countedSince.map { (view.settled ?? .max) <= $0 } ?? false
        if isEarly, !counted.contains(slot) {
            _ = (counted.insert(slot), settled.insert(slot))
            return
        }
        let isNew = counted.insert(slot)
        let isSettling = !isLive && settled.insert(slot)
        let hasUnknownFacts = !isNew && !isSettling && !unknownFacts.isEmpty && unknownFacts[slot] != nil
        let isBeginning = isLive && view.state != .waiting && begun.insert(slot)
        let isRunning = view.activity == .running
        let runs = isRunning != runningSlots.contains(slot)
        guard isNew || isSettling || hasUnknownFacts || isBeginning || runs else { return }
        let index = index(of: SiteKey(site: view.site, kind: view.kind), forest)
        if isNew {
            records[index].counts.total += 1
            records[index].flow.note(view)
            if isLive { records[index].counts.live += 1 }
        }
        if isBeginning {
            let age = forest.timing(of: view.index, now: forest.now).total ?? 0
            records[index].flow.begin(view, at: forest.now &- age) { forest.isLive($0) }
        }
        if runs { countRun(view, isRunning, index) }
        if isSettling {
            if !isNew { records[index].counts.live -= 1 }
            if begun.contains(slot) { records[index].flow.leave() }
            if !isEarly { settle(view, index, isEvicted ? nil : forest) }
        } else if hasUnknownFacts {
            countLateFacts(view, index, isEvicted ? nil : forest)
        }
        revision += 1
    }

    /// The maximum number of running handlers in `running`; further handlers are only counted.
    static let runningLimit = 65_536

    private mutating func countRun(_ view: NodeView, _ isRunning: Bool, _ index: Int) {
        let slot = view.index.rawValue
        records[index].counts.running += isRunning ? 1 : -1
        if isRunning {
            _ = runningSlots.insert(slot)
            if running.count < Self.runningLimit { running[slot] = Run(begin: view.started ?? 0, record: index) }
            runningHighWater = max(runningHighWater, running.count)
        } else {
            _ = runningSlots.remove(slot)
            running[slot] = nil
        }
    }

    /// Which facts of a settled node are still unknown.
    struct UnknownFacts: OptionSet {
        let rawValue: UInt8
        /// How it settled.
        static let settlement = UnknownFacts(rawValue: 1)
        /// When its handler ended.
        static let run = UnknownFacts(rawValue: 2)
    }

    /// The maximum number of nodes in `unknownFacts`; the unknown facts of further nodes are never counted.
    static let unknownFactsLimit = 65_536

    private mutating func settle(_ view: NodeView, _ index: Int, _ forest: ChainForest?) {
        var rest: UnknownFacts = []
        if view.state == .unknown { rest.insert(.settlement) } else { countEnd(view, index, forest) }
        let timing = view.handlerTiming(now: view.settled ?? 0)
        if let wait = timing.wait, view.started != nil || view.state != .unknown {
            records[index].wait.record(wait)
            markStale(index)
        }
        if view.activity == .running { rest.insert(.run) } else { recordRun(view, timing, index) }
        guard !rest.isEmpty, unknownFacts.count < Self.unknownFactsLimit else { return }
        unknownFacts[view.index.rawValue] = rest
        unknownFactsHighWater = max(unknownFactsHighWater, unknownFacts.count)
    }

    private mutating func countEnd(_ view: NodeView, _ index: Int, _ forest: ChainForest?) {
        guard view.state != .skipped else { return }
        let isRejected = view.state == .rejected || view.state == .abandoned
        if isRejected { records[index].counts.rejected += 1 }
        if view.state == .cancelled { records[index].counts.cancelled += 1 }
        var total = forest?.timing(of: view.index, now: view.settled ?? 0).total
        // What an evicted node waited for is unknown. A node without a parent waited for nothing.
        if forest == nil, !view.hasParent, let settled = view.settled { total = settled - min(settled, view.created) }
        records[index].flow.end(
            at: view.settled, after: total, failed: isRejected, cancelled: view.state == .cancelled)
        markStale(index)
    }

    private mutating func recordRun(_ view: NodeView, _ timing: Timing, _ index: Int) {
        // Without `ended`, it is unknown when the handler ended, for example because the node was evicted.
        guard let run = timing.run, view.ended != nil else { return }
        records[index].run.record(run)
        markStale(index)
    }

    /// Counts the facts of a settled node that have become known after its settlement.
    private mutating func countLateFacts(_ view: NodeView, _ index: Int, _ forest: ChainForest?) {
        guard var rest = unknownFacts[view.index.rawValue] else { return }
        if rest.contains(.settlement), view.state != .unknown {
            rest.remove(.settlement)
            countEnd(view, index, forest)
        }
        if rest.contains(.run), view.activity != .running {
            rest.remove(.run)
            recordRun(view, view.handlerTiming(now: view.settled ?? 0), index)
        }
        unknownFacts[view.index.rawValue] = rest.isEmpty ? nil : rest
    }

    /// Returns the index of a key's record, and makes the record of a new key.
    mutating func index(of key: SiteKey, _ forest: ChainForest) -> Int {
        if let known = indices[key] { return known }
        let name = forest.sites[key.site].map { Name(site: $0, kind: key.kind) }
        if let name, let known = named[name] {
            if indices.count < Self.aliasLimit { indices[key] = known }
            return known
        }
        guard records.count < Self.keyLimit || key == .others else { return index(of: .others, forest) }
        let index = records.count
        records.append(Record(key: key))
        indices[key] = index
        if let name { named[name] = index }
        return index
    }

    /// The maximum number of keys in `indices`. If a key is not in it, its record is found by the call site each time.
    static let aliasLimit = 16 * keyLimit
}
