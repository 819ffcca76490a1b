import ChainEvents
import ChainModel

/// Counting of nodes.
extension SiteTable {
    /// Counts what is new about a node.
    mutating func record(_ view: NodeView, _ forest: ChainForest) {
        // A node that is only referenced has no call site yet.
        guard view.site != 0 || view.kind != .other else { return }
        let slot = view.index.rawValue
        let isNew = counted.insert(slot)
        let isLive = view.isLive
        let isSettling = !isLive && settled.insert(slot)
        let isOpen = !isNew && !isSettling && !open.isEmpty && open[slot] != nil
        guard isNew || isSettling || isOpen else { return }
        let index = index(of: SiteKey(site: view.site, kind: view.kind), forest)
        if isNew {
            records[index].counts.total += 1
            if isLive { records[index].counts.live += 1 }
        }
        if isSettling {
            if !isNew { records[index].counts.live -= 1 }
            settle(view, index)
        } else if isOpen {
            close(view, index)
        }
        revision += 1
    }

    /// What is still unknown of a settled node.
    struct OpenEnd: OptionSet {
        let rawValue: UInt8
        /// The kind of its settlement.
        static let settlement = OpenEnd(rawValue: 1)
        /// The end of its handler.
        static let run = OpenEnd(rawValue: 2)
    }

    static let openLimit = 65_536

    private mutating func settle(_ view: NodeView, _ index: Int) {
        var rest: OpenEnd = []
        if view.state == .unknown { rest.insert(.settlement) } else { countEnd(view, index) }
        let timing = view.handlerTiming(now: view.settled ?? 0)
        if let wait = timing.wait, view.started != nil || view.state != .unknown {
            records[index].wait.record(wait)
            markStale(index)
        }
        if view.activity == .running { rest.insert(.run) } else { recordRun(view, timing, index) }
        guard !rest.isEmpty, open.count < Self.openLimit else { return }
        open[view.index.rawValue] = rest
        openHighWater = max(openHighWater, open.count)
    }

    private mutating func countEnd(_ view: NodeView, _ index: Int) {
        switch view.state {
        case .rejected, .abandoned: records[index].counts.rejected += 1
        case .cancelled: records[index].counts.cancelled += 1
        default: break
        }
    }

    private mutating func recordRun(_ view: NodeView, _ timing: Timing, _ index: Int) {
        // When an evicted node's handler ended is unknown.
        guard let run = timing.run, view.ended != nil else { return }
        records[index].run.record(run)
        markStale(index)
    }

    /// Counts what became known of a settled node.
    private mutating func close(_ view: NodeView, _ index: Int) {
        guard var rest = open[view.index.rawValue] else { return }
        if rest.contains(.settlement), view.state != .unknown {
            rest.remove(.settlement)
            countEnd(view, index)
        }
        if rest.contains(.run), view.activity != .running {
            rest.remove(.run)
            recordRun(view, view.handlerTiming(now: view.settled ?? 0), index)
        }
        open[view.index.rawValue] = rest.isEmpty ? nil : rest
    }

    mutating func index(of key: SiteKey, _ forest: ChainForest) -> Int {
        if let known = indices[key] { return known }
        let name = forest.sites[key.site].map { Name(site: $0, kind: key.kind) }
        if let name, let known = named[name], indices.count < Self.aliasLimit {
            indices[key] = known
            return known
        }
        guard records.count < Self.keyLimit || key == .others else { return index(of: .others, forest) }
        let index = records.count
        records.append(Record(key: key))
        indices[key] = index
        if let name { named[name] = index }
        return index
    }

    /// How many call site numbers are cached.
    private static let aliasLimit = 16 * keyLimit
}
