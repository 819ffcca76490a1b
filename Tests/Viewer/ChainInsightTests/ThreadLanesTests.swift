import ChainEvents
import ChainModel
import SeededNumbers
import Testing

@testable import ChainInsight

private let second: UInt64 = 1_000_000_000

/// Activity of threads, computed from events.
@Suite struct ThreadLanesTests {
    /// A program's events, and a forest and lanes to which they are applied.
    private struct World {
        var forest = ChainForest(process: ProcessKey(rawValue: 1))
        var lanes = ThreadLanes()
        var batch = EventBatch(process: ProcessKey(rawValue: 1), sequence: 1, time: 0)

        mutating func record(
            _ kind: EventKind, _ node: UInt64, _ other: UInt64 = 0, at time: UInt64, on thread: ThreadID = 1,
            detail: UInt16 = 0, flags: EventFlags = []
        ) {
            batch.time = max(batch.time, time)
            batch.events.append(
                ChainEvent(
                    time: time, kind, node: NodeID(node), other: NodeID(other), thread: thread, detail: detail,
                    flags: flags))
        }

        mutating func make(_ node: UInt64, _ kind: NodeKind = .work, at time: UInt64) {
            record(.created, node, at: time, on: 99, detail: UInt16(kind.rawValue))
        }

        /// Applies the batch to the forest and the lanes, and begins the next one.
        mutating func applyBatch() {
            forest.apply(batch)
            lanes.ingest(batch, in: forest)
            batch = EventBatch(process: batch.process, sequence: batch.sequence + 1, time: batch.time)
        }

        func entries(_ thread: ThreadID) -> [NodeID] {
            lanes.lane(of: thread).map { ThreadLanes.entries(of: $0, in: forest).map(\.node) } ?? []
        }
    }

    @Test func aHandlerIsOnItsThreadWhileItRuns() {
        var world = World()
        world.make(1, at: 10)
        world.record(.started, 1, at: 2 * second, on: 7)
        world.applyBatch()
        #expect(world.entries(7) == [NodeID(1)])
        #expect(world.lanes.lane(of: 7)?.entries.first?.since == 2 * second)
        world.record(.fulfilled, 1, at: 5 * second / 2, on: 7, flags: .handlerEnded)
        world.applyBatch()
        #expect(world.entries(7) == [])
        let lane = world.lanes.lane(of: 7)!
        let now = 4 * second
        #expect(lane.total(now: now, nil).usage.busy == second / 2)
        #expect(lane.total(now: now, nil).of == 2 * second)
        #expect(lane.usage(ofSecond: 1, now: now, nil) == nil, "nothing was known then")
        #expect(lane.usage(ofSecond: 2, now: now, nil)?.busy == second / 2)
        #expect(lane.usage(ofSecond: 3, now: now, nil) == ThreadLane.Usage())
        #expect(lane.usage(ofSecond: 5, now: now, nil) == nil, "that is to come")
    }

    @Test func aWaitBlocksAndAHandlerOnTopOfItRuns() {
        var world = World()
        for node in 1...3 as ClosedRange<UInt64> { world.make(node, at: 1) }
        world.record(.started, 1, at: 1 * second)
        world.record(.awaited, 2, 1, at: 2 * second)
        world.applyBatch()
        #expect(world.lanes.lane(of: 1)?.entries.map(\.kind) == [.handler, .wait])
        world.record(.started, 3, at: 4 * second)
        world.applyBatch()
        #expect(world.entries(1) == [NodeID(1), NodeID(2), NodeID(3)])
        world.record(.ended, 3, at: 5 * second)
        world.record(.awaitEnded, 2, 1, at: 7 * second)
        world.record(.ended, 1, at: 8 * second)
        world.applyBatch()
        #expect(world.entries(1) == [])
        let total = world.lanes.lane(of: 1)!.total(now: 8 * second, nil)
        #expect(total.usage == ThreadLane.Usage(busy: 3 * second, blocked: 4 * second))
        #expect(total.of == 7 * second)
    }

