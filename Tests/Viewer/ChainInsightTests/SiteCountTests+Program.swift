import ChainEvents
import ChainModel
import EventScripts
import SeededNumbers
import Testing

@testable import ChainInsight

/// A random program and its expected statistics.
extension SiteCountTests {
    /// A node as the test itself tracks it.
    struct Node {
        var key: SiteKey
        var created: UInt64
        var parent: UInt64
        var queued: UInt64?, started: UInt64?, ended: UInt64?, settled: UInt64?
        var end: EventKind?
    }

    /// Returns the expected statistics of the nodes of a program. Handlers that have not ended are not measured.
    static func expected(_ program: Program) -> [SiteKey: SiteStatistics] {
        var result: [SiteKey: SiteStatistics] = [:]
        for (key, group) in Dictionary(grouping: program.nodes.values, by: \.key) {
            var statistics = SiteStatistics()
            statistics.total = group.count
            statistics.live = group.count { $0.settled == nil }
            statistics.running = group.count { $0.started != nil && $0.ended == nil }
            statistics.flow.ended = group.count { $0.settled != nil && $0.end != .skipped }
            statistics.flow.failed = group.count { $0.end == .rejected || $0.end == .abandoned }
            statistics.flow.cancelled = group.count { $0.end == .cancelled }
            statistics.flow.time = figures(group.compactMap { total($0, program) })
            let settled = group.filter { $0.settled != nil && $0.end != .skipped && key.kind.role != .combinator }
            statistics.wait = figures(
                settled.compactMap { node in node.queued.map { (node.started ?? node.settled!) - $0 } })
            statistics.run = figures(
                settled.compactMap { node in
                    node.started.flatMap { started in node.ended.map { $0 - started } }
                })
            result[key] = statistics
        }
        return result
    }

    /// Returns the total of a settled node: from its creation or its parent's settlement, whichever was later.
    private static func total(_ node: Node, _ program: Program) -> UInt64? {
        guard let settled = node.settled, node.end != .skipped else { return nil }
        var begin = node.created
        if node.parent != 0 {
            if let parent = program.nodes[node.parent]!.settled {
                guard node.end != .cancelled || settled >= parent else { return nil }
                begin = max(begin, parent)
            } else {
                guard let queued = node.queued ?? node.started else { return nil }
                begin = max(begin, queued)
            }
        }
        return settled - min(settled, begin)
    }

    /// Returns the exact figures of durations.
    static func figures(_ durations: [UInt64]) -> DurationFigures {
        var figures = DurationFigures()
        guard !durations.isEmpty else { return figures }
        let sorted = durations.sorted()
        func percentile(_ percent: Int) -> UInt64 { sorted[(sorted.count * percent + 99) / 100 - 1] }
        figures.count = UInt64(sorted.count)
        (figures.p50, figures.p90, figures.p99) = (percentile(50), percentile(90), percentile(99))
        figures.max = sorted[sorted.count - 1]
        figures.bars = Array(repeating: 0, count: DurationFigures.barBounds.count + 1)
        for duration in sorted { figures.bars[DurationFigures.barBounds.count { $0 <= duration }] += 1 }
        return figures
    }

    /// Checks figures as exactly as buckets are: 1 %, or half a microsecond.
    static func expectSame(_ found: DurationFigures, _ expected: DurationFigures, _ what: String) {
        #expect(found.count == expected.count, "\(what)")
        #expect(found.max == expected.max, "\(what)")
        for (left, right) in [
            (found.p50, expected.p50), (found.p90, expected.p90), (found.p99, expected.p99),
        ] {
            let difference = left > right ? left - right : right - left
            #expect(difference <= max(512, right / 100), "\(what): \(left) for \(right)")
        }
        #expect(found.bars.reduce(0, +) == expected.bars.reduce(0, +), "\(what)")
        // A duration within 1 % of a bound may be counted on its other side.
        for bar in found.bars.indices {
            let (left, right) = (found.bars[...bar].reduce(0, +), expected.bars[...bar].reduce(0, +))
            #expect((left > right ? left - right : right - left) <= 2 + expected.count / 100, "\(what), bar \(bar)")
        }
    }

