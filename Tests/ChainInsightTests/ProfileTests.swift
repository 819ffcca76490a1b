import ChainEvents
import ChainModel
import EventScripts
import Testing

@testable import ChainInsight

/// Figures of chains by the call site of their root, and where their time goes.
@Suite struct ProfileTests {
    private static let millisecond: UInt64 = 1_000_000

    /// Adds an order that begins at a moment: 10 ms in the root, 200 ms of checks, two of them side by side, and 700 ms
    /// to charge.
    private static func order(_ script: inout ScriptedForest, _ base: UInt64, at begin: Double, fails: Bool = false) {
        script.at(begin)
        script.make(base, .work, "order \(base)", site: 1)
        script.make(base + 1, .then, "checks", under: base, site: 2)
        script.make(base + 2, .then, "charge", under: base + 1, site: 3)
        script.make(base + 3, .failed, "complain", under: base + 2, site: 4)
        script.at(begin + 10)
        script.fulfill(base)
        script.at(begin + 20)
        script.make(base + 10, .work, "fraud", by: base + 1, site: 5)
        script.make(base + 11, .work, "address", by: base + 1, site: 6)
        script.at(begin + 150)
        script.fulfill(base + 10)
        script.at(begin + 200)
        script.fulfill(base + 11)
        script.at(begin + 210)
        script.fulfill(base + 1)
        script.at(begin + 910)
        if fails {
            script.reject(base + 2)
            script.record(.skipped, base + 3, flags: .error)
        } else {
            script.fulfill(base + 2)
            script.record(.skipped, base + 3)
        }
    }

    /// Counts the chains of the forest that have settled.
    private static func count(_ table: inout ChainSiteTable, _ forest: ChainForest) {
        for tick in 1...40 as ClosedRange<UInt64> {
            _ = table.count(forest, wall: tick * ChainSiteTable.settleDelay, budget: 100)
        }
        while !table.refresh(forest, budget: 1_000_000) {}
    }

    /// Returns the frame at a path of call sites.
    private static func frame(_ table: ChainSiteTable, _ path: SiteID...) -> ProfileTree.Frame? {
        let frames = table.profile!.frames
        var found: Int?
        for site in path {
            found = frames.indices.first { frames[$0].key.site == site && frames[$0].parent == found }
            if found == nil { return nil }
        }
        return found.map { frames[$0] }
    }

    /// Checks the figures of two orders, one of which failed.
    private static func expectTwoOrders(_ table: ChainSiteTable) {
        #expect(table.profile?.frames.count == 5, "a skipped node takes no time")
        #expect(frame(table, 1)?.count == 2)
        #expect(frame(table, 1)?.total == 2 * 910 * millisecond)
        #expect(frame(table, 1)?.ownTime == 2 * 10 * millisecond, "the root's own time, before the first step")
        #expect(frame(table, 1)?.failed == 1)
        #expect(frame(table, 1)?.label == "order")
        #expect(frame(table, 1, 2)?.total == 2 * 200 * millisecond)
        #expect(frame(table, 1, 2)?.ownTime == 2 * 20 * millisecond, "what the two under it do not cover together")
        #expect(frame(table, 1, 2, 5)?.total == 2 * 130 * millisecond)
        #expect(frame(table, 1, 2, 6)?.ownTime == 2 * 180 * millisecond)
        #expect(frame(table, 1, 3)?.time.p99 ?? 0 >= 690 * millisecond)
        #expect(frame(table, 1, 3)?.failed == 1)
        let hottest = table.profile!.frames.max { $0.ownTime < $1.ownTime }
        #expect(hottest?.key.site == 3, "charging is the slowest step")
    }

    @Test func theSlowestStepIsFound() {
        var script = ScriptedForest()
        Self.order(&script, 100, at: 0)
        Self.order(&script, 200, at: 1_000, fails: true)
        var table = ChainSiteTable()
        table.openProfile()
        Self.count(&table, script.forest)
        Self.expectTwoOrders(table)
    }

    @Test func changesGiveTheSameFigures() {
        var script = ScriptedForest()
        _ = script.forest.consumeChanges()
        var table = ChainSiteTable()
        table.openProfile()
        _ = table.count(script.forest, wall: 1, budget: 100)
        Self.order(&script, 100, at: 0)
        Self.order(&script, 200, at: 1_000, fails: true)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        Self.count(&table, script.forest)
        Self.expectTwoOrders(table)
        let sizes = table.profile?.frames.map(\.count)
        Self.count(&table, script.forest)
        #expect(table.profile?.frames.map(\.count) == sizes)
        #expect(!table.hasSettled)
    }