    @Test func tasksHoldNoThread() {
        var world = World()
        world.make(1, .task, at: 1)
        world.record(.started, 1, at: 10)
        world.applyBatch()
        #expect(world.lanes.lanes.isEmpty)
        // Its kind may be reported after its start.
        world.record(.started, 2, at: 20)
        world.applyBatch()
        #expect(world.entries(1) == [NodeID(2)])
        world.make(2, .task, at: 15)
        world.applyBatch()
        #expect(world.entries(1) == [])
        world.record(.fulfilled, 2, at: 30, on: 5, flags: .handlerEnded)
        world.applyBatch()
        #expect(world.lanes.lane(of: 1)?.entries == [])
    }

    @Test func tasksWhoseRunsAreSampledAreInLanes() {
        var world = World()
        world.make(1, .task, at: 1)
        world.make(2, .task, at: 1)
        world.record(.resumed, 1, at: 1 * second, on: 7)
        world.applyBatch()
        #expect(world.entries(7) == [NodeID(1)])
        // A thread runs one task at a time, whichever sample comes first.
        world.record(.resumed, 2, at: 3 * second, on: 7)
        world.record(.suspended, 1, at: 3 * second, on: 7)
        world.applyBatch()
        #expect(world.entries(7) == [NodeID(2)])
        world.record(.fulfilled, 2, at: 4 * second, on: 7, flags: .handlerEnded)
        world.applyBatch()
        #expect(world.entries(7) == [])
        #expect(world.lanes.lane(of: 7)!.total(now: 4 * second, nil).usage.busy == 3 * second)
    }

    @Test func aTaskIsInOneLaneWhateverSamplesAreMissing() {
        var world = World()
        for node in 1...2 as ClosedRange<UInt64> { world.make(node, .task, at: 1) }
        world.record(.resumed, 1, at: 1 * second, on: 7)
        world.applyBatch()
        // Its suspension there, and its run on another thread, were not sampled.
        world.record(.suspended, 1, at: 3 * second, on: 8)
        world.record(.resumed, 2, at: 3 * second, on: 7)
        world.applyBatch()
        #expect(world.entries(7) == [NodeID(2)] && world.entries(8) == [])
        world.record(.resumed, 2, at: 4 * second, on: 8)
        world.applyBatch()
        #expect(world.entries(7) == [] && world.entries(8) == [NodeID(2)])
        // A sample after its end.
        world.record(.fulfilled, 2, at: 5 * second, on: 8, flags: .handlerEnded)
        world.record(.resumed, 2, at: 4 * second, on: 9)
        world.applyBatch()
        #expect(world.entries(8) == [] && world.entries(9) == [])
    }