    /// Compares statistics by call site; those of evicted nodes are not all known to the end.
    static func expectSame(
        _ found: [SiteKey: SiteStatistics]?, _ expected: [SiteKey: SiteStatistics], evicts: Bool = false
    ) {
        #expect(found.map { Set($0.keys) } == Set(expected.keys))
        for (key, right) in expected {
            guard let left = found?[key] else { continue }
            #expect(left.live == right.live, "live of \(key)")
            #expect(left.total == right.total, "total of \(key)")
            #expect(left.rejected == right.rejected, "rejected of \(key)")
            #expect(left.cancelled == right.cancelled, "cancelled of \(key)")
            #expect(left.flow.ended == right.flow.ended, "ended of \(key)")
            expectSame(left.wait, right.wait, "wait of \(key)")
            if evicts {
                #expect(left.run.count <= right.run.count && left.running <= right.running, "runs of \(key)")
                continue
            }
            #expect(left.running == right.running, "running of \(key)")
            expectSame(left.run, right.run, "run of \(key)")
            expectSame(left.flow.time, right.flow.time, "time of \(key)")
        }
    }

    /// A random program, one step at a time.
    struct Program {
        var script: ScriptedForest
        var nodes: [UInt64: Node] = [:]
        private var open: [UInt64] = []
        private var generator: SeededGenerator
        private var next: UInt64 = 1
        private var milliseconds = 0.0

        init(seed: UInt64, limits: ForestLimits = ForestLimits()) {
            script = ScriptedForest(limits: limits)
            generator = SeededGenerator(seed: seed)
        }

        /// - Parameter makes: whether new nodes may be made; else nothing happens if there is no open one.
        mutating func step(makes: Bool = true) {
            milliseconds += Double(Int.random(in: 0...4_000, using: &generator)) / 1_000
            script.at(milliseconds)
            if open.isEmpty || Int.random(in: 0..<4, using: &generator) == 0 { return makes ? make() : () }
            let index = Int.random(in: 0..<open.count, using: &generator)
            let id = open[index]
            advance(id)
            if nodes[id]!.settled != nil, nodes[id]!.started == nil || nodes[id]!.ended != nil {
                open.swapAt(index, open.count - 1)
                open.removeLast()
            }
        }

        private mutating func make() {
            let kinds: [NodeKind] = [.then, .map, .work, .all]
            let kind = kinds[Int.random(in: 0..<4, using: &generator)]
            let site = SiteID.random(in: 1...3, using: &generator)
            let parent = next > 3 && Bool.random(using: &generator) ? UInt64.random(in: 1..<next, using: &generator) : 0
            script.make(next, kind, under: parent, site: site)
            nodes[next] = Node(key: SiteKey(site: site, kind: kind), created: script.time, parent: parent)
            open.append(next)
            next += 1
        }

        private mutating func advance(_ id: UInt64) {
            let node = nodes[id]!
            let now = script.time
            if node.settled != nil {
                // Settled while its handler runs, which ends later.
                script.end(id)
                nodes[id]!.ended = now
            } else if node.queued == nil {
                script.queue(id)
                nodes[id]!.queued = now
            } else if node.started == nil, Int.random(in: 0..<5, using: &generator) > 0 {
                script.start(id)
                nodes[id]!.started = now
            } else {
                settle(id)
            }
        }

        private mutating func settle(_ id: UInt64) {
            let kinds: [EventKind] = [.fulfilled, .fulfilled, .fulfilled, .rejected, .cancelled, .abandoned, .skipped]
            let kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
            // Cancelled while its handler runs on.
            let isEnded = nodes[id]!.started != nil && (kind != .cancelled || Bool.random(using: &generator))
            script.record(kind, id, flags: isEnded ? .handlerEnded : [])
            nodes[id]!.settled = script.time
            nodes[id]!.end = kind
            if isEnded { nodes[id]!.ended = script.time }
        }
    }
}

// SPDX-License-Identifier: MIT
