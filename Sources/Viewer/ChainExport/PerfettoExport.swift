// SPDX-License-Identifier: MIT

import ChainListing
import ChainModel
import ChainText

/// An exporter that writes the Trace Event Format of Chrome, as Perfetto imports it.
///
/// | in the trace | of |
/// | --- | --- |
/// | slices on threads | handlers, from their start to their end; not the handlers of tasks, which may be suspended |
/// | flows | from the handler that settled a promise to each handler that waited for the promise |
/// | async slices on at most 200 tracks | chains, and in them their steps, each from its turn to its settlement |
/// | counters | running and queued nodes |
///
/// A step's turn comes when the step is made or its parent settles, whichever is later. Times are microseconds with
/// three decimals since the start. A step that overlaps another step of its chain is on a further track, in a further
/// slice of the chain.
package struct PerfettoExport: NodeExporter {
    private struct OpenChain {
        /// Its tracks, each with a slice of the chain around the steps. Empty if no track was free.
        var tracks: [Int]
        var begin: UInt64
    }

    /// The maximum number of tracks of one chain.
    private static let trackLimit = 16

    private let process: ProcessDescription
    private let start: UInt64
    private var events: TraceEvents
    private var tracks = PerfettoTracks()
    private var chains: [NodeID: OpenChain] = [:]
    /// Chains that have settled, by root, about in the order of their ends. Each is closed once something later is
    /// written.
    private var closing: [(id: NodeID, end: UInt64)] = []
    /// For each thread, the name that was written last.
    private var threadNames: [ThreadID: String] = [:]
    /// The values of the counters that were written last.
    private var counters: (running: Int, queued: Int)?
    /// Whether the export has reached the unfinished nodes, at its end.
    private var isEnding = false
    /// Whether ``closeFormerChains(_:)`` was called for this batch.
    private var hasClosedFormerChains = false
    /// How many chains are not written, because no track was free.
    package private(set) var leftOutChainCount = 0
    /// How many steps of written chains are not written, because no track was free.
    package private(set) var leftOutStepCount = 0

    /// Writes the beginning of the trace.
    ///
    /// - Parameter start: time 0 of the trace, in nanoseconds of the program's clock; earlier times count as 0.
    package init(_ process: ProcessDescription, start: UInt64, to output: @escaping TextOutput) throws {
        self.process = process
        self.start = start
        events = TraceEvents(pid: process.pid, start: start, output: output)
        try events.begin()
        try events.write("M", nil, [("name", "\"process_name\""), ("args", Self.nameArgument(process.name))])
    }

    private static func nameArgument(_ name: String) -> String { JSONText.object([("name", JSONText.string(name))]) }

    // MARK: Nodes

    package mutating func began(_ root: NodeIndex, in forest: borrowing ChainForest) throws {
        // The members of a combinator are in its tree, but were made before it.
        var (begin, node, rest): (UInt64, NodeIndex?, Int) = (.max, root, 64)
        while let current = node, rest > 0 {
            begin = min(begin, forest.node(current).created)
            node = forest.next(after: current, within: root)
            rest -= 1
        }
        try open(root, from: begin, in: forest)
    }

    package mutating func finished(_ node: NodeIndex, in forest: borrowing ChainForest) throws {
        let view = forest.node(node)
        try writeHandler(view, in: forest)
        let (end, root) = (view.settled ?? forest.now, forest.root(of: node))
        try closeChains(before: end, in: forest)
        let id = forest.id(of: root)
        let begin = forest.timing(of: node, now: end).total.map { end.subtractingClamped($0) }
        // A node that is chained to a closed chain opens the chain again.
        if chains[id] == nil, let begin { try open(root, from: begin, in: forest) }
        if let begin { try writeStep(view, of: id, from: begin, to: end, in: forest) }
        let chain = forest.chain(of: root)
        if chain.liveCount == 0, end >= chain.settled ?? 0 { closing.append((id, end)) }
        // The node was a root, and has been adopted since.
        if root != node, chains[view.id] != nil { closing.append((view.id, end)) }
    }

    package mutating func unfinished(_ node: NodeIndex, in forest: borrowing ChainForest) throws {
        isEnding = true
        guard forest.state(of: node) != .unknown else { return }
        try finished(node, in: forest)
    }

    package mutating func advanced(_ forest: borrowing ChainForest) throws {
        hasClosedFormerChains = false
        try writeCounters(forest)
    }

    /// Closes the open chains, and writes the end of the trace.
    package mutating func end(_ forest: borrowing ChainForest) throws {
        for (id, chain) in chains.sorted(by: { $0.key < $1.key }) {
            let settled = forest.index(of: id).flatMap { forest.chain(of: $0).settled }
            try close(id, chain, at: settled ?? forest.now, in: forest)
        }
        try events.end([
            ("program", JSONText.string(process.name)), ("pid", "\(process.pid)"),
            ("startTime", JSONText.seconds(start &+ process.wallOffset)),
            ("lostEvents", "\(forest.lostCount)"), ("leftOutChains", "\(leftOutChainCount)"),
            ("leftOutSteps", "\(leftOutStepCount)"),
        ])
    }

    // MARK: Chains

    private mutating func open(_ root: NodeIndex, from begin: UInt64, in forest: borrowing ChainForest) throws {
        let id = forest.id(of: root)
        guard chains[id] == nil else { return }
        try closeChains(before: begin, in: forest)
        chains[id] = OpenChain(tracks: [], begin: begin)
        if try takeTrack(for: id, root, from: begin, in: forest) == nil { leftOutChainCount += 1 }
    }

    /// Takes a track for a chain, and begins the chain's slice on it.
    private mutating func takeTrack(
        for id: NodeID, _ root: NodeIndex, from begin: UInt64, in forest: borrowing ChainForest
    ) throws -> Int? {
        let name = NodeText.name(of: root, in: forest)
        let group = PerfettoTracks.group(of: name)
        var free = tracks.take(for: group, from: begin)
        if free == nil {
            try closeFormerChains(forest)
            free = tracks.take(for: group, from: begin)
        }
        guard let track = free else { return nil }
        chains[id]?.tracks.append(track)
        tracks.extend(track, to: begin)
        try events.async("b", name, track: track, at: begin, arguments: Self.arguments(of: root, in: forest))
        return track
    }

    /// Closes the chains that ended before a moment.
    private mutating func closeChains(before moment: UInt64, in forest: borrowing ChainForest) throws {
        let count = closing.prefix { $0.end < moment }.count
        for (id, end) in closing[..<count] {
            guard let chain = chains[id] else { continue }
            // A settled chain goes on when a node is chained to it; it is closed later, at its new end.
            if let root = forest.index(of: id), forest.isRoot(root), case let known = forest.chain(of: root),
                known.liveCount > 0 || known.settled ?? 0 > end
            {
                continue
            }
            try close(id, chain, at: end, in: forest)
        }
        closing.removeFirst(count)
    }

    /// Closes chains that no longer exist, because their root was evicted or adopted. Does so at most once for each
    /// batch, because it looks at all open chains.
    private mutating func closeFormerChains(_ forest: borrowing ChainForest) throws {
        guard !hasClosedFormerChains else { return }
        hasClosedFormerChains = true
        let former = chains.filter { !(forest.index(of: $0.key).map { forest.isRoot($0) } ?? false) }
        for (id, chain) in former.sorted(by: { $0.key < $1.key }) {
            try close(id, chain, at: chain.begin, in: forest)
        }
    }

    private mutating func close(
        _ id: NodeID, _ chain: OpenChain, at end: UInt64, in forest: borrowing ChainForest
    ) throws {
        chains[id] = nil
        // The name of an end is for people only.
        let name = forest.index(of: id).map { NodeText.name(of: $0, in: forest) } ?? "\(id)"
        for track in chain.tracks {
            // A chain keeps its first track until the chain ends, and each other track until the last step on it ends.
            let trackEnd = track == chain.tracks.first ? max(end, tracks.tracks[track].end) : tracks.tracks[track].end
            try events.async("e", name, track: track, at: trackEnd, arguments: nil)
            tracks.release(track, at: trackEnd)
        }
    }

    /// Writes a step on the first track of its chain on which all earlier steps have ended, or on a new track.
    private mutating func writeStep(
        _ view: NodeView, of id: NodeID, from begin: UInt64, to end: UInt64, in forest: borrowing ChainForest
    ) throws {
        guard let chain = chains[id], let first = chain.tracks.first else { return }
        // The slice of a chain of one node shows its only step.
        let root = forest.root(of: view.index)
        guard forest.nodeCount(ofRoot: root) > 1 else { return tracks.extend(first, to: end) }
        let begin = max(chain.begin, begin)
        var track = chain.tracks.first { tracks.isFree($0, from: begin) }
        if track == nil, chain.tracks.count < Self.trackLimit {
            track = try takeTrack(for: id, root, from: begin, in: forest)
        }
        guard let track else {
            leftOutStepCount += 1
            return
        }
        tracks.extend(track, to: max(begin, end))
        let name = Self.name(of: view, in: forest)
        let arguments = Self.arguments(of: view.index, in: forest)
        try events.async("b", name, track: track, at: begin, arguments: arguments)
        try events.async("e", name, track: track, at: max(begin, end), arguments: nil)
    }

    // MARK: Threads and counters

    /// Writes a handler on its thread, and the flow to it.
    private mutating func writeHandler(_ view: NodeView, in forest: borrowing ChainForest) throws {
        guard var run = HandlerRun(view, isEnding ? forest.now : nil), run.end >= start else { return }
        run.begin = max(run.begin, start)
        try nameThread(run.thread, in: forest)
        let name = Self.name(of: view, in: forest)
        try events.write(
            "X", run.thread,
            [
                ("ts", events.time(run.begin)), ("dur", TraceEvents.duration(run.end - run.begin)),
                ("cat", "\"handler\""), ("name", JSONText.string(name)),
                ("args", Self.arguments(of: view.index, in: forest)),
            ])
        guard let parent = forest.parent(of: view.index),
            let source = HandlerRun.settling(parent, in: forest), source.begin <= run.begin
        else { return }
        // Within the source's slice, because a flow is bound to the slice that is open at its time.
        let flowStart = max(source.begin, min(source.end, run.begin).subtractingClamped(1))
        let flow: [(name: String, value: String)] = [
            ("cat", "\"flow\""), ("name", "\"settles\""), ("id", "\(view.id.rawValue)"),
        ]
        try events.write("s", source.thread, [("ts", events.time(flowStart))] + flow)
        try events.write("f", run.thread, [("ts", events.time(run.begin)), ("bp", "\"e\"")] + flow)
    }

    private mutating func nameThread(_ thread: ThreadID, in forest: borrowing ChainForest) throws {
        guard let name = forest.threads[thread], threadNames[thread] != name else { return }
        threadNames[thread] = name
        try events.write("M", thread, [("name", "\"thread_name\""), ("args", Self.nameArgument(name))])
    }

    private mutating func writeCounters(_ forest: borrowing ChainForest) throws {
        let counts = forest.totals.counts
        let now = (counts[.running], counts[.queued])
        if let counters, counters == now { return }
        counters = now
        for (name, count) in [("running", now.0), ("queued", now.1)] {
            try events.write(
                "C", nil,
                [("ts", events.time(forest.now)), ("name", "\"\(name)\""), ("args", "{\"nodes\":\(count)}")])
        }
    }
}