    @Test func aStallIsNoBusyTime() {
        var world = World()
        world.make(1, at: 1)
        world.make(2, .task, at: 1)
        world.record(.started, 1, at: 1 * second, on: 7)
        world.record(.resumed, 2, at: 1 * second, on: 8)
        world.applyBatch()
        // Reported some time after it began.
        world.record(.stalled, 1, at: 2 * second, on: 7)
        world.record(.stalled, 2, at: 2 * second, on: 8)
        world.applyBatch()
        #expect(world.lanes.lane(of: 7)?.entries.map(\.kind) == [.handler, .stall])
        #expect(world.lanes.lane(of: 8)?.entries.map(\.kind) == [.handler, .stall])
        world.record(.stallEnded, 1, at: 5 * second, on: 7)
        // The end of the other stall was lost.
        world.record(.suspended, 2, at: 5 * second, on: 8)
        world.record(.ended, 1, at: 6 * second, on: 7)
        world.applyBatch()
        #expect(world.entries(7) == [] && world.entries(8) == [])
        #expect(
            world.lanes.lane(of: 7)!.total(now: 6 * second, nil).usage == .init(busy: 2 * second, blocked: 3 * second))
        #expect(world.lanes.lane(of: 8)!.total(now: 6 * second, nil).usage == .init(busy: second, blocked: 3 * second))
    }

    @Test func lateSubscribersSeeHandlersAndWaits() {
        var world = World()
        world.make(1, at: 1)
        world.make(2, at: 1)
        world.make(3, at: 1)
        world.record(.started, 1, at: 10)
        world.record(.awaited, 2, 1, at: 20)
        world.record(.started, 3, at: 30)
        world.record(.stalled, 3, at: 35)
        world.applyBatch()
        var late = World()
        late.batch.nodes = world.forest.snapshot(limit: 10).nodes
        late.batch.time = 40
        late.applyBatch()
        #expect(late.entries(1) == [NodeID(1), NodeID(3)])
        late.batch.events = world.forest.waitEvents
        late.applyBatch()
        #expect(late.lanes.lane(of: 1)?.entries == world.lanes.lane(of: 1)?.entries)
    }

    @Test func entriesThatEndedDuringALossAreRemoved() {
        var world = World()
        world.make(1, at: 1)
        world.record(.started, 1, at: 10)
        world.applyBatch()
        // The handler's end was lost, its settlement was not.
        world.record(.released, 1, at: 20, on: 3)
        world.applyBatch()
        #expect(world.entries(1) == [], "the forest has its settlement")
        world.make(2, at: 30)
        world.record(.started, 2, at: 40)
        world.batch.loss.lostInRings = 1
        world.applyBatch()
        #expect(world.lanes.lane(of: 1)?.entries.map(\.node) == [NodeID(2)])
    }

    @Test func tasksThatEndedDuringALossAreForgotten() {
        var world = World()
        for node in 1...3 as ClosedRange<UInt64> {
            world.make(node, .task, at: 1)
            world.record(.resumed, node, at: 10, on: ThreadID(node))
        }
        world.applyBatch()
        #expect(world.lanes.taskThreads.count == 3)
        // The ends of two tasks were lost, the release of one and a later sample of the other were not.
        world.record(.released, 1, at: 20, on: 9)
        world.record(.resumed, 2, at: 20, on: 9)
        world.batch.loss.lostInRings = 1
        world.applyBatch()
        #expect(world.lanes.taskThreads == [NodeID(2): 9, NodeID(3): 3])
        #expect(world.entries(1) == [] && world.entries(2) == [])
        #expect(world.entries(9) == [NodeID(2)] && world.entries(3) == [NodeID(3)])
    }

    @Test func lanesOfEndedThreadsAreDropped() {
        var world = World()
        for thread in 1...5_000 as ClosedRange<UInt32> {
            let time = UInt64(thread) * 1_000
            world.make(UInt64(thread), at: time)
            world.record(.started, UInt64(thread), at: time + 1, on: thread)
            if thread != 3 { world.record(.ended, UInt64(thread), at: time + 2, on: thread) }
        }
        world.applyBatch()
        #expect(world.lanes.lanes.count <= ThreadLanes.laneLimit)
        #expect(world.lanes.lane(of: 3) != nil, "it is not idle")
        #expect(world.lanes.lane(of: 5_000) != nil)
        #expect(world.lanes.lane(of: 4) == nil)
        #expect(world.lanes.lanes.allSatisfy { world.lanes.lane(of: $0.thread) == $0 })
    }

    @Test func hostileEventsAreSurvived() {
        var world = World()
        let times: [UInt64] = [.max, 0, 1, .max - 1, .max / 2, second, .max >> 2]
        for (index, time) in times.enumerated() {
            for thread in [1, 0, ThreadID.max] {
                let node = UInt64(index) + 1
                world.record(.started, node, at: time, on: thread)
                world.record(.awaited, node, node, at: .max - time, on: thread)
                world.record(.awaitEnded, 77, at: time, on: thread)
                world.record(.ended, node, at: time / 2, on: thread)
                world.record(.started, 1, at: time, on: thread)
            }
            world.applyBatch()
            for lane in world.lanes.lanes {
                for now in times {
                    for number in [0, now / second, .max] { _ = lane.usage(ofSecond: number, now: now, .wait) }
                    _ = lane.total(now: now, .handler)
                }
            }
        }
        #expect(world.lanes.lane(of: 0) == nil)
    }

    // MARK: Random logs

    /// Random possible events of one thread, and its expected usage of each second.
    private struct RandomThread {
        var events: [ChainEvent] = []
        var seconds: [UInt64: ThreadLane.Usage] = [:]

        init(_ thread: ThreadID, _ random: inout SeededGenerator) {
            var time = UInt64(thread) * 1_000 + random.next() % second
            var stack: [(node: NodeID, kind: ThreadLane.Entry.Kind)] = []
            var nextNode = UInt64(thread) << 32
            for _ in 0..<(100 + random.next() % 300) {
                let gap = random.next() % 4 == 0 ? random.next() % (5 * second) : random.next() % (second / 10)
                count(from: time, to: time + gap, stack.last?.kind)
                time += gap
                let roll = random.next() % 3
                if stack.isEmpty || (roll == 0 && stack.count < 5) {
                    nextNode += 1
                    let kind: ThreadLane.Entry.Kind = stack.last?.kind == .handler ? .wait : .handler
                    stack.append((NodeID(nextNode), kind))
                    events.append(
                        ChainEvent(
                            time: time, kind == .wait ? .awaited : .started, node: NodeID(nextNode), thread: thread))
                } else if let top = stack.popLast() {
                    let isSettling = top.kind == .handler && random.next() % 2 == 0
                    let kind: EventKind = top.kind == .wait ? .awaitEnded : isSettling ? .rejected : .ended
                    events.append(
                        ChainEvent(
                            time: time, kind, node: top.node, thread: thread,
                            flags: isSettling ? .handlerEnded : []))
                }
            }
        }

        private mutating func count(from: UInt64, to: UInt64, _ kind: ThreadLane.Entry.Kind?) {
            guard let kind else { return }
            var start = from
            while start < to {
                let end = min(to, (start / second + 1) * second)
                seconds[start / second, default: ThreadLane.Usage()].add(end - start, kind)
                start = end
            }
        }
    }

    /// Applies the events of all threads in a random order that keeps each thread's own, in batches of random sizes.
    private static func apply(_ threads: [RandomThread], upTo size: Int, _ random: inout SeededGenerator) -> World {
        var world = World()
        var rest = threads.map { $0.events[...] }
        while let index = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
            for _ in 0..<Int.random(in: 1...size, using: &random) {
                guard let event = rest[index].popFirst() else { break }
                world.batch.events.append(event)
                world.batch.time = max(world.batch.time, event.time)
            }
            if Bool.random(using: &random) { world.applyBatch() }
        }
        world.applyBatch()
        return world
    }

    @Test(arguments: Seeds.upTo(25)) func anySplitGivesTheSameLanes(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let threads = (1...ThreadID(1 + seed % 6)).map { RandomThread($0, &random) }
        let whole = Self.apply(threads, upTo: 1_000, &random)
        for size in [1, 3, 40] {
            let other = Self.apply(threads, upTo: size, &random)
            for (index, _) in threads.enumerated() {
                let thread = ThreadID(index + 1)
                #expect(other.lanes.lane(of: thread) == whole.lanes.lane(of: thread), "seed \(seed)")
            }
        }
        for (index, thread) in threads.enumerated() {
            let lane = whole.lanes.lane(of: ThreadID(index + 1))!
            let now = lane.lastEventTime
            let sum = thread.seconds.values.reduce(into: ThreadLane.Usage()) {
                $0.busy += $1.busy
                $0.blocked += $1.blocked
            }
            #expect(lane.total(now: now, nil).usage == sum, "seed \(seed)")
            let current = now / second
            for number in (current &- min(current, 63))...current {
                guard let usage = lane.usage(ofSecond: number, now: now, nil) else { continue }
                #expect(usage == thread.seconds[number] ?? ThreadLane.Usage(), "seed \(seed), second \(number)")
            }
        }
    }

    /// The time since the last event counts as if there were an event now.
    @Test(arguments: Seeds.upTo(10)) func timeSinceTheLastEventCounts(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let thread = RandomThread(1, &random)
        var world = World()
        for event in thread.events {
            world.batch.events = [event]
            world.applyBatch()
            let lane = world.lanes.lane(of: 1)!
            let now = event.time + random.next() % (100 * second)
            let kind = lane.entries.last?.kind
            var later = lane
            later.prune(at: now) { _ in true }
            let openEnd = lane.total(now: now, kind)
            let counted = later.entries.isEmpty ? openEnd : later.total(now: now, nil)
            #expect(openEnd.usage == counted.usage)
            for number in 0...(now / second) {
                guard !later.entries.isEmpty, let usage = lane.usage(ofSecond: number, now: now, kind) else { continue }
                #expect(usage == later.usage(ofSecond: number, now: now, nil) ?? usage, "seed \(seed)")
            }
        }
    }
}

// SPDX-License-Identifier: MIT
