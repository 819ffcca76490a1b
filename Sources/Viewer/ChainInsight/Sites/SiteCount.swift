// SPDX-License-Identifier: MIT

import ChainModel

/// Statistics of one forest's nodes by call site and kind. Nodes of which only the id is known are left out.
///
/// Takes some 20 kB for each call site and kind, of which there are at most ``keyLimit``.
package struct SiteCount: ForestCount {
    /// The maximum number of call sites and kinds that are distinguished; nodes of all further call sites and kinds
    /// count as ``SiteKey/others``.
    package static let keyLimit = 2_048
    /// The maximum number of keys in `indices`. If a key is not in it, its record is found by the call site each time.
    static let aliasLimit = 16 * keyLimit

    struct Record: Sendable {
        var key: SiteKey
        var statistics = SiteStatistics()
        var flow = FlowCounter()
        var wait = DurationBuckets()
        var run = DurationBuckets()
    }

    struct Name: Hashable {
        var site: CodeLocation
        var kind: NodeKind
    }

    /// The only call site and kind that passes count; nil if they count all.
    package var only: SiteKey?
    /// The numbers that the program has for the call site of ``only``: it may have several.
    private var numbers: Set<SiteID> = []
    /// Nodes that settled up to this time are not counted, in nanoseconds of the process's clock; nil if all are.
    private var countedSince: UInt64?
    /// The index in `records` of each key.
    var indices: [SiteKey: Int] = [:]
    /// The index in `records` of each call site and kind, because a program may have several numbers for a call site.
    private var named: [Name: Int] = [:]
    private(set) var records: [Record] = []
    /// A cache: the last keys by a hash, and their indices in `records`.
    private var recent = [(key: SiteKey, index: Int)?](repeating: nil, count: 64)

    /// Makes a count of nothing.
    package init() {}

    /// Makes a count of the nodes that settle after a moment in nanoseconds of the process's clock, and of live nodes.
    package init(since moment: UInt64) { countedSince = moment }

    package mutating func begin(in forest: ChainForest) {
        for index in records.indices { records[index].flow.begin() }
        numbers = only.map { [$0.site] } ?? []
        guard let only, let site = forest.sites[only.site] else { return }
        for (number, other) in forest.sites where other == site { numbers.insert(number) }
    }

    package mutating func add(_ index: NodeIndex, in forest: ChainForest) -> Int {
        guard forest.contains(index) else { return 0 }
        if let only, forest.kind(of: index) != only.kind { return 0 }
        let node = forest.node(index)
        guard only == nil || numbers.contains(node.site) else { return 0 }
        add(node, forest, isEvicted: false)
        return 1
    }

    package mutating func add(_ departure: Departure, in forest: ChainForest) {
        if case .node(let index, _) = departure { add(forest.node(index), forest, isEvicted: true) }
    }

    private mutating func add(_ node: NodeView, _ forest: ChainForest, isEvicted: Bool) {
        guard node.isReported else { return }
        if let countedSince, !node.isLive, node.settled ?? .max <= countedSince { return }
        let index = index(of: SiteKey(site: node.site, kind: node.kind), forest)
        records[index].add(node, forest, isEvicted: isEvicted)
    }

    @inline(__always)
    private mutating func index(of key: SiteKey, _ forest: ChainForest) -> Int {
        let slot = Int((key.site &* 31 &+ UInt32(key.kind.rawValue)) & 63)
        if let known = recent[slot], known.key == key { return known.index }
        let found = find(key, forest)
        recent[slot] = (key, found)
        return found
    }

    /// Returns the index of a key's record, and makes the record of a new key.
    private mutating func find(_ key: SiteKey, _ forest: ChainForest) -> Int {
        if let known = indices[key] { return known }
        let name = forest.sites[key.site].map { Name(site: $0, kind: key.kind) }
        if let name, let known = named[name] {
            if indices.count < Self.aliasLimit { indices[key] = known }
            return known
        }
        guard records.count < Self.keyLimit || key == .others else { return find(.others, forest) }
        let index = records.count
        records.append(Record(key: key))
        indices[key] = index
        if let name { named[name] = index }
        return index
    }

    // MARK: Figures

    package var entryCount: Int { only == nil ? records.count : min(1, records.count) }

    package mutating func compute(_ entry: Int, in forest: ChainForest) {
        let index = only.map { find($0, forest) } ?? entry
        records[index].statistics.wait = records[index].wait.figures
        records[index].statistics.run = records[index].run.figures
        records[index].flow.compute(forest)
        records[index].statistics.flow = records[index].flow.figures
    }

    /// The statistics by call site and kind. Of a call site with several numbers, the first number is listed.
    package var figures: [SiteKey: SiteStatistics] {
        if let only { return indices[only].map { [only: records[$0].statistics] } ?? [:] }
        return Dictionary(uniqueKeysWithValues: records.lazy.map { ($0.key, $0.statistics) })
    }

    /// The sizes of the tables of call sites and of their numbers.
    package var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call sites", count: records.count, highWaterMark: records.count, limit: Self.keyLimit + 1),
            QueueStatistics(
                name: "numbers of call sites", count: indices.count, highWaterMark: indices.count,
                limit: Self.aliasLimit + Self.keyLimit + 1),
        ]
    }
}

extension SiteCount.Record {
    /// Counts the facts of a node. Of an evicted node that settled, the handler may still run, but nothing more is
    /// known of it.
    fileprivate mutating func add(_ node: NodeView, _ forest: ChainForest, isEvicted: Bool) {
        statistics.total += 1
        flow.note(node, forest)
        if !isEvicted, node.activity == .running {
            statistics.running += 1
            statistics.oldestRun = min(statistics.oldestRun ?? .max, node.started ?? 0)
        }
        guard !node.isLive else {
            statistics.live += 1
            guard node.state != .waiting else { return }
            let age = forest.timing(of: node.index, now: forest.now).total
            return flow.begin(node, at: age.map { forest.now &- $0 } ?? node.created)
        }
        if node.state != .unknown, node.state != .skipped {
            flow.end(
                at: node.settled, after: node.total(in: forest),
                failed: node.state == .rejected || node.state == .abandoned, cancelled: node.state == .cancelled)
        }
        let timing = node.handlerTiming(now: node.settled ?? 0)
        if let time = timing.wait, node.started != nil || node.state != .unknown { wait.record(time) }
        // Without `ended`, it is unknown when the handler ended.
        if let time = timing.run, node.ended != nil { run.record(time) }
    }
}

extension NodeView {
    /// Whether the node was reported, and not only referenced by other nodes. A root that was not is no chain.
    var isReported: Bool { site != 0 || kind != .other }

    /// Returns the duration of a settled node; nil if its begin is unknown.
    fileprivate func total(in forest: ChainForest) -> UInt64? {
        guard let settled else { return nil }
        guard hasParent else { return settled - min(settled, created) }
        if forest.parent(of: index) != nil { return forest.timing(of: index, now: settled).total }
        // Its parent was evicted. If it was queued, the parent had settled just before.
        return (queued ?? started).map { settled - min(settled, max(created, $0)) }
    }
}
