import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// Pinned chains outlive a flood that evicts their neighbours. Their number and their size have limits.
@Suite struct PinTests {
    private static let limits = ForestLimits(settledNodeLimit: 640, settledLeafLimit: 100, changeLimit: 0)

    /// Adds a settled chain of three nodes.
    private static func chain(_ root: UInt64, _ time: UInt64, _ script: inout ScriptedForest) {
        script.make(root, at: time)
        for id in root + 1...root + 2 { script.then(id, on: id - 1, at: time) }
        for id in root...root + 2 { script.record(.fulfilled, id, at: time) }
    }

    /// Adds a settled chain for each number, and evicts after each.
    private static func flood(_ roots: ClosedRange<UInt64>, _ script: inout ScriptedForest) {
        for root in roots {
            chain(root * 10, root, &script)
            script.forest.evictSettled(now: root)
        }
    }

    @Test func aPinnedChainOutlivesItsNeighbours() throws {
        var script = ScriptedForest(limits: Self.limits)
        Self.flood(1...3, &script)
        let member = try #require(script.forest.index(of: NodeID(21)))
        try script.forest.pin(member)
        try script.forest.pin(member)
        #expect(script.forest.pins == [NodeID(21)])
        #expect(script.forest.isPinned(member) && script.forest.isChainPinned(script.forest.root(of: member)))
        Self.flood(4...5_000, &script)
        #expect(script.forest.index(of: NodeID(10)) == nil && script.forest.index(of: NodeID(30)) == nil)
        for id in 20...22 as ClosedRange<UInt64> { #expect(script.forest.index(of: NodeID(id)) != nil) }
        #expect(script.forest.totals.counts.nodeCount <= 640 + 3)
        // Without its pin it is evicted.
        script.forest.unpin(try #require(script.forest.index(of: NodeID(22))))
        #expect(script.forest.pins.isEmpty)
        Self.flood(5_001...10_000, &script)
        #expect(script.forest.index(of: NodeID(20)) == nil)
    }

    @Test func ageDoesNotEvictAPinnedChain() throws {
        var script = ScriptedForest(limits: Self.limits)
        Self.chain(10, 1, &script)
        Self.chain(20, 1, &script)
        try script.forest.pin(try #require(script.forest.index(of: NodeID(10))))
        script.forest.evictSettled(now: 10 * ForestLimits().ageLimit)
        #expect(script.forest.index(of: NodeID(10)) != nil && script.forest.index(of: NodeID(20)) == nil)
        script.forest.unpin(try #require(script.forest.index(of: NodeID(10))))
        script.forest.evictSettled(now: 20 * ForestLimits().ageLimit)
        #expect(script.forest.index(of: NodeID(10)) == nil)
    }

    @Test func settledLeavesOfAPinnedLiveChainStay() throws {
        var script = ScriptedForest(limits: Self.limits)
        for id in 1...15 as ClosedRange<UInt64> {
            if id == 1 { script.make(1, at: 1) } else { script.then(id, on: 1, at: id) }
        }
        try script.forest.pin(try #require(script.forest.index(of: NodeID(5))))
        for id in 2...15 as ClosedRange<UInt64> { script.record(.fulfilled, id, at: 20) }
        script.forest.evictSettled(now: 10 * ForestLimits().ageLimit)
        #expect(script.forest.totals.counts.nodeCount == 15)
        script.forest.unpin(try #require(script.forest.index(of: NodeID(1))))
        script.forest.evictSettled(now: 20 * ForestLimits().ageLimit)
        #expect(script.forest.totals.counts.nodeCount == 1)
    }

    @Test func sixteenChainsAreTheLimit() throws {
        var script = ScriptedForest(limits: Self.limits)
        for root in 1...17 as ClosedRange<UInt64> { Self.chain(root * 10, 1, &script) }
        for root in 1...16 as ClosedRange<UInt64> {
            try script.forest.pin(try #require(script.forest.index(of: NodeID(root * 10))))
        }
        let next = try #require(script.forest.index(of: NodeID(170)))
        #expect(throws: ChainForest.PinRefusal.tooMany(limit: 16)) { try script.forest.pin(next) }
        // A node that is pinned already takes no second place.
        try script.forest.pin(try #require(script.forest.index(of: NodeID(10))))
        #expect(script.forest.pins.count == 16)
        // All of them are kept, and beside them no more than the limit of settled nodes.
        Self.flood(20...5_000, &script)
        #expect(script.forest.pins.count == 16)
        #expect(script.forest.totals.counts.nodeCount <= 640 + 48)
    }

    @Test func aChainThatGrowsBeyondTheLimitIsEvicted() throws {
        var script = ScriptedForest(limits: Self.limits)
        Self.chain(10, 1, &script)
        try script.forest.pin(try #require(script.forest.index(of: NodeID(10))))
        #expect(script.forest.pinnedNodeLimit == 20)
        for id in 100..<130 as Range<UInt64> {
            script.then(id, on: 10, at: 2)
            script.record(.fulfilled, id, at: 2)
        }
        let large = try #require(script.forest.index(of: NodeID(10)))
        #expect(throws: ChainForest.PinRefusal.tooLarge(nodeCount: 33, limit: 20)) { try script.forest.pin(large) }
        Self.flood(200...5_000, &script)
        #expect(script.forest.index(of: NodeID(10)) == nil)
        #expect(script.forest.pins.isEmpty)
    }
}

// SPDX-License-Identifier: MIT