    @Test func evictedChainsStayCounted() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 0, settledLeafLimit: 0))
        _ = script.forest.consumeChanges()
        var table = ChainSiteTable()
        table.openProfile()
        _ = table.count(script.forest, wall: 1, budget: 100)
        for number in 1...20 as ClosedRange<UInt64> {
            Self.order(&script, number * 100, at: Double(number) * 1_000)
            table.update(with: script.forest.consumeChanges(), of: script.forest)
            _ = table.count(script.forest, wall: 10 * number * ChainSiteTable.settleDelay, budget: 1_000)
            _ = table.count(script.forest, wall: (10 * number + 5) * ChainSiteTable.settleDelay, budget: 1_000)
            script.forest.evictSettled(now: script.time)
            table.update(with: script.forest.consumeChanges(), of: script.forest)
        }
        #expect(script.forest.totals.evictedCount > 100)
        _ = table.refresh(script.forest, budget: 1_000_000)
        #expect(Self.frame(table, 1)?.count == 20)
        #expect(table.missedCount == 0)
        #expect(table.figures(CodeLocation(fileID: "", line: 0))?.ended == 20)
    }

    @Test func chainsInFlightAndTheirOldest() {
        var script = ScriptedForest()
        let site = CodeLocation(fileID: "Shop/Order.swift", line: 7)
        script.name(sites: [1: site])
        _ = script.forest.consumeChanges()
        var table = ChainSiteTable()
        _ = table.count(script.forest, wall: 1, budget: 100)
        script.at(5)
        script.make(1, .work, "order 1", site: 1)
        script.at(8)
        script.make(2, .work, "order 2", site: 1)
        script.make(3, .then, under: 2, site: 2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        _ = table.refresh(script.forest, budget: 1_000)
        #expect(table.figures(site)?.inFlight == 2)
        #expect(table.figures(site)?.oldestNode == NodeID(1))
        #expect(table.figures(site)?.newestNode == NodeID(2))
        #expect(table.figures(site)?.label == "order")
        script.at(20)
        script.fulfill(1)
        script.fulfill(2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        Self.count(&table, script.forest)
        #expect(table.figures(site)?.inFlight == 1)
        #expect(table.figures(site)?.oldestNode == NodeID(2))
        #expect(table.figures(site)?.ended == 1)
        #expect(table.figures(site)?.time.max == 15 * Self.millisecond)
    }

    /// A chain that moves under another one, and a chain that settles and is evicted between two updates.
    @Test func chainsThatAreNoLongerInFlightChangeTheRevision() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 0, settledLeafLimit: 0))
        let unknown = CodeLocation(fileID: "", line: 0)
        _ = script.forest.consumeChanges()
        var table = ChainSiteTable()
        _ = table.count(script.forest, wall: 1, budget: 100)
        script.make(1, .all, site: 1)
        script.make(2, .work, site: 2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.figures(unknown)?.inFlight == 2)
        var revision = table.revision
        script.member(1, 2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.figures(unknown)?.inFlight == 1)
        #expect(table.revision != revision)
        revision = table.revision
        script.fulfill(2)
        script.fulfill(1)
        script.forest.evictSettled(now: script.time)
        #expect(script.forest.index(of: NodeID(1)) == nil)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        #expect(table.figures(unknown)?.inFlight == 0)
        #expect(table.revision != revision)
    }

    /// A chain is settled for a moment after its root, until the next step is attached.
    @Test func aChainThatGoesOnIsCountedAtItsEnd() {
        var script = ScriptedForest()
        _ = script.forest.consumeChanges()
        var table = ChainSiteTable()
        _ = table.count(script.forest, wall: 1, budget: 100)
        script.make(1, .work, site: 1)
        script.fulfill(1)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        _ = table.count(script.forest, wall: 2, budget: 100)
        script.at(1_000)
        script.make(2, .then, under: 1, site: 2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        Self.count(&table, script.forest)
        let unknown = CodeLocation(fileID: "", line: 0)
        #expect(table.figures(unknown)?.ended == 0)
        #expect(table.figures(unknown)?.inFlight == 1)
        script.at(3_000)
        script.reject(2)
        table.update(with: script.forest.consumeChanges(), of: script.forest)
        Self.count(&table, script.forest)
        #expect(table.figures(unknown)?.ended == 1)
        #expect(table.figures(unknown)?.failed == 1)
        #expect(table.figures(unknown)?.inFlight == 0)
    }

    /// More chains than the queue holds, found by a sweep and as changes.
    @Test func chainsPastTheLimitOfTheQueueAreCountedLater() {
        let count: UInt64 = 140_000
        var script = ScriptedForest()
        _ = script.forest.consumeChanges()
        var (swept, followed) = (ChainSiteTable(), ChainSiteTable())
        _ = followed.count(script.forest, wall: 1, budget: 100)
        for id in 1...count {
            script.make(id, .work, site: 1)
            script.fulfill(id)
            if id.isMultiple(of: 1_000) {
                followed.update(with: script.forest.consumeChanges(), of: script.forest)
            }
        }
        for tick in 1...20 as ClosedRange<UInt64> {
            let wall = tick * ChainSiteTable.settleDelay
            _ = swept.count(script.forest, wall: wall, budget: 100_000)
            _ = followed.count(script.forest, wall: wall, budget: 100_000)
        }
        let unknown = CodeLocation(fileID: "", line: 0)
        for table in [swept, followed] {
            #expect(table.figures(unknown)?.ended == Int(count))
            #expect(table.missedCount == 0)
            #expect(table.isComplete)
            #expect(!table.hasSettled)
        }
    }

    /// A chain of many nodes from one call site reads few of their labels.
    @Test func labelsAreSampledWithinAChain() {
        var script = ScriptedForest()
        script.make(1, .work, "order 1", site: 1)
        for id in 2...100 as ClosedRange<UInt64> {
            // Read: those with the numbers 1, 2, 4, 8, ….
            let number = id - 1
            script.make(id, .work, number & (number - 1) == 0 ? "step \(id)" : "other", by: 1, site: 2)
        }
        for id in (1...100 as ClosedRange<UInt64>).reversed() { script.fulfill(id) }
        var table = ChainSiteTable()
        table.openProfile()
        Self.count(&table, script.forest)
        #expect(Self.frame(table, 1, 2)?.count == 99)
        #expect(Self.frame(table, 1, 2)?.label == "step")
        #expect(Self.frame(table, 1)?.label == "order 1")
    }

    /// Nodes below a path that is beyond the limits are omitted, too, and so are nodes that a walk does not reach.
    @Test func omittedNodesAreCounted() {
        var deep = ScriptedForest()
        let count = UInt64(ProfileTree.depthLimit) + 20
        for id in 1...count { deep.make(id, .work, by: id == 1 ? 0 : id - 1, site: 1) }
        for id in (1...count).reversed() { deep.fulfill(id) }
        var wide = ScriptedForest()
        for id in 1...UInt64(ProfileTree.nodeLimit) + 10 { wide.make(id, .work, by: id == 1 ? 0 : 1, site: 1) }
        for id in (1...UInt64(ProfileTree.nodeLimit) + 10).reversed() { wide.fulfill(id) }
        var many = ScriptedForest()
        for site in 1...(ProfileTree.frameLimit + 10) {
            many.make(2 * UInt64(site), .work, site: SiteID(site))
            many.make(2 * UInt64(site) + 1, .work, by: 2 * UInt64(site), site: 1)
            many.fulfill(2 * UInt64(site) + 1)
            many.fulfill(2 * UInt64(site))
        }
        for (script, omitted) in [(deep, 20), (wide, 10)] {
            var table = ChainSiteTable()
            table.openProfile()
            Self.count(&table, script.forest)
            #expect(table.profile?.omittedCount == omitted)
        }
        var table = ChainSiteTable()
        table.openProfile()
        for tick in 1...200 as ClosedRange<UInt64> {
            _ = table.count(many.forest, wall: tick * ChainSiteTable.settleDelay, budget: 1_000)
        }
        let all = 2 * (ProfileTree.frameLimit + 10)
        let counted = table.profile?.frames.reduce(0) { $0 + $1.count } ?? 0
        #expect(table.profile?.omittedCount == all - counted)
    }

    @Test func pathsAreBounded() {
        var script = ScriptedForest()
        for site in 1...(ProfileTree.frameLimit + 10) {
            script.make(UInt64(site), .work, site: SiteID(site))
            script.fulfill(UInt64(site))
        }
        // A recursion deeper than the limit.
        let base: UInt64 = 10_000
        for depth in 0..<100 as Range<UInt64> {
            script.make(base + depth, .work, by: depth == 0 ? 0 : base + depth - 1, site: 1)
        }
        script.at(10)
        for depth in 0..<100 as Range<UInt64> { script.fulfill(base + 99 - depth) }
        var table = ChainSiteTable()
        table.openProfile()
        for tick in 1...200 as ClosedRange<UInt64> {
            _ = table.count(script.forest, wall: tick * ChainSiteTable.settleDelay, budget: 100)
        }
        #expect(table.isComplete)
        #expect(table.profile?.frames.count == ProfileTree.frameLimit)
        #expect(table.profile?.frames.allSatisfy { $0.depth < ProfileTree.depthLimit } == true)
    }

    /// Random programs, evictions among them: sums and limits hold.
    @Test(arguments: 1...6) func figuresAreConsistent(seed: UInt64) {
        var program = SiteTableTests.Program(
            seed: seed, limits: ForestLimits(settledNodeLimit: 200, settledLeafLimit: 50))
        _ = program.script.forest.consumeChanges()
        var table = ChainSiteTable()
        table.openProfile()
        for step in 0..<3_000 {
            program.step()
            if step % 5 == 0 { program.script.forest.evictSettled(now: program.script.time) }
            guard step % 8 == 7 else { continue }
            table.update(with: program.script.forest.consumeChanges(), of: program.script.forest)
            _ = table.count(program.script.forest, wall: UInt64(step) * ChainSiteTable.settleDelay / 8, budget: 1_000)
        }
        _ = table.refresh(program.script.forest, budget: 1_000_000)
        let frames = table.profile?.frames ?? []
        #expect(!frames.isEmpty)
        for frame in frames {
            #expect(frame.ownTime <= frame.total)
            #expect(frame.failed <= frame.count)
            #expect(frame.time.count == UInt64(frame.count))
            #expect(frame.slowestTotal == frame.time.max)
        }
        let live = program.script.forest.totals.liveChainCount
        #expect(table.figures(CodeLocation(fileID: "", line: 0))?.inFlight == live)
    }
}
