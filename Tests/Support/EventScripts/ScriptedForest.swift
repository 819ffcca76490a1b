import ChainEvents
import ChainModel

/// A forest to which the events of a script are applied one by one, each in a batch of its own.
public struct ScriptedForest: EventScript {
    /// The process of all scripts.
    public static let process = ProcessKey(rawValue: 7)

    /// The forest after the last event.
    public var forest: ChainForest
    /// The time of the next event, in nanoseconds.
    public var time: UInt64 = 0
    /// The event counts of the next batches.
    public private(set) var loss = EventCounts()
    private var sequence: UInt64 = 0

    /// Makes an empty forest.
    public init(limits: ForestLimits = ForestLimits()) {
        forest = ChainForest(process: Self.process, limits: limits)
    }

    /// Applies the event in a batch of its own.
    public mutating func record(_ event: ChainEvent, text: String?) {
        var batch = nextBatch(at: event.time)
        batch.append(event, text: text)
        forest.apply(batch)
    }

    /// Applies names of call sites and threads.
    public mutating func name(sites: [SiteID: CodeLocation] = [:], threads: [ThreadID: String] = [:]) {
        var batch = nextBatch(at: time)
        (batch.sites, batch.threads) = (sites, threads)
        forest.apply(batch)
    }

    /// Counts events as lost in the program's buffers.
    public mutating func lose(_ count: UInt64) {
        loss.lostInRings += count
        forest.apply(nextBatch(at: time))
    }

    /// Applies the beginning or the end of a resync.
    public mutating func resync(_ mark: Resync) {
        var batch = nextBatch(at: time)
        batch.resync = mark
        forest.apply(batch)
    }

    private mutating func nextBatch(at time: UInt64) -> EventBatch {
        sequence += 1
        var batch = EventBatch(process: Self.process, sequence: sequence, time: time)
        batch.loss = loss
        return batch
    }
}

extension EventBatch {
    /// Appends an event and its text.
    public mutating func append(_ event: ChainEvent, text: String?) {
        var event = event
        if let text {
            texts.append(text)
            event.text = UInt32(texts.count)
        }
        events.append(event)
    }
}

// MARK: Queries by node number

extension ScriptedForest {
    /// Returns the index of a node. The node must exist, here and below.
    public func index(_ node: UInt64) -> NodeIndex { forest.index(of: NodeID(node))! }
    /// Returns a node's facts.
    public func node(_ node: UInt64) -> NodeView { forest.node(index(node)) }
    /// Returns a node's state.
    public func state(_ node: UInt64) -> NodeState { forest.state(of: index(node)) }
    /// Returns a node's durations.
    public func timing(_ node: UInt64, now: UInt64) -> Timing { forest.timing(of: index(node), now: now) }
    /// Returns what a node waits for.
    public func blocker(_ node: UInt64) -> Blocker { forest.blocker(of: index(node)) }
    /// Returns the tree parent of a node.
    public func treeParent(_ node: UInt64) -> UInt64? {
        forest.treeParent(of: index(node)).map { forest.id(of: $0).rawValue }
    }
    /// The roots in order.
    public var roots: [UInt64] { forest.roots.map { forest.id(of: $0).rawValue } }

    /// Returns the children of a node in order.
    public func children(_ node: UInt64) -> [UInt64] {
        var result: [UInt64] = []
        var child = forest.firstChild(of: index(node))
        while let current = child {
            result.append(forest.id(of: current).rawValue)
            child = forest.nextSibling(of: current)
        }
        return result
    }
}

// SPDX-License-Identifier: MIT
